// What a review found: how many mistakes each side made, and one's own worst ones with the better line.

import { html } from "../../svg.js";
import { discs } from "../game/notation.js";
import { summary } from "../study/review.js";
import { capital, mistakeText } from "./texts.js";

const MOST_SHOWN = 12;
const LINE_LENGTH = 8; // moves of a better line

export class ReviewView {
  /** `onTry(node)` goes back to before a move to play on; `onLine(node, moves)` adds a line and shows it. */
  constructor(host, { onGo, onTry, onLine }) {
    Object.assign(this, { host, onGo, onTry, onLine });
  }

  show(session) {
    const { reviewed, judgements } = session;
    const isDone = reviewed.length > 1 && reviewed.every((node) => judgements.has(node));
    this.host.hidden = !isDone;
    if (!isDone) return;
    const { sides, mistakes } = summary(reviewed, judgements);
    const side = (colour) => `${capital(colour)}: ${sides[colour].count} ${sides[colour].count === 1 ? "mistake" : "mistakes"}, ${discs(sides[colour].lost).replace("+", "")} discs given away`;
    const own = mistakes.filter(({ node }) => !session.hasOpponent || session.playerOf(node.mover) === "you");
    const worst = own.slice(0, MOST_SHOWN).sort((a, b) => a.node.ply - b.node.ply);
    this.host.replaceChildren(html("p", {}, html("strong", {}, side("black")), html("br"), html("strong", {}, side("white"))),
      worst.length ? html("ul", { class: "mistakes" }, ...worst.map((one) => this.item(session, one))) : html("p", {}, session.hasOpponent ? "You made no mistake of two discs or more." : "No mistakes of two discs or more."));
  }

  item(session, found) {
    const { node, mistake, judgement } = found, line = judgement.line.slice(0, LINE_LENGTH);
    return html("li", { class: `degree-${mistake.degree}` },
      html("button", { type: "button", class: "plain", click: () => this.onGo(node) }, mistakeText(session, found)),
      html("div", { class: "actions" },
        line.length ? html("button", { type: "button", click: () => this.onLine(node.parent, line) }, `Better: ${line.join(" ")}`) : "",
        html("button", { type: "button", click: () => this.onTry(node.parent) }, "Try again from here")));
  }
}
