// The moves of a game with its variations, to click or to walk through with the arrow keys.

import { html } from "../../svg.js";

export class MoveList {
  /** `onGo(node)` is called with the node of a move that is chosen. */
  constructor(host, onGo) {
    Object.assign(this, { host, onGo, tree: null, buttons: new Map() });
    host.addEventListener("keydown", (event) => this.keyPressed(event));
  }

  /** `markOf(node)` says what a review found: {sign, degree, words}, or null. */
  show(tree, markOf) {
    const hadFocus = this.host.contains(document.activeElement);
    this.tree = tree;
    this.buttons.clear();
    this.host.replaceChildren(...this.line(tree.root, markOf));
    const current = this.buttons.get(tree.current);
    if (!current) {
      const first = this.host.querySelector("button");
      if (first) first.tabIndex = 0;
      return;
    }
    if (hadFocus) current.focus({ preventScroll: true });
    const box = this.host, place = current.offsetTop - box.offsetTop;
    if (place < box.scrollTop || place + current.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = place - box.clientHeight / 2;
  }

  /** The elements of the line that starts after a node; its variations are boxes within. */
  line(node, markOf) {
    const found = [];
    for (let at = node; at.children.length; [at] = at.children) {
      found.push(this.button(at.children[0], markOf));
      for (const child of at.children.slice(1)) {
        found.push(html("span", { class: "variation" }, this.button(child, markOf), ...this.line(child, markOf)));
      }
    }
    return found;
  }

  button(node, markOf) {
    const mark = markOf(node), isHere = node === this.tree.current;
    const label = `move ${node.ply}, ${node.mover} ${node.move}${mark ? `, ${mark.words}` : ""}`;
    const button = html("button", { type: "button", class: `move ${node.mover}${mark ? ` degree-${mark.degree}` : ""}`, tabindex: isHere ? 0 : -1,
      "aria-current": isHere ? "true" : null, "aria-label": label, title: label, click: () => this.onGo(node) },
    html("span", { class: "ply" }, `${node.ply}`), node.move, mark ? html("span", { class: "sign" }, mark.sign) : "");
    this.buttons.set(node, button);
    return button;
  }

  keyPressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.tree) return;
    const { current } = this.tree, among = current.parent?.children ?? [current];
    const to = {
      ArrowLeft: current.parent, ArrowRight: this.tree.next(), Home: this.tree.root, End: this.tree.line.at(-1),
      ArrowDown: among[(among.indexOf(current) + 1) % among.length], ArrowUp: among.at(among.indexOf(current) - 1),
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to) this.onGo(to);
  }
}
