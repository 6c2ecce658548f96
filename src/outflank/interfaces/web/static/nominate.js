// Nominates a player for an open competition.

import { byId, onSubmit, send, withKey } from "./forms.js";

onSubmit(byId("nominate"), byId("nominate-message"), async () => {
  const path = `/api/v1/competitions/${byId("nominate").dataset.id}/nominations`;
  const body = JSON.stringify({ player: Number(byId("player").value) });
  await send(path, { body, headers: { ...withKey(byId("key").value), "Content-Type": "application/json" } });
  location.reload(); // which lists it as nominated
});
