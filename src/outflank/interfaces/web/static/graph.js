// The game as two lines along its moves: disc difference, and the player's evaluation. Click to jump to a move.

import { svg } from "./board.js";

const HEIGHT = 250;
const LEFT = 46, RIGHT = 58, TOP = 14, BOTTOM = 42;
const LEAST_MOVES = 12;

/** A step of 1, 2 or 5 times a power of ten that cuts a range into about `count` parts. */
export function niceStep(range, count) {
  const rough = range / count, power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999);
}

/** A number as short as its size allows. */
export function short(number, step = 0) {
  if (number === 0) return "0";
  const size = Math.abs(step || number);
  if (Math.abs(number) >= 1e5 || size < 1e-3) return number.toExponential(1).replace("e+", "e");
  return number.toFixed(size >= 10 ? 0 : Math.min(3, Math.max(0, (step ? 0 : 2) - Math.floor(Math.log10(size)))));
}

export function signed(number) {
  return number > 0 ? `+${number}` : `${number}`.replace("-", "\u2212");
}

export class GameGraph {
  /** `onJump(number)` is called with the number of a move, 0 for the start. */
  constructor(host, onJump) {
    this.host = host;
    this.onJump = onJump;
    this.positions = [];
    this.at = 0;
    host.addEventListener("click", (event) => this.clicked(event));
    host.addEventListener("keydown", (event) => this.keyPressed(event));
    new ResizeObserver(() => this.draw()).observe(host);
  }

  show(positions, at, hasPlayer) {
    Object.assign(this, { positions, at, hasPlayer });
    this.draw();
  }

  draw() {
    const width = this.host.clientWidth;
    if (!width || !this.positions.length) return;
    this.width = width;
    this.last = Math.max(LEAST_MOVES, this.positions.length - 1);
    const picture = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, "aria-hidden": "true" });
    const discs = this.positions.map((one) => one.disc_difference);
    const values = this.positions.map((one) => one.evaluation);
    const reach = (numbers, least) => Math.max(least, ...numbers.filter((one) => one !== null).map(Math.abs));
    const discReach = reach(discs, 4), valueReach = reach(values, 1e-9);
    picture.append(this.axes());
    picture.append(this.scale(discReach, "left"));
    if (this.hasPlayer) picture.append(this.scale(valueReach, "right"));
    const now = this.x(this.at);
    picture.append(svg("line", { x1: now, x2: now, y1: TOP, y2: HEIGHT - BOTTOM, class: "now" }));
    if (this.hasPlayer) picture.append(...this.line(values, valueReach, "evaluation"));
    picture.append(...this.line(discs, discReach, "discs"));
    this.host.replaceChildren(picture);
    this.describe();
  }

  x(number) {
    return LEFT + (this.width - LEFT - RIGHT) * number / this.last;
  }

  y(value, reach) {
    const middle = (TOP + HEIGHT - BOTTOM) / 2;
    return middle - (value / reach) * (middle - TOP);
  }

  axes() {
    const group = svg("g"), bottom = HEIGHT - BOTTOM;
    group.append(svg("rect", { x: LEFT, y: TOP, width: this.width - LEFT - RIGHT, height: bottom - TOP, class: "plot" }));
    const step = Math.max(1, niceStep(this.last, Math.max(2, (this.width - LEFT - RIGHT) / 60)));
    for (let number = 0; number <= this.last; number += step) {
      group.append(svg("text", { x: this.x(number), y: bottom + 15, class: "tick", "text-anchor": "middle" }, `${number}`));
    }
    const middle = (LEFT + this.width - RIGHT) / 2;
    group.append(svg("text", { x: middle, y: HEIGHT - 6, class: "name", "text-anchor": "middle" }, "Move"));
    return group;
  }

  scale(reach, side) {
    const group = svg("g"), step = niceStep(2 * reach, 5);
    for (let i = -Math.floor(reach / step); i * step <= reach; i++) {
      const y = this.y(i * step, reach);
      if (side === "left") {
        group.append(svg("line", { x1: LEFT, x2: this.width - RIGHT, y1: y, y2: y, class: i === 0 ? "zero" : "rule" }));
      }
      const text = i === 0 ? "0" : short(i * step, step).replace("-", "\u2212");
      const x = side === "left" ? LEFT - 5 : this.width - RIGHT + 5;
      group.append(svg("text", { x, y: y + 4, class: "tick", "text-anchor": side === "left" ? "end" : "start" }, text));
    }
    const x = side === "left" ? 11 : this.width - 5, y = (TOP + HEIGHT - BOTTOM) / 2;
    group.append(svg("text", { x, y, class: "name", "text-anchor": "middle", transform: `rotate(-90 ${x} ${y})` },
      side === "left" ? "Disc difference" : "Evaluation"));
    return group;
  }

  line(values, reach, kind) {
    const points = values.map((value, number) => (value === null ? null : [this.x(number), this.y(value, reach)]));
    const known = points.filter((point) => point !== null);
    const path = known.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
    const found = [svg("path", { d: path, class: `line ${kind}` })];
    const here = points[this.at];
    if (here) {
      found.push(kind === "discs"
        ? svg("circle", { cx: here[0], cy: here[1], r: 4.5, class: `mark ${kind}` })
        : svg("rect", { x: here[0] - 4, y: here[1] - 4, width: 8, height: 8, class: `mark ${kind}` }));
    }
    return found;
  }

  describe() {
    const here = this.positions[this.at];
    const parts = [here.move ? `move ${this.at}, ${here.mover} ${here.move}` : "start of the game",
      `disc difference ${signed(here.disc_difference)}`];
    if (here.evaluation !== null) parts.push(`evaluation for Black ${short(here.evaluation)}`);
    this.host.setAttribute("aria-valuemax", this.positions.length - 1);
    this.host.setAttribute("aria-valuenow", this.at);
    this.host.setAttribute("aria-valuetext", parts.join(", "));
  }

  clicked(event) {
    const place = event.clientX - this.host.getBoundingClientRect().left;
    const number = Math.round((place - LEFT) / (this.width - LEFT - RIGHT) * this.last);
    this.jump(number);
  }

  keyPressed(event) {
    const to = { ArrowLeft: this.at - 1, ArrowDown: this.at - 1, ArrowRight: this.at + 1, ArrowUp: this.at + 1,
      PageDown: this.at - 10, PageUp: this.at + 10, Home: 0, End: this.positions.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.jump(to);
  }

  jump(number) {
    const within = Math.max(0, Math.min(this.positions.length - 1, number));
    if (within !== this.at) this.onJump(within);
  }
}
