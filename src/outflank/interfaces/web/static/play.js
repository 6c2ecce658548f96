// The league's play page: the board, with the players of this league.

import { startBoard } from "./board/page.js";
import { Engine } from "./engine/engine.js";

async function load(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the server responded ${response.status} for ${address}`);
  return new Uint8Array(await response.arrayBuffer());
}

const config = JSON.parse(document.getElementById("config").textContent);
startBoard({ config, load, start: () => Engine.start(config.engine) });
