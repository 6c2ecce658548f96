// A review: every position of a line judged by search, every move by what it gave away, in discs.

import { discs } from "../game/notation.js";
import { canonicalKey, openingName } from "../game/opening_names.js";

/**
 * How the coach thinks: every move of a position in one search, so that a loss compares moves at the same depth.
 * With a limit of nodes, though never reached, the search prunes forward as in games.
 */
export const REVIEW = { depth: 7, nodes: 1e9, solve: 16, allMoves: true };
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
    if (next) found.get(next).mistake = judged(found.get(node), next);
    onJudged(node, found, (nodes.length - i) / nodes.length);
  }
  return found;
}

const finished = (position) => ({ value: position.result, best: null, line: [], worth: new Map(), exact: true, mistake: null });

function searched(position, analysis) {
  const [best] = analysis.moves, sign = position.mover === "black" ? 1 : -1;
  const worth = new Map(analysis.moves.map(({ move, value }) => [move, value])); // for the mover
  return { value: sign * best.value, best: best.move, line: best.line, worth, exact: analysis.exact, mistake: null };
}

/** What the move to `next` gave away, of all that its mover could have. A mirror image of the best move is as good. */
function judged(before, next) {
  const { best, worth } = before, loss = worth.get(best) - worth.get(next.move);
  const mistake = mistakeOf(loss, best);
  return mistake && isMirrored(next, best) ? null : mistake;
}

const isMirrored = ({ parent, move }, best) => canonicalKey(parent.position.play(move)) === canonicalKey(parent.position.play(best));

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
