// A game with its variations. Nothing that was played is lost: another move at an old position starts a branch.

import { START } from "./rules.js";

export class GameNode {
  constructor(position, move = null, parent = null) {
    this.position = position; // settled: its mover has a move, or the game is over
    this.move = move;
    this.parent = parent;
    this.children = []; // the first continues this line, the others are variations
    this.ply = parent ? parent.ply + 1 : 0;
    this.mover = move ? parent.position.mover : null;
  }

  /** Who had to pass before the position's mover came to move; null if nobody had. */
  get passer() {
    if (!this.move || this.position.isOver) return null;
    return this.mover === this.position.mover ? (this.mover === "black" ? "white" : "black") : null;
  }

  get path() {
    return this.parent ? [...this.parent.path, this] : [this];
  }

  get moves() {
    return this.path.slice(1).map((node) => node.move);
  }

  get isMain() {
    return !this.parent || (this.parent.children[0] === this && this.parent.isMain);
  }
}

export class GameTree {
  constructor(start = START) {
    this.root = new GameNode(start.settled());
    this.current = this.root;
    this.ends = new Map(); // the child last visited of a node, so that forward returns to the line one came from
  }

  get start() {
    return this.root.position;
  }

  /** Plays a move at the current node: an existing branch is followed, a new one is added. */
  play(move) {
    this.current = this.added(this.current, move);
    this.remember();
    return this.current;
  }

  added(node, move) {
    const known = node.children.find((child) => child.move === move);
    if (known) return known;
    const child = new GameNode(node.position.play(move).settled(), move, node);
    node.children.push(child);
    return child;
  }

  /** Adds a whole line of moves from a node, without going there; returns its last node. */
  addLine(node, moves) {
    return moves.reduce((at, move) => this.added(at, move), node);
  }

  goTo(node) {
    this.current = node;
    this.remember();
  }

  remember() {
    for (let node = this.current; node.parent; node = node.parent) this.ends.set(node.parent, node);
  }

  next(node = this.current) {
    return this.ends.get(node) ?? node.children[0] ?? null;
  }

  /** The line through the current node: from the start, and on to the end of the branch last visited. */
  get line() {
    const found = this.current.path;
    for (let node = this.next(); node; node = this.next(node)) found.push(node);
    return found;
  }

  get mainLine() {
    const found = [this.root];
    while (found.at(-1).children.length) found.push(found.at(-1).children[0]);
    return found;
  }

  /** Makes the line through a node the main one. */
  promote(node) {
    for (let at = node; at.parent; at = at.parent) {
      const { children } = at.parent;
      children.splice(children.indexOf(at), 1);
      children.unshift(at);
    }
  }

  /** Removes a node and what follows it. */
  remove(node) {
    if (!node.parent) return;
    const { parent } = node;
    parent.children.splice(parent.children.indexOf(node), 1);
    if (this.ends.get(parent) === node) this.ends.delete(parent);
    if (this.current.path.includes(node)) this.goTo(parent);
  }
}
