// A game against a player of the league. The server knows the rules: every position comes from /api/v1/play.
// Player, colour, depth and transcript are in the address, so that a game can be shared and replayed.

import { BoardView } from "./board.js";
import { GameGraph, short, signed } from "./graph.js";

const seesMotion = !matchMedia("(prefers-reduced-motion: reduce)").matches;
const REPLY_DELAY = seesMotion ? 450 : 100; // milliseconds: until one's own discs have turned
const MOST_CACHED = 200; // analysed positions
const RETRIES = 2; // when the server is busy
const LONGEST_PAUSE = 10; // seconds between them
const page = (id) => document.getElementById(id);
const other = (colour) => (colour === "black" ? "white" : "black");
const capital = (text) => text[0].toUpperCase() + text.slice(1);

const game = {
  player: "", colour: "black", depth: "1", // as chosen
  moves: [], at: 0, positions: [], // the whole line, and which of its positions is shown
  shows: false, // values of the moves
  isBusy: false, error: "", news: "",
  analyses: new Map(), // the server's responses, by player, depth and transcript
};
let turnNumber = 0; // responses to earlier turns are discarded

const board = new BoardView(page("board"), squareChosen);
const graph = new GameGraph(page("graph"), goTo);

const transcript = (count = game.moves.length) => game.moves.slice(0, count).join("");
const here = () => game.positions[game.at];
const isAtEnd = () => game.at === game.moves.length;
const playsBoth = () => game.colour === "both" || !game.player;
const isMine = (colour) => playsBoth() || colour === game.colour;
const key = (moves) => `${game.player} ${game.depth} ${moves}`;
const opponent = () => page("player").selectedOptions[0]?.dataset.name ?? "The player";

// The server.

async function ask(moves, wantsValues) {
  const query = new URLSearchParams({ moves, depth: game.depth });
  if (game.player) query.set("player", game.player);
  if (game.player && wantsValues) query.set("values", "1");
  let response = await fetch(`/api/v1/play?${query}`);
  for (let again = 0; response.status === 503 && again < RETRIES; again += 1) {
    const seconds = Math.min(Number(response.headers.get("Retry-After")) || 1, LONGEST_PAUSE);
    await new Promise((go) => { setTimeout(go, 1000 * seconds); });
    response = await fetch(`/api/v1/play?${query}`);
  }
  const answer = await response.json().catch(() => ({ error: "the server's response cannot be read" }));
  if (!response.ok) throw new Error(answer.error ?? `the server responded ${response.status}`);
  if (answer.choice) {
    game.analyses.set(key(answer.transcript), answer);
    if (game.analyses.size > MOST_CACHED) game.analyses.delete(game.analyses.keys().next().value);
  }
  return answer;
}

/** Runs one turn; earlier ones no longer count. Errors are shown, with a button to try again. */
async function turn(work) {
  const mine = ++turnNumber;
  const isCurrent = () => mine === turnNumber;
  Object.assign(game, { isBusy: true, error: "" });
  page("board").setAttribute("aria-busy", true);
  try {
    await work(isCurrent);
  } catch (error) {
    if (isCurrent()) game.error = error instanceof TypeError ? "The server cannot be reached." : `${capital(error.message)}.`;
  }
  if (!isCurrent()) return;
  game.isBusy = false;
  show();
}

// Turns.

/** Loads a line from the server, shows one of its positions, and lets the computer move if it is its turn. */
function open(moves, at = null) {
  return turn(async (isCurrent) => {
    const answer = await ask(moves, game.shows);
    if (!isCurrent()) return;
    take(answer);
    if (at !== null) game.at = Math.max(0, Math.min(at, game.moves.length));
    game.news = "";
    show();
    await reply(isCurrent);
    if (isCurrent()) await analyse(isCurrent);
  });
}

function squareChosen(square) {
  if (game.isBusy || !here()) return;
  if (here().turn && !isMine(here().turn)) {
    say(isAtEnd() ? `It is ${opponent()}'s turn.` : `Here it is ${opponent()}'s turn: choose Continue from here, or redo.`);
  } else if (!here().legal.includes(square)) {
    say(here().turn ? `${square} is not a legal move.` : "The game is over.");
  } else {
    board.showPending(square);
    turn(async (isCurrent) => {
      const answer = await ask(transcript(game.at) + square, !playsBoth() || game.shows);
      if (!isCurrent()) return;
      take(answer);
      tell();
      show();
      await reply(isCurrent);
      if (isCurrent()) await analyse(isCurrent);
    });
  }
}

/** The computer's moves, until it is the person's turn or the game is over. */
async function reply(isCurrent) {
  while (isAtEnd() && here().turn && !isMine(here().turn)) {
    const began = performance.now();
    const known = game.analyses.get(key(transcript())) ?? (await ask(transcript(), true));
    const after = await ask(transcript() + known.choice.square, game.shows);
    await new Promise((done) => setTimeout(done, Math.max(0, REPLY_DELAY - (performance.now() - began))));
    if (!isCurrent()) return;
    take(after);
    tell();
    show();
  }
}

/** Values of the position shown, if they are wanted and not cached. */
async function analyse(isCurrent) {
  if (!game.shows || !game.player || !here().turn || game.analyses.has(key(transcript(game.at)))) return;
  await ask(transcript(game.at), true);
  if (isCurrent()) show();
}

function take(answer) {
  game.moves = answer.transcript.match(/../g) ?? [];
  game.positions = answer.positions;
  game.at = game.moves.length;
}

function goTo(at) {
  if (!game.positions[at]) return;
  game.at = at;
  game.news = "";
  turn(async (isCurrent) => {
    await reply(isCurrent); // at the end of the line the game goes on
    if (isCurrent()) await analyse(isCurrent);
  });
  show();
}

function takeBack() {
  let at = game.at - 1;
  while (at > 0 && !isMine(game.positions[at].turn)) at--;
  goTo(Math.max(0, at));
}

const canTakeBack = () => game.positions.slice(0, game.at).some((position) => isMine(position.turn));

function continueFromHere() {
  open(transcript(game.at));
}

function changeSides() {
  game.colour = other(game.colour);
  page("colour").value = game.colour;
  open(transcript(), isAtEnd() ? null : game.at);
}

function newGame() {
  game.moves = [];
  game.at = 0;
  history.pushState(null, "", address());
  open("");
}

// Texts.

function name(colour) {
  if (playsBoth()) return capital(colour);
  return colour === game.colour ? "You" : opponent();
}

/** The last move in words. */
function tell() {
  const { mover, move, flipped, passed } = here();
  const count = flipped.length === 1 ? "1 disc" : `${flipped.length} discs`;
  let text = `${name(mover)} played ${move} and flipped ${count}.`;
  if (passed) text += ` ${name(passed)} ${name(passed) === "You" ? "have" : "has"} no move: pass.`;
  game.news = text;
}

function state() {
  const { turn: next, black, white, disc_difference: difference } = here();
  if (!next) {
    const most = Math.max(black, white), least = Math.min(black, white);
    if (difference === 0) return `Game over: a draw, ${black} to ${white}.`;
    const winner = difference > 0 ? "black" : "white";
    const who = playsBoth() ? "" : winner === game.colour ? " You won." : ` ${opponent()} won.`;
    return `Game over: ${capital(winner)} wins ${most} to ${least}.${who}`;
  }
  const where = isAtEnd() ? "" : `Move ${game.at} of ${game.moves.length}. `;
  if (playsBoth()) return `${where}${capital(next)} to move.`;
  if (isMine(next)) return `${where}Your turn: you are ${next}.`;
  return isAtEnd() ? `${opponent()} is thinking.` : `${where}${opponent()} to move.`;
}

function say(text) {
  page("status").textContent = text;
}

/** Values with digits to suit the largest, for comparison. */
function written(values) {
  const most = Math.max(...values.map(({ value }) => Math.abs(value ?? 0)));
  const digits = most >= 100 ? 0 : most >= 10 ? 1 : most >= 0.1 ? 2 : 3;
  return (value) => (most >= 1e5 || most < 1e-2 ? short(value) : value.toFixed(digits)).replace("-", "\u2212");
}

function values() {
  const found = game.analyses.get(key(transcript(game.at)));
  if (!game.shows || !found) return null;
  const best = found.values[0], write = written(found.values);
  return new Map(found.values.map(({ square, value, discs }) => {
    const isBest = value === best.value && discs === best.discs;
    const text = discs !== null ? signed(discs) : value === null ? "?" : write(value);
    const label = discs !== null ? `ends ${text} discs` : value === null ? "no value" : `value ${text}`;
    return [square, { text, label: isBest ? `${label}, best` : label, isBest }];
  }));
}

// Display.

function show() {
  page("error").hidden = !game.error;
  page("error-text").textContent = game.error;
  page("board").setAttribute("aria-busy", game.isBusy);
  if (!here()) return;
  const position = here(), canPlay = Boolean(!game.isBusy && position.turn && isMine(position.turn));
  board.show(position, { canPlay, values: values() });
  graph.show(game.positions, game.at, Boolean(game.player));
  say(game.error ? "" : [game.news, state()].filter(Boolean).join(" "));
  showCounts(position);
  page("undo").disabled = game.at === 0;
  page("redo").disabled = isAtEnd();
  page("take-back").disabled = !canTakeBack();
  page("sides").disabled = playsBoth();
  page("values").disabled = !game.player;
  page("values").setAttribute("aria-pressed", game.shows && Boolean(game.player));
  page("continue").hidden = isAtEnd() || !position.turn || isMine(position.turn);
  page("transcript").value = transcript();
  page("evaluation-key").hidden = !game.player;
  if (address() !== location.pathname + location.search) history.replaceState(null, "", address());
}

function showCounts({ black, white, turn: next }) {
  for (const [colour, count] of [["black", black], ["white", white]]) {
    const line = page(`${colour}-line`);
    line.classList.toggle("to-move", next === colour);
    page(`${colour}-count`).textContent = count;
    page(`${colour}-name`).textContent = playsBoth() ? "" : colour === game.colour ? "you" : opponent();
    page(`${colour}-turn`).textContent = next === colour ? "to move" : "";
  }
}

// The address and the controls.

function address() {
  const query = new URLSearchParams();
  if (game.player) query.set("player", game.player);
  query.set("colour", game.colour);
  query.set("depth", game.depth);
  if (game.shows) query.set("values", "1");
  if (game.moves.length) query.set("moves", transcript());
  if (!isAtEnd()) query.set("at", game.at);
  return `/play?${query}`;
}

async function readAddress() {
  const query = new URLSearchParams(location.search);
  const choose = (id, wanted) => {
    const known = [...page(id).options].some((option) => option.value === wanted);
    if (known) page(id).value = wanted;
    return page(id).value;
  };
  const wanted = query.get("player");
  game.player = choose("player", wanted ?? "");
  game.colour = choose("colour", query.get("colour") ?? "black");
  game.depth = choose("depth", query.get("depth") ?? "1");
  game.shows = query.get("values") === "1";
  const at = query.get("at");
  await open(query.get("moves") ?? "", /^\d+$/.test(at ?? "") ? Number(at) : null);
  if (game.error && !here()) { // an invalid transcript: say so, and start a new game
    const { error } = game;
    await open("");
    game.error ||= error;
    show();
  } else if (wanted && wanted !== game.player) {
    game.news = `There is no player ${wanted} in this league; this is ${opponent()}.`;
    show();
  }
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch { // no permission, or no https
    const field = page("transcript"), before = field.value;
    field.value = text;
    field.select();
    document.execCommand("copy");
    field.value = before;
  }
  const label = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = label; }, 1500);
}

for (const id of ["player", "colour", "depth"]) {
  page(id).addEventListener("change", () => {
    game[id] = page(id).value;
    open(transcript(), isAtEnd() ? null : game.at);
  });
}
page("undo").addEventListener("click", () => goTo(game.at - 1));
page("redo").addEventListener("click", () => goTo(game.at + 1));
page("take-back").addEventListener("click", takeBack);
page("continue").addEventListener("click", continueFromHere);
page("sides").addEventListener("click", changeSides);
page("new").addEventListener("click", newGame);
page("values").addEventListener("click", () => {
  game.shows = !game.shows;
  goTo(game.at);
});
page("again").addEventListener("click", () => open(transcript(), isAtEnd() ? null : game.at));
page("copy-link").addEventListener("click", (event) => copy(location.href, event.currentTarget));
page("copy-transcript").addEventListener("click", (event) => copy(transcript(), event.currentTarget));
window.addEventListener("popstate", readAddress);
readAddress();
