// Runs that differ in their seed alone, as one curve: the mean, with a band.

const FEWEST_FOR_INTERVALS = 4; // of fewer runs the band is from the lowest to the highest
// Student's t at 97.5 %, by degrees of freedom from 3; beyond the last nearly that of the normal distribution.
const T = [3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093];
const T_OF_MANY = 2;

/** What runs of one experiment have in common: everything but the seed. */
export function experimentOf(run) {
  const settings = Object.entries(run.settings).filter(([key]) => key !== "seed").sort();
  return JSON.stringify([run.method, run.total, settings]);
}

/** Lists of runs of the same experiment, in the order in which their first run comes. */
export function experiments(runs) {
  const found = new Map();
  for (const run of runs) found.set(experimentOf(run), [...(found.get(experimentOf(run)) ?? []), run]);
  return [...found.values()];
}

/** A name for several runs: what their names have in common. */
export function sharedName(names) {
  let length = 0;
  while (names.every((name) => length < name.length && name[length] === names[0][length])) length += 1;
  return names[0].slice(0, length).replace(/[-_/. ]*(seed)?[-_/. ]*\d*$/i, "") || names[0];
}

/**
 * The mean of several runs' measurements along an axis, `place(point)` being a point's value on it. Each run is
 * interpolated where any was measured and all have begun, up to the end of the shortest, as `outflank plot` does.
 */
export function meanCurve(logs, place) {
  const measured = logs.map((points) => points.filter((point) => place(point) !== null));
  if (measured.some((points) => !points.length)) return [];
  const first = Math.max(...measured.map((points) => place(points[0])));
  const last = Math.min(...measured.map((points) => place(points.at(-1))));
  const places = [...new Set(measured.flatMap((points) => points.map(place)))].filter((x) => x >= first && x <= last).sort((a, b) => a - b);
  return places.map((x) => {
    const rows = measured.map((points) => interpolated(points, x, place));
    const mean = (key) => rows.reduce((sum, row) => sum + row[key], 0) / rows.length;
    const scores = rows.map((row) => row.score), score = mean("score");
    return { games: mean("games"), seconds: mean("seconds"), generation: rows[0].generation === null ? null : mean("generation"), score, ci95: bandOf(scores, score) };
  });
}

function interpolated(points, x, place) {
  const after = points.findIndex((point) => place(point) >= x);
  if (after <= 0 || place(points[after]) === x) return points[Math.max(0, after)];
  const [a, b] = [points[after - 1], points[after]], share = (x - place(a)) / (place(b) - place(a));
  const between = (key) => (a[key] === null ? null : a[key] + share * (b[key] - a[key]));
  return { games: between("games"), seconds: between("seconds"), generation: between("generation"), score: between("score") };
}

function bandOf(scores, mean) {
  const count = scores.length;
  if (count < FEWEST_FOR_INTERVALS) return [Math.min(...scores), Math.max(...scores)];
  const spread = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / (count - 1));
  const reach = (T[count - 4] ?? T_OF_MANY) * spread / Math.sqrt(count);
  return [Math.max(0, mean - reach), Math.min(1, mean + reach)];
}
