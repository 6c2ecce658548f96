// The board as a grid of squares in SVG, for mouse, touch and keyboard. It knows no rules: the server says what is legal.

const SVG = "http://www.w3.org/2000/svg";
const COLUMNS = "abcdefgh";
const EDGE = 6; // room for letters and numbers
const STEP = 10; // a square's side

export function svg(name, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}

export class BoardView {
  /** `onPlay(square)` is called for any square that is clicked, tapped or entered. */
  constructor(host, onPlay) {
    this.onPlay = onPlay;
    this.cells = new Map();
    this.grid = svg("svg", { viewBox: `0 0 ${EDGE + 82} ${EDGE + 82}`, role: "grid", class: "board",
      "aria-label": "Othello board", "aria-rowcount": 8, "aria-colcount": 8 });
    this.grid.append(...this.frame());
    for (let row = 0; row < 8; row++) this.grid.append(this.row(row));
    host.replaceChildren(this.grid);
    this.focusable = null;
    this.makeFocusable("d3");
    this.grid.addEventListener("click", (event) => this.clicked(event));
    this.grid.addEventListener("keydown", (event) => this.keyPressed(event));
  }

  frame() {
    const found = [svg("rect", { x: EDGE - 1, y: EDGE - 1, width: 82, height: 82, rx: 1.5, class: "rim" })];
    for (let i = 0; i < 8; i++) {
      const middle = EDGE + STEP * i + STEP / 2;
      found.push(svg("text", { x: middle, y: EDGE - 2.2, class: "edge", "aria-hidden": "true" }, COLUMNS[i]));
      found.push(svg("text", { x: EDGE / 2 - 0.6, y: middle + 1.2, class: "edge", "aria-hidden": "true" }, `${i + 1}`));
    }
    return found;
  }

  row(row) {
    const group = svg("g", { role: "row", "aria-rowindex": row + 1 });
    for (let column = 0; column < 8; column++) group.append(this.cell(row, column));
    return group;
  }

  cell(row, column) {
    const square = `${COLUMNS[column]}${row + 1}`;
    const group = svg("g", { role: "gridcell", tabindex: -1, class: "cell", "data-square": square,
      "aria-colindex": column + 1,
      transform: `translate(${EDGE + STEP * column + STEP / 2} ${EDGE + STEP * row + STEP / 2})` });
    const disc = svg("g", { class: "disc" });
    disc.append(svg("circle", { r: 4.1, class: "face" }), svg("circle", { r: 2.7, class: "ring" }));
    const value = svg("text", { y: 0.9, class: "value" });
    group.append(
      svg("rect", { x: -5, y: -5, width: 10, height: 10, class: "square" }),
      disc,
      svg("path", { d: "M-1.1 0H1.1M0-1.1V1.1", class: "last" }),
      svg("circle", { r: 1.7, class: "legal" }),
      svg("rect", { x: -4.5, y: -4.5, width: 9, height: 9, rx: 0.8, class: "best" }),
      value,
      svg("rect", { x: -4.6, y: -4.6, width: 9.2, height: 9.2, rx: 0.8, class: "focus" }),
    );
    this.cells.set(square, { group, value });
    return group;
  }

  /** Shows a position of the server; `values` is null or a map from squares to {text, label, isBest}. */
  show(position, { canPlay, values }) {
    let index = 0;
    const flipped = new Set(position.flipped), legal = new Set(position.legal);
    for (const [square, { group, value }] of this.cells) {
      const letter = position.squares[index++];
      const valued = legal.has(square) ? values?.get(square) : undefined;
      const is = {
        black: letter === "X", white: letter === "O", turned: flipped.has(square),
        "last-move": square === position.move, "legal-move": legal.has(square),
        playable: canPlay && legal.has(square), valued: Boolean(valued), "best-move": Boolean(valued?.isBest),
      };
      for (const [name, holds] of Object.entries(is)) group.classList.toggle(name, holds);
      group.classList.remove("pending");
      value.textContent = valued?.text ?? "";
      value.classList.toggle("long", value.textContent.length > 5);
      group.setAttribute("aria-label", this.label(square, is, valued));
    }
    this.grid.classList.toggle("waiting", !canPlay);
  }

  label(square, is, valued) {
    const parts = [square, is.black ? "black" : is.white ? "white" : is["legal-move"] ? "legal move" : "empty"];
    if (is["last-move"]) parts.push("last move");
    if (valued) parts.push(valued.label);
    return parts.join(", ");
  }

  /** The square that was played, until the server has responded. */
  showPending(square) {
    this.cells.get(square).group.classList.add("pending");
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
    this.onPlay(square);
  }

  keyPressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
      Home: [-8, 0], End: [8, 0], PageUp: [0, -8], PageDown: [0, 8] };
    if (event.key === "Enter" || event.key === " ") {
      this.onPlay(this.focusable);
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
