// What is said about a game: whose turn it is, what was played, how it ended.

import { discs } from "../game/notation.js";
import { outcome } from "../session.js";

export const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** "You" or the opponent's name where one person plays; else the colour. */
export function nameOf(session, colour) {
  const player = session.playerOf(colour);
  if (player === "you") return session.hasOpponent ? "You" : capital(colour);
  return session.opponents.name(player);
}

/** The last move in words. */
export function playedText(session, node, before) {
  const flipped = before.flips(node.move).length;
  let text = `${nameOf(session, node.mover)} played ${node.move} and flipped ${flipped === 1 ? "1 disc" : `${flipped} discs`}.`;
  if (node.passer) {
    const who = nameOf(session, node.passer);
    text += ` ${who} ${who === "You" ? "have" : "has"} no move: pass.`;
  }
  return text;
}

export function stateText(session) {
  const { position, tree, node } = session;
  if (session.isOver) return resultText(session);
  const length = tree.line.length - 1;
  const where = node.ply < length ? `Move ${node.ply} of ${length}. ` : "";
  const { mover } = position, name = nameOf(session, mover);
  if (session.isThinking) return `${where}${name} is thinking.`;
  if (!session.hasOpponent) return `${where}${capital(mover)} to move.`;
  return session.isMyTurn ? `${where}Your turn: you are ${mover}.` : `${where}${name} to move.`;
}

export function resultText(session) {
  const { winner } = outcome(session), score = scoreText(session);
  const who = winner && session.hasOpponent ? (session.playerOf(winner) === "you" ? " You won." : ` ${nameOf(session, winner)} won.`) : "";
  return `Game over: ${winner ? score : score[0].toLowerCase() + score.slice(1)}${who}`;
}

/** The result in discs, or who ran out of time. */
export function scoreText(session) {
  const { winner, words, black, white } = outcome(session);
  if (!winner) return `A draw, ${black} to ${white}.`;
  if (words) return `${capital(words)}. ${capital(winner)} wins.`;
  const [most, least] = winner === "black" ? [black, white] : [white, black];
  return `${capital(winner)} wins ${most} to ${least}.`;
}

/** The head of the result dialog. */
export function resultTitle(session) {
  const { winner } = outcome(session);
  if (!winner) return "A draw";
  if (!session.hasOpponent) return `${nameOf(session, winner)} wins`;
  return session.playerOf(winner) === "you" ? "You won!" : `${nameOf(session, winner)} won`;
}

export function hintText(session) {
  const hint = session.hintHere;
  if (!hint) return "";
  const worth = hint.value === null || Number.isNaN(hint.value) ? "" : `, ${discs(hint.value)} discs for ${session.position.mover}`;
  return `Hint: ${hint.move}${worth}.`;
}

/** The words of a mistake, as the review lists it. */
export function mistakeText(session, { node, mistake }) {
  const whose = session.hasOpponent && session.playerOf(node.mover) === "you" ? "You" : capital(node.mover);
  return `${node.ply}. ${node.move}${mistake.sign} ${whose} gave away ${discs(mistake.loss).replace("+", "")} discs; ${mistake.better} was better.`;
}

/** What a review said of the move that was played to get here. */
export function judgementText({ node, judgements }) {
  const mistake = judgements.get(node)?.mistake;
  return mistake ? `${node.move}${mistake.sign} ${mistake.words}.` : "";
}
