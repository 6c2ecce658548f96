// The engine of the board: outflank's core in WebAssembly, in a Web Worker, behind promises.
//
//   const engine = await Engine.start({ wasm: "engine/engine.wasm", worker: "engine/engine-worker.js" });
//   await engine.loadPlayer("all-rounder", bytes, { tuning });
//   const found = await engine.analyze(START, { player: "all-rounder", time: 1, allMoves: true }, show);
//   engine.stop();  // the analysis in progress resolves at once with what it has found so far
//
// Positions are those of rules.js: {black: [low, high], white: [low, high], mover}; moves are squares 0..63.
// Values are disc differences at the end of the game, as the player expects them, for the side to move.
//
// A search cannot hear messages while it runs, so stop() ends the worker and starts another, which loads the
// players again when they are next needed: milliseconds, because the module is compiled only once.

import * as rules from "./rules.js";

/**
 * @typedef {import("./rules.js").Position} Position
 * @typedef {{move: number, value: number, exact: boolean, line: number[]}} AnalyzedMove
 *   value: discs for the mover; exact: solved; line: the expected play from this move on, passes left out.
 * @typedef {object} Analysis
 * @property {AnalyzedMove[]} moves best first; all of them with allMoves, otherwise the best alone
 * @property {number} depth plies of the last complete iteration; empty squares if solved; 0 from the book
 * @property {number} nodes
 * @property {number} seconds
 * @property {boolean} exact all values are solved scores
 * @property {boolean} isFromBook
 * @property {boolean} partial progress of the solver: some moves are still missing
 * @property {boolean} stopped ended by stop(); moves may be empty if nothing was found yet
 *
 * @typedef {object} AnalyzeOptions
 * @property {string} player a name given to loadPlayer
 * @property {number} [depth] plies; alone, a search without forward pruning
 * @property {number} [time] seconds
 * @property {number} [nodes] boards visited
 * @property {number} [solve] solve exactly from this many empty squares on (default: 22 with time, else never)
 * @property {boolean} [book] answer from the opening book if it knows the position (not with allMoves)
 * @property {number} [bookBest] choose at random among this many best book moves
 * @property {boolean} [allMoves] a value for every legal move
 */

const BOOK = Symbol("loadBook"), ORDERING = Symbol("loadOrdering"); // the worker's calls that load them

export class Engine {
  #module;
  #workerSource;
  #worker = null;
  #ready = null; // of the present worker
  #inWorker = new Set(); // names of players, BOOK, ORDERING
  #players = new Map(); // name -> {bytes, options, description}
  #files = new Map(); // the bytes of BOOK and ORDERING
  #queue = Promise.resolve();
  #running = null; // {id, resolve, reject, onProgress, last, isAnalysis}
  #nextId = 1;
  #generation = 0; // counts calls of stop: analyses queued before it do not start

  /**
   * @param {{wasm: string|URL|ArrayBuffer|Uint8Array|WebAssembly.Module, worker: string|URL|Blob}} source
   *   wasm: the address or the bytes of engine.wasm. worker: the address of engine-worker.js (a module), or its
   *   bundled source as a Blob (a classic script), for pages that may not fetch: file://.
   */
  static async start({ wasm, worker }) {
    const engine = new Engine();
    engine.#module = await compiled(wasm);
    engine.#workerSource = worker instanceof Blob ? URL.createObjectURL(worker) : worker;
    engine.#isBlob = worker instanceof Blob;
    engine.#spawn();
    await engine.#ready;
    return engine;
  }
  #isBlob = false;

  #spawn() {
    const worker = new Worker(this.#workerSource, this.#isBlob ? {} : { type: "module" });
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = (event) => {
      this.#running?.reject(new Error(`the engine's worker failed: ${event.message ?? "it could not be loaded"}`));
    };
    this.#worker = worker;
    this.#inWorker.clear();
    this.#ready = this.#send("start", { module: this.#module });
  }

  #receive({ id, result, error, isTrap, progress }) {
    const running = this.#running;
    if (running?.id !== id) return;
    if (progress) {
      running.last = progress;
      running.onProgress?.(progress);
      return;
    }
    this.#running = null;
    if (error === undefined) {
      running.resolve(result);
      return;
    }
    running.reject(new Error(error));
    if (isTrap) this.#respawn();
  }

  #respawn() {
    this.#worker.terminate();
    this.#spawn();
    this.#ready.catch(() => {}); // the next call reports it
  }

  // One message to the worker, which is idle.
  #send(call, args, onProgress = null) {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#running = { id, resolve, reject, onProgress, last: null, isAnalysis: call === "analyze" };
      this.#worker.postMessage({ id, call, args });
    });
  }

  // Runs work after all that was asked for before.
  #inTurn(work) {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  // Players by name, or BOOK and ORDERING, which need not be there.
  async #loaded(...names) {
    await this.#ready;
    for (const name of names) {
      if (this.#inWorker.has(name)) continue;
      if (name === BOOK || name === ORDERING) {
        if (!this.#files.has(name)) continue;
        await this.#send(name.description, { bytes: this.#files.get(name) });
      } else {
        const player = this.#players.get(name);
        if (!player) throw new Error(`no player is loaded as ${name}`);
        await this.#send("loadPlayer", { name, bytes: player.bytes, options: player.options });
      }
      this.#inWorker.add(name);
    }
  }

  /**
   * Loads a player from the bytes of its file: safetensors or League text. The same name replaces a player.
   * @param {string} name
   * @param {Uint8Array|ArrayBuffer} bytes
   * @param {{view?: "inversion"|"negation", tuning?: object}} [options] tuning: the JSON of `outflank tune`; without
   *   one, what a unit of value is worth in discs is found by a hundred games that the player plays with itself.
   * @returns {Promise<{name: string, kind: string, view: string, stages: number, tables: number[][][],
   *   discsPerUnit: number[], isTuned: boolean}>} tables: per table its placements, each a list of squares
   */
  loadPlayer(name, bytes, { view = null, tuning = null } = {}) {
    return this.#inTurn(async () => {
      await this.#ready;
      const options = { view, tuning };
      const copy = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
      const description = await this.#send("loadPlayer", { name, bytes: copy, options });
      // The worker need not find out again what a unit is worth.
      const known = { discs_per_unit: description.discsPerUnit, prob_cuts: tuning?.prob_cuts ?? [] };
      this.#players.set(name, { bytes: copy, options: { view, tuning: known }, description });
      this.#inWorker.add(name);
      return description;
    });
  }

  /** Names of the loaded players. */
  get players() {
    return [...this.#players.keys()];
  }

  /** What loadPlayer returned. */
  describe(name) {
    return this.#players.get(name)?.description ?? null;
  }

  /** Loads an opening book from the bytes of its file. */
  loadBook(bytes) {
    return this.#loadFile(BOOK, bytes);
  }

  /** Loads the network that orders the solver's moves: an n-tuple network with values in discs. It saves time; scores
   * are the same without. */
  loadOrdering(bytes) {
    return this.#loadFile(ORDERING, bytes);
  }

  #loadFile(kind, bytes) {
    return this.#inTurn(async () => {
      await this.#ready;
      const copy = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
      await this.#send(kind.description, { bytes: copy });
      this.#files.set(kind, copy);
      this.#inWorker.add(kind);
    });
  }

  /**
   * What a player thinks of a position with a legal move.
   * @param {Position} position
   * @param {AnalyzeOptions} options
   * @param {(progress: Analysis) => void} [onProgress] at most every 50 ms
   * @returns {Promise<Analysis>}
   */
  analyze(position, options, onProgress = null) {
    const generation = this.#generation;
    return this.#inTurn(async () => {
      const stopped = { moves: [], depth: 0, nodes: 0, seconds: 0, exact: false, isFromBook: false, partial: false, stopped: true };
      if (generation !== this.#generation) return stopped;
      await this.#loaded(options.player, ORDERING, ...(options.book ? [BOOK] : []));
      if (generation !== this.#generation) return stopped;
      const found = await this.#send("analyze", { position, options }, onProgress);
      return found === null ? stopped : { stopped: false, ...found };
    });
  }

  /** Ends the analysis in progress, and those that wait, with what they have found so far. Loading goes on. */
  stop() {
    this.#generation += 1;
    const running = this.#running;
    if (!running?.isAnalysis) return;
    this.#running = null;
    this.#respawn();
    running.resolve(running.last && { ...running.last, stopped: true });
  }

  /**
   * Each legal move with its minimax value at a small fixed depth, in discs.
   * @returns {Promise<{move: number, value: number}[]>}
   */
  values(position, player, depth = 1) {
    return this.#inTurn(async () => {
      await this.#loaded(player);
      return this.#send("values", { position, player, depth });
    });
  }

  /**
   * The exact score for the mover under perfect play; empty squares go to the winner.
   * @param {{time?: number}} [options] seconds; then `finished` may be false and the score unknown
   * @returns {Promise<{score: number, best: number|null, line: number[], nodes: number, seconds: number, finished: boolean}>}
   */
  solve(position, options = {}) {
    return this.#inTurn(async () => {
      await this.#loaded(ORDERING);
      return this.#send("solve", { position, options });
    });
  }

  /** The book's moves, best first: {move, value, leavesBook, games}; none if it does not know the position. */
  bookMoves(position) {
    return this.#inTurn(async () => {
      await this.#loaded(BOOK);
      return this.#send("bookMoves", { position });
    });
  }

  /**
   * Which tables made the difference between two moves: what each placement of a table adds to their values,
   * in discs for the mover, the largest difference first. Empty for players without tables (MLPs, Iago).
   * @returns {Promise<{table: number, squares: number[], valueA: number, valueB: number, difference: number}[]>}
   */
  explain(position, moveA, moveB, player) {
    return this.#inTurn(async () => {
      await this.#loaded(player);
      return this.#send("explain", { position, moveA, moveB, player });
    });
  }

  /**
   * Each table of an n-tuple network with its best and worst configurations for Black (X), in discs.
   * @param {{discs?: number, most?: number, colour?: "black"|"white"}} [options] discs: on the board, for the stage
   * @returns {Promise<{placements: number[][], best: {discs: string, value: number}[], worst: {discs: string, value: number}[]}[]>}
   */
  tables(player, options = {}) {
    return this.#inTurn(async () => {
      await this.#loaded(player);
      return this.#send("tables", { player, options });
    });
  }

  /** The rules, at once: see rules.js. */
  legalMoves(position) {
    return rules.legalMoves(position);
  }
  play(position, move) {
    return rules.play(position, move);
  }

  /** Ends the worker; the engine must not be used afterwards. */
  close() {
    this.#worker.terminate();
    if (this.#isBlob) URL.revokeObjectURL(this.#workerSource);
  }
}

async function compiled(wasm) {
  if (typeof WebAssembly === "undefined") throw new Error("this browser has no WebAssembly, which the engine needs");
  if (wasm instanceof WebAssembly.Module) return wasm;
  let bytes = wasm;
  if (typeof wasm === "string" || wasm instanceof URL) {
    const response = await fetch(wasm);
    if (!response.ok) throw new Error(`the engine could not be loaded: ${response.status} ${response.statusText}`);
    bytes = await response.arrayBuffer();
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw new Error(`this browser cannot run the engine, which needs WebAssembly with SIMD (${error.message})`);
  }
}
