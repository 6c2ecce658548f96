// Why one move rather than another: the tables of the player that made the difference, lit on the board.

import { html } from "../../svg.js";
import { discs } from "../game/notation.js";
import { Position, SQUARES } from "../game/rules.js";
import { smallBoard } from "../view/small_board.js";

const MOST_SHOWN = 8;
const FIRST_TABLES = 6; // the others when asked for
const CONFIGURATIONS = 2, ASKED_FOR = 4 * CONFIGURATIONS; // best and worst of each table; mirror images are worth the same

export class ExplainPanel {
  /** `onLight(squares)` lights squares on the main board. */
  constructor(page, session, thinking, onLight) {
    Object.assign(this, { page, session, thinking, onLight, shown: "", pending: null });
    const players = [...thinking.players.values()];
    const group = (label, some) => (some.length ? [html("optgroup", { label }, ...some.map(({ id, name }) => html("option", { value: id }, name)))] : []);
    page("explain-player").replaceChildren( // an entrant of a league may have the name of a built-in player
      ...group("Players", players.filter(({ isListed }) => isListed)), ...group("Built in", players.filter(({ isListed }) => !isListed)));
    page("explain-player").value = session.coach;
    for (const id of ["explain-player", "explain-a", "explain-b"]) page(id).addEventListener("change", () => this.explain());
    page("explain-player").addEventListener("change", () => this.hideTables());
    page("show-tables").addEventListener("click", () => this.showTables());
    page("tables-stage").addEventListener("change", () => this.drawTables());
    page("explain-form").addEventListener("submit", (event) => event.preventDefault());
  }

  /** Fits the choices to the position; called when the panel is visible and the game has changed. */
  update() {
    const { page, session } = this, { position, node } = session;
    if (this.shown === position.key) return;
    this.shown = position.key;
    const legal = position.isOver ? [] : position.legalMoves;
    const options = () => legal.map((move) => html("option", { value: move }, move));
    page("explain-a").replaceChildren(...options());
    page("explain-b").replaceChildren(...options());
    page("explanation").replaceChildren();
    if (legal.length < 2) {
      page("explain-status").textContent = legal.length ? "There is only one move here." : "The game is over here: choose an earlier position.";
      return;
    }
    const played = session.tree.next(node)?.move, best = session.judgements.get(node)?.best ?? session.hintHere?.move;
    const first = best ?? played ?? legal[0];
    page("explain-a").value = first;
    page("explain-b").value = played && played !== first ? played : legal.find((move) => move !== first);
    this.explain();
  }

  async explain() {
    const { page, session } = this, { position } = session;
    const [player, a, b] = ["explain-player", "explain-a", "explain-b"].map((id) => page(id).value);
    this.pending?.abort();
    this.pending = new AbortController();
    const { signal } = this.pending;
    this.onLight([]);
    page("explanation").replaceChildren(); // those of another player or other moves
    if (!a || !b || a === b) {
      page("explain-status").textContent = "Choose two different moves.";
      return;
    }
    page("explain-status").textContent = "Looking at the tables.";
    try {
      const rows = await this.thinking.explain(position, a, b, player, { signal });
      if (!signal.aborted) this.draw(rows, position, a, b, player);
    } catch (error) {
      if (signal.aborted) return;
      page("explain-status").textContent = `This player cannot be explained: ${error.message}.`;
    }
  }

  draw(rows, position, a, b, player) {
    const total = rows.reduce((sum, row) => sum + row.difference, 0);
    const ranked = [...rows].filter((row) => Math.abs(row.difference) > 1e-9).sort((x, y) => Math.abs(y.difference) - Math.abs(x.difference));
    const { name } = this.thinking.players.get(player), better = total >= 0 ? [a, b] : [b, a];
    this.page("explain-status").textContent = rows.length
      ? `At one ply, ${name} prefers ${better[0]} to ${better[1]} by ${discs(Math.abs(total), 2).replace("+", "")} discs. The patterns that differ most come first.`
      : "This player has no tables to show.";
    const after = { a: position.play(a), b: position.play(b) };
    this.page("explanation").replaceChildren(html("ol", { class: "reasons" }, ...ranked.slice(0, MOST_SHOWN).map((row) => this.reason(row, after, a, b))));
  }

  reason(row, after, a, b) {
    const { squares } = row;
    const figure = (position, move, value) => {
      const picture = smallBoard(position, { move, lit: squares, dim: true });
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", `after ${move}: ${squares.map((square) => contentOf(position, square)).join(", ")}`);
      return html("figure", {}, picture, html("figcaption", {}, `${move}: ${discs(value, 2)}`));
    };
    const light = () => this.onLight(squares);
    if (!squares.length) {
      return html("li", {}, html("strong", {}, `${row.difference >= 0 ? a : b} ${discs(Math.abs(row.difference), 2)} discs`),
        " from counts of the whole board: moves, frontier and discs of both sides");
    }
    return html("li", {},
      html("button", { type: "button", class: "light", click: light, focus: light, mouseenter: light },
        html("strong", {}, `${row.difference >= 0 ? a : b} ${discs(Math.abs(row.difference), 2)} discs`), ` from ${squares.join(" ")}`),
      html("div", { class: "pair" }, figure(after.a, a, row.valueA), figure(after.b, b, row.valueB)));
  }

  hideTables() {
    this.page("tables").replaceChildren();
    this.page("tables-stage").parentElement.hidden = true;
  }

  /** The best and worst configurations of each table of the chosen network, at a stage of the game. */
  async showTables() {
    const { page } = this, id = page("explain-player").value;
    page("tables").textContent = "Reading the network.";
    try {
      const { stages } = await this.thinking.describe(id);
      page("tables-stage").replaceChildren(...[...Array(stages).keys()].map((stage) => html("option", { value: stage }, stageName(stage, stages))));
      page("tables-stage").parentElement.hidden = stages < 2;
      this.stages = stages;
      await this.drawTables();
    } catch (error) {
      page("tables").textContent = `The network cannot be read: ${error.message}.`;
    }
  }

  async drawTables() {
    const { page } = this, stage = Number(page("tables-stage").value) || 0;
    const discsThere = 4 + Math.ceil(61 * stage / this.stages); // the first number of discs of that stage
    const tables = await this.thinking.tables(page("explain-player").value, discsThere, ASKED_FOR);
    if (!tables.length) {
      page("tables").textContent = "This player has no tables: it is not an n-tuple network.";
      return;
    }
    const reach = ({ best, worst }) => best[0].value - worst[0].value;
    const ranked = [...tables].sort((x, y) => reach(y) - reach(x));
    const list = html("ol", { class: "tables" }, ...ranked.slice(0, FIRST_TABLES).map((table) => this.tableItem(table)));
    const all = html("button", { type: "button", click: () => {
      list.append(...ranked.slice(FIRST_TABLES).map((table) => this.tableItem(table)));
      all.remove();
    } }, `Show all ${ranked.length} tables`);
    page("tables").replaceChildren(
      html("p", { class: "quiet small" }, "From the table that matters most; values in discs. The player sees itself as Black."),
      list, ranked.length > FIRST_TABLES ? all : "");
  }

  tableItem({ placements, best, worst }) {
    const [placement] = placements, squares = placement.map((index) => SQUARES[index]);
    const figure = ({ discs: letters, value }, kind) => {
      const picture = smallBoard(configured(placement, letters), { lit: squares, dim: true });
      const words = squares.map((square, i) => `${square} ${CONTENT[letters[i]]}`).join(", ");
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", `${kind}: ${words}`);
      return html("figure", { class: kind }, picture, html("figcaption", {}, `${kind} ${discs(value, 2)}`));
    };
    return html("li", {}, html("p", {}, `${squares.join(" ")} (${placements.length} ${placements.length === 1 ? "placement" : "placements"})`),
      html("div", { class: "pair four" }, ...distinct(best).map((one) => figure(one, "best")), ...distinct(worst).map((one) => figure(one, "worst"))));
  }
}

const distinct = (found) => found.filter(({ value }, i) => i === 0 || value !== found[i - 1].value).slice(0, CONFIGURATIONS);
const CONTENT = { X: "black", O: "white", "-": "empty" };
const stageName = (stage, stages) => `moves ${Math.ceil(61 * stage / stages)} to ${Math.ceil(61 * (stage + 1) / stages) - 1}`;

function contentOf(position, square) {
  return `${square} ${CONTENT[position.text[SQUARES.indexOf(square)]]}`;
}

function configured(placement, digits) {
  const letters = Array(64).fill("-");
  placement.forEach((square, i) => { letters[square] = digits[i]; });
  return Position.fromText(letters.join(""), "black");
}
