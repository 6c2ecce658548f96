// node node_results.mjs JOBS: prints what the core finds as JSON. Copied beside the engine's folder by the test.

import { webcrypto } from "node:crypto";
import { readFile } from "node:fs/promises";
import { results } from "./core_results.js";
import { Core } from "./engine/core.js";
import * as rules from "./engine/rules.js";

globalThis.crypto ??= webcrypto;
const jobs = JSON.parse(await readFile(process.argv[2], "utf8"));
const read = (name) => readFile(new URL(name, import.meta.url));
const module = await WebAssembly.compile(await read("engine/engine.wasm"));
process.stdout.write(JSON.stringify(await results({ Core, rules }, module, read, jobs)));
