// A position as the board uses it: immutable, with squares by name. The rules themselves are the engine's.

import * as rules from "../../engine/rules.js";

/** All squares by name, a1 first, row by row. */
export const SQUARES = [...Array(64).keys()].map(rules.squareName);

export const other = rules.other;
export const isSquare = (text) => rules.squareNumber(text) >= 0;
export const squareIndex = (square) => rules.squareNumber(square);
const EMPTY_BOARD = "-".repeat(64);

export class Position {
  #legal = null;

  /** Discs are sets of two halves, as the engine has them. */
  constructor({ black, white, mover }) {
    Object.assign(this, { black, white, mover });
    Object.freeze(this);
  }

  /** From 64 letters, a1 first: X or * black, O white, else empty; and who moves. */
  static fromText(letters, mover) {
    const plain = letters.slice(0, 64).replace(/[^XOxo*@BbWw0-]/g, "-");
    return new Position(rules.fromText(plain + EMPTY_BOARD.slice(plain.length) + (mover === "black" ? "X" : "O")));
  }

  get text() {
    return rules.toText(this).slice(0, 64);
  }

  /** The same for equal positions alone. */
  get key() {
    return [...this.black, ...this.white, this.mover[0]].join(".");
  }

  get discs() {
    return { black: rules.count(this.black), white: rules.count(this.white) };
  }

  get empties() {
    return rules.empties(this);
  }

  get legalMoves() {
    this.#legal ??= rules.legalMoves(this).map(rules.squareName);
    return this.#legal;
  }

  get hasMoves() {
    return this.legalMoves.length > 0;
  }

  get isOver() {
    return !this.hasMoves && rules.isOver(this);
  }

  /** The same, after a pass where the mover has no move but the opponent has. */
  settled() {
    const found = rules.settled(this);
    return found === this ? this : new Position(found);
  }

  /** The squares that a move flips; none if it is not legal. */
  flips(square) {
    return rules.flips(this, squareIndex(square)).map(rules.squareName);
  }

  isLegal(square) {
    return this.legalMoves.includes(square);
  }

  /** After a legal move, with the opponent to move, who may have to pass. */
  play(square) {
    return new Position(rules.play(this, squareIndex(square)));
  }

  /** Black's discs minus White's. */
  get difference() {
    return rules.discDifference(this);
  }

  /** At the end of a game: empty squares go to the winner. */
  get result() {
    return rules.discDifference(this, true);
  }
}

export const START = new Position(rules.START);
