// The engine as the board uses it: started when first needed, players loaded once, one request at a time.

import { SQUARES, squareIndex } from "./game/rules.js";

const TIE = 1e-6;

export class Thinking {
  /** `start()` makes the engine, `load(address)` brings the bytes of a file, `players` are those of the page. */
  constructor({ start, load, players, book, ordering }) {
    Object.assign(this, { start, load, players, bookFile: book, orderingFile: ordering, engine: null, loaded: new Map(), tail: Promise.resolve() });
  }

  started() {
    this.engine ??= this.start();
    this.engine.catch(() => { this.engine = null; }); // a lost connection: try again
    return this.engine;
  }

  /** A player's bytes, loaded once. */
  bytesOf(id) {
    const player = this.players.get(id);
    player.bytes ??= this.load(player.file).catch((error) => { player.bytes = null; throw error; });
    return player.bytes;
  }

  playerLoaded(id) {
    if (!this.loaded.has(id)) {
      const job = (async () => {
        const player = this.players.get(id);
        const [engine, bytes, tuning] = await Promise.all([this.started(), this.bytesOf(id), player.tuning ? this.load(player.tuning) : null]);
        await engine.loadPlayer(id, bytes, { view: player.view, tuning: tuning && JSON.parse(new TextDecoder().decode(tuning)) });
      })();
      this.loaded.set(id, job);
      job.catch(() => this.loaded.delete(id));
    }
    return this.loaded.get(id);
  }

  bookLoaded() {
    return this.fileLoaded(this.bookFile, (engine, bytes) => engine.loadBook(bytes));
  }

  /** What makes the solver fast; scores are the same without. */
  orderingLoaded() {
    return this.fileLoaded(this.orderingFile, (engine, bytes) => engine.loadOrdering(bytes));
  }

  /** Whether the page has the file; it is loaded once. */
  fileLoaded(file, give) {
    if (!file) return Promise.resolve(false);
    if (!this.loaded.has(file)) {
      const job = (async () => {
        const [engine, bytes] = await Promise.all([this.started(), this.load(file)]);
        await give(engine, bytes);
        return true;
      })();
      this.loaded.set(file, job);
      job.catch(() => this.loaded.delete(file));
    }
    return this.loaded.get(file);
  }

  /** One request after the other; `signal` withdraws one that waits, and stops one that runs. */
  async inTurn(signal, work) {
    const before = this.tail;
    let done;
    this.tail = new Promise((resolve) => { done = resolve; });
    await before;
    try {
      signal?.throwIfAborted();
      const engine = await this.started();
      const stop = () => engine.stop();
      signal?.addEventListener("abort", stop);
      try {
        const found = await work(engine);
        signal?.throwIfAborted();
        return found;
      } finally {
        signal?.removeEventListener("abort", stop);
      }
    } finally {
      done();
    }
  }

  /** What a player thinks of a position with a legal move: {moves: [{move, value, line}], depth, exact, ...}. */
  async analyze(position, { player, book = false, ...limits }, { signal, onProgress } = {}) {
    await this.playerLoaded(player);
    const hasBook = book && await this.bookLoaded().catch(() => false);
    if (limits.solve || limits.time) await this.orderingLoaded().catch(() => false);
    const found = await this.inTurn(signal, (engine) => engine.analyze(position, { player, book: hasBook, ...limits }, onProgress));
    return named(found);
  }

  /** A move: the best one, or one of those that are equally good. */
  async choose(position, thinking, options) {
    const isQuick = thinking.depth <= 2;
    const { moves } = await this.analyze(position, { ...thinking, allMoves: isQuick }, options);
    const best = tiesForBest(moves);
    return best[Math.floor(Math.random() * best.length)].move;
  }

  async explain(position, moveA, moveB, player, options = {}) {
    await this.playerLoaded(player);
    const rows = await this.inTurn(options.signal, (engine) => engine.explain(position, squareIndex(moveA), squareIndex(moveB), player));
    return rows.map((row) => ({ ...row, squares: row.squares.map((square) => SQUARES[square]) }));
  }

  /** Each table of a player with its best and worst configurations, on a board with that number of discs. */
  async tables(player, discs, most, options = {}) {
    await this.playerLoaded(player);
    return this.inTurn(options.signal, (engine) => engine.tables(player, { discs, most }));
  }

  /** What the engine knows of a player that it has loaded: kind, stages, ... */
  async describe(player) {
    await this.playerLoaded(player);
    return (await this.started()).describe(player);
  }

  async bookMoves(position, options = {}) {
    if (!await this.bookLoaded()) return null;
    const found = await this.inTurn(options.signal, (engine) => engine.bookMoves(position));
    return found.map(({ move, leavesBook, ...rest }) => ({ move: SQUARES[move], isDeviation: leavesBook, ...rest }));
  }
}

/** The moves within 1e-6 of the best, in the player's own unit: in discs, all that is above 64 is alike. */
export function tiesForBest(moves) {
  const worth = ({ own, value }) => own ?? value;
  return moves.filter((move) => worth(move) >= worth(moves[0]) - TIE);
}

/** An analysis with squares by name. */
function named(found) {
  const name = (square) => SQUARES[square];
  return { ...found, moves: found.moves.map(({ move, line, ...rest }) => ({ move: name(move), line: line.map(name), ...rest })) };
}
