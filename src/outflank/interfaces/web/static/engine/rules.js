// The rules of Othello in plain JavaScript, for everything that must answer at once: legal moves, flips, text.
//
// A position is {black: [low, high], white: [low, high], mover: "black" | "white"}: each colour's discs as two
// unsigned halves of 32 bits, squares 0..31 and 32..63. A square is a number: a1 is 0, b1 is 1, a2 is 8, h8 is
// 63; a1 is the top left corner. Positions are never changed; play and pass return new ones.

/**
 * @typedef {{black: [number, number], white: [number, number], mover: "black"|"white"}} Position
 */

const DIRECTIONS = [[0, 1], [0, -1], [1, 0], [-1, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]];

// The squares seen from each square in each direction, nearest first.
const RAYS = Array.from({ length: 64 }, (_, square) =>
  DIRECTIONS.map(([down, right]) => {
    const ray = [];
    let row = (square >> 3) + down;
    let column = (square & 7) + right;
    for (; row >= 0 && row < 8 && column >= 0 && column < 8; row += down, column += right) ray.push(8 * row + column);
    return ray;
  }).filter((ray) => ray.length > 1),
);

/** @type {Position} Black on e4 and d5, White on d4 and e5; Black moves. */
export const START = Object.freeze({
  black: Object.freeze([0x10000000, 0x00000008]),
  white: Object.freeze([0x08000000, 0x00000010]),
  mover: "black",
});

/** @param {"black"|"white"} colour */
export const other = (colour) => (colour === "black" ? "white" : "black");

/** Whether a set of squares, as two halves, has a square. */
export const has = (halves, square) => ((halves[square >> 5] >>> (square & 31)) & 1) === 1;

const popcount = (half) => {
  let n = half - ((half >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/** How many squares a set has. */
export const count = (halves) => popcount(halves[0]) + popcount(halves[1]);

/** The discs on the board. */
export const discs = (position) => count(position.black) + count(position.white);
export const empties = (position) => 64 - discs(position);

/** The squares of a set, ascending. */
export function squaresOf(halves) {
  const found = [];
  for (let square = 0; square < 64; ++square) if (has(halves, square)) found.push(square);
  return found;
}

/** Squares as a set of two halves. */
export function setOf(squares) {
  const halves = [0, 0];
  for (const square of squares) halves[square >> 5] |= 1 << (square & 31);
  return [halves[0] >>> 0, halves[1] >>> 0];
}

// 1 for the mover's discs, -1 for the opponent's, 0 for empty squares.
function contents(position) {
  const mine = position[position.mover];
  const theirs = position[other(position.mover)];
  const board = new Int8Array(64);
  for (let square = 0; square < 64; ++square) board[square] = has(mine, square) - has(theirs, square);
  return board;
}

function flipsOn(board, square) {
  const flipped = [];
  if (board[square] !== 0) return flipped;
  for (const ray of RAYS[square]) {
    let steps = 0;
    while (steps < ray.length && board[ray[steps]] === -1) ++steps;
    if (steps > 0 && steps < ray.length && board[ray[steps]] === 1) flipped.push(...ray.slice(0, steps));
  }
  return flipped;
}

/** The squares that a move flips; none if it is not legal. @param {Position} position */
export const flips = (position, square) => flipsOn(contents(position), square);

/** The legal moves of the mover, ascending. @param {Position} position @returns {number[]} */
export function legalMoves(position) {
  const board = contents(position);
  const moves = [];
  for (let square = 0; square < 64; ++square) if (flipsOn(board, square).length > 0) moves.push(square);
  return moves;
}

/** @param {Position} position */
export const hasMoves = (position) => legalMoves(position).length > 0;

/** The same discs, the other side to move. @param {Position} position @returns {Position} */
export const pass = (position) => ({ ...position, mover: other(position.mover) });

/** Whether neither side can move. @param {Position} position */
export const isOver = (position) => !hasMoves(position) && !hasMoves(pass(position));

/**
 * The position after a legal move; the other side is the mover, even where it must pass.
 * @param {Position} position @param {number} square @returns {Position}
 */
export function play(position, square) {
  const flipped = flips(position, square);
  if (flipped.length === 0) throw new Error(`${squareName(square)} is not a legal move here`);
  const turned = setOf(flipped);
  const placed = setOf([...flipped, square]);
  const rival = other(position.mover);
  const mine = position[position.mover].map((half, i) => (half | placed[i]) >>> 0);
  const theirs = position[rival].map((half, i) => (half & ~turned[i]) >>> 0);
  return { [position.mover]: mine, [rival]: theirs, mover: rival };
}

/** The position after a forced pass, if there is one to make. @param {Position} position @returns {Position} */
export function settled(position) {
  if (hasMoves(position)) return position;
  const passed = pass(position);
  return hasMoves(passed) ? passed : position;
}

/** Black's discs minus White's; with `toWinner` the empty squares go to the winner, as in tournaments. */
export function discDifference(position, toWinner = false) {
  const difference = count(position.black) - count(position.white);
  return toWinner ? difference + Math.sign(difference) * empties(position) : difference;
}

/** "c4" for 26. */
export const squareName = (square) => "abcdefgh"[square & 7] + ((square >> 3) + 1);

/** 26 for "c4" or "C4"; -1 for anything else. */
export const squareNumber = (name) =>
  /^[a-hA-H][1-8]$/.test(name) ? name.toLowerCase().charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49) : -1;

/** The board as 64 characters (X black, O white, - empty), a space and the mover's X or O. */
export function toText(position) {
  let text = "";
  for (let square = 0; square < 64; ++square) {
    text += has(position.black, square) ? "X" : has(position.white, square) ? "O" : "-";
  }
  return `${text} ${position.mover === "black" ? "X" : "O"}`;
}

/** The position of a text as toText writes it; also with *, @ or b for black, w or 0 for white, and dots. */
export function fromText(text) {
  const letters = text.replace(/\s/g, "");
  if (!/^[XOxo*@BbWw0.\-]{64}[XOxo*@BbWw0]$/.test(letters)) {
    throw new Error("a board is 64 letters (X black, O white, - empty) and the mover's letter");
  }
  const isBlack = (letter) => "Xx*@Bb".includes(letter);
  const isWhite = (letter) => "OoWw0".includes(letter);
  const of = (is) => setOf([...letters.slice(0, 64)].flatMap((letter, square) => (is(letter) ? [square] : [])));
  return { black: of(isBlack), white: of(isWhite), mover: isBlack(letters[64]) ? "black" : "white" };
}
