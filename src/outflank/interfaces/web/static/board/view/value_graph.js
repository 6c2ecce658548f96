// The game as a line along its moves: who is ahead by how many discs. Mistakes are marked. Click to go to a move.

import { niceStep, svg } from "../../svg.js";
import { discs } from "../game/notation.js";

const HEIGHT = 200;
const LEFT = 40, RIGHT = 12, TOP = 12, BOTTOM = 24;
const LEAST_MOVES = 20, LEAST_REACH = 10;

export class ValueGraph {
  /** `onJump(ply)` is called with the number of a move, 0 for the start. */
  constructor(host, onJump) {
    Object.assign(this, { host, onJump, points: [], at: 0, width: 0 });
    host.addEventListener("click", (event) => this.clicked(event));
    host.addEventListener("keydown", (event) => this.keyPressed(event));
    new ResizeObserver(() => this.draw()).observe(host);
  }

  /** A point of each position of the line: {move, mover, discs, value, mistake}, both numbers for Black; value may be null. */
  show(points, at) {
    Object.assign(this, { points, at });
    this.draw();
  }

  draw() {
    const width = this.host.clientWidth;
    if (!width || !this.points.length) return;
    this.width = width;
    this.last = Math.max(LEAST_MOVES, this.points.length - 1);
    const values = this.points.map((point) => point.value), differences = this.points.map((point) => point.discs);
    const hasValues = values.some((value) => value !== null);
    const shown = (hasValues ? values.filter((value) => value !== null) : differences).map(Math.abs);
    this.reach = Math.min(64, Math.max(LEAST_REACH, ...shown) * 1.08);
    const picture = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, "aria-hidden": "true" });
    picture.append(this.axes());
    const now = this.x(this.at);
    picture.append(svg("line", { x1: now, x2: now, y1: TOP, y2: HEIGHT - BOTTOM, class: "now" }));
    picture.append(this.line(differences, hasValues ? "line discs faint" : "line discs"));
    if (hasValues) picture.append(this.line(values, "line value"), ...this.marks());
    this.host.replaceChildren(picture);
    this.describe();
  }

  x(ply) {
    return LEFT + (this.width - LEFT - RIGHT) * ply / this.last;
  }

  y(value) {
    const middle = (TOP + HEIGHT - BOTTOM) / 2;
    return middle - (Math.max(-this.reach, Math.min(this.reach, value)) / this.reach) * (middle - TOP);
  }

  axes() {
    const group = svg("g"), bottom = HEIGHT - BOTTOM, right = this.width - RIGHT;
    group.append(svg("rect", { x: LEFT, y: TOP, width: right - LEFT, height: bottom - TOP, class: "plot" }));
    const step = Math.max(2, niceStep(2 * this.reach, 5));
    for (let i = -Math.floor(this.reach / step); i * step <= this.reach; i += 1) {
      const y = this.y(i * step);
      group.append(svg("line", { x1: LEFT, x2: right, y1: y, y2: y, class: i === 0 ? "zero" : "rule" }),
        svg("text", { x: LEFT - 6, y: y + 4, class: "tick", "text-anchor": "end" }, discs(i * step)));
    }
    for (let ply = 0; ply <= this.last; ply += 10) {
      group.append(svg("text", { x: this.x(ply), y: bottom + 16, class: "tick", "text-anchor": "middle" }, `${ply}`));
    }
    group.append(svg("text", { x: right - 5, y: TOP + 13, class: "name", "text-anchor": "end" }, "Black ahead"),
      svg("text", { x: right - 5, y: bottom - 5, class: "name", "text-anchor": "end" }, "White ahead"));
    return group;
  }

  line(values, kind) {
    let path = "", isOpen = false;
    values.forEach((value, ply) => {
      if (value === null) { isOpen = false; return; }
      path += `${isOpen ? "L" : "M"}${this.x(ply).toFixed(1)} ${this.y(value).toFixed(1)}`;
      isOpen = true;
    });
    return svg("path", { d: path, class: kind });
  }

  /** Mistakes: of Black as discs, of White as rings, larger the more they cost. */
  marks() {
    return this.points.flatMap(({ value, mistake, mover }, ply) => (mistake && value !== null
      ? [svg("circle", { cx: this.x(ply), cy: this.y(value), r: 2.5 + mistake.degree, class: `mistake ${mover} degree-${mistake.degree}` })]
      : []));
  }

  describe() {
    const here = this.points[this.at];
    const parts = [here.move ? `move ${this.at}, ${here.mover} ${here.move}` : "start of the game"];
    parts.push(here.value === null ? `disc difference ${discs(here.discs)}` : `${discs(here.value)} discs for Black`);
    if (here.mistake) parts.push(here.mistake.words);
    this.host.setAttribute("aria-valuemax", this.points.length - 1);
    this.host.setAttribute("aria-valuenow", this.at);
    this.host.setAttribute("aria-valuetext", parts.join(", "));
  }

  clicked(event) {
    const place = event.clientX - this.host.getBoundingClientRect().left;
    this.jump(Math.round((place - LEFT) / (this.width - LEFT - RIGHT) * this.last));
  }

  keyPressed(event) {
    const to = { ArrowLeft: this.at - 1, ArrowDown: this.at - 1, ArrowRight: this.at + 1, ArrowUp: this.at + 1,
      PageDown: this.at - 10, PageUp: this.at + 10, Home: 0, End: this.points.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.jump(to);
  }

  jump(ply) {
    const within = Math.max(0, Math.min(this.points.length - 1, ply));
    if (within !== this.at) this.onJump(within);
  }
}
