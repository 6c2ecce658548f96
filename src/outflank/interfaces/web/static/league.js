// Filters the table while one types; without this the form does it.

const form = document.getElementById("filter-form");
const field = document.getElementById("filter");
const PAUSE = 250; // milliseconds without a key before the server is asked
let timer = 0;
let asked = 0;

async function show() {
  const query = new URLSearchParams(new FormData(form));
  if (!field.value.trim()) query.delete("filter");
  const address = query.size ? `/?${query}` : "/";
  const number = ++asked;
  const answer = await fetch(address, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (number !== asked) return; // another key was pressed meanwhile
  document.getElementById("table").replaceWith(page.getElementById("table"));
  document.getElementById("found").textContent = page.getElementById("found").textContent; // is read out
  history.replaceState(null, "", address);
}

field.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => show().catch(() => {}), PAUSE); // offline: the form still says so
});
