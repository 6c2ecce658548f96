// Polls for a player's score, and shows it when it is there.

const shown = document.getElementById("player");
const PAUSE = 4000;

async function look() {
  try {
    const answer = await fetch(`/api/v1/players/${shown.dataset.id}`);
    if (answer.ok) {
      const player = await answer.json();
      if (player.fault || player.scores.length > Number(shown.dataset.scores)) {
        location.reload();
        return;
      }
    }
  } catch {
    // Offline, or the server is restarting: try again.
  }
  setTimeout(look, PAUSE);
}

setTimeout(look, PAUSE);
