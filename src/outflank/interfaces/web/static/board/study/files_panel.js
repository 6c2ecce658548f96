// Games from the clipboard and from files, and the game as link, transcript and picture.

import { html } from "../../svg.js";
import { readGames, readPlayers, readText } from "../game/game_files.js";
import { openingName } from "../game/opening_names.js";
import { smallBoard } from "../view/small_board.js";

const PNG_WIDTH = 960;
const MOST_OPTIONS = 2000;
const MANY = 20; // games that one looks for rather than looks through
const SAID_FOR = 2500; // milliseconds

export class FilesPanel {
  /** `onOpen(tree)` shows a game; `link()` is its address. */
  constructor(page, session, { onOpen, link }) {
    Object.assign(this, { page, session, onOpen, link, games: [], players: [] });
    page("paste-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.read(() => readText(page("paste").value));
    });
    page("file").addEventListener("change", () => this.openFiles([...page("file").files]));
    page("games").addEventListener("change", () => this.choose(Number(page("games").value)));
    page("find").addEventListener("input", () => this.list());
    page("copy-link").addEventListener("click", () => this.copy(link(), "The link is copied."));
    page("copy-transcript").addEventListener("click", () => this.copy(page("transcript").value, "The transcript is copied."));
    page("save-svg").addEventListener("click", () => this.save(new Blob([this.picture()], { type: "image/svg+xml" }), "svg"));
    page("save-png").addEventListener("click", async () => this.save(await this.png(), "png"));
  }

  update() {
    this.page("transcript").value = this.session.tree.line.slice(1).map((node) => node.move).join("");
  }

  /** Games of one or several files; a .jou file among them has the players' names for WTHOR games. */
  async openFiles(files) {
    if (!files.length) return;
    const contents = await Promise.all(files.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
    this.page("file").value = "";
    const isNames = ({ name }) => /\.jou$/i.test(name);
    const [names, games] = [contents.filter(isNames), contents.filter((one) => !isNames(one))];
    try {
      for (const { bytes } of names) this.players = readPlayers(bytes);
    } catch (error) {
      this.tell(`This cannot be opened: ${error.message}.`, "error");
      return;
    }
    if (games.length) this.read(() => games.flatMap(({ bytes, name }) => readGames(bytes, name, this.players)));
    else this.tell(`${count(this.players.length)} names of players were read. Now open a .wtb file.`, "done");
  }

  read(games) {
    try {
      this.games = games();
    } catch (error) {
      this.tell(`This cannot be opened: ${error.message}.`, "error");
      return;
    }
    this.page("find").value = "";
    this.page("games-field").hidden = this.games.length < 2;
    this.page("find-field").hidden = this.games.length <= MANY;
    this.list();
    this.choose(0);
  }

  /** The games whose titles have all words that one looks for. */
  list() {
    const words = this.page("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [];
    this.games.forEach(({ title }, i) => {
      if (words.every((word) => title.toLowerCase().includes(word))) found.push([i, title]);
    });
    const listed = found.slice(0, MOST_OPTIONS);
    this.page("games").replaceChildren(...listed.map(([i, title]) => html("option", { value: i }, title)));
    this.page("games").selectedIndex = words.length ? -1 : 0;
    this.page("found").textContent = listed.length < found.length ? `The first ${count(listed.length)} of ${count(found.length)} are listed: look for a name, a year or a number.`
      : words.length ? `${count(found.length)} of ${count(this.games.length)} games.` : "";
  }

  choose(number) {
    const { title, open } = this.games[number];
    try {
      const tree = open();
      this.onOpen(tree);
      const moves = tree.line.length - 1;
      const found = this.games.length > 1 ? ` ${count(this.games.length)} games were found.` : "";
      this.tell(`Opened: ${title}, ${moves} ${moves === 1 ? "move" : "moves"}.${found}`, "done");
    } catch (error) {
      this.tell(`This game cannot be opened: ${error.message}.`, "error");
    }
  }

  tell(text, kind) {
    this.page("open-message").className = kind;
    this.page("open-message").textContent = text;
  }

  async copy(text, said) {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // no permission, or no https
      const field = this.page("transcript"), before = field.value;
      field.value = text;
      field.select();
      document.execCommand("copy");
      field.value = before;
    }
    this.say(said);
  }

  /** Says something for a moment. */
  say(text) {
    this.page("share-message").textContent = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.page("share-message").textContent = ""; }, SAID_FOR);
  }

  /** The position shown, as the text of an SVG file. */
  picture() {
    const { position, node } = this.session, { black, white } = position.discs;
    const name = openingName(node.path);
    const caption = `${name ? `${name} · ` : ""}Black ${black}, White ${white} · ${position.isOver ? "game over" : `${position.mover} to move`}`;
    const drawn = smallBoard(position, { move: node.move, letters: true, caption });
    return new XMLSerializer().serializeToString(drawn);
  }

  async png() {
    const image = new Image(), text = this.picture();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = PNG_WIDTH;
    canvas.height = Math.round(PNG_WIDTH * image.naturalHeight / image.naturalWidth);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => { canvas.toBlob(done, "image/png"); });
  }

  save(blob, ending) {
    const address = URL.createObjectURL(blob);
    const link = html("a", { href: address, download: `othello-${this.session.node.ply}.${ending}` });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    this.say(`The picture is saved as ${link.download}.`);
  }
}

const count = (number) => number.toLocaleString("en");
