"""Runs of expert iteration: label, fit, measure, log and save.

The checkpoint holds the weights that label; the examples that the next fit learns from are in files of their
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
from outflank.learners.labels import PIECE, Examples, joined
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
        self._saved_generation = -1  # the latest of which some are
        self._saved_pieces = 0  # how many of the learner's pieces, in the order of games, those are
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
        least = 2 * PIECE * self.learner.executor.workers  # so that every worker has pieces to do
        size = least
        while not self.is_finished:
            generation = self.learner.generation
            began = time.perf_counter()
            learned = self.learner.play(size)
            seconds = time.perf_counter() - began
            self._seconds += seconds
            if self.games == generation.end:
                yield self._log(generation.number, learned.error)
            else:
                size = max(least, min(4 * size, round(learned.games * BATCH_SECONDS / max(seconds, 1e-9))))
                if time.monotonic() - self._saved_at > SAVE_SECONDS:
                    self.save()
                yield RunProgress(self.games)

    def save(self) -> None:
        """Write the checkpoint, after the examples that it counts on."""
        from safetensors.numpy import save

        if new := self._new_pieces():
            folder = self.folder.path / LABELS
            folder.mkdir(exist_ok=True)
            black, white, discs = joined(new)
            columns: dict[str, npt.NDArray[Any]] = {"black": black, "white": white, "discs": discs}
            write_whole(folder / f"{self._saved_games:012d}.safetensors", save(columns))
        state = {"games": self.games, "best": float(self._best).hex()}
        self.folder.save_checkpoint({"weights": self.learner.network.weights}, state)
        self._note_saved()
        self._remove_labels_before(self._first_needed())
        self._saved_at = time.monotonic()

    def _new_pieces(self) -> list[Examples]:
        """Those that are not saved yet: all of one generation, since its end is saved."""
        latest = max(self.learner.examples, default=-1)
        pieces = self.learner.examples.get(latest, [])
        return pieces[self._saved_pieces :] if latest == self._saved_generation else pieces

    def _note_saved(self) -> None:
        self._saved_games = self.games
        self._saved_generation = max(self.learner.examples, default=-1)
        self._saved_pieces = len(self.learner.examples.get(self._saved_generation, []))

    def _restore(self) -> None:
        saved = self.folder.load_checkpoint()
        if saved is None:
            self.folder.rewrite_log([])
            self._remove_labels_before(self.settings.games)
            return
        tensors, state = saved
        self.learner.network = self.learner.network.with_weights(tensors["weights"])
        self.learner.games = state["games"]
        self._best = float.fromhex(state["best"])
        self._seconds = self.folder.truncate_log("games", self.games)
        self._read_labels()
        self._note_saved()

    def _first_needed(self) -> int:
        """The first game whose examples the next fit learns from."""
        if self.is_finished:
            return self.games
        learner = self.learner
        number = learner.generation.number
        return learner.generations[min(learner.replayed(number), default=number)].first

    def _read_labels(self) -> None:
        """The examples that the next fit learns from, up to the checkpoint; others are removed."""
        from safetensors.numpy import load_file

        self._remove_labels_before(self._first_needed())
        for path in sorted((self.folder.path / LABELS).glob("*.safetensors")):
            first = int(path.stem)
            if first >= self.games:
                path.unlink()
                continue
            columns = load_file(path)
            number = next(g.number for g in self.learner.generations if first < g.end)
            pieces = self.learner.examples.setdefault(number, [])
            pieces.append((columns["black"], columns["white"], columns["discs"]))

    def _remove_labels_before(self, game: int) -> None:
        folder = self.folder.path / LABELS
        for path in folder.glob("*.safetensors"):
            if int(path.stem) < game:
                path.unlink()
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()

    def _log(self, generation: int, error: float | None) -> RunProgress:
        entry: dict[str, Any] = {"games": self.games, "iteration": generation, "error": error}
        entry |= self._speed | self._score(self.learner.player())
        self.folder.append_to_log(entry)
        self.save()
        return RunProgress(self.games, entry)
