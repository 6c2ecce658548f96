// The page that `outflank page` writes: the board, with its files in scripts beside it. It asks nobody for
// anything, so it works from file://, from any static host, and offline once a host has served it.

import { startBoard } from "../board/page.js";
import { Engine } from "../engine/engine.js";
import { unpacked } from "./unpack.js";

const arriving = new Map(); // by name: who waits for the script of a file
globalThis.outflankFile = (name, packed) => arriving.get(name)?.(packed);

/** The bytes of a file of this page. Browsers refuse fetch() on file:// pages, but not scripts. */
function load(name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    arriving.set(name, (packed) => resolve(unpacked(packed)));
    script.onerror = () => reject(new Error(`the file files/${name}.js is missing from this page's folder`));
    script.onload = () => script.remove();
    script.src = `files/${name}.js`;
    document.head.append(script);
  });
}

async function start() {
  const [wasm, worker] = await Promise.all([load("engine.wasm"), load("engine-worker.js")]);
  return Engine.start({ wasm, worker: new Blob([worker], { type: "text/javascript" }) });
}

// On a host: installable, and offline from the second visit on.
if (location.protocol.startsWith("http")) {
  document.head.append(Object.assign(document.createElement("link"), { rel: "manifest", href: "manifest.webmanifest" }));
  navigator.serviceWorker?.register("service-worker.js").catch(() => {}); // not over plain http: then it works online
}

startBoard({ config: JSON.parse(document.getElementById("config").textContent), load, start });
