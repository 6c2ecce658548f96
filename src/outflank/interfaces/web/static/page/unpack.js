// Files that `outflank page` packed into scripts (src/outflank/interfaces/page/packing.py), as bytes again.

const ESCAPE = 0xe000;
const TURNED = 0x8000;
const BOOK_ENTRY = 24;
const FORMAT = "outflank-player-1";

/** @param {{size: number, deflated: number, filter: string, header: number, text: string}} packed */
export async function unpacked(packed) {
  const filtered = await inflated(fromText(packed.text, packed.deflated));
  if (packed.filter === "floats") return fromFloats(filtered, packed);
  if (packed.filter === "columns") return fromColumns(filtered, packed);
  if (packed.filter === "tables") return fromTables(filtered, packed);
  return filtered;
}

/** Sixteen bits to a character; those that cannot stand in a text follow an escape, with their highest bit turned. */
export function fromText(text, size) {
  const words = new Uint16Array(Math.ceil(size / 2));
  for (let i = 0, at = 0; i < text.length; ++i) {
    const code = text.charCodeAt(i);
    words[at++] = code === ESCAPE ? text.charCodeAt(++i) ^ TURNED : code;
  }
  return new Uint8Array(words.buffer, 0, size);
}

function fromFloats(filtered, { size, header }) {
  const bytes = new Uint8Array(size);
  bytes.set(filtered.subarray(0, header));
  const words = (size - header) / 4;
  const bitmap = filtered.subarray(header, header + Math.ceil(words / 8));
  const planes = filtered.subarray(header + bitmap.length);
  const nonzero = planes.length / 4;
  for (let word = 0, next = 0; word < words; ++word) {
    if (((bitmap[word >> 3] >> (word & 7)) & 1) === 0) continue;
    for (let place = 0; place < 4; ++place) bytes[header + 4 * word + place] = planes[place * nonzero + next];
    next += 1;
  }
  return bytes;
}

// A deep network (deep_tables.py): which entries are there, their numbers of 16 bits, and the layers as they were.
function fromTables(filtered, { size, header, exponent, isTied }) {
  const bytes = new Uint8Array(size);
  bytes.set(filtered.subarray(0, header));
  const { __metadata__: metadata } = JSON.parse(new TextDecoder().decode(filtered.subarray(8, header)));
  const { tables, vector } = JSON.parse(metadata[FORMAT]).architecture;
  const kept = tables.map(([squares], table) => keptEntries(squares, isTied[table]));
  const entries = kept.flatMap((table) => Array.from(table, (first, entry) => first === entry));
  const count = entries.filter(Boolean).length;
  const bitmap = filtered.subarray(header, header + Math.ceil(count / 8));
  const layers = 4 * vector * entries.length; // bytes of the tables
  const planes = filtered.subarray(header + bitmap.length, filtered.length - (size - header - layers));
  const [low, high] = [planes.subarray(0, planes.length / 2), planes.subarray(planes.length / 2)];
  const numbers = new Float32Array(vector * entries.length);
  for (let table = 0, first = 0, at = 0, next = 0; table < kept.length; first += kept[table++].length) {
    kept[table].forEach((same, entry) => {
      const to = vector * (first + entry);
      if (same !== entry) {
        numbers.copyWithin(to, vector * (first + same), vector * (first + same + 1));
        return;
      }
      if ((bitmap[at >> 3] >> (at++ & 7)) & 1) {
        for (let k = 0; k < vector; ++k, ++next) numbers[to + k] = (((high[next] << 24) >> 16) | low[next]) * 2 ** exponent;
      }
    });
  }
  const weights = new DataView(bytes.buffer, header);
  numbers.forEach((number, i) => weights.setFloat32(4 * i, number, true));
  bytes.set(filtered.subarray(header + bitmap.length + planes.length), header + layers);
  return bytes;
}

// For each entry of a table the first of those that are the same under the symmetries of its squares.
function keptEntries(squares, isTied) {
  const { length } = squares;
  const worth = squares.map((_, k) => 3 ** (length - 1 - k));
  const turned = (square, turn) => {
    const [row, column] = [(square >> 3) ^ (turn & 1 ? 7 : 0), (square & 7) ^ (turn & 2 ? 7 : 0)];
    return turn & 4 ? 8 * column + row : 8 * row + column;
  };
  const places = [0, 1, 2, 3, 4, 5, 6, 7].map((turn) => squares.map((square) => squares.indexOf(turned(square, turn))));
  const turns = places.filter((found) => isTied && !found.includes(-1));
  const first = Int32Array.from({ length: 3 ** length }, (_, entry) => entry);
  return first.map((entry) => {
    const digits = worth.map((one) => Math.floor(entry / one) % 3);
    return turns.reduce((least, found) => Math.min(least, worth.reduce((sum, one, k) => sum + one * digits[found[k]], 0)), entry);
  });
}

function fromColumns(filtered, { size, header }) {
  const bytes = Uint8Array.from(filtered); // header and what follows the table are in place
  const entries = Math.floor((size - header) / BOOK_ENTRY);
  for (let place = 0; place < BOOK_ENTRY; ++place) {
    for (let entry = 0; entry < entries; ++entry) {
      bytes[header + entry * BOOK_ENTRY + place] = filtered[header + place * entries + entry];
    }
  }
  return bytes;
}

/** Deflated bytes without a header (RFC 1951); by the browser where it can. */
export async function inflated(bytes) {
  if (typeof DecompressionStream === "undefined") return inflatedHere(bytes);
  let stream;
  try {
    stream = new DecompressionStream("deflate-raw");
  } catch {
    return inflatedHere(bytes); // the first browsers with DecompressionStream did not know deflate-raw
  }
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
const DISTANCE_BITS = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
const CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** The same in JavaScript, for browsers without DecompressionStream. */
export function inflatedHere(bytes) {
  let out = new Uint8Array(4 * bytes.length + 1024);
  let size = 0;
  let at = 0; // in bits
  const room = (more) => {
    if (size + more <= out.length) return;
    const larger = new Uint8Array(2 * out.length + more);
    larger.set(out.subarray(0, size));
    out = larger;
  };
  const bits = (count) => {
    let value = 0;
    for (let i = 0; i < count; ++i, ++at) value |= ((bytes[at >> 3] >> (at & 7)) & 1) << i;
    return value;
  };
  // Canonical Huffman codes: how many there are of each length, and the symbols in order.
  const codesOf = (lengths) => {
    const counts = new Uint16Array(16);
    for (const length of lengths) counts[length] += 1;
    counts[0] = 0;
    const first = new Uint16Array(16);
    for (let i = 1; i < 16; ++i) first[i] = first[i - 1] + counts[i - 1];
    const symbols = new Uint16Array(lengths.length);
    lengths.forEach((length, symbol) => { if (length) symbols[first[length]++] = symbol; });
    return { counts, symbols };
  };
  const symbol = ({ counts, symbols }) => {
    for (let length = 1, code = 0, first = 0, index = 0; length < 16; ++length) {
      code |= bits(1);
      if (code - counts[length] < first) return symbols[index + (code - first)];
      index += counts[length];
      first = (first + counts[length]) << 1;
      code <<= 1;
    }
    throw new Error("a packed file is damaged");
  };
  const fixed = () => [
    codesOf(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))),
    codesOf(new Array(30).fill(5)),
  ];
  const dynamic = () => {
    const [literals, distances, codes] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
    const lengths = new Array(19).fill(0);
    for (let i = 0; i < codes; ++i) lengths[CODE_ORDER[i]] = bits(3);
    const code = codesOf(lengths);
    const all = [];
    while (all.length < literals + distances) {
      const next = symbol(code);
      if (next < 16) all.push(next);
      else if (next === 16) all.push(...new Array(3 + bits(2)).fill(all.at(-1)));
      else all.push(...new Array(next === 17 ? 3 + bits(3) : 11 + bits(7)).fill(0));
    }
    return [codesOf(all.slice(0, literals)), codesOf(all.slice(literals))];
  };
  for (let isLast = 0; !isLast; ) {
    isLast = bits(1);
    const kind = bits(2);
    if (kind === 0) {
      at = (at + 7) & ~7;
      const length = bits(16);
      bits(16);
      room(length);
      out.set(bytes.subarray(at >> 3, (at >> 3) + length), size);
      size += length;
      at += 8 * length;
      continue;
    }
    const [literal, distance] = kind === 1 ? fixed() : dynamic();
    for (let next = symbol(literal); next !== 256; next = symbol(literal)) {
      room(258);
      if (next < 256) {
        out[size++] = next;
        continue;
      }
      const length = LENGTHS[next - 257] + bits(LENGTH_BITS[next - 257]);
      const code = symbol(distance);
      const back = DISTANCES[code] + bits(DISTANCE_BITS[code]);
      for (let i = 0; i < length; ++i, ++size) out[size] = out[size - back];
    }
  }
  return out.slice(0, size);
}
