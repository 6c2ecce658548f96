// The opening book at the position shown: its moves with their values, to click through.

import { html } from "../../svg.js";
import { discs } from "../game/notation.js";
import { openingName } from "../game/opening_names.js";

export class BookPanel {
  constructor(page, session, thinking, onPlay) {
    Object.assign(this, { page, session, thinking, onPlay, shown: "" });
  }

  async update() {
    const { position, node } = this.session;
    if (this.shown === position.key) return;
    const key = this.shown = position.key;
    const say = (text) => { this.page("book-status").textContent = text; };
    if (!this.thinking.bookFile) {
      say("This page has no opening book.");
      return;
    }
    say("Looking into the book.");
    this.page("book").replaceChildren();
    try {
      const moves = position.isOver ? [] : await this.thinking.bookMoves(position);
      if (key !== this.shown) return;
      const name = openingName(node.path);
      say(moves.length ? `${name ? `${name}. ` : ""}The book has ${moves.length} ${moves.length === 1 ? "move" : "moves"} here; values are in discs for ${position.mover}.` : "This position is not in the book.");
      if (moves.length) this.page("book").replaceChildren(this.table(moves, position, node));
    } catch (error) {
      this.shown = "";
      say(`The book cannot be read: ${error.message}.`);
    }
  }

  table(moves, position, node) {
    const row = ({ move, value, games, isDeviation }) => html("tr", {},
      html("th", { scope: "row" }, html("button", { type: "button", click: () => this.onPlay(move) }, move)),
      html("td", { class: "number" }, discs(value)), html("td", { class: "number" }, isDeviation ? "–" : games.toLocaleString("en")),
      html("td", { class: "name" }, openingName([...node.path, { position: position.play(move).settled() }])));
    return html("div", { class: "box", tabindex: 0, role: "region", "aria-label": "Moves in the book" }, html("table", {},
      html("thead", {}, html("tr", {}, ...[["Move", ""], ["Value", "number"], ["Games", "number"], ["Leads to", "name"]].map(([text, kind]) => html("th", { scope: "col", class: kind || null }, text)))),
      html("tbody", {}, ...moves.map(row))));
  }
}
