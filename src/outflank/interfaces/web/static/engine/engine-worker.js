// The engine's Web Worker: one call at a time, answered by {id, result}, {id, error} or, before that, {id, progress}.

import { Thinking } from "./thinking.js";

const LEAST_BETWEEN = 50; // milliseconds between two reports of progress
let thinking = null;

const calls = {
  start: async ({ module }) => {
    thinking = new Thinking(module instanceof WebAssembly.Module ? module : await WebAssembly.compile(module));
  },
  loadPlayer: ({ name, bytes, options }) => thinking.loadPlayer(name, bytes, options),
  loadOrdering: ({ bytes }) => thinking.loadOrdering(bytes),
  loadBook: ({ bytes }) => thinking.loadBook(bytes),
  bookMoves: ({ position }) => thinking.bookMoves(position),
  values: ({ position, player, depth }) => thinking.values(position, player, depth),
  solve: ({ position, options }) => thinking.solve(position, options),
  explain: ({ position, moveA, moveB, player }) => thinking.explain(position, moveA, moveB, player),
  tables: ({ player, options }) => thinking.tables(player, options),
  analyze: ({ position, options }, report) => thinking.analyze(position, options, report),
};

self.onmessage = async ({ data: { id, call, args } }) => {
  let last = -Infinity;
  const report = (progress) => {
    if (performance.now() - last < LEAST_BETWEEN) return;
    last = performance.now();
    self.postMessage({ id, progress });
  };
  try {
    self.postMessage({ id, result: await calls[call](args, report) });
  } catch (error) {
    // A trap (out of memory, a broken invariant) or a sentence of the core.
    const isTrap = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    self.postMessage({ id, error: isTrap ? `the engine ran out of memory or failed (${error.message})` : error.message, isTrap });
  }
};
