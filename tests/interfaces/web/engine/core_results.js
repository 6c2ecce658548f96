// What the core in WebAssembly finds: run by Node and by Chromium, compared with the native core by the tests.

const bytesOf = (numbers) => new Uint8Array(Float64Array.from(numbers).buffer);

async function digest(numbers) {
  const hash = await crypto.subtle.digest("SHA-256", bytesOf(numbers));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const positionOf = ([a, b, c, d, whiteMoves]) => ({ black: [a, b], white: [c, d], mover: whiteMoves ? "white" : "black" });

/**
 * @param {{Core, rules}} engine the modules core.js and rules.js
 * @param {WebAssembly.Module} module
 * @param {(name: string) => Promise<Uint8Array>} read a file of a player, or the book
 * @param jobs made by test_same_results.py
 */
export async function results({ Core, rules }, module, read, jobs) {
  const positions = jobs.positions.map(positionOf);
  const players = {};
  for (const { name, file, view, cuts, depths } of jobs.players) {
    const core = await Core.create(module);
    core.loadPlayer(await read(file), view);
    if (cuts) core.setProbCuts(cuts);
    const found = {};
    for (const [depth, count] of depths) {
      const judged = positions.slice(0, count).map((position) => core.judge(position, depth));
      const best = positions.slice(0, count).map((position) => core.bestMoves(position, depth));
      found[depth] = {
        values: await digest(judged.flatMap((moves) => moves.flatMap(({ move, value }) => [move, value]))),
        best: await digest(best.flatMap((moves) => [moves.length, ...moves])),
      };
    }
    const searched = jobs.searches
      .filter((search) => search.player === name)
      .map(({ position, ...options }) => core.search(positions[position], options));
    players[name] = { found, searched };
  }
  const solver = await Core.create(module);
  solver.loadPlayer(await read(jobs.ordering.file), "inversion");
  solver.setOrdering(jobs.ordering.discsPerUnit, jobs.ordering.weight);
  const solved = jobs.endgames.map((row) => solver.solve(positionOf(row)));
  const book = await Core.create(module);
  book.loadBook(await read(jobs.book));
  const inBook = positions.slice(0, jobs.bookPositions).map((position) => book.bookMoves(position));
  const rulesAgree = positions.every((position) => agrees(rules, position, book.legalMoves(position)));
  return { players, solved, inBook, rulesAgree };
}

function agrees(rules, position, moves) {
  const mine = rules.legalMoves(position);
  return (
    mine.length === moves.length &&
    moves.every(({ move, flips }, i) => move === mine[i] && String(rules.setOf(rules.flips(position, move))) === String(flips)) &&
    rules.toText(rules.fromText(rules.toText(position))) === rules.toText(position)
  );
}
