// Games from the clipboard and from files, and the game as link, transcript and picture.

import { html } from "../../svg.js";
import { readGames, readText } from "../game/game_files.js";
import { openingName } from "../game/opening_names.js";
import { smallBoard } from "../view/small_board.js";

const PNG_WIDTH = 960;
const MOST_OPTIONS = 2000;
const SAID_FOR = 2500; // milliseconds

export class FilesPanel {
  /** `onOpen(tree)` shows a game; `link()` is its address. */
  constructor(page, session, { onOpen, link }) {
    Object.assign(this, { page, session, onOpen, link, games: [] });
    page("paste-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.read(() => readText(page("paste").value));
    });
    page("file").addEventListener("change", () => this.openFile(page("file").files[0]));
    page("games").addEventListener("change", () => this.choose(Number(page("games").value)));
    page("copy-link").addEventListener("click", () => this.copy(link(), "The link is copied."));
    page("copy-transcript").addEventListener("click", () => this.copy(page("transcript").value, "The transcript is copied."));
    page("save-svg").addEventListener("click", () => this.save(new Blob([this.picture()], { type: "image/svg+xml" }), "svg"));
    page("save-png").addEventListener("click", async () => this.save(await this.png(), "png"));
  }

  update() {
    this.page("transcript").value = this.session.tree.line.slice(1).map((node) => node.move).join("");
  }

  async openFile(file) {
    if (!file) return;
    this.page("file").value = "";
    const bytes = new Uint8Array(await file.arrayBuffer());
    this.read(() => readGames(bytes, file.name));
  }

  read(games) {
    try {
      this.games = games();
      const shown = this.games.slice(0, MOST_OPTIONS);
      this.page("games").replaceChildren(...shown.map(({ title }, i) => html("option", { value: i }, title)));
      this.page("games-field").hidden = this.games.length < 2;
      this.choose(0);
    } catch (error) {
      this.tell(`This cannot be opened: ${error.message}.`, "error");
    }
  }

  choose(number) {
    const { title, open } = this.games[number];
    try {
      const tree = open();
      this.onOpen(tree);
      const moves = tree.line.length - 1, number = (count) => count.toLocaleString("en");
      const found = this.games.length > 1 ? ` ${number(this.games.length)} games were found.` : "";
      const listed = this.games.length > MOST_OPTIONS ? ` The first ${number(MOST_OPTIONS)} are listed.` : "";
      this.tell(`Opened: ${title}, ${moves} ${moves === 1 ? "move" : "moves"}.${found}${listed}`, "done");
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
