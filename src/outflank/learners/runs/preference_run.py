"""Runs of preference learning: learn moves, measure prediction on held-out games, log and save."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from outflank.cores import available_cores
from outflank.learners.execution.executor import Executor
from outflank.learners.preferences import PreferenceLearner, PreferenceSettings, PreferenceTotals
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.run import LearnerRun, RunProgress
from outflank.players.names import named_player


class PreferenceRun(LearnerRun[PreferenceSettings]):
    """A learner and its folder. The files of games must stay where they are until it is finished."""

    learned_by = "preferences"

    def __init__(
        self, folder: RunFolder, executor: Executor | None = None, learner: PreferenceLearner | None = None
    ) -> None:
        """`executor`: says how many threads learn. `learner`: one for these settings, its files read."""
        super().__init__(folder, PreferenceSettings)
        self.learner = learner or PreferenceLearner(self.settings, self.seed)
        self.learner.threads = 1 if executor is None else min(executor.workers, available_cores())
        self._since_measured = PreferenceTotals()
        self._restore()

    @classmethod
    def create(
        cls, path: Path, settings: PreferenceSettings, seed: int, executor: Executor | None = None
    ) -> PreferenceRun:
        learner = PreferenceLearner(settings, seed)  # what cannot work fails before anything is written
        named_player(settings.measure_against)
        return cls(RunFolder.create(path, settings, seed), executor, learner)

    @property
    def games(self) -> int:
        return self.learner.games

    @property
    def is_finished(self) -> bool:
        return self.learner.is_finished

    def steps(self) -> Iterator[RunProgress]:
        """Learn to the end, batch by batch. Saved after every measurement, and by save()."""
        while not self.is_finished:
            before, every = self.games, self.settings.measure_every
            began = time.perf_counter()
            self._since_measured += self.learner.play()
            self._seconds += time.perf_counter() - began
            if self.games // every > before // every or self.is_finished:
                yield self._measure()
            else:
                yield RunProgress(self.games)

    def save(self) -> None:
        """Write the checkpoint."""
        tensors = {"weights": self.learner.core.weights(), "coherence": self.learner.core.coherence()}
        since = self._since_measured
        state = {
            "games": self.games,
            "best": float(self._best).hex(),
            "since_measured": [since.games, since.decisions, since.log_loss.hex(), since.predicted.hex()],
        }
        self.folder.save_checkpoint(tensors, state)

    def _restore(self) -> None:
        saved = self.folder.load_checkpoint()
        if saved is None:
            self.folder.rewrite_log([])
            return
        tensors, state = saved
        self.learner.core.set_weights(tensors["weights"])
        self.learner.core.set_coherence(tensors["coherence"])
        self.learner.games = state["games"]
        self._best = float.fromhex(state["best"])
        games, decisions, loss, predicted = state["since_measured"]
        self._since_measured = PreferenceTotals(
            games, decisions, float.fromhex(loss), float.fromhex(predicted)
        )
        self._seconds = self.folder.truncate_log("games", self.games)

    def _measure(self) -> RunProgress:
        """Score the player, measure its prediction, save and log both."""
        since = self._since_measured
        entry: dict[str, Any] = {
            "games": self.games,
            **self._score(self.learner.player()),
            "log_loss": since.log_loss / max(since.decisions, 1),
            "predicted": since.predicted / max(since.decisions, 1),
            **self._speed,
        }
        if self.learner.held_out.games:
            measured = self.learner.measure()
            entry |= {
                "held_out_decisions": measured.decisions,
                "held_out_log_loss": measured.log_loss / max(measured.decisions, 1),
                "held_out_predicted": measured.predicted / max(measured.decisions, 1),
            }
        self._since_measured = PreferenceTotals()
        self.folder.append_to_log(entry)
        self.save()
        return RunProgress(self.games, entry)
