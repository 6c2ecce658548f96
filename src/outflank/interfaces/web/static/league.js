// Filters the table while typing, and shows new scores as they come. Without it, the form and a reload do that.

const form = document.getElementById("filter-form");
const field = document.getElementById("filter");
const table = () => document.getElementById("table");
const PAUSE = 250; // milliseconds without a key press before the server is asked
const LOOK = 3000; // between polls, while any player shown waits for its final score
let timer = 0;
let looking = 0;
let asked = 0;

async function show(address) {
  clearTimeout(looking);
  const number = ++asked;
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (number !== asked) return; // another key was pressed meanwhile
  if (answer.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (number !== asked) return;
    replaceTable(page.getElementById("table"));
    const found = page.getElementById("found").textContent; // is read out where it has changed
    if (document.getElementById("found").textContent !== found) document.getElementById("found").textContent = found;
    if (address !== location.pathname + location.search) history.replaceState(null, "", address);
  }
  lookAgain();
}

/** Keeps the scroll position of a narrow screen. */
function replaceTable(newer) {
  const left = table().querySelector(".box")?.scrollLeft ?? 0;
  table().replaceWith(newer);
  const box = newer.querySelector(".box");
  if (box) box.scrollLeft = left;
}

function lookAgain() {
  clearTimeout(looking);
  if (!("unsettled" in table().dataset)) return;
  looking = setTimeout(() => {
    const isReading = document.hidden || table().contains(document.activeElement); // a link must not vanish under the keyboard
    if (isReading) lookAgain();
    else show(location.pathname + location.search).catch(lookAgain); // offline: later
  }, LOOK);
}

field.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const query = new URLSearchParams(new FormData(form));
    if (!field.value.trim()) query.delete("filter");
    show(query.size ? `/?${query}` : "/").catch(lookAgain); // offline: the form still says so
  }, PAUSE);
});
lookAgain();
