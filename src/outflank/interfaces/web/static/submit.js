// Registers entrants and submits players.

import { byId, onSubmit, say, send, withKey } from "./forms.js";

const LARGEST = 16 * 2 ** 20;
const SAID_FOR = 2500; // milliseconds

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
    setTimeout(() => { byId("copied").textContent = ""; }, SAID_FOR);
  } catch {
    // Browsers only copy over https; the key is selected, so that a key press does it.
    getSelection().selectAllChildren(shown);
    byId("copied").textContent = "Press Ctrl+C to copy the selected key.";
  }
});

onSubmit(byId("submit"), byId("submit-message"), async () => {
  if (byId("file").files[0].size > LARGEST) {
    throw new Error("The file is larger than the limit of 16 MB.");
  }
  byId("submit-progress").textContent = "Sending and checking the file…";
  try {
    const key = byId("key").value;
    const body = new FormData(byId("submit"));
    showSubmitted(await send("/api/v1/players", { body, headers: withKey(key) }));
    byId("submit").reset();
    byId("key").value = key; // for the next player
  } finally {
    byId("submit-progress").textContent = "";
  }
});

function showSubmitted(player) {
  const place = byId("submit-message");
  const link = document.createElement("a");
  link.href = `/players/${player.id}`;
  link.textContent = "its page";
  say(place, "", "done");
  const facts = `${player.kind}, ${player.weights.toLocaleString("en")} weights`;
  place.append(`${player.name} is in the league: ${facts}. It waits to be scored; see `, link, ".");
}
