"""Runs of a teacher: label, fit, measure, log and save.

The checkpoint holds the weights and the examples of the stage under way, so that a run killed at any moment
and resumed ends with the same bytes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.learners.execution.executor import Executor
from outflank.learners.labels import PIECE, LabelTotals
from outflank.learners.runs.folder import SETTINGS, RunFolder
from outflank.learners.runs.run import BATCH_SECONDS, LAST, LearnerRun, RunProgress
from outflank.learners.runs.settings import load_preset
from outflank.learners.runs.td_run import TdRun
from outflank.learners.td import TdSettings, new_evaluator
from outflank.learners.teacher import TeacherLearner, TeacherSettings, network_named
from outflank.players.names import named_player

SAVE_SECONDS = 30.0
SEED_RUN = "seed"  # the folder of the TD run that comes first


class TeacherRun(LearnerRun[TeacherSettings]):
    """A learner and its folder."""

    learned_by = "a teacher"

    def __init__(self, folder: RunFolder, executor: Executor | None = None) -> None:
        """`executor`: where games are played and labelled."""
        super().__init__(folder, TeacherSettings)
        self.executor = executor
        self._saved = time.monotonic()
        self._learner: TeacherLearner | None = None  # None until the seed run is finished
        self._seed_run = self._open_seed_run()
        if self._seed_run is None or self._seed_run.is_finished:
            self._start()

    @classmethod
    def create(
        cls, path: Path, settings: TeacherSettings, seed: int, executor: Executor | None = None
    ) -> TeacherRun:
        start = _untaught(settings, seed)
        TeacherLearner(settings, seed, start=start)  # what cannot work fails before anything is written
        named_player(settings.measure_against)
        return cls(RunFolder.create(path, settings, seed), executor)

    def _open_seed_run(self) -> TdRun | None:
        if not self.settings.seed_preset:
            return None
        path = self.folder.path / SEED_RUN
        if (path / SETTINGS).is_file():
            return TdRun(RunFolder.open(path), self.executor)
        return TdRun.create(path, _seed_settings(self.settings), self.seed, self.executor)

    def _start(self) -> None:
        """The seed run's last player, not the best one against its opponent, has learned most."""
        learned = network_named(str(self.folder.path / SEED_RUN / LAST)) if self._seed_run else None
        self._learner = TeacherLearner(self.settings, self.seed, self.executor, learned)
        self._restore()

    @property
    def learner(self) -> TeacherLearner:
        assert self._learner is not None
        return self._learner

    @property
    def games(self) -> int:
        return self.learner.games if self._learner else 0

    @property
    def is_finished(self) -> bool:
        return self._learner is not None and self.learner.is_finished

    def steps(self) -> Iterator[RunProgress]:
        """Learn to the end, some pieces at a time. Saved after every stage, every half minute, and by
        save()."""
        if self._seed_run is not None and self._learner is None:
            for _ in self._seed_run.steps():
                yield RunProgress(0)
            self._start()
        least = 2 * PIECE * self.learner.executor.workers  # so that every worker has pieces to do
        size = least
        while not self.is_finished:
            block = self.learner.block
            began = time.perf_counter()
            learned = self.learner.play(size)
            seconds = time.perf_counter() - began
            self._seconds += seconds
            size = max(least, min(4 * size, round(learned.games * BATCH_SECONDS / max(seconds, 1e-9))))
            if self.games == block.end:
                yield self._log(block.sweep, block.stage, learned)
            else:
                if time.monotonic() - self._saved > SAVE_SECONDS:
                    self.save()
                yield RunProgress(self.games)

    def save(self) -> None:
        """Write the checkpoint."""
        if self._learner is None:
            assert self._seed_run is not None
            self._seed_run.save()
            return
        tensors: dict[str, Any] = {"weights": self.learner.weights}
        if self.learner.examples:
            columns = zip(*self.learner.examples, strict=True)
            tensors |= dict(zip(("black", "white", "discs"), map(np.concatenate, columns), strict=True))
        state = {"games": self.games, "best": float(self._best).hex()}
        self.folder.save_checkpoint(tensors, state)
        self._saved = time.monotonic()

    def _restore(self) -> None:
        saved = self.folder.load_checkpoint()
        if saved is None:
            self.folder.rewrite_log([])
            return
        tensors, state = saved
        self.learner.weights = np.array(tensors["weights"])
        if "black" in tensors:
            self.learner.examples = [(tensors["black"], tensors["white"], tensors["discs"])]
        self.learner.games = state["games"]
        self._best = float.fromhex(state["best"])
        self._seconds = self.folder.truncate_log("games", self.games)

    def _log(self, sweep: int, stage: int, learned: LabelTotals) -> RunProgress:
        """Log the fit of a stage; after the first stage of the game, which ends a sweep, measure."""
        entry: dict[str, Any] = {
            "games": self.games,
            "sweep": sweep,
            "stage": stage,
            "error": learned.error,
            **self._speed,
        }
        if stage == 0:
            entry |= self._score(self.learner.player())
        self.folder.append_to_log(entry)
        self.save()
        return RunProgress(self.games, entry)


def _seed_settings(s: TeacherSettings) -> TdSettings:
    """How the player to start from is learned."""
    settings = load_preset(s.seed_preset, {"games": s.seed_games} if s.seed_games else {}).settings
    if not isinstance(settings, TdSettings):
        raise ValueError(f"seed_preset must learn by temporal differences; {s.seed_preset} does not")
    return settings


def _untaught(settings: TeacherSettings, seed: int) -> NTupleNetwork | None:
    """The seed run's network before it has learned anything."""
    if not settings.seed_preset:
        return None
    network = new_evaluator(_seed_settings(settings), seed)
    if not isinstance(network, NTupleNetwork):
        raise ValueError(f"seed_preset must learn an n-tuple network; {settings.seed_preset} does not")
    return network
