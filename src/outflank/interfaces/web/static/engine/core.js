// One instance of the WebAssembly core (bindings/wasm/): a player, a solver or a book, in memory of its own.
//
// The core has no exceptions. When it refuses something it calls host.fail, which throws through its frames
// without unwinding them, so that the instance must not be used again: discard it, and with it its memory.

import { isSafetensors, KINDS, readSafetensors } from "./player-files.js";

const LARGEST_FILE = 256 << 20;
const VIEWS = { inversion: 0, negation: 1, doubled: 2 };
export const WON_GAME = 1e6; // added to the disc difference of a won game (core/search/search.hpp)
const STAGES = 4; // of a tuning (src/outflank/players/search_tuning.py)

export class Core {
  #exports;
  #shouldStop = () => false;
  #onProgress = null;

  /** @param {WebAssembly.Module} module */
  static async create(module) {
    const core = new Core();
    const instance = await WebAssembly.instantiate(module, core.#imports(module));
    core.#exports = instance.exports;
    core.#exports._initialize?.();
    return core;
  }

  #imports(module) {
    const host = {
      fail: (at, length) => {
        throw new Error(new TextDecoder().decode(new Uint8Array(this.#exports.memory.buffer, at, length)));
      },
      should_stop: () => (this.#shouldStop() ? 1 : 0),
      progress: (size) => this.#onProgress?.(this.#report(size)),
    };
    // What the C++ library wants of a system: nothing is there, and only an abort would ask for it.
    const wasi = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      if (from === "wasi_snapshot_preview1") wasi[name] = () => 52; // ENOSYS
    }
    return { host, wasi_snapshot_preview1: wasi };
  }

  // ---- memory

  #write(bytes) {
    const at = this.#exports.allocate(Math.max(bytes.byteLength, 1));
    if (at === 0) throw new Error("there is not enough memory for this file");
    new Uint8Array(this.#exports.memory.buffer).set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), at);
    return at;
  }

  #with(bytes, use) {
    const at = this.#write(bytes);
    const result = use(at);
    this.#exports.release(at);
    return result;
  }

  #results(size) {
    return new Float64Array(this.#exports.memory.buffer, this.#exports.results(), size);
  }

  #set(position) {
    const board = new Uint32Array(this.#exports.memory.buffer, this.#exports.board(), 5);
    board.set([...position.black, ...position.white, position.mover === "white" ? 1 : 0]);
  }

  /** Bytes of linear memory. */
  get bytes() {
    return this.#exports.memory.buffer.byteLength;
  }

  // ---- players

  /**
   * Makes this instance a player.
   * @param {Uint8Array} bytes a safetensors file or League text
   * @param {string|null} view of the caller's choice; else the file's own, else negation
   */
  loadPlayer(bytes, view = null) {
    if (bytes.length > LARGEST_FILE) throw new Error("a player file has at most 256 MB");
    const file = isSafetensors(bytes) ? this.#loadSafetensors(bytes) : this.#loadText(bytes);
    const chosen = file.evaluators.length === 2 ? "doubled" : (view ?? file.view ?? "negation");
    if (!(chosen in VIEWS) || (chosen === "doubled") !== (file.evaluators.length === 2)) {
      throw new Error(`a view is inversion or negation, got ${String(chosen).slice(0, 40)}`);
    }
    this.#exports.set_player(0, file.evaluators.length - 1, VIEWS[chosen]);
    return { ...file, view: chosen };
  }

  #loadSafetensors(bytes) {
    const { view, evaluators } = readSafetensors(bytes);
    return { view, evaluators: evaluators.map((evaluator) => this.#loadEvaluator(evaluator)) };
  }

  #loadEvaluator({ kind, shape, weights, stages, tables }) {
    const number = this.#with(Int32Array.from(shape), (shapeAt) =>
      this.#with(weights, (at) => this.#exports.load_evaluator(KINDS[kind], shapeAt, shape.length, at, weights.length)),
    );
    return { number, kind, stages, tables };
  }

  #loadText(bytes) {
    const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0; // a byte order mark
    const text = bytes.subarray(start);
    if (text.subarray(0, 64).includes(0)) throw new Error("this is neither a League text file nor a safetensors file");
    const number = this.#with(text, (at) => this.#exports.load_league_text(at, text.length));
    const tables = tablesIn(this.#results(this.#exports.results_size()));
    const kind = tables.length === 0 ? "piece-counter" : "n-tuple-network";
    return { view: null, evaluators: [tables.length === 0 ? { number, kind } : { number, kind, stages: 1, tables }] };
  }

  /** Forward pruning, as fitted by `outflank tune`. @param {{depth, shallow, slope, intercept, sigma}[][]} stages */
  setProbCuts(stages) {
    const rows = stages.flatMap((cuts, stage) =>
      cuts.flatMap((cut) => [stage, cut.depth, cut.shallow, cut.slope, cut.intercept, cut.sigma]),
    );
    this.#with(Float64Array.from(rows), (at) => this.#exports.set_prob_cuts(stages.length, at, rows.length / 6));
  }

  /** The loaded n-tuple network orders the solver's moves. @param {number[]} discsPerUnit a number per stage */
  setOrdering(discsPerUnit, weight) {
    this.#with(Float64Array.from(discsPerUnit), (at) => this.#exports.set_ordering(0, at, discsPerUnit.length, weight));
    this.#exports.forget_written();
  }

  /** Discs per unit of value, by stage: found by games of the player with itself. */
  calibrate(games = 200) {
    return [...this.#results(this.#exports.calibrate(games))];
  }

  // ---- positions

  /** Legal moves with the discs they flip as two halves. */
  legalMoves(position) {
    this.#set(position);
    return rowsOf(this.#results(this.#exports.legal_moves()), 3).map(([move, low, high]) => ({ move, flips: [low, high] }));
  }

  /** The value of a board as it is, by the first evaluator or the second. */
  value(position, evaluator = 0) {
    this.#set(position);
    return this.#exports.value(evaluator);
  }

  /** Minimax: each legal move with its value for the mover, in the evaluator's own unit. */
  judge(position, depth = 1) {
    this.#set(position);
    return rowsOf(this.#results(this.#exports.judge(depth)), 2).map(([move, value]) => ({ move, value }));
  }

  /** The moves that a player of fixed depth may choose: those within 1e-6 of the best. */
  bestMoves(position, depth = 1) {
    this.#set(position);
    return [...this.#results(this.#exports.best_moves(depth))];
  }

  /**
   * Iterative deepening; values in the evaluator's own unit, finished games +-(1e6 + discs).
   * @returns {{depth: number, nodes: number, moves: {move: number, value: number, line: number[]}[]}}
   */
  search(position, { depth = 60, nodes = Infinity, allMoves = false, prunes = false, tableBits = 19 },
    shouldStop = () => false, onProgress = null) {
    this.#set(position);
    this.#shouldStop = shouldStop;
    this.#onProgress = onProgress;
    return this.#report(this.#exports.search(depth, nodes, allMoves ? 1 : 0, prunes ? 1 : 0, tableBits));
  }

  #report(size) {
    const numbers = this.#results(size);
    const [depth, nodes, count] = numbers;
    const moves = [];
    for (let at = 3; moves.length < count; ) {
      const [move, value, length] = numbers.subarray(at, at + 3);
      moves.push({ move, value, line: [...numbers.subarray(at + 3, at + 3 + length)] });
      at += 3 + length;
    }
    return { depth, nodes, moves };
  }

  /** The exact score for the mover under perfect play; empty squares go to the winner. */
  solve(position, shouldStop = () => false, [alpha, beta] = [-64, 64]) {
    this.#set(position);
    this.#shouldStop = shouldStop;
    const [finished, score, nodes, length, ...line] = this.#results(this.#exports.solve(alpha, beta));
    return { finished: finished === 1, score, nodes, line: line.slice(0, length) };
  }

  /** What each placement adds to the values of two moves for the mover, table after table: pairs; none if it has no tables. */
  contributions(position, moveA, moveB) {
    this.#set(position);
    return rowsOf(this.#results(this.#exports.contributions(moveA, moveB)), 2);
  }

  /** What each entry of the tables is worth at a stage, in the evaluator's own unit. */
  entryValues(evaluator, stage) {
    return this.#results(this.#exports.entry_values(evaluator, stage)).slice();
  }

  /** Turned to the representative of its eight symmetric images. */
  canonical(position) {
    this.#set(position);
    const symmetry = this.#exports.canonical();
    const [a, b, c, d] = new Uint32Array(this.#exports.memory.buffer, this.#exports.board(), 4);
    return { position: { black: [a, b], white: [c, d], mover: position.mover }, symmetry };
  }

  // ---- the book

  loadBook(bytes) {
    if (bytes.length > LARGEST_FILE) throw new Error("a book has at most 256 MB here");
    try {
      this.#exports.load_book(this.#write(bytes), bytes.length);
    } catch (error) {
      throw new Error(`the file ${error.message}`);
    }
  }

  /** The moves the book has a value for, best first. */
  bookMoves(position) {
    this.#set(position);
    return rowsOf(this.#results(this.#exports.book_moves()), 4).map(([move, value, deviates, games]) => ({
      move, value: Math.round(value * 100) / 100, leavesBook: deviates === 1, games,
    }));
  }
}

// [tables, then per table length, placements, squares...] as lists of squares.
function tablesIn(numbers) {
  const tables = [];
  for (let at = 1; tables.length < numbers[0]; ) {
    const [length, count] = numbers.slice(at, at + 2);
    at += 2;
    tables.push(Array.from({ length: count }, (_, k) => [...numbers.slice(at + k * length, at + (k + 1) * length)]));
    at += count * length;
  }
  return tables;
}

function rowsOf(numbers, width) {
  return Array.from({ length: numbers.length / width }, (_, i) => [...numbers.subarray(i * width, (i + 1) * width)]);
}

/** Discs per unit of value on a board with this many discs: linear between the middles of the stages. */
export function discsPerUnitAt(discsPerUnit, discs) {
  const middle = (stage) => 4 + ((stage + 0.5) * 61) / STAGES;
  if (discs <= middle(0)) return discsPerUnit[0];
  for (let stage = 1; stage < STAGES; ++stage) {
    if (discs < middle(stage)) {
      const share = (discs - middle(stage - 1)) / (middle(stage) - middle(stage - 1));
      return discsPerUnit[stage - 1] + share * (discsPerUnit[stage] - discsPerUnit[stage - 1]);
    }
  }
  return discsPerUnit[STAGES - 1];
}

/** A search's value as a disc difference at the end of the game (SearchTuning.in_discs). */
export function inDiscs(value, discsPerUnit, discs) {
  if (Math.abs(value) > WON_GAME / 2) return value > 0 ? value - WON_GAME : value + WON_GAME;
  return Math.min(64, Math.max(-64, value * discsPerUnitAt(discsPerUnit, discs)));
}
