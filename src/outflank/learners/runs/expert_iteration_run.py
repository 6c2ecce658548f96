"""Runs of expert iteration: label, fit, measure, log and save.

The checkpoint holds the weights that label; the examples of the generation under way are in files of their
own, `labels/FIRST_GAME.safetensors`, so that saving costs as much as there is to add. A run killed at any
moment and resumed ends with the same bytes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy.typing as npt

from outflank.files import write_whole
from outflank.learners.execution.executor import Executor
from outflank.learners.expert_iteration import ExpertIteration, ExpertIterationSettings
from outflank.learners.labels import PIECE, joined
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.run import BATCH_SECONDS, LearnerRun, RunProgress
from outflank.players.names import named_player

SAVE_SECONDS = 30.0
LABELS = "labels"  # the folder of examples


class ExpertIterationRun(LearnerRun[ExpertIterationSettings]):
    """A learner and its folder."""

    learned_by = "expert iteration"

    def __init__(self, folder: RunFolder, executor: Executor | None = None) -> None:
        """`executor`: where games are played and labelled."""
        super().__init__(folder, ExpertIterationSettings)
        self.learner = ExpertIteration(self.settings, self.seed, executor)
        self._saved_at = time.monotonic()
        self._saved_games = 0  # whose examples are saved
        self._saved_examples = 0  # how many of the learner's pieces those are
        self._restore()

    @classmethod
    def create(
        cls, path: Path, settings: ExpertIterationSettings, seed: int, executor: Executor | None = None
    ) -> ExpertIterationRun:
        ExpertIteration(settings, seed)  # what cannot work fails before anything is written
        for name in {*settings.opponents, settings.measure_against} - {"self"}:
            named_player(name)
        return cls(RunFolder.create(path, settings, seed), executor)

    @property
    def games(self) -> int:
        return self.learner.games

    def steps(self) -> Iterator[RunProgress]:
        """Learn to the end, some pieces at a time. Saved after every generation, every half minute, and by
        save()."""
        size = PIECE
        while not self.is_finished:
            generation = self.learner.generation
            began = time.perf_counter()
            learned = self.learner.play(size)
            seconds = time.perf_counter() - began
            self._seconds += seconds
            if self.games == generation.end:
                yield self._log(generation.number, learned.error)
            else:
                size = max(PIECE, min(4 * size, round(learned.games * BATCH_SECONDS / max(seconds, 1e-9))))
                if time.monotonic() - self._saved_at > SAVE_SECONDS:
                    self.save()
                yield RunProgress(self.games)

    def save(self) -> None:
        """Write the checkpoint, after the examples that it counts on."""
        from safetensors.numpy import save

        if new := self.learner.examples[self._saved_examples :]:
            folder = self.folder.path / LABELS
            folder.mkdir(exist_ok=True)
            black, white, discs = joined(new)
            columns: dict[str, npt.NDArray[Any]] = {"black": black, "white": white, "discs": discs}
            write_whole(folder / f"{self._saved_games:012d}.safetensors", save(columns))
        state = {"games": self.games, "best": float(self._best).hex()}
        self.folder.save_checkpoint({"weights": self.learner.network.weights}, state)
        if not self.learner.examples:
            self._remove_labels()
        self._saved_games, self._saved_examples = self.games, len(self.learner.examples)
        self._saved_at = time.monotonic()

    def _restore(self) -> None:
        saved = self.folder.load_checkpoint()
        if saved is None:
            self.folder.rewrite_log([])
            self._remove_labels()
            return
        tensors, state = saved
        self.learner.network = self.learner.network.with_weights(tensors["weights"])
        self.learner.games = self._saved_games = state["games"]
        self._best = float.fromhex(state["best"])
        self._seconds = self.folder.truncate_log("games", self.games)
        if not self.is_finished:
            self._read_labels(self.learner.generation.first)

    def _read_labels(self, first_game: int) -> None:
        """The examples of the generation under way, up to the checkpoint; others are removed."""
        from safetensors.numpy import load_file

        for path in sorted((self.folder.path / LABELS).glob("*.safetensors")):
            if first_game <= int(path.stem) < self.games:
                columns = load_file(path)
                self.learner.examples.append((columns["black"], columns["white"], columns["discs"]))
            else:
                path.unlink()
        self._saved_examples = len(self.learner.examples)

    def _remove_labels(self) -> None:
        folder = self.folder.path / LABELS
        for path in folder.glob("*.safetensors"):
            path.unlink()
        if folder.is_dir():
            folder.rmdir()

    def _log(self, generation: int, error: float | None) -> RunProgress:
        entry: dict[str, Any] = {"games": self.games, "iteration": generation, "error": error}
        entry |= self._speed | self._score(self.learner.player())
        self.folder.append_to_log(entry)
        self.save()
        return RunProgress(self.games, entry)
