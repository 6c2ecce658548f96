// A position set up by hand: a brush, the board as canvas, and whose turn it is.

import { GameTree } from "../game/game_tree.js";
import { Position, squareIndex, START } from "../game/rules.js";

export class EditorPanel {
  /** `onEdit()` redraws; `onDone(tree)` starts from the position. */
  constructor(page, session, { onEdit, onDone }) {
    Object.assign(this, { page, session, onEdit, onDone, position: null, brush: "X" });
    this.panel = page("panel-editor");
    for (const button of this.panel.querySelectorAll("[data-brush]")) {
      button.addEventListener("click", () => this.setBrush(button.dataset.brush));
    }
    for (const button of this.panel.querySelectorAll("[data-mover]")) {
      button.addEventListener("click", () => this.change(this.position.text, button.dataset.mover));
    }
    page("edit-start").addEventListener("click", () => this.change(START.text, "black"));
    page("edit-clear").addEventListener("click", () => this.change("-".repeat(64), this.position.mover));
    page("edit-done").addEventListener("click", () => this.done());
  }

  open() {
    this.change(this.session.position.text, this.session.position.mover);
  }

  close() {
    this.position = null;
  }

  get isOpen() {
    return this.position !== null;
  }

  setBrush(brush) {
    this.brush = brush;
    for (const button of this.panel.querySelectorAll("[data-brush]")) button.setAttribute("aria-pressed", button.dataset.brush === brush);
  }

  paint(square) {
    const letters = [...this.position.text], at = squareIndex(square);
    letters[at] = letters[at] === this.brush ? "-" : this.brush;
    this.change(letters.join(""), this.position.mover);
  }

  change(letters, mover) {
    this.position = Position.fromText(letters, mover);
    for (const button of this.panel.querySelectorAll("[data-mover]")) button.setAttribute("aria-pressed", button.dataset.mover === mover);
    const { black, white } = this.position.discs;
    this.tell(`${black} black and ${white} white discs.`, "message");
    this.onEdit();
  }

  done() {
    const { position } = this;
    if (position.isOver) {
      this.tell("Nobody has a move in this position: change it, or open a game.", "error");
      return;
    }
    this.close();
    this.onDone(new GameTree(position));
  }

  tell(text, kind) {
    this.page("edit-message").className = kind;
    this.page("edit-message").textContent = text;
  }
}
