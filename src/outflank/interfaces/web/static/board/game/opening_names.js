// The names of openings, as players use them. A name belongs to a position: move orders and rotations do not matter.

import { SQUARES, START } from "./rules.js";

// Each line continues the one above it that is indented less: moves, then the name. Black begins with f5.
const NAMES = `
f5 f6| Diagonal
 e6 f4 g7| X-square
 e6 f4 g6| Snake
  c6| Lysons
  c5 g4 g5 f3 e3 c4| Pyramid
 e6 f4 g5| Heath
  e7 e3| Heath-Bat
  e7 d7| Iwasaki
  d6| Heath-Chimney
 e6 f4 g4| Raccoon Dog
 e6 f4 g3| Rocket
  f3 g4| Hamilton
  d6| Lollipop
 e6 f4 e3| Cow
  d6| Chimney
  c5 g5| Cow Bat
  c5 c4| Rose-v-Toth
   e7| Tanida
    g4| Aircraft
    b5 e2| Sailboat
   d3 f3 e2| Maruoka
   d3 c3| Landau
 e6 f4 c3| Buffalo
  d7 f3| Maruoka Buffalo
  c4| Hokuriku Buffalo
 d3 f4| Wing
 c4 f4| Semi-Wing
f5 f4| Parallel
f5 d6| Perpendicular
 c5 f4 e3 d3| Mimura
 c5 f4 e3 c6 f3| Shaman
 c5 f4 e3 c6 e6| Inoue
  f6| Iago
 c5 f4 e3 c6 d7| Bhagat
 c5 f4 e3 c6 d3 f6 e6 d7| Rose
  g4| Flat
   c4| Rotating Flat
  g3 c4| Rose-Birth
   b4| Rose-Birdie
  e7| Greenberg
 c5 f4 e3 c6 d3 f3| Ralle
 c5 f4 d3| Horse
 c4 g5| Ganglion
  c6| Swallow
 c4 d3 e6| Italian
 c4 d3 c5| Cat
  f4 e3 f3 c2 c6| Sakaguchi
  f4 e3 f3 c2 b4 b3| Berner
 c3 g5| Bent Ganglion
 c3 d3 c4| Tiger
  f4 f6| Stephenson
   g5| No-Kung
   f3| Comp'Oth
    e3| Lightning Bolt
   b4| Kung
  f4 e6| Leader's Tiger
  f4 e3| Brightwell
  f4 c5 b4 b5 c6 f3 e6 e3| Ishii
   g6 f6 g5 d7 g3| Mainline Tiger
  f4 c5 b3 c2| Rose-Bill
   e6| Tamenori
   b4| Central Rose-Bill
  b3| Aubrey
`;

let known = null; // made when first asked for

/** The name of the position, or of the last one before it that has a name; "" without one. */
export function openingName(path) {
  known ??= namedPositions();
  for (const { position } of [...path].reverse()) {
    if (position.empties < 60 - 20) continue;
    const name = known.get(canonicalKey(position));
    if (name) return name;
  }
  return "";
}

/** All names with their moves, for tests and for lists. */
export function openings() {
  const stack = [], found = [];
  for (const line of NAMES.trim().split("\n")) {
    const indent = line.search(/\S/), [moves, name] = line.split("|").map((part) => part.trim());
    while (stack.length && stack.at(-1).indent >= indent) stack.pop();
    const all = [...(stack.at(-1)?.moves ?? []), ...moves.split(" ")];
    stack.push({ indent, moves: all });
    found.push({ name, moves: all });
  }
  return found;
}

function namedPositions() {
  return new Map(openings().map(({ name, moves }) => [canonicalKey(moves.reduce((at, move) => at.play(move).settled(), START)), name]));
}

// The eight symmetries of the board, as where each square goes.
const SYMMETRIES = [0, 1, 2, 3, 4, 5, 6, 7].map((kind) => SQUARES.map((_, index) => {
  let row = Math.floor(index / 8), column = index % 8;
  if (kind & 1) column = 7 - column;
  if (kind & 2) row = 7 - row;
  if (kind & 4) [row, column] = [column, row];
  return 8 * row + column;
}));

/** The same for all eight images of a position. */
export function canonicalKey(position) {
  const { text, mover } = position;
  return SYMMETRIES.map((to) => {
    const letters = Array(64);
    for (let i = 0; i < 64; i += 1) letters[to[i]] = text[i];
    return letters.join("");
  }).sort()[0] + mover[0];
}
