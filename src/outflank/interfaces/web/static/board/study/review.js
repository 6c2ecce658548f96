// A review: every position of a line judged by search, every move by what it gave away, in discs.

import { discs } from "../game/notation.js";
import { openingName } from "../game/opening_names.js";

/** How the coach thinks: the same for all positions, so that their values can be compared. */
export const REVIEW = { depth: 7, solve: 14 };
const DEGREES = [[9.5, 3, "??", "blunder"], [4.5, 2, "?", "mistake"], [1.95, 1, "?!", "inaccuracy"]];

/** What a move that gave discs away is called; null for a good move. */
export function mistakeOf(loss, better) {
  const found = DEGREES.find(([least]) => loss >= least);
  if (!found) return null;
  const [, degree, sign, name] = found;
  return { degree, sign, name, loss, better, words: `${name}: gives away ${discs(loss).replace("+", "")} discs, ${better} is better` };
}

/**
 * Judges the positions of a line, from the last to the first: the search remembers what comes later.
 * `judge(position)` searches one; `onJudged(node, judgement)` is called for each; returns the judgements by node.
 */
export async function reviewLine(nodes, judge, onJudged, signal) {
  const found = new Map();
  for (let i = nodes.length - 1; i >= 0; i -= 1) {
    signal?.throwIfAborted();
    const node = nodes[i], { position } = node;
    found.set(node, position.isOver ? finished(position) : searched(position, await judge(position)));
    const next = nodes[i + 1];
    if (next) found.get(next).mistake = judged(found.get(node), found.get(next), next);
    onJudged(node, found, (nodes.length - i) / nodes.length);
  }
  return found;
}

const finished = (position) => ({ value: position.result, best: null, line: [], exact: true, mistake: null });

function searched(position, analysis) {
  const [best] = analysis.moves, sign = position.mover === "black" ? 1 : -1;
  return { value: sign * best.value, best: best.move, line: best.line, exact: analysis.exact, mistake: null };
}

/** What the move to `next` gave away; its value is that of the position it led to. */
function judged(before, after, next) {
  if (next.move === before.best) return null;
  const sign = next.mover === "black" ? 1 : -1;
  return mistakeOf(sign * (before.value - after.value), before.best);
}

/** Mistakes of each side: how many of each kind, and the discs given away in all. */
export function summary(nodes, judgements) {
  const sides = { black: { count: 0, lost: 0 }, white: { count: 0, lost: 0 } };
  const mistakes = [];
  for (const node of nodes) {
    const mistake = judgements.get(node)?.mistake;
    if (!mistake) continue;
    sides[node.mover].count += 1;
    sides[node.mover].lost += mistake.loss;
    mistakes.push({ node, mistake, judgement: judgements.get(node.parent) });
  }
  mistakes.sort((a, b) => b.mistake.loss - a.mistake.loss);
  return { sides, mistakes, opening: openingName(nodes) };
}
