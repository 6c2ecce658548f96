"""Runs of temporal-difference learning."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from outflank.learners.execution.executor import Executor
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.run import BATCH_SECONDS, LearnerRun, RunProgress
from outflank.learners.td import TdLearner, TdSettings, TdTotals
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player

EARLIEST_MEASUREMENT = 500


class TdRun(LearnerRun[TdSettings]):
    """A learner and its folder."""

    learned_by = "temporal differences"

    def __init__(self, folder: RunFolder, executor: Executor | None = None) -> None:
        """`executor`: where the games of each batch are played, if the settings ask for batches."""
        super().__init__(folder, TdSettings)
        self.learner = TdLearner(self.settings, self.seed, executor=executor)
        self._since_measured = TdTotals()
        self._restore()

    @classmethod
    def create(cls, path: Path, settings: TdSettings, seed: int, executor: Executor | None = None) -> TdRun:
        TdLearner(settings, seed)  # settings that cannot work fail before anything is written
        named_player(settings.measure_against)
        return cls(RunFolder.create(path, settings, seed), executor)

    @property
    def games(self) -> int:
        return self.learner.games

    def steps(self) -> Iterator[RunProgress]:
        """Learn to the end, one short batch at a time. Saved after every measurement, and by save()."""
        if self.games == 0 and not self.folder.log():
            yield self._measure()
        size = 64
        while not self.is_finished:
            s = self.settings
            measured_at = next_measurement(self.games, s.measure_every)
            began = time.perf_counter()
            learned = self.learner.play(min(size, measured_at - self.games, s.games - self.games))
            seconds = time.perf_counter() - began
            self._since_measured += learned
            self._seconds += seconds
            size = max(1, min(4 * size, round(learned.games * BATCH_SECONDS / max(seconds, 1e-9))))
            if self.games >= measured_at or self.is_finished:
                yield self._measure()
            else:
                yield RunProgress(self.games)

    def save(self) -> None:
        """Write the checkpoint."""
        tensors = {"weights": self.learner.core.weights(), "coherence": self.learner.core.coherence()}
        tensors |= {f"pool {i}": weights for i, weights in enumerate(self.learner.pool)}
        state = {
            "games": self.games,
            "since_measured": {key: _exact(value) for key, value in asdict(self._since_measured).items()},
            "best": _exact(self._best),
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
        pool = [key for key in tensors if key.startswith("pool ")]
        self.learner.set_pool([tensors[key] for key in sorted(pool, key=lambda key: int(key.split()[1]))])
        self._since_measured = TdTotals(**{k: _inexact(v) for k, v in state["since_measured"].items()})
        self._best = float(_inexact(state["best"]))
        self._seconds = self.folder.truncate_log("games", self.games)

    def _measure(self) -> RunProgress:
        """Score the player, save it and log it, then save the checkpoint that counts the games as done."""
        score = self._score(GreedyPlayer(self.learner.learned(), self.settings.view))
        loss = None if self.games == 0 else self._since_measured.loss
        entry = {"games": self.games, **score, "loss": loss, **self._speed}
        self._since_measured = TdTotals()
        self.folder.append_to_log(entry)
        self.save()
        return RunProgress(self.games, entry)


def next_measurement(games: int, every: int) -> int:
    """The first number of games after `games` at which a run is measured: every `every` games, and at the
    start, where most is learned, at a half, a quarter ... of that, down to 500 games.

    >>> [next_measurement(games, 4000) for games in (0, 500, 1000, 2000, 4000, 4001, 8000)]
    [500, 1000, 2000, 4000, 8000, 8000, 12000]
    """
    early = every
    while early // 2 > games and early // 2 >= EARLIEST_MEASUREMENT:
        early //= 2
    return early if games < every else (games // every + 1) * every


def _exact(value: float) -> str | int:
    return value if isinstance(value, int) else float(value).hex()


def _inexact(value: str | int) -> Any:
    return float.fromhex(value) if isinstance(value, str) else value
