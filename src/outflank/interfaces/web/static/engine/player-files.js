// Player files for the core: outflank's own format in safetensors (src/outflank/evaluators/storage.py) and the
// League's text. Sizes are checked here and again by the core, before it takes memory.

export const KINDS = {
  "piece-counter": 0, iago: 1, "n-tuple-network": 2, mlp: 3, "spatial-mlp": 3, "counted-network": 4, "deep-network": 5,
};
const COUNTS = ["mobility", "frontier"];
const COUNT_ENTRIES = 1024;
const BOARD_INPUTS = 8; // of a deep network, beside the tables
const FORMAT = "outflank-player-1";
const LARGEST_HEADER = 4 << 20;
const MOST_WEIGHTS = 1 << 24; // as in bindings/wasm/instance.hpp
const VIEWS = ["inversion", "negation", "doubled"];

// The ten classes of squares under the eight symmetries: a1 b1 c1 d1 b2 c2 d2 c3 d3 d4.
const CLASS_OF_SQUARE = Array.from({ length: 64 }, (_, square) => {
  const fold = (x) => Math.min(x, 7 - x);
  const [low, high] = [fold(square >> 3), fold(square & 7)].sort((a, b) => a - b);
  return [0, 4, 7, 9][low] + high - low;
});

// The square parts of the board that the first layer of the spatial network sees (Chong 2003).
const PARTS = [3, 4, 5, 6, 7, 8].flatMap((size) =>
  range(9 - size).flatMap((top) =>
    range(9 - size).map((left) =>
      range(size).flatMap((row) => range(size).map((column) => 8 * (top + row) + left + column)),
    ),
  ),
);

function range(length) {
  return Array.from({ length }, (_, i) => i);
}

function refuse(sentence) {
  throw new Error(sentence);
}

export function isSafetensors(bytes) {
  return bytes.length > 9 && bytes[8] === 0x7b && bytes[4] === 0 && bytes[5] === 0 && bytes[6] === 0 && bytes[7] === 0;
}

/**
 * The evaluators in a safetensors file: one, or two for a doubled function.
 * @param {Uint8Array} bytes
 * @returns {{view: string|null, evaluators: {kind: string, shape: number[], weights: Float64Array, stages?: number,
 *   tables?: number[][][]}[]}}
 */
export function readSafetensors(bytes) {
  const { described, tensor, first } = readHeader(bytes);
  const weights = readWeights(bytes, tensor, first);
  const { architecture, view = null } = described;
  if (view !== null && !VIEWS.includes(view)) refuse(`it names a view that is not known: ${String(view).slice(0, 40)}`);
  if (architecture?.kind !== "doubled") return { view, evaluators: [evaluatorOf(architecture, weights)] };
  const split = weightCount(architecture.black);
  return {
    view: "doubled",
    evaluators: [
      evaluatorOf(architecture.black, weights.subarray(0, split)),
      evaluatorOf(architecture.white, weights.subarray(split)),
    ],
  };
}

function readHeader(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  if (length > LARGEST_HEADER || 8 + length > bytes.length) refuse("the file is damaged or cut off");
  let header;
  let described;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, 8 + length)));
    described = JSON.parse(header.__metadata__[FORMAT]);
  } catch {
    refuse(`this is a safetensors file, but not an ${FORMAT} file`);
  }
  if (typeof described !== "object" || described === null) refuse("its metadata is not an object");
  return { described, tensor: header.weights, first: 8 + length };
}

function readWeights(bytes, tensor, first) {
  const size = { F32: 4, F64: 8 }[tensor?.dtype];
  const [from, to] = Array.isArray(tensor?.data_offsets) ? tensor.data_offsets : [];
  const isRange = Number.isInteger(from) && Number.isInteger(to) && from >= 0 && to >= from && first + to <= bytes.length;
  if (!size || !isRange || (to - from) % size !== 0) refuse("its weights are damaged or cut off");
  if ((to - from) / size > MOST_WEIGHTS) refuse(`it has more than ${MOST_WEIGHTS.toLocaleString("en")} weights`);
  const copy = Uint8Array.from(bytes.subarray(first + from, first + to)).buffer; // aligned
  return size === 8 ? new Float64Array(copy) : Float64Array.from(new Float32Array(copy));
}

function weightCount(architecture) {
  switch (architecture?.kind) {
    case "piece-counter": return architecture.symmetric ? 10 : 64;
    case "iago": return 72;
    case "mlp": return 66 * hiddenOf(architecture) + 1;
    case "spatial-mlp": return 5900;
    case "n-tuple-network": return entriesOf(architecture);
    case "counted-network": return entriesOf(architecture) + stagesOf(architecture) * COUNT_ENTRIES * countsOf(architecture).length;
    case "deep-network": {
      const [vector, hidden] = sizesOf(architecture);
      const inputs = vector + BOARD_INPUTS;
      const layers = vector + (inputs + 1) * hidden + inputs + hidden + 1;
      return vector * entriesOf({ ...architecture, stages: 1 }) + stagesOf(architecture) * layers;
    }
    default: return refuse("it is of a kind that the page does not know");
  }
}

const hiddenOf = ({ hidden = 32 }) =>
  Number.isInteger(hidden) && hidden >= 1 && hidden <= 4096 ? hidden : refuse("a network has 1 to 4096 hidden nodes");
const stagesOf = ({ stages = 1 }) =>
  Number.isInteger(stages) && stages >= 1 && stages <= 61 ? stages : refuse("a network has 1 to 61 stages");

// Entries of all tables of all stages.
const entriesOf = (architecture) =>
  stagesOf(architecture) * tablesOf(architecture).reduce((sum, table) => sum + 3 ** table[0].length, 0);

function countsOf({ counts }) {
  const isRight = Array.isArray(counts) && counts.length > 0 && new Set(counts).size === counts.length;
  return isRight && counts.every((name) => COUNTS.includes(name)) ? counts : refuse("its counts are not known");
}

function sizesOf({ vector, hidden }) {
  if (!Number.isInteger(vector) || vector < 1 || vector > 32) refuse("an entry has 1 to 32 numbers");
  if (!Number.isInteger(hidden) || hidden < 1 || hidden > 64) refuse("there are 1 to 64 hidden nodes");
  return [vector, hidden];
}

function tablesOf({ tables }) {
  const isPlacement = (squares, length) =>
    Array.isArray(squares) && squares.length === length && length >= 1 && length <= 15 &&
    squares.every((square) => Number.isInteger(square) && square >= 0 && square < 64);
  const isTable = (table) =>
    Array.isArray(table) && table.length > 0 && Array.isArray(table[0]) &&
    table.every((squares) => isPlacement(squares, table[0].length));
  if (!Array.isArray(tables) || tables.length === 0 || !tables.every(isTable)) refuse("its tables are damaged");
  return tables;
}

function evaluatorOf(architecture, weights) {
  if (weights.length !== weightCount(architecture)) refuse("the number of weights does not fit its kind");
  const { kind } = architecture;
  switch (kind) {
    case "piece-counter":
      return { kind, shape: [], weights: architecture.symmetric ? Float64Array.from(CLASS_OF_SQUARE, (i) => weights[i]) : weights };
    case "iago": return { kind, shape: [], weights };
    case "mlp": return { kind, shape: [0, 2, hiddenOf(architecture), 1], weights };
    case "spatial-mlp": return spatialMlp(architecture, weights);
    default: {
      const [stages, tables] = [stagesOf(architecture), tablesOf(architecture)];
      const tuples = [stages, tables.length, ...tables.flatMap((table) => [table[0].length, table.length, ...table.flat()])];
      const before =
        kind === "counted-network" ? [countsOf(architecture).length, ...countsOf(architecture).map((name) => COUNTS.indexOf(name))]
        : kind === "deep-network" ? sizesOf(architecture)
        : [];
      return { kind, shape: [...before, ...tuples], weights, stages, tables };
    }
  }
}

// All layers as full matrices; the first is mostly zeros.
function spatialMlp({ discs_per_unit: discsPerUnit = 1 }, weights) {
  if (!Number.isInteger(discsPerUnit) || discsPerUnit < 1 || discsPerUnit > 1_000_000) refuse("its scale is wrong");
  const nodes = PARTS.length;
  const first = new Float64Array(65 * nodes); // [64][nodes], then biases
  let at = 0;
  PARTS.forEach((part, node) => {
    for (const square of part) first[square * nodes + node] = weights[at++];
    first[64 * nodes + node] = weights[at++];
  });
  const later = weights.slice(at);
  for (let i = later.length - 11; i < later.length; ++i) later[i] *= discsPerUnit; // the last layer: 10 and a bias
  const all = new Float64Array(first.length + later.length);
  all.set(first);
  all.set(later, first.length);
  return { kind: "spatial-mlp", shape: [1, 4, nodes, 40, 10, 1], weights: all };
}
