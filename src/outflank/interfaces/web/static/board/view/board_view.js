// The board as a grid of squares in SVG, for mouse, touch and keyboard. It knows no rules: it shows what it is given.

import { svg } from "../../svg.js";
import { SQUARES } from "../game/rules.js";

const COLUMNS = "abcdefgh";
const EDGE = 5; // room for letters and numbers
const STEP = 10; // a square's side
const DOTS = [[2, 2], [2, 6], [6, 2], [6, 6]]; // where printed boards have them

export class BoardView {
  /** `onChoose(square)` is called for any square that is clicked, tapped or entered. */
  constructor(host, onChoose) {
    this.onChoose = onChoose;
    this.cells = new Map();
    this.grid = svg("svg", { viewBox: `0 0 ${EDGE + 82} ${EDGE + 82}`, role: "grid", class: "board",
      "aria-label": "Othello board", "aria-rowcount": 8, "aria-colcount": 8 });
    this.grid.append(...this.frame());
    for (let row = 0; row < 8; row += 1) this.grid.append(this.row(row));
    const dots = svg("g", { class: "dots", "aria-hidden": "true" });
    for (const [x, y] of DOTS) dots.append(svg("circle", { cx: EDGE + STEP * x, cy: EDGE + STEP * y, r: 0.7 }));
    this.grid.append(dots);
    host.replaceChildren(this.grid);
    this.focusable = null;
    this.makeFocusable("d3");
    this.grid.addEventListener("click", (event) => this.clicked(event));
    this.grid.addEventListener("keydown", (event) => this.keyPressed(event));
  }

  frame() {
    const found = [svg("rect", { x: EDGE - 1, y: EDGE - 1, width: 82, height: 82, rx: 1.5, class: "rim" })];
    for (let i = 0; i < 8; i += 1) {
      const middle = EDGE + STEP * i + STEP / 2;
      found.push(svg("text", { x: middle, y: EDGE - 1.9, class: "edge", "aria-hidden": "true" }, COLUMNS[i]));
      found.push(svg("text", { x: EDGE / 2 - 0.6, y: middle + 1.1, class: "edge", "aria-hidden": "true" }, `${i + 1}`));
    }
    return found;
  }

  row(row) {
    const group = svg("g", { role: "row", "aria-rowindex": row + 1 });
    for (let column = 0; column < 8; column += 1) group.append(this.cell(row, column));
    return group;
  }

  cell(row, column) {
    const square = `${COLUMNS[column]}${row + 1}`;
    const group = svg("g", { role: "gridcell", tabindex: -1, class: "cell", "data-square": square, "aria-colindex": column + 1,
      transform: `translate(${EDGE + STEP * column + STEP / 2} ${EDGE + STEP * row + STEP / 2})` });
    const disc = svg("g", { class: "disc" });
    disc.append(svg("circle", { r: 4.1, class: "face" }), svg("circle", { r: 2.7, class: "ring" }));
    const value = svg("text", { y: 1.1, class: "value" });
    group.append(
      svg("rect", { x: -5, y: -5, width: 10, height: 10, class: "square" }),
      svg("rect", { x: -4.4, y: -4.4, width: 8.8, height: 8.8, rx: 0.8, class: "lit" }),
      disc,
      svg("path", { d: "M-1.1 0H1.1M0-1.1V1.1", class: "last" }),
      svg("circle", { r: 1.5, class: "legal" }),
      svg("rect", { x: -4.5, y: -4.5, width: 9, height: 9, rx: 0.8, class: "best" }),
      svg("path", { d: "M0-3.4 1 -1.1 3.4-1.1 1.5.5 2.2 3 0 1.5-2.2 3-1.5.5-3.4-1.1-1-1.1Z", class: "star" }),
      value,
      svg("rect", { x: -4.6, y: -4.6, width: 9.2, height: 9.2, rx: 0.8, class: "focus" }),
    );
    this.cells.set(square, { group, value });
    return group;
  }

  /**
   * Shows a position. `move` was the last one, and what it `flipped`; `values` maps squares to
   * {text, label, isBest}; `hint` is a square to mark; `lit` are squares of a pattern.
   */
  show(position, { move = null, flipped = [], canPlay = false, values = null, hint = null, lit = [], animate = false } = {}) {
    const turned = new Set(flipped), legal = new Set(position.legalMoves), shining = new Set(lit);
    const { text } = position;
    SQUARES.forEach((square, index) => {
      const { group, value } = this.cells.get(square);
      const valued = legal.has(square) ? values?.get(square) : undefined;
      const is = {
        black: text[index] === "X", white: text[index] === "O", turned: animate && turned.has(square),
        placed: animate && square === move, "last-move": square === move, "legal-move": legal.has(square),
        playable: canPlay && legal.has(square), valued: Boolean(valued), "best-move": Boolean(valued?.isBest),
        hinted: square === hint, shining: shining.has(square),
      };
      for (const [name, holds] of Object.entries(is)) group.classList.toggle(name, holds);
      value.textContent = valued?.text ?? "";
      value.classList.toggle("long", value.textContent.length > 4);
      group.setAttribute("aria-label", this.label(square, is, valued));
    });
    this.grid.classList.toggle("waiting", !canPlay);
  }

  label(square, is, valued) {
    const parts = [square, is.black ? "black" : is.white ? "white" : is["legal-move"] ? "legal move" : "empty"];
    if (is["last-move"]) parts.push("last move");
    if (is.hinted) parts.push("hint");
    if (valued) parts.push(valued.label);
    return parts.join(", ");
  }

  makeFocusable(square) {
    if (this.focusable) this.cells.get(this.focusable).group.setAttribute("tabindex", -1);
    this.focusable = square;
    this.cells.get(square).group.setAttribute("tabindex", 0);
  }

  clicked(event) {
    const square = event.target.closest(".cell")?.dataset.square;
    if (!square) return;
    this.makeFocusable(square);
    this.onChoose(square);
  }

  keyPressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
      Home: [-8, 0], End: [8, 0], PageUp: [0, -8], PageDown: [0, 8] };
    if (event.key === "Enter" || event.key === " ") {
      this.onChoose(this.focusable);
    } else if (event.key in steps) {
      const [right, down] = steps[event.key];
      const within = (place) => Math.max(0, Math.min(7, place));
      const column = within(COLUMNS.indexOf(this.focusable[0]) + right), row = within(this.focusable[1] - 1 + down);
      this.makeFocusable(`${COLUMNS[column]}${row + 1}`);
      this.cells.get(this.focusable).group.focus();
    } else {
      return;
    }
    event.preventDefault();
  }
}
