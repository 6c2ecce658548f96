// Registers entrants and sends players to the API; what the API answers is shown as text.

const LARGEST = 16 * 2 ** 20;
const byId = (id) => document.getElementById(id);

function say(place, text, kind) {
  place.className = kind;
  place.textContent = text ? text[0].toUpperCase() + text.slice(1) : "";
}

/** The API's answer; an Error with its one sentence if it refused. */
async function send(path, options) {
  let answer;
  try {
    answer = await fetch(path, { method: "POST", ...options });
  } catch {
    throw new Error("The league cannot be reached; look at your connection and try again.");
  }
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(content.error ?? `The league answered with status ${answer.status}.`);
  return content;
}

/** The first field that is missing or wrong is named and gets the focus. */
function complete(form, place) {
  for (const field of form.elements) {
    if (field.willValidate && !field.checkValidity()) {
      const name = form.querySelector(`label[for="${field.id}"]`).firstChild.textContent.trim();
      say(place, `${name}: ${field.validationMessage}`, "fault");
      field.focus();
      return false;
    }
  }
  return true;
}

/** Runs a form's work once at a time; its faults are told in its message. */
function onSubmit(form, place, work) {
  const button = form.querySelector("button[type=submit]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    say(place, "", "message");
    if (!complete(form, place)) return;
    button.disabled = true;
    try {
      await work();
    } catch (fault) {
      say(place, fault.message, "fault");
    } finally {
      button.disabled = false;
    }
  });
}

onSubmit(byId("register"), byId("register-message"), async () => {
  const body = JSON.stringify({ name: byId("entrant").value.trim() });
  const { name, key } = await send("/api/v1/entrants", { body, headers: { "Content-Type": "application/json" } });
  byId("key-title").textContent = `Your key, ${name}`;
  byId("key-text").textContent = key;
  byId("key").value = key;
  byId("register").classList.add("hidden");
  byId("key-shown").classList.remove("hidden");
  byId("key-title").focus();
});

byId("copy").addEventListener("click", async () => {
  const shown = byId("key-text");
  try {
    await navigator.clipboard.writeText(shown.textContent);
    byId("copied").textContent = "Copied.";
  } catch {
    // Browsers copy by themselves only over https; the key is marked, so that a key press does it.
    getSelection().selectAllChildren(shown);
    byId("copied").textContent = "Press Ctrl+C to copy the marked key.";
  }
});

onSubmit(byId("submit"), byId("submit-message"), async () => {
  const form = byId("submit");
  const place = byId("submit-message");
  if (byId("file").files[0].size > LARGEST) throw new Error("The file is larger than 16 MB, the most that the league takes.");
  byId("submit-progress").textContent = "The file is sent and checked…";
  try {
    const headers = { Authorization: `Bearer ${byId("key").value.trim()}` };
    const player = await send("/api/v1/players", { body: new FormData(form), headers });
    const link = document.createElement("a");
    link.href = `/players/${player.id}`;
    link.textContent = "its page";
    say(place, "", "done");
    place.append(`${player.name} is in the league: ${player.kind}, ${player.weights.toLocaleString("en")} weights. Its scoring waits; see `, link, ".");
    for (const id of ["file", "name", "note", "link"]) byId(id).value = "";
  } finally {
    byId("submit-progress").textContent = "";
  }
});
