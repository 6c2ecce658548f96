// Side, level and clock, chosen in one place.

import { STRENGTHS } from "../opponents.js";

export class NewGameDialog {
  /** `onStart({black, white, strength, minutes})` begins a game. */
  constructor(page, opponents, onStart) {
    Object.assign(this, { page, opponents, dialog: page("new-dialog") });
    page("strength").replaceChildren(...STRENGTHS.map(({ id, name }) => Object.assign(document.createElement("option"), { value: id, textContent: name })));
    for (const id of ["black-by", "white-by"]) page(id).addEventListener("change", () => this.fit());
    page("swap").addEventListener("click", () => {
      const [black, white] = [page("black-by").value, page("white-by").value];
      page("black-by").value = white;
      page("white-by").value = black;
      this.fit();
    });
    this.dialog.querySelector("form").addEventListener("submit", ({ submitter }) => {
      if (submitter.value !== "start") return;
      onStart({ black: page("black-by").value, white: page("white-by").value, strength: page("strength").value, minutes: Number(page("minutes").value) });
    });
  }

  open({ black, white, strength, minutes }) {
    this.opponents.fill(this.page("black-by"), black);
    this.opponents.fill(this.page("white-by"), white);
    this.page("strength").value = strength;
    this.page("minutes").value = minutes;
    this.fit();
    this.dialog.showModal();
  }

  fit() {
    const chosen = [this.page("black-by").value, this.page("white-by").value];
    this.page("strength-field").hidden = !chosen.some((id) => this.opponents.isPlayer(id));
    const people = chosen.filter((id) => id === "you").length;
    this.page("level-note").textContent = people === 2 ? "You move for both sides."
      : people === 0 ? "You watch the two play each other."
      : "Level 3 is a fair start for most people; 10 is as strong as it gets.";
  }
}
