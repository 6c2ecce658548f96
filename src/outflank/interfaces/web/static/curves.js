// Learning curves in SVG: score against games, seconds or generations. Values are read by pointer or arrow keys.

import { niceStep, svg } from "./svg.js";

const HEIGHT = 380;
const LEFT = 58, RIGHT = 28, TOP = 12, BOTTOM = 46;
const NEAR_ONE = 0.95; // from here on scores have a logit scale, as in `outflank plot`
const LOGIT_TICKS = [0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999];
const LEAST_ROOM = 18; // between two ticks
export const STYLES = 8; // kinds of line, each with its own colour, dashes and mark

/** A measurement's place on the selected axis. */
export const place = (point, by) => ({ games: point.games, seconds: point.seconds, generations: point.generation })[by];

/** The marker of a line style: eight shapes. */
export function mark(style, x, y, size = 4.5) {
  const around = (count, turn, inner = 1) => [...Array(count).keys()].map((i) => {
    const angle = turn + 2 * Math.PI * i / count, reach = size * 1.25 * (i % 2 ? inner : 1);
    return `${(x + reach * Math.sin(angle)).toFixed(1)},${(y - reach * Math.cos(angle)).toFixed(1)}`;
  }).join(" ");
  const shapes = [
    () => svg("circle", { cx: x, cy: y, r: size }),
    () => svg("polygon", { points: around(4, Math.PI / 4) }),
    () => svg("polygon", { points: around(3, 0) }),
    () => svg("polygon", { points: around(4, 0) }),
    () => svg("polygon", { points: around(3, Math.PI) }),
    () => svg("polygon", { points: around(10, 0, 0.45) }),
    () => svg("polygon", { points: around(6, 0) }),
    () => svg("polygon", { points: around(8, 0, 0.4) }),
  ];
  const shape = shapes[style % STYLES]();
  shape.setAttribute("class", `mark style-${style % STYLES}`);
  return shape;
}

function unit(by, last) {
  if (by === "games") return last >= 1e7 ? [1e6, "Million games learned from"] : [1, "Games learned from"];
  if (by === "generations") return [1, "Generations"];
  return last < 180 ? [1, "Seconds of learning"] : last < 10800 ? [60, "Minutes of learning"] : [3600, "Hours of learning"];
}

const written = (number) => Number(number.toPrecision(6)).toLocaleString("en");

export class CurveChart {
  /** `onRead(text)` is called with the values of the point under the pointer. */
  constructor(host, onRead) {
    Object.assign(this, { host, onRead, curves: [], by: "games", isLog: false, read: null });
    host.addEventListener("pointermove", (event) => this.pointed(event));
    host.addEventListener("pointerleave", () => this.point(null));
    host.addEventListener("click", (event) => this.pointed(event));
    host.addEventListener("keydown", (event) => this.keyPressed(event));
    host.addEventListener("blur", () => this.point(null));
    new ResizeObserver(() => this.draw()).observe(host);
  }

  /** Curves of {name, style, points}; points without a value on the selected axis are omitted. */
  show(curves, by, isLog) {
    const has = (point) => place(point, by) !== null && (!isLog || place(point, by) > 0);
    const known = curves.map((curve) => ({ ...curve, points: curve.points.filter(has) }));
    Object.assign(this, { curves: known.filter((curve) => curve.points.length), by, isLog });
    if (this.read && !this.at(this.read)) this.read = null;
    this.draw();
  }

  at({ name, index }) {
    return this.curves.find((curve) => curve.name === name)?.points[index];
  }

  draw() {
    this.width = this.host.clientWidth;
    if (!this.width) return;
    const picture = svg("svg", { viewBox: `0 0 ${this.width} ${HEIGHT}`, width: this.width, height: HEIGHT, "aria-hidden": "true" });
    this.host.replaceChildren(picture);
    if (!this.curves.length) return;
    this.measure();
    picture.append(this.axes());
    for (const curve of this.curves) picture.append(this.band(curve));
    for (const curve of this.curves) picture.append(this.line(curve));
    if (this.read) picture.append(this.readPoint());
  }

  measure() {
    const points = this.curves.flatMap((curve) => curve.points);
    const places = points.map((point) => place(point, this.by));
    this.last = Math.max(...places, 1e-9);
    this.first = Math.min(...places.filter((one) => one > 0), this.last);
    const low = Math.min(...points.map((point) => point.score)), high = Math.max(...points.map((point) => point.score));
    this.isLogit = high > NEAR_ONE;
    const pad = this.isLogit ? 0 : Math.max(0.005, 0.06 * (high - low));
    this.low = Math.max(this.isLogit ? 0.001 : 0, low - pad);
    this.high = this.isLogit ? Math.min(0.9999, 1 - 0.5 * (1 - high)) : Math.min(1, high + pad);
  }

  x(value) {
    const width = this.width - LEFT - RIGHT;
    if (!this.isLog) return LEFT + width * value / this.last;
    return this.last === this.first ? LEFT + width : LEFT + width * Math.log(value / this.first) / Math.log(this.last / this.first);
  }

  y(score) {
    const scaled = (value) => (this.isLogit ? Math.log(value / (1 - value)) : value);
    const clipped = Math.max(this.low, Math.min(this.high, score));
    const share = (scaled(clipped) - scaled(this.low)) / (scaled(this.high) - scaled(this.low));
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share;
  }

  /** Scores on the vertical axis, as labels; the best take precedence. */
  scoreTicks() {
    if (this.isLogit) {
      const kept = [];
      for (const tick of LOGIT_TICKS.filter((one) => one >= this.low && one <= this.high).reverse()) {
        if (!kept.length || this.y(tick) - this.y(kept.at(-1)) >= LEAST_ROOM) kept.push(tick);
      }
      return kept.map((tick) => [tick, `${tick}`]);
    }
    const step = niceStep(this.high - this.low, 6), digits = Math.max(1, -Math.floor(Math.log10(step))), found = [];
    for (let i = Math.ceil(this.low / step - 1e-9); i * step <= this.high + 1e-9; i++) found.push([i * step, (i * step).toFixed(digits)]);
    return found;
  }

  axes() {
    const group = svg("g"), bottom = HEIGHT - BOTTOM, right = this.width - RIGHT;
    group.append(svg("rect", { x: LEFT, y: TOP, width: right - LEFT, height: bottom - TOP, class: "plot" }));
    for (const [score, text] of this.scoreTicks()) {
      const y = this.y(score);
      group.append(svg("line", { x1: LEFT, x2: right, y1: y, y2: y, class: "rule" }),
        svg("text", { x: LEFT - 6, y: y + 4, class: "tick", "text-anchor": "end" }, text));
    }
    const [size, label] = unit(this.by, this.last);
    for (const value of this.ticks(size)) {
      const x = this.x(value * size);
      group.append(svg("line", { x1: x, x2: x, y1: TOP, y2: bottom, class: "rule" }),
        svg("text", { x, y: bottom + 16, class: "tick", "text-anchor": "middle" }, written(value)));
    }
    const middle = (LEFT + right) / 2, centre = (TOP + bottom) / 2;
    group.append(svg("text", { x: middle, y: HEIGHT - 8, class: "name", "text-anchor": "middle" },
      `${label}${this.isLog ? " (logarithmic)" : ""}`));
    group.append(svg("text", { x: 13, y: centre, class: "name", "text-anchor": "middle", transform: `rotate(-90 13 ${centre})` },
      this.isLogit ? "Score (logit scale)" : "Score"));
    return group;
  }

  /** Values on the horizontal axis, in its unit. */
  ticks(size) {
    const last = this.last / size, room = Math.max(2, Math.floor((this.width - LEFT - RIGHT) / 85));
    if (!this.isLog) {
      let step = niceStep(last, room);
      if (this.by !== "seconds" && size === 1) step = Math.max(1, step);
      return [...Array(Math.floor(last / step + 1e-9) + 1).keys()].map((i) => i * step);
    }
    const first = this.first / size, found = [];
    for (let power = Math.ceil(Math.log10(first) - 1e-9); 10 ** power <= last * 1.0001; power++) found.push(10 ** power);
    const every = Math.ceil(found.length / room);
    return found.length ? found.filter((_, i) => i % every === 0) : [first, last];
  }

  band(curve) {
    const edge = (points, side) => points.map((point) => `${this.x(place(point, this.by)).toFixed(1)} ${this.y(point.ci95[side]).toFixed(1)}`);
    const path = [...edge(curve.points, 0), ...edge([...curve.points].reverse(), 1)];
    return svg("path", { d: `M${path.join("L")}Z`, class: `band style-${curve.style}` });
  }

  line(curve) {
    const group = svg("g");
    const path = curve.points.map((point, i) =>
      `${i ? "L" : "M"}${this.x(place(point, this.by)).toFixed(1)} ${this.y(point.score).toFixed(1)}`).join("");
    group.append(svg("path", { d: path, class: `line style-${curve.style}` }));
    const last = curve.points[curve.points.length - 1];
    group.append(mark(curve.style, this.x(place(last, this.by)), this.y(last.score)));
    return group;
  }

  readPoint() {
    const curve = this.curves.find((one) => one.name === this.read.name), point = this.at(this.read);
    const x = this.x(place(point, this.by)), y = this.y(point.score), group = svg("g");
    group.append(svg("line", { x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM, class: "now" }), mark(curve.style, x, y, 6));
    return group;
  }

  point(read) {
    if (read?.name === this.read?.name && read?.index === this.read?.index) return;
    this.read = read;
    this.onRead(read ? this.words() : "");
    this.draw();
  }

  words() {
    const point = this.at(this.read);
    const parts = [`${written(point.games)} games`, `${written(point.seconds)} seconds`];
    if (point.generation !== null) parts.unshift(`generation ${point.generation}`);
    return `${this.read.name}: score ${point.score.toFixed(4)} (95 % interval ${point.ci95[0].toFixed(4)} to ` +
      `${point.ci95[1].toFixed(4)}) after ${parts.join(", ")}`;
  }

  pointed(event) {
    const box = this.host.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    let nearest = null, least = Infinity;
    for (const { name, points } of this.curves) {
      points.forEach((point, index) => {
        const away = Math.hypot(this.x(place(point, this.by)) - x, (this.y(point.score) - y) / 2);
        if (away < least) [least, nearest] = [away, { name, index }];
      });
    }
    this.point(nearest);
  }

  keyPressed(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    const change = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if ((step === undefined && change === undefined) || !this.curves.length || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const count = this.curves.length;
    const old = Math.max(0, this.curves.findIndex((curve) => curve.name === this.read?.name));
    const curve = this.curves[(old + (change ?? 0) + count) % count], last = curve.points.length - 1;
    const index = this.read ? this.read.index + (step ?? 0) : last;
    this.point({ name: curve.name, index: Math.max(0, Math.min(last, index)) });
  }
}
