// A game in progress: the tree of moves, who plays each side, and what the engine is asked for. It draws nothing:
// `onChange` is called after every change, `onPlayed` after a move, `onOver` when a game ends at the board.

import { GameTree } from "./game/game_tree.js";
import { other } from "./game/rules.js";
import { REVIEW, reviewLine } from "./study/review.js";
import { Clock } from "./view/clock.js";

const HINT = { depth: 8, solve: 16, book: true };
const VALUES = { depth: 6, solve: 12, allMoves: true };
const MOST_ANALYSES = 500; // kept

export class Session {
  constructor({ opponents, thinking, coach, pause, onChange, onPlayed, onOver }) {
    Object.assign(this, { opponents, thinking, coach, pause, onChange, onPlayed, onOver });
    Object.assign(this, {
      tree: new GameTree(), black: "you", white: opponents.fallback, strength: "1", minutes: 0,
      both: false, showsValues: false, isPaused: false, timeout: null, inPlay: null, hint: null, error: "", news: "",
      isThinking: false, isReviewing: false, judgements: new Map(), reviewed: [], analyses: new Map(), turn: new AbortController(),
    });
    this.clock = new Clock(() => this.onChange("clock"), (colour) => this.flag(colour));
  }

  // Questions.

  get node() {
    return this.tree.current;
  }

  get position() {
    return this.node.position;
  }

  /** The colour that ran out of time here; null if none did. Other positions of the game can be played on. */
  get flagged() {
    return this.timeout?.node === this.node ? this.timeout.colour : null;
  }

  get isOver() {
    return this.position.isOver || this.flagged !== null;
  }

  playerOf(colour) {
    return this.both ? "you" : this[colour];
  }

  /** Whether people play both sides, or none. */
  get isWatched() {
    return !this.both && this.black !== "you" && this.white !== "you";
  }

  get hasOpponent() {
    return this.playerOf("black") !== this.playerOf("white") && !this.isWatched;
  }

  get isMyTurn() {
    return !this.isOver && this.playerOf(this.position.mover) === "you";
  }

  get isEngineTurn() {
    return !this.isOver && this.playerOf(this.position.mover) !== "you";
  }

  get values() {
    return this.showsValues ? this.analyses.get(this.position.key) ?? null : null;
  }

  get hintHere() {
    return this.hint?.node === this.node ? this.hint : null;
  }

  get canTakeBack() {
    return Boolean(this.lastOwn());
  }

  /** The last position before this one where a person had to move. */
  lastOwn() {
    let node = this.node.parent;
    while (node && this.playerOf(node.position.mover) !== "you") node = node.parent;
    return node;
  }

  // Changes.

  begin({ black, white, strength, minutes }) {
    Object.assign(this, { black, white, strength, minutes, both: false, isPaused: false });
    this.replaceTree(new GameTree());
    this.clock.reset(minutes);
    this.proceed();
  }

  /** Another game or position, with the same players; a game of others is studied, moving for both sides. */
  open(tree, { isStudied = false } = {}) {
    if (isStudied) this.both = true;
    this.replaceTree(tree);
    this.clock.reset(0);
    this.isPaused = this.isWatched;
    this.proceed();
  }

  replaceTree(tree) {
    Object.assign(this, { tree, hint: null, error: "", news: "", timeout: null, inPlay: tree.current });
    this.judgements = new Map();
    this.reviewed = []; // the line that was reviewed last, however one walks through its variations
  }

  /** A move of the person at the board. */
  play(move) {
    if (!this.isMyTurn || !this.position.isLegal(move)) return false;
    this.make(move);
    const reply = this.tree.next();
    if (this.isEngineTurn && reply) { // played before: so was the reply
      this.tree.goTo(reply);
      this.inPlay = reply;
      this.runClock();
    }
    this.proceed();
    return true;
  }

  make(move) {
    const before = this.position;
    this.tree.play(move);
    const { node } = this;
    Object.assign(this, { news: "", inPlay: node });
    this.clock.run(this.position.isOver ? null : this.position.mover);
    this.onPlayed(node, before);
    if (this.position.isOver) this.onOver();
  }

  goTo(node) {
    if (!node || node === this.node) return;
    if (this.flagged) this.clock.reset(0); // that game is lost; what follows has no clock
    this.tree.goTo(node);
    this.news = "";
    this.runClock();
    this.proceed();
  }

  /** The line shown becomes the main one. */
  promote() {
    this.tree.promote(this.tree.line.at(-1));
    this.onChange();
  }

  /** The variation shown goes, back to where it began. */
  deleteVariation() {
    let first = this.node;
    while (first.parent && first.parent.children[0] === first) first = first.parent;
    if (!first.parent) return;
    if (this.inPlay.path.includes(first)) this.inPlay = first.parent;
    if (this.reviewed.includes(first)) this.reviewed = [];
    this.tree.remove(first);
    this.news = "";
    this.runClock();
    this.proceed();
  }

  takeBack() {
    this.inPlay = this.lastOwn() ?? this.inPlay;
    this.goTo(this.lastOwn());
  }

  /** The clock stands while one looks at other positions, and while the game is paused; the first move costs no time. */
  runClock() {
    const runs = this.node === this.inPlay && this.node.ply > 0 && !this.isOver && !this.isPaused;
    this.clock.run(runs ? this.position.mover : null);
  }

  /** The engine goes on from a position in the middle of a line: a new branch, if it chooses another move. */
  playOn() {
    this.isPaused = false;
    this.proceed({ isForced: true });
  }

  setPaused(isPaused) {
    this.isPaused = isPaused;
    this.runClock();
    this.proceed();
  }

  setBoth(both) {
    this.both = both;
    this.proceed();
  }

  setValues(showsValues) {
    this.showsValues = showsValues;
    this.proceed();
  }

  flag(colour) {
    this.timeout = { node: this.node, colour };
    this.proceed();
    this.onOver();
  }

  // The engine.

  /** Shows the position and does what follows from it; what was under way is withdrawn. What was wrong is shown until a person
   * does something: a reply of the engine leaves it. */
  async proceed({ isForced = false, isReply = false } = {}) {
    this.turn.abort();
    this.turn = new AbortController();
    const { signal } = this.turn;
    const isLive = isForced || !this.node.children.length;
    Object.assign(this, { isThinking: this.isEngineTurn && isLive && !this.isPaused, error: isReply ? this.error : "" });
    this.onChange();
    try {
      if (this.isThinking) await this.reply(signal, isForced && this.isWatched);
      else if (this.showsValues && !this.position.isOver) await this.findValues(signal);
    } catch (error) {
      if (signal.aborted) return;
      Object.assign(this, { isThinking: false, error: sentence(error) });
      this.onChange();
    }
  }

  /** `goesOn`: past moves that were played before. */
  async reply(signal, goesOn) {
    const { mover } = this.position;
    if (this.tree.current.ply > 0 && this.clock.left) this.clock.run(mover);
    const limits = this.opponents.thinking(this[mover], this.strength, this.clock.seconds(mover));
    const [move] = await Promise.all([this.thinking.choose(this.position, limits, { signal }), this.pause(this.isWatched)]);
    if (signal.aborted) return;
    this.make(move);
    this.proceed({ isReply: true, isForced: goesOn });
  }

  async findValues(signal) {
    const { key } = this.position;
    if (this.analyses.has(key)) return;
    const found = await this.thinking.analyze(this.position, { player: this.coach, ...VALUES }, { signal });
    this.analyses.set(key, found);
    if (this.analyses.size > MOST_ANALYSES) this.analyses.delete(this.analyses.keys().next().value);
    this.onChange();
  }

  async giveHint() {
    const { node } = this, { signal } = this.turn;
    if (this.position.isOver) return;
    Object.assign(this, { news: "Looking for a good move.", error: "" });
    this.onChange();
    try {
      const { moves: [best] } = await this.thinking.analyze(node.position, { player: this.coach, ...HINT }, { signal });
      if (signal.aborted) return;
      this.hint = { node, ...best };
      this.news = "";
    } catch (error) {
      if (signal.aborted) return;
      Object.assign(this, { news: "", error: sentence(error) });
    }
    this.onChange();
  }

  /** Judges the line shown; `onProgress(share)` is called along the way. A second call ends it. */
  async review(onProgress) {
    if (this.isReviewing) {
      this.reviewing.abort();
      return false;
    }
    const nodes = this.reviewed = this.tree.line;
    this.isReviewing = true;
    this.reviewing = new AbortController();
    const { signal } = this.reviewing, { tree } = this;
    try {
      const judge = (position) => this.thinking.analyze(position, { player: this.coach, ...REVIEW }, { signal });
      await reviewLine(nodes, judge, (_, found, share) => {
        if (tree !== this.tree) this.reviewing.abort(); // another game was opened
        for (const [node, judgement] of found) this.judgements.set(node, judgement);
        onProgress(share);
      }, signal);
    } catch (error) {
      if (!signal.aborted) this.error = sentence(error);
    }
    this.isReviewing = false;
    this.onChange();
    return !signal.aborted;
  }
}

function sentence(error) {
  if (error instanceof TypeError && /fetch/i.test(error.message)) return "The player's file cannot be loaded; check the connection and try again.";
  const text = error.message || "The engine stopped";
  return `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

/** Who is ahead at the end of a game; a side that ran out of time has lost. */
export function outcome(session) {
  const { discs, result } = session.position;
  if (session.flagged) return { winner: other(session.flagged), words: `${session.flagged} ran out of time`, ...discs };
  const winner = result > 0 ? "black" : result < 0 ? "white" : null;
  return { winner, words: "", ...discs };
}
