// Counts the matches of a competition while it is played, and shows the tables when all are played.

const shown = document.getElementById("progress");
const bar = document.getElementById("played");
const words = document.getElementById("played-text");
const PAUSE = 4000;

async function look() {
  try {
    const answer = await fetch(`/api/v1/competitions/${shown.dataset.id}`);
    if (answer.ok) {
      const competition = await answer.json();
      if (competition.state !== "playing") {
        location.reload();
        return;
      }
      bar.max = competition.meetings_in_all;
      bar.value = competition.meetings;
      words.textContent = `${competition.meetings} of ${competition.meetings_in_all}`;
    }
  } catch {
    // Offline, or the server is restarting: try again.
  }
  setTimeout(look, PAUSE);
}

setTimeout(look, PAUSE);
