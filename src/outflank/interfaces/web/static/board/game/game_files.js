// Games in files and on the clipboard: transcripts, GGF, SGF (with its variations), PGN and WTHOR.
// Read here, so that no game leaves the browser. Sizes are bounded before anything is parsed.

import { GameTree } from "./game_tree.js";
import { positionFromText, transcriptMoves, treeFromText, treeOfMoves } from "./notation.js";
import { isSquare, Position, SQUARES, START } from "./rules.js";

export const LARGEST_FILE = 64 * 2 ** 20; // bytes: the whole WTHOR database is smaller
const LARGEST_TEXT = 4 * 2 ** 20; // characters
const MOST_GAMES = 200_000;
const MOST_NODES = 20_000; // of one SGF tree
const WHOLE_LINES = 20; // that must each be a game for all lines to be games
const MOVES_LABEL = /^[ \t]*(moves|transcript|game|kifu|棋譜)[ \t]*[:=]/gimu;
const LONGEST_SCORE = 40; // characters, spaces included
const PASSES = new Set(["", "tt", "pass", "pas", "pa", "ps", "--"]);

/**
 * The games of a file: a list of {title, open}; `players` are the names for a WTHOR file. `open()` makes the tree, or throws a sentence that says which
 * move is wrong: of a large collection only the chosen game is replayed.
 */
export function readGames(bytes, name = "", players = []) {
  if (bytes.length > LARGEST_FILE) throw new Error("the file is larger than 64 MB");
  if (isWthor(bytes, name)) return wthorGames(bytes, players);
  return readText(new TextDecoder().decode(bytes));
}

export function readText(text) {
  if (text.length > LARGEST_TEXT) throw new Error("the text is longer than four million characters");
  const trimmed = text.trim();
  if (!trimmed) throw new Error("there is nothing to read");
  const found = PGN_TAG.test(trimmed) ? pgnGames(trimmed) : /^\d*\s*\(;/.test(trimmed) || /\(\s*;/.test(trimmed) ? smartGames(trimmed) : transcriptGames(trimmed);
  if (!found.length) throw new Error("there is no game in it");
  return found;
}

// Transcripts: one game per line, or one game over several lines; or a board.

function transcriptGames(pasted) {
  const text = pasted.normalize("NFKC").replace(MOVES_LABEL, "");
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line && !/^[#%]/.test(line));
  const squares = text.replace(/[^-xXoO*.]/g, "");
  if (squares.length >= 64 && !/[a-h][1-8]/i.test(text)) {
    const position = positionFromText(text);
    return [{ title: "a position", open: () => new GameTree(position) }];
  }
  if (lines.length === 1 && /[()]/.test(lines[0])) return [{ title: "a game with variations", open: () => treeFromText(lines[0]) }];
  const moveLines = joined(lines.filter((line) => !/^\p{L}+\s*[:=]/u.test(line))).map(withoutScore);
  if (moveLines.length > 1 && moveLines.slice(0, WHOLE_LINES).every(isLegalGame)) {
    return moveLines.slice(0, MOST_GAMES).map((line, i) => ({ title: `game ${i + 1}`, open: () => treeOfMoves(transcriptMoves(line)) }));
  }
  const all = moveLines.join(" ");
  treeOfMoves(transcriptMoves(all)); // says now what is wrong with it
  return [{ title: "a game", open: () => treeOfMoves(transcriptMoves(all)) }];
}

/** Lines that begin with a move number above 1 continue the line before. */
function joined(lines) {
  const found = [];
  for (const line of lines) {
    if (found.length && Number(/^(\d{1,2})\b/.exec(line)?.[1] ?? 1) > 1) found[found.length - 1] += ` ${line}`;
    else found.push(line);
  }
  return found;
}

/** Without the result at the end of a line, such as ": +12" or "38-26". */
const withoutScore = (line) => `${line.slice(0, -LONGEST_SCORE)}${line.slice(-LONGEST_SCORE).replace(/[\s:=]+([+-]?\d{1,2}|\d{1,2}\s*[-:]\s*\d{1,2})(\.0+)?$/, "")}`
  .replace(/\b(\d{1,2})\s+(?=[a-h][1-8])/gi, "$1. ");

function isLegalGame(line) {
  try {
    return treeOfMoves(transcriptMoves(line)).current.ply > 0;
  } catch {
    return false;
  }
}

// PGN, as PlayOK and Edax write it: tags, then numbered moves. Variations are skipped.

const PGN_TAG = /^[ \t]*\[\s{0,9}([A-Za-z]\w{0,40})\s{1,9}"((?:[^"\\\n]|\\.){0,400})"\s{0,9}\]/m;
const PGN_RESULT = /(?:1\/2-1\/2|\b\d{1,2}-\d{1,2}|\*)$/;

function pgnGames(text) {
  const games = [];
  for (const line of text.replace(/\{[^}]*\}?/g, " ").split(/\r?\n/).filter((line) => !line.startsWith("%"))) {
    const tag = PGN_TAG.exec(line), last = games.at(-1);
    if (tag && (!last || last.moves.length)) games.push({ tags: { [tag[1].toLowerCase()]: tag[2] }, moves: [] });
    else if (tag) last.tags[tag[1].toLowerCase()] ??= tag[2];
    else if (line.trim() && last) last.moves.push(line.replace(/;.*$/, "").replace(/\$\d+|[!?]+/g, " "));
    if (games.length > MOST_GAMES) throw new Error(`there are more than ${MOST_GAMES.toLocaleString("en")} games`);
  }
  return games.map(({ tags, moves }, i) => ({
    title: title(i + 1, tags.black?.replace("?", ""), tags.white?.replace("?", ""), tags.date, tags.result),
    open: () => treeOfMoves(transcriptMoves(mainLine(moves.join(" ")).trim().replace(PGN_RESULT, "")), startOf(tags.fen)),
  }));
}

/** The moves outside brackets. */
function mainLine(text) {
  let depth = 0;
  return [...text].filter((letter) => {
    if (letter === "(") depth += 1;
    const isMain = depth === 0;
    if (letter === ")") depth = Math.max(0, depth - 1);
    return isMain;
  }).join("");
}

/** Edax writes a start as if black discs were p and white ones P, row 8 first. */
function startOf(fen) {
  if (!fen) return START;
  const [rows, mover] = fen.trim().split(/\s+/);
  const letters = rows.split("/").reverse().join("").replace(/\d/g, (count) => "-".repeat(Number(count))).replaceAll("p", "X").replaceAll("P", "O");
  if (!/^[-XO]{64}$/.test(letters)) throw new Error("its start (FEN) is not a board of p (black) and P (white)");
  return Position.fromText(letters, mover === "w" ? "white" : "black");
}

// GGF and SGF: trees of nodes with properties.

function smartGames(text) {
  const found = [];
  let at = text.indexOf("(;");
  if (at < 0) at = text.search(/\(\s*;/);
  while (at >= 0 && found.length < MOST_GAMES) {
    const end = endOfGame(text, at);
    const content = text.slice(at, end);
    found.push({ title: smartTitle(content, found.length + 1), open: () => smartTree(content) });
    const next = text.slice(end).search(/\(\s*;/);
    at = next < 0 ? -1 : end + next;
  }
  return found;
}

function endOfGame(text, from) {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === "[") {
      at += 1;
      while (at < text.length && text[at] !== "]") at += text[at] === "\\" ? 2 : 1;
    } else if (letter === "(") depth += 1;
    else if (letter === ")" && (depth -= 1) === 0) return at + 1;
  }
  throw new Error("the game is cut off: a bracket is not closed");
}

function smartTitle(content, number) {
  const value = (name) => new RegExp(`(?:^|[^A-Z])${name}\\s*\\[((?:[^\\]\\\\]|\\\\.){0,80})\\]`, "s").exec(content)?.[1].replace(/\\(.)/gs, "$1").trim() ?? "";
  return title(number, value("PB"), value("PW"), value("DT") || value("EV"), value("RE"));
}

const title = (number, black, white, when, result) =>
  `${number}. ${black || "Black"} – ${white || "White"}${when ? `, ${when.slice(0, 30)}` : ""}${result && result !== "?" ? `, ${result}` : ""}`;

function smartTree(content) {
  const isGgf = /GM\s*\[\s*othello/i.test(content);
  if (!isGgf && /GM\s*\[(?!\s*2\s*\])/.test(content)) throw new Error("it is not a game of Othello (SGF's game 2)");
  const builder = new SmartTree(isGgf);
  const pattern = /(?<![A-Za-z])([A-Za-z]{1,20})\s*((?:\[(?:[^\]\\]|\\.)*\]\s*)+)|[();]/gs; // names are bounded: no text takes quadratic time
  for (const [token, name, values] of content.matchAll(pattern)) {
    if (token === "(") builder.branch();
    else if (token === ")") builder.close();
    else if (token !== ";") builder.property(name.replace(/[a-z]/g, "") || name.toUpperCase(), [...values.matchAll(/\[((?:[^\]\\]|\\.)*)\]/gs)].map((one) => one[1]));
  }
  return builder.result();
}

class SmartTree {
  constructor(isGgf) {
    Object.assign(this, { isGgf, stack: [], black: [], white: [], mover: "black", start: null, tree: null, at: null, nodes: 0 });
  }

  branch() {
    this.stack.push(this.at);
  }

  close() {
    this.at = this.stack.pop() ?? this.at;
  }

  property(name, values) {
    if (name === "B" || name === "W") this.move(name === "B" ? "black" : "white", values[0]);
    else if (this.tree) return;
    else if (values.length > SQUARES.length) throw new Error(`its ${name} has more values than the board has squares`);
    else if (name === "AB") this.black.push(...values.flatMap(squaresOf));
    else if (name === "AW") this.white.push(...values.flatMap(squaresOf));
    else if (name === "PL") this.mover = /^w/i.test(values[0]) ? "white" : "black";
    else if (name === "BO") this.start = boardOf(values[0]);
    else if (name === "TY" && !/^s?8[rbw]*\d*$/i.test(values[0].trim())) throw new Error(`its type ${values[0].slice(0, 12)} is not plain Othello on 8x8`);
  }

  begin() {
    if (this.black.length || this.white.length) {
      const has = (list, square) => list.includes(square);
      const letters = SQUARES.map((square) => (has(this.black, square) ? "X" : has(this.white, square) ? "O" : "-")).join("");
      this.start = Position.fromText(letters, this.mover);
    }
    this.tree = new GameTree(this.start ?? START);
    this.at = this.tree.root;
    this.stack = this.stack.map((node) => node ?? this.at);
  }

  move(colour, value) {
    if (!this.tree) this.begin();
    const square = squareOf(this.isGgf ? value.split("/")[0] : value);
    if (square === null) return; // a pass
    const { position } = this.at;
    if (position.isOver || position.mover !== colour || !position.isLegal(square)) {
      throw new Error(`move ${this.at.ply + 1} (${square}) is not legal for ${colour}`);
    }
    if ((this.nodes += 1) > MOST_NODES) throw new Error("the game has too many variations");
    this.at = this.tree.added(this.at, square);
  }

  result() {
    if (!this.tree) this.begin();
    this.tree.goTo(this.tree.mainLine.at(-1));
    return this.tree;
  }
}

/** f5, or as in Go fe; null is a pass. */
function squareOf(text) {
  const move = text.trim().toLowerCase();
  if (PASSES.has(move)) return null;
  const named = /^[a-h][a-h]$/.test(move) ? `${move[0]}${"abcdefgh".indexOf(move[1]) + 1}` : move;
  if (!isSquare(named)) throw new Error(`“${move.slice(0, 12)}” is not a square; squares are a1 to h8`);
  return named;
}

/** One square, or a rectangle such as d4:e5; none of an empty value. */
function squaresOf(text) {
  const [from, to = from] = text.split(":").map(squareOf);
  if (from === null || to === null) return [];
  return SQUARES.filter((square) => square[0] >= from[0] && square[0] <= to[0] && square[1] >= from[1] && square[1] <= to[1]);
}

function boardOf(text) {
  const [size, ...cells] = text.trim().split(/\s+/);
  if (size !== "8") throw new Error(`its board has size ${size.slice(0, 8)}, not 8`);
  const letters = cells.join("");
  return Position.fromText(letters, /[oOwW]/.test(letters[64] ?? "*") ? "white" : "black");
}

// WTHOR: a header of 16 bytes, then 68 bytes per game (https://www.ffothello.org/wthor/Format_WThor.pdf).

const HEADER = 16, RECORD = 68, NAME = 20;
const MOST_NAMES = 65_536; // their numbers have 16 bits

/** The names of players by number, from a .jou file of the WTHOR database. */
export function readPlayers(bytes) {
  const count = Math.floor((bytes.length - HEADER) / NAME);
  if (count < 1 || count > MOST_NAMES || (bytes.length - HEADER) % NAME) throw new Error("it is not a WTHOR file of players, which has 16 bytes and 20 for each name");
  const latin = new TextDecoder("latin1");
  return [...Array(count).keys()].map((i) => latin.decode(bytes.subarray(HEADER + NAME * i, HEADER + NAME * (i + 1))).split("\0")[0].trim());
}

function isWthor(bytes, name) {
  if (/\.wtb$/i.test(name)) return true;
  if (bytes.length < HEADER + RECORD || (bytes.length - HEADER) % RECORD) return false;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) === (bytes.length - HEADER) / RECORD;
}

function wthorGames(bytes, players) {
  if (bytes.length < HEADER) throw new Error("a WTHOR file starts with a header of 16 bytes, but this one is shorter");
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const size = bytes[12];
  if (size !== 0 && size !== 8) throw new Error(`the games are on a ${size}x${size} board, not 8x8`);
  const year = data.getUint16(10, true);
  const games = Math.min(Math.floor((bytes.length - HEADER) / RECORD), data.getUint32(4, true));
  if (!games) throw new Error("there is no game in this WTHOR file");
  const found = [];
  for (let i = 0; i < Math.min(games, MOST_GAMES); i += 1) {
    const at = HEADER + RECORD * i;
    const [black, white, discs] = [data.getUint16(at + 2, true), data.getUint16(at + 4, true), bytes[at + 6]];
    found.push({
      title: title(i + 1, players[black] || `player ${black}`, players[white] || `player ${white}`, year ? `${year}` : "", `${discs}–${64 - discs}`),
      open: () => treeOfMoves(wthorMoves(bytes.subarray(at + 8, at + RECORD))),
    });
  }
  return found;
}

function wthorMoves(stored) {
  const end = stored.indexOf(0);
  return [...stored.subarray(0, end < 0 ? 60 : end)].map((byte, i) => {
    const [row, column] = [Math.floor(byte / 10), byte % 10];
    if (row < 1 || row > 8 || column < 1 || column > 8) throw new Error(`move ${i + 1} is stored as ${byte}, which is not a square`);
    return SQUARES[8 * (row - 1) + column - 1];
  });
}
