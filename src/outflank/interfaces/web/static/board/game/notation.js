// Games and positions as text: transcripts, trees of variations, boards.

import { GameTree } from "./game_tree.js";
import { isSquare, Position, START } from "./rules.js";

export const LONGEST_TEXT = 20_000; // characters of a tree in an address
const MOST_NODES = 5000;
const COLUMNS = /\ba\s*b\s*c\s*d\s*e\s*f\s*g\s*h\b/gi; // above or below a printed board: the b is no disc

/** The moves of a transcript such as "f5d6c3" or "F5 d6, C3"; move numbers, passes and dashes are skipped. */
export function transcriptMoves(text) {
  const found = [];
  const rest = text.normalize("NFKC").toLowerCase().replace(/pass?|pa|ps|--|@@/g, " ").replace(/\b\d+(\.+|\))/g, " ");
  for (const part of rest.split(/[\s,;:|/-]+/).filter(Boolean)) {
    if (part.length % 2) throw new Error(`“${part.slice(0, 12)}” is not a list of moves: a move is a letter and a digit, such as f5`);
    for (const move of part.match(/../g)) {
      if (!isSquare(move)) throw new Error(`“${move}” is not a square; squares are a1 to h8`);
      found.push(move);
    }
  }
  return found;
}

/** A tree with one line. The moves are checked; an illegal one is named with its number. */
export function treeOfMoves(moves, start = START) {
  const tree = new GameTree(start);
  moves.forEach((move, i) => {
    const { position } = tree.current;
    if (position.isOver) throw new Error(`the game is over before move ${i + 1} (${move})`);
    if (!position.isLegal(move)) throw new Error(`move ${i + 1} (${move}) is not legal for ${position.mover}`);
    tree.play(move);
  });
  return tree;
}

/** A tree as text: a line is its moves, variations are in parentheses after the move they replace. */
export function treeText(tree) {
  const written = (node) => {
    let text = "", at = node;
    while (at.children.length) {
      const [first, ...variations] = at.children;
      text += first.move;
      for (const child of variations) text += `(${child.move}${written(child)})`;
      at = first;
    }
    return text;
  };
  return written(tree.root);
}

export function treeFromText(text, start = START) {
  if (text.length > LONGEST_TEXT) throw new Error("the game is too long");
  const tree = new GameTree(start), open = [];
  let at = tree.root, nodes = 0;
  for (const part of text.toLowerCase().match(/[a-h][1-8]|[()]|\S/g) ?? []) {
    if (part === "(") {
      if (!at.parent) throw new Error("a variation cannot come before the first move");
      open.push(at);
      at = at.parent;
    } else if (part === ")") {
      if (!open.length) throw new Error("a parenthesis is closed that was not opened");
      at = open.pop();
    } else if (!isSquare(part)) {
      throw new Error(`“${part}” is not a square; squares are a1 to h8`);
    } else {
      if (at.position.isOver || !at.position.isLegal(part)) {
        throw new Error(`move ${at.ply + 1} (${part}) is not legal for ${at.position.mover}`);
      }
      if ((nodes += 1) > MOST_NODES) throw new Error("the game has too many variations");
      at = tree.added(at, part);
    }
  }
  if (open.length) throw new Error("a parenthesis is not closed");
  return tree;
}

/** A board from text: 64 squares a1 first, in any layout, then optionally who moves. */
export function positionFromText(text) {
  const letters = text.replace(COLUMNS, "").replace(/[^-xXoO*.bBwW]/g, "");
  if (letters.length < 64) throw new Error(`a board has 64 squares, but this text has ${letters.length}`);
  const mover = /^[oOwW]/.test(letters.slice(64)) ? "white" : "black";
  return Position.fromText(letters, mover);
}

/** The shortest text of a position: 64 letters and the mover. */
export const positionText = (position) => `${position.text}${position.mover === "black" ? "X" : "O"}`;

export const isStart = (position) => position.key === START.key;

/** +3.0, −2.5: an estimated number of discs, always with one decimal. */
export const estimate = (value) => `${value < -0.05 ? "\u2212" : value >= 0.05 ? "+" : ""}${Math.abs(value).toFixed(1)}`;

/** +3, −2.5, 0: a number of discs, with at most one decimal. */
export function discs(value, digits = 1) {
  const rounded = Number(value.toFixed(Number.isInteger(value) ? 0 : digits));
  if (rounded === 0) return "0";
  return rounded > 0 ? `+${rounded}` : `\u2212${Math.abs(rounded)}`;
}
