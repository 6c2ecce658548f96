// Tabs as the ARIA practices have them: arrow keys move between them, Home and End go to the first and last.

export class Tabs {
  /** `onShow(name)` is called with the name of the panel that is shown, such as "game". */
  constructor(list, onShow) {
    Object.assign(this, { onShow, tabs: [...list.querySelectorAll("[role=tab]")] });
    for (const tab of this.tabs) tab.addEventListener("click", () => this.show(nameOf(tab)));
    list.addEventListener("keydown", (event) => this.keyPressed(event));
    this.shown = nameOf(this.tabs[0]);
  }

  show(name) {
    this.shown = name;
    for (const tab of this.tabs) {
      const isShown = nameOf(tab) === name;
      tab.setAttribute("aria-selected", isShown);
      tab.tabIndex = isShown ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !isShown;
    }
    this.onShow(name);
  }

  keyPressed(event) {
    const at = this.tabs.indexOf(document.activeElement), last = this.tabs.length - 1;
    const to = { ArrowLeft: at ? at - 1 : last, ArrowRight: at === last ? 0 : at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.tabs[to].focus();
    this.show(nameOf(this.tabs[to]));
  }
}

const nameOf = (tab) => tab.id.replace("tab-", "");
