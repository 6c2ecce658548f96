// A small board as a picture: beside a better line, in an explanation, in a shared image.

import { svg } from "../../svg.js";
import { SQUARES } from "../game/rules.js";

const COLOURS = { board: "#2e7d4f", dim: "#24613e", line: "#14482b", black: "#15181a", white: "#fafaf7", mark: "#d8322f", lit: "#ffd84d", text: "#33403a", page: "#ffffff" };

/**
 * The picture of a position as an SVG element with its colours inside, so that it can also be saved.
 * `lit` are squares to mark, `dim` shades all others; `letters` draws coordinates.
 */
export function smallBoard(position, { move = null, lit = [], dim = false, letters = false, caption = "" } = {}) {
  const edge = letters ? 6 : 1, below = caption ? 8 : 0, size = 80 + edge + 1;
  const picture = svg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${size} ${size + below}`, class: "small-board" });
  if (letters || caption) picture.append(svg("rect", { width: size, height: size + below, fill: COLOURS.page }));
  picture.append(...ground(edge, dim));
  const shining = new Set(lit), { text } = position;
  SQUARES.forEach((square, index) => {
    const x = edge + 10 * (index % 8), y = edge + 10 * Math.floor(index / 8), isLit = shining.has(square);
    if (isLit) picture.append(svg("rect", { x: x + 0.7, y: y + 0.7, width: 8.6, height: 8.6, fill: COLOURS.board, stroke: COLOURS.lit, "stroke-width": 1.1 }));
    if (text[index] === "-") return;
    const isBlack = text[index] === "X";
    picture.append(svg("circle", { cx: x + 5, cy: y + 5, r: 3.7, fill: isBlack ? COLOURS.black : COLOURS.white,
      stroke: isBlack ? "#dfe6e1" : COLOURS.black, "stroke-width": 0.4, opacity: dim && !isLit ? 0.5 : 1 }));
    if (square === move) picture.append(svg("circle", { cx: x + 5, cy: y + 5, r: 1.1, fill: COLOURS.mark }));
  });
  if (letters) picture.append(...coordinates(edge));
  if (caption) picture.append(svg("text", { x: size / 2, y: size + 5, "text-anchor": "middle", "font-size": 4, "font-family": "sans-serif", fill: COLOURS.text }, caption));
  return picture;
}

/** The empty board: two elements, for there may be hundreds of boards on a page. */
function ground(edge, dim) {
  const lines = [...Array(9).keys()].map((i) => `M${edge + 10 * i} ${edge}v80M${edge} ${edge + 10 * i}h80`).join("");
  return [svg("rect", { x: edge, y: edge, width: 80, height: 80, fill: dim ? COLOURS.dim : COLOURS.board }),
    svg("path", { d: lines, stroke: COLOURS.line, "stroke-width": 0.5, fill: "none" })];
}

function coordinates(edge) {
  const word = { "font-size": 3.6, "font-family": "sans-serif", "text-anchor": "middle", fill: COLOURS.text };
  return [...Array(8).keys()].flatMap((i) => [
    svg("text", { ...word, x: edge + 10 * i + 5, y: edge - 1.8 }, "abcdefgh"[i]),
    svg("text", { ...word, x: edge / 2 - 0.4, y: edge + 10 * i + 6.3 }, `${i + 1}`),
  ]);
}
