// What the engine's worker knows and does: players, a book and a solver, each in an instance of the core.
// No messages in here, so that Node and the tests use the same code as the browser.

import { Core, discsPerUnitAt, inDiscs, WON_GAME } from "./core.js";
import * as rules from "./rules.js";

const SOLVE_IN_TIME = 22; // empty squares from which a timed analysis tries to solve, by default
const SEARCH_SHARE = 0.2; // of the time goes to a search first, in case the solver does not finish
const ORDERING_WEIGHT = 4 / 11; // replies of the opponent for a disc, as in src/outflank/players/solver.py
const COUNTING = ["counted-network", "deep-network"]; // these see more than tables
const now = () => performance.now() / 1000;

export class Thinking {
  #module;
  #players = new Map();
  #solver = null;
  #book = null;

  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.#module = module;
  }

  /** @returns the player's description: {name, kind, view, stages, tables, discsPerUnit, isTuned} */
  async loadPlayer(name, bytes, { view = null, tuning = null } = {}) {
    const core = await Core.create(this.#module);
    const file = core.loadPlayer(bytes, view);
    if (tuning !== null) core.setProbCuts(tuning.prob_cuts ?? []);
    const discsPerUnit = tuning?.discs_per_unit ?? core.calibrate();
    if (discsPerUnit.length !== 4 || !discsPerUnit.every(Number.isFinite)) throw new Error("a tuning has four stages");
    const [first] = file.evaluators;
    this.#players.set(name, { core, file, discsPerUnit, prunes: (tuning?.prob_cuts ?? []).length > 0 });
    return {
      name, kind: file.evaluators.length === 2 ? "doubled" : first.kind, view: file.view,
      stages: first.stages ?? 1, tables: first.tables ?? [], discsPerUnit, isTuned: tuning !== null,
    };
  }

  /** The network that orders the solver's moves, with values in discs; without one, mobility does. */
  loadOrdering(bytes) {
    this.#solver = { bytes };
  }

  async loadBook(bytes) {
    this.#book = await Core.create(this.#module);
    this.#book.loadBook(bytes);
  }

  bookMoves(position) {
    return this.#book?.bookMoves(position) ?? [];
  }

  #player(name) {
    const found = this.#players.get(name);
    if (!found) throw new Error(`no player is loaded as ${name}`);
    return found;
  }

  // Made when first needed.
  async #solverCore() {
    if (!this.#solver?.core) {
      const bytes = this.#solver?.bytes;
      const core = await Core.create(this.#module);
      if (bytes) {
        const [{ stages }] = core.loadPlayer(bytes, "inversion").evaluators;
        core.setOrdering(Array(stages).fill(1), ORDERING_WEIGHT);
      }
      this.#solver = { core };
    }
    return this.#solver.core;
  }

  /** Each legal move with its minimax value for the mover, in discs. */
  values(position, name, depth = 1) {
    const { core, discsPerUnit } = this.#player(name);
    const discs = rules.discs(position);
    return core.judge(position, depth).map(({ move, value }) => ({ move, value: inDiscs(value, discsPerUnit, discs) }));
  }

  /** The exact score: {score, best, line, nodes, finished}. */
  async solve(position, { time = null } = {}) {
    const core = await this.#solverCore();
    const deadline = time === null ? Infinity : now() + time;
    const began = now();
    const solved = core.solve(position, () => now() >= deadline);
    const best = rules.hasMoves(position) ? (solved.line[0] ?? null) : null;
    return { ...solved, best, seconds: now() - began };
  }

  /** See Engine.analyze. `onProgress` gets analyses like the one returned. */
  async analyze(position, options, onProgress = () => {}) {
    const { player, depth = null, time = null, nodes = null, allMoves = false } = options;
    const moves = rules.legalMoves(position);
    if (moves.length === 0) throw new Error("the mover has no legal move on this board");
    const began = now();
    if (options.book && !allMoves) {
      const known = this.#fromBook(position, options.bookBest ?? 1);
      if (known) return { ...known, seconds: now() - began };
    }
    const finish = (found) => ({ ...found, seconds: now() - began });
    const solveFrom = options.solve ?? (time === null ? 0 : SOLVE_IN_TIME);
    if (rules.empties(position) > solveFrom) {
      return finish(this.#searched(position, { player, depth, time, nodes, allMoves }, onProgress));
    }
    if (time === null) return finish(await this.#solved(position, allMoves, Infinity, onProgress));
    const fallback = this.#searched(position, { player, depth, time: SEARCH_SHARE * time, nodes, allMoves }, onProgress);
    onProgress(finish(fallback));
    const exact = await this.#solved(position, allMoves, began + time, onProgress);
    const found = exact.finished ? exact : fallback;
    return finish({ ...found, nodes: fallback.nodes + exact.nodes });
  }

  #fromBook(position, best) {
    const known = this.bookMoves(position);
    if (known.length === 0) return null;
    const { move, value } = known[Math.floor(Math.random() * Math.min(best, known.length))];
    return analysis([{ move, value, exact: false, line: [move] }], { isFromBook: true });
  }

  #searched(position, { player, depth, time, nodes, allMoves }, onProgress) {
    const { core, discsPerUnit, prunes } = this.#player(player);
    const discs = rules.discs(position);
    const isFixedDepth = time === null && nodes === null;
    const began = now();
    const deadline = time === null ? Infinity : began + time;
    const inUnits = ({ moves, depth: reached, nodes: visited }) =>
      analysis(
        moves.map(({ move, value, line }) => ({ move, value: inDiscs(value, discsPerUnit, discs), own: value, exact: false, line })),
        { depth: reached, nodes: visited, seconds: now() - began },
      );
    const report = core.search(
      position,
      { depth: depth ?? (isFixedDepth ? 1 : 60), nodes: nodes ?? Infinity, allMoves, prunes: prunes && !isFixedDepth },
      () => now() >= deadline,
      (progress) => onProgress(inUnits(progress)),
    );
    return inUnits(report);
  }

  async #solved(position, allMoves, deadline, onProgress) {
    const core = await this.#solverCore();
    const stop = () => now() >= deadline;
    const depth = rules.empties(position);
    const began = now();
    const moves = [];
    let nodes = 0;
    for (const square of allMoves ? rules.legalMoves(position) : [null]) {
      const solved = core.solve(square === null ? position : rules.play(position, square), stop);
      nodes += solved.nodes;
      if (!solved.finished) return { ...analysis(moves, { depth, nodes }), finished: false };
      moves.push(
        square === null
          ? { move: solved.line[0], value: solved.score, exact: true, line: solved.line }
          : { move: square, value: -solved.score, exact: true, line: [square, ...solved.line] },
      );
      if (allMoves) onProgress(analysis([...moves], { depth, nodes, seconds: now() - began, partial: true }));
    }
    return { ...analysis(moves, { depth, nodes, exact: true }), finished: true };
  }

  /** See Engine.explain. */
  explain(position, moveA, moveB, name) {
    const { core, file, discsPerUnit } = this.#player(name);
    const evaluator = file.evaluators[position.mover === "white" ? file.evaluators.length - 1 : 0];
    const pairs = core.contributions(position, moveA, moveB);
    const scale = discsPerUnitAt(discsPerUnit, rules.discs(position));
    const tables = evaluator.tables ?? Array.from({ length: pairs.length }, (_, square) => [[square]]); // a piece counter
    const placed = tables.flatMap((table, number) => table.map((squares) => ({ table: number, squares })));
    const rows = pairs.map(([a, b], i) => ({ ...placed[i], valueA: a * scale, valueB: b * scale, difference: (a - b) * scale }));
    const judged = core.judge(position);
    const isFinal = judged.some(({ value }) => Math.abs(value) > WON_GAME / 2); // a move that ends the game has its score
    if (COUNTING.includes(evaluator.kind) && !isFinal) rows.push(countsRow(judged, moveA, moveB, pairs, scale));
    return rows.sort((x, y) => Math.abs(y.difference) - Math.abs(x.difference));
  }

  /** See Engine.tables. */
  tables(name, { discs = 34, most = 5, colour = "black" } = {}) {
    const { core, file, discsPerUnit } = this.#player(name);
    const number = colour === "white" ? file.evaluators.length - 1 : 0;
    const { tables = [], stages = 1 } = file.evaluators[number];
    const stage = Math.floor((Math.max(0, discs - 4) * stages) / 61); // as in the core
    const weights = core.entryValues(number, stage);
    const scale = discsPerUnitAt(discsPerUnit, discs);
    let first = 0;
    return tables.map((placements) => {
      const { length } = placements[0];
      const own = weights.subarray(first, first + 3 ** length);
      first += 3 ** length;
      const order = Array.from(own.keys()).sort((x, y) => own[y] - own[x]);
      const configuration = (index) => ({ discs: digitsOf(index, length), value: own[index] * scale });
      return { placements, best: order.slice(0, most).map(configuration), worst: order.slice(-most).reverse().map(configuration) };
    });
  }
}

// What is left of the difference of two moves: mobility and other counts of the whole board, which belong to no table.
function countsRow(judged, moveA, moveB, pairs, scale) {
  const [a, b] = [moveA, moveB].map((move, side) =>
    judged.find((one) => one.move === move).value - pairs.reduce((sum, pair) => sum + pair[side], 0));
  return { table: null, squares: [], valueA: a * scale, valueB: b * scale, difference: (a - b) * scale };
}

function analysis(moves, { depth = 0, nodes = 0, seconds = 0, exact = false, isFromBook = false, partial = false } = {}) {
  const ranked = [...moves].sort((a, b) => (b.own ?? b.value) - (a.own ?? a.value)); // discs end at 64, the player's own values do not
  return { moves: ranked, depth, nodes, seconds, exact, isFromBook, partial };
}

// O white, - empty, X black; the first square is the most significant digit.
function digitsOf(index, length) {
  let text = "";
  for (let i = 0; i < length; ++i, index = Math.floor(index / 3)) text = "O-X"[index % 3] + text;
  return text;
}
