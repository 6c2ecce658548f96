// The page: draws what the session holds, and turns clicks and keys into what the session does.
// The same for the league's play page and for the folder that `outflank page` makes.

import { addressOf, keptQuery, readAddress } from "./address.js";
import { GameTree } from "./game/game_tree.js";
import { discs, estimate } from "./game/notation.js";
import { openingName } from "./game/opening_names.js";
import { START } from "./game/rules.js";
import { Opponents } from "./opponents.js";
import { Session } from "./session.js";
import { BookPanel } from "./study/book_panel.js";
import { EditorPanel } from "./study/editor_panel.js";
import { ExplainPanel } from "./study/explain_panel.js";
import { FilesPanel } from "./study/files_panel.js";
import { Thinking, tiesForBest } from "./thinking.js";
import { BoardView } from "./view/board_view.js";
import { MoveList } from "./view/move_list.js";
import { NewGameDialog } from "./view/new_game_dialog.js";
import { ReviewView } from "./view/review_view.js";
import { click } from "./view/sound.js";
import { Tabs } from "./view/tabs.js";
import { hintText, judgementText, nameOf, playedText, resultTitle, scoreText, stateText } from "./view/texts.js";
import { ValueGraph } from "./view/value_graph.js";

const REPLY_DELAY = 450, WATCH_DELAY = 700, STILL_DELAY = 60; // milliseconds until an engine's move is shown
const REVIEW_SHOWN_EVERY = 400; // milliseconds
const SOUND = "outflank-sound";
const byId = (id) => document.getElementById(id);

/**
 * Starts the board. `config` has players (see opponents.js), coach and book; `start()` makes the engine;
 * `load(address)` brings the bytes of a file.
 */
export function startBoard({ config, start, load }) {
  return new BoardPage(config, start, load);
}

class BoardPage {
  constructor(config, start, load) {
    this.opponents = new Opponents(config.players);
    this.thinking = new Thinking({ start, load, players: this.opponents.players, book: config.book, ordering: config.ordering });
    this.session = new Session({
      opponents: this.opponents, thinking: this.thinking, coach: config.coach, pause: (isWatched) => this.pause(isWatched),
      onChange: (what) => this.show(what), onPlayed: (node, before) => this.played(node, before), onOver: () => this.over(),
    });
    this.lit = [];
    this.makeViews();
    this.listen();
    this.readAddress();
    addEventListener("popstate", () => this.readAddress());
  }

  makeViews() {
    const { session, thinking } = this;
    this.board = new BoardView(byId("board"), (square) => this.squareChosen(square));
    this.graph = new ValueGraph(byId("graph"), (ply) => session.goTo(session.tree.line[ply]));
    this.moves = new MoveList(byId("moves"), (node) => session.goTo(node));
    this.tabs = new Tabs(document.querySelector(".tabs"), (name) => this.panelShown(name));
    this.explaining = new ExplainPanel(byId, session, thinking, (squares) => this.light(squares));
    this.book = new BookPanel(byId, session, thinking, (move) => this.explore(move));
    this.files = new FilesPanel(byId, session, { onOpen: (tree) => this.open(tree, { isStudied: tree.root.children.length > 0 }), link: () => location.href });
    this.editor = new EditorPanel(byId, session, { onEdit: () => this.show(), onDone: (tree) => { this.open(tree); this.tabs.show("game"); } });
    this.review = new ReviewView(byId("review-result"), {
      onGo: (node) => session.goTo(node), onTry: (node) => this.tryAgain(node),
      onLine: (node, moves) => { session.tree.addLine(node, moves); session.goTo(session.tree.added(node, moves[0])); },
    });
    this.newGame = new NewGameDialog(byId, this.opponents, (setup) => { this.push(); session.begin(setup); });
  }

  listen() {
    const { session } = this, on = (id, work) => byId(id).addEventListener("click", work);
    on("first", () => session.goTo(session.tree.root));
    on("back", () => session.goTo(session.node.parent));
    on("forward", () => session.goTo(session.tree.next()));
    on("last", () => session.goTo(session.tree.line.at(-1)));
    on("take-back", () => session.takeBack());
    on("hint", () => session.giveHint());
    on("values", () => session.setValues(!session.showsValues));
    on("new", () => this.newGame.open(session));
    on("play-on", () => session.playOn());
    on("pause", () => session.setPaused(!session.isPaused));
    on("review", () => this.startReview());
    on("promote", () => session.promote());
    on("delete", () => session.deleteVariation());
    byId("both").addEventListener("change", () => session.setBoth(byId("both").checked));
    byId("sound").checked = remembered(SOUND) === "on";
    byId("sound").addEventListener("change", () => remember(SOUND, byId("sound").checked ? "on" : "off"));
    byId("result-dialog").addEventListener("close", () => this.answered(byId("result-dialog").returnValue));
  }

  // Events of the game.

  async pause(isWatched) {
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    await new Promise((done) => { setTimeout(done, isStill ? STILL_DELAY : isWatched ? WATCH_DELAY : REPLY_DELAY); });
  }

  squareChosen(square) {
    const { session } = this;
    if (this.editor.isOpen) {
      this.editor.paint(square);
    } else if (session.isMyTurn) {
      if (!session.play(square)) this.say(`${square} is not a legal move. ${stateText(session)}`);
    } else if (!session.isOver) {
      this.say(session.isThinking ? stateText(session) : `${stateText(session)} Choose “Play on from here”.`);
    }
  }

  played(node, before) {
    this.session.news = playedText(this.session, node, before);
    this.animated = node;
    if (byId("sound").checked) click(before.flips(node.move).length);
  }

  over() {
    byId("result-title").textContent = resultTitle(this.session);
    byId("result-text").textContent = scoreText(this.session);
    if (!byId("result-dialog").open) setTimeout(() => byId("result-dialog").showModal(), REPLY_DELAY);
  }

  answered(answer) {
    if (answer === "review") {
      this.startReview();
      const panel = byId("panel-game");
      if (panel.getBoundingClientRect().top > innerHeight / 2) panel.scrollIntoView(); // on phones it is below the board
    }
    if (answer === "again") this.newGame.open(this.session);
  }

  open(tree, how = {}) {
    this.push();
    this.session.open(tree, how);
  }

  /** A move from the book: played for whoever is to move. */
  explore(move) {
    const { session } = this;
    session.goTo(session.tree.added(session.node, move));
  }

  tryAgain(node) {
    this.session.goTo(node);
    byId("board").querySelector(".cell[tabindex='0']").focus({ preventScroll: true });
    this.say(`Try another move. ${stateText(this.session)}`);
  }

  async startReview() {
    const { session } = this, bar = byId("review-progress");
    this.tabs.show("game");
    if (!session.isReviewing) {
      bar.hidden = false;
      bar.value = 0;
      byId("review").textContent = "Stop the review";
    }
    let drawn = performance.now();
    await session.review((share) => {
      bar.value = share;
      if (performance.now() < drawn + REVIEW_SHOWN_EVERY) return; // drawing takes longer than judging a move
      this.showStudy();
      drawn = performance.now();
    });
    bar.hidden = true;
    byId("review").textContent = "Review the game";
    this.show();
  }

  light(squares) {
    this.lit = squares;
    this.showBoard();
  }

  panelShown(name) {
    this.lit = [];
    if (name === "editor") this.editor.open();
    else this.editor.close();
    this.show();
  }

  // Drawing.

  show(what = "all") {
    const { session } = this;
    if (what === "clock") {
      for (const colour of ["black", "white"]) byId(`${colour}-time`).textContent = session.clock.text(colour);
      return;
    }
    this.showBoard();
    this.showSeats();
    this.showControls();
    this.showStudy();
    byId("error").hidden = !session.error;
    byId("error").textContent = session.error;
    if (!this.editor.isOpen) this.say([session.news, judgementText(session), hintText(session), stateText(session)].filter(Boolean).join(" "));
    if (this.tabs.shown === "explain") this.explaining.update();
    if (this.tabs.shown === "book") this.book.update();
    if (this.tabs.shown === "files") this.files.update();
    this.writeAddress();
  }

  showBoard() {
    const { session } = this, { node } = session;
    if (this.editor.isOpen) {
      this.board.show(this.editor.position, {});
      return;
    }
    const flipped = node.parent ? node.parent.position.flips(node.move) : [];
    this.board.show(session.position, {
      move: node.move, flipped, animate: this.animated === node, canPlay: session.isMyTurn,
      values: this.values(), hint: session.hintHere?.move ?? null, lit: this.lit,
    });
    byId("board").setAttribute("aria-busy", session.isThinking);
    this.animated = null;
  }

  values() {
    const found = this.session.values;
    if (!found) return null;
    const best = new Set(tiesForBest(found.moves).map(({ move }) => move));
    return new Map(found.moves.map(({ move, value }) => {
      const isBest = best.has(move), text = found.exact ? discs(value) : estimate(value);
      return [move, { text, isBest, label: `${text} discs${isBest ? ", best" : ""}` }];
    }));
  }

  showSeats() {
    const { session } = this, { black, white } = session.position.discs;
    for (const [colour, number] of [["black", black], ["white", white]]) {
      byId(`${colour}-count`).textContent = number;
      byId(`${colour}-name`).textContent = session.hasOpponent || session.isWatched ? nameOf(session, colour) : "";
      byId(`${colour}-time`).textContent = session.clock.text(colour);
      byId(`${colour}-seat`).classList.toggle("to-move", !session.isOver && session.position.mover === colour);
    }
  }

  showControls() {
    const { session } = this, { tree, node } = session;
    const isAtEnd = !tree.next();
    byId("first").disabled = byId("back").disabled = !node.parent;
    byId("forward").disabled = byId("last").disabled = isAtEnd;
    byId("take-back").hidden = session.isWatched;
    byId("take-back").disabled = !session.canTakeBack;
    byId("hint").disabled = session.isOver || session.isThinking;
    byId("values").setAttribute("aria-pressed", session.showsValues);
    const isInTheMiddle = !isAtEnd && !session.isThinking;
    byId("pause").hidden = !session.isWatched || session.isOver || isInTheMiddle;
    byId("pause").setAttribute("aria-pressed", session.isPaused);
    byId("play-on").hidden = !session.isEngineTurn || session.isThinking || (session.isWatched && !isInTheMiddle);
    byId("both").checked = session.both;
    byId("review").disabled = tree.line.length < 2;
  }

  /** Graph, moves and review. */
  showStudy() {
    const { session } = this, { tree, judgements } = session, line = tree.line;
    byId("opening").textContent = openingName(session.node.path) || (session.node.parent ? "No named opening" : "Start position");
    this.graph.show(line.map((node) => ({
      move: node.move, mover: node.mover, discs: node.position.difference, value: judgements.get(node)?.value ?? null, mistake: judgements.get(node)?.mistake ?? null,
    })), line.indexOf(session.node));
    byId("graph-key").textContent = judgements.size ? "The line is the expected result in discs, the faint one the discs on the board. Marks are mistakes: filled Black's, open White's."
      : "The line is the disc difference on the board. A review draws who is really ahead.";
    this.moves.show(tree, (node) => judgements.get(node)?.mistake ?? null);
    byId("no-moves").hidden = tree.root.children.length > 0;
    byId("variation").hidden = session.node.isMain;
    this.review.show(session);
  }

  say(text) {
    if (byId("status").textContent !== text) byId("status").textContent = text;
  }

  // The address.

  /** A new entry in the browser's history: back returns to the game before. */
  push() {
    try {
      history.pushState(null, "", location.href);
    } catch {
      // Pages opened as files may not.
    }
  }

  writeAddress() {
    const address = keptQuery(location.search) + addressOf(this.session);
    if (address === location.search + location.hash) return;
    try {
      history.replaceState(null, "", location.pathname + address);
    } catch {
      // Pages opened as files may not.
    }
  }

  readAddress() {
    const { session, opponents } = this;
    let found = {}, error = "";
    try {
      found = readAddress(location);
    } catch (problem) {
      error = `The link is damaged: ${problem.message}. This is a new game.`;
    }
    const sides = opponents.sides(found);
    if (sides) Object.assign(session, sides);
    else if (found.black || found.white) error ||= "The player in the link is not here; this is another one.";
    Object.assign(session, { strength: opponents.strength(found.strength), both: found.both ?? false, showsValues: found.showsValues ?? false });
    session.open(found.tree ?? new GameTree(START));
    if (session.isWatched) session.setPaused(false);
    if (!error) return;
    session.error = error;
    this.show();
  }
}

function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A browser that stores nothing forgets it.
  }
}
