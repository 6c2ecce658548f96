// The game in the address: players, moves with variations, and the position shown. So a game is shared by its link.

import { GameTree } from "./game/game_tree.js";
import { isStart, positionFromText, positionText, transcriptMoves, treeFromText, treeText } from "./game/notation.js";

/** The part after #. */
export function addressOf(session) {
  const query = new URLSearchParams();
  query.set("black", session.black);
  query.set("white", session.white);
  if (session.strength !== "1") query.set("depth", session.strength);
  if (session.both) query.set("both", "1");
  if (session.showsValues) query.set("values", "1");
  if (!isStart(session.tree.start)) query.set("start", positionText(session.tree.start));
  const game = treeText(session.tree);
  if (game) query.set("game", game);
  if (session.node !== session.tree.mainLine.at(-1)) query.set("at", session.node.moves.join("") || "start");
  return `#${query}`.replaceAll("%28", "(").replaceAll("%29", ")");
}

/** What stays before the #: the run of the lab that plays too, for the server makes the page with it. */
export function keptQuery(search) {
  const run = new URLSearchParams(search).get("run");
  return run ? `?${new URLSearchParams({ run })}` : "";
}

/**
 * What an address says: {black, white, strength, both, showsValues, tree}; what is missing stays undefined.
 * Also understands ?player=ID&colour=black&moves=f5d6, as older links have it. Throws for moves that are not legal.
 */
export function readAddress({ search, hash }) {
  const query = new URLSearchParams(search);
  for (const [key, value] of new URLSearchParams(hash.slice(1))) query.set(key, value);
  const found = {
    black: query.get("black") ?? undefined, white: query.get("white") ?? undefined,
    strength: query.get("depth") ?? undefined, both: query.get("both") === "1" || query.get("colour") === "both",
    showsValues: query.get("values") === "1",
  };
  const player = query.get("player") ?? (query.has("run") && !query.has("white") ? "run" : null);
  if (player) {
    const isWhite = query.get("colour") === "white";
    Object.assign(found, { [isWhite ? "black" : "white"]: `player-${player}`, [isWhite ? "white" : "black"]: "you" });
  }
  found.tree = treeOf(query);
  return found;
}

function treeOf(query) {
  const start = query.has("start") ? positionFromText(query.get("start")) : undefined;
  const tree = treeFromText(query.get("game") ?? query.get("moves") ?? "", start);
  tree.goTo(tree.mainLine.at(-1));
  const at = query.get("at");
  if (at === "start") tree.goTo(tree.root);
  else if (/^\d+$/.test(at ?? "")) tree.goTo(tree.mainLine[Math.min(Number(at), tree.mainLine.length - 1)]);
  else if (/^([a-h][1-8])+$/.test(at ?? "")) tree.goTo(tree.addLine(tree.root, legalPart(tree, transcriptMoves(at))));
  return tree;
}

/** The moves up to the first illegal one. */
function legalPart(tree, moves) {
  const found = [], trial = new GameTree(tree.start);
  for (const move of moves) {
    if (trial.current.position.isOver || !trial.current.position.isLegal(move)) break;
    trial.play(move);
    found.push(move);
  }
  return found;
}
