"""Runs of evolution: ask, play, tell; watch, measure, log and save after every generation.

What generation g does depends on the settings, the seed and g alone, so a run that was killed and taken up
again, or played on a cluster, ends with the same bytes as any other.

Learning within a lifetime: temporal differences on every individual before it is selected.

What an individual learns stays in its weights and is inherited (Singer 2001; Szubert, Jaskowski and Krawiec
2009, co-evolutionary temporal difference learning).
"""

from __future__ import annotations

from dataclasses import dataclass
import numpy as np
from outflank.evaluators.protocol import CoreEvaluator
from outflank.learners.execution.executor import Executor
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector
from outflank.learners.td import TdLearner, TdSettings
import time
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any
import numpy.typing as npt
from outflank.evaluators.storage import StoredPlayer, View, save_player
from outflank.learners.runs.initialisation import (
    Beginning,
    beginning_of,
    check_beginning,
    new_measure,
    new_optimiser,
    seed_settings,
)
from outflank.learners.fitness.contest import Contest, Games, Opponents
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.execution.executor import Executor, ThreadExecutor
from outflank.learners.fitness.racing import RacedScore
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.settings import settings_toml
from outflank.learners.td import TdSettings
from outflank.learners.runs.td_run import Step, TdRun
from outflank.learners.fitness.benchmark_opponents import watch, watching_contest


@dataclass(frozen=True)
class Lessons:
    """What all individuals of a generation learn from: so many games of self-play, each its own."""

    settings: TdSettings
    evaluator: CoreEvaluator  # the architecture
    weights: FloatMatrix
    seed: int


def learn_all(executor: Executor, lessons: Lessons) -> FloatMatrix:
    """The individuals after their lessons."""
    return np.stack(executor.map(learn, lessons, list(range(len(lessons.weights)))))


def learn(lessons: Lessons, number: int) -> FloatVector:
    """One individual's weights after its games; pure."""
    evaluator = lessons.evaluator.with_weights(lessons.weights[number])
    learner = TdLearner(lessons.settings, (lessons.seed + number) % (1 << 64), evaluator)
    learner.play(lessons.settings.games)
    return learner.learned().weights


SEED_RUN = "seed"  # the folder of the temporal differences that came first


class Purpose(IntEnum):
    """What games are for; each has streams of its own. Zero would be the optimiser's."""

    FITNESS = 1
    LESSONS = 2
    WATCHING = 3
    MEASURING = 4


def generation_seed(seed: int, generation: int, purpose: Purpose) -> int:
    """Other games for each generation and purpose."""
    return int(np.random.SeedSequence([seed, generation, int(purpose)]).generate_state(1, np.uint64)[0])


class EvolutionRun:
    """A population and its folder."""

    unit = "generations"

    def __init__(self, folder: RunFolder, executor: Executor | None = None) -> None:
        self.folder = folder
        settings, self.seed = folder.settings()
        assert isinstance(settings, EvolutionSettings)
        self.settings: EvolutionSettings = settings
        self.executor: Executor = executor or ThreadExecutor()
        self.games = 0
        self._games_not_played = 0  # thanks to racing
        self._best: FloatVector | None = None
        self._seconds = 0.0
        self._seed_run = self._open_seed_run()
        self._begun: Beginning | None = None
        if self._seed_run is None or self._seed_run.is_finished:
            self._begin()

    @classmethod
    def create(
        cls, path: Path, settings: EvolutionSettings, seed: int, executor: Executor | None = None
    ) -> EvolutionRun:
        check_beginning(settings, seed)  # settings that cannot work fail before anything is written
        return cls(RunFolder.create(path, settings, seed), executor)

    @property
    def done(self) -> int:
        return self.optimiser.generation if self._begun else 0

    @property
    def total(self) -> int:
        return self.settings.generations

    @property
    def is_finished(self) -> bool:
        return self.done >= self.total

    def steps(self) -> Iterator[Step]:
        """Evolve to the end, a generation at a time, each saved."""
        if self._seed_run is not None and self._begun is None:
            for _ in self._seed_run.steps():
                yield Step(0)
            self._begin()
        while not self.is_finished:
            yield self._generation()

    def save(self) -> None:
        """Every generation is saved when it is over; only the temporal differences before it may not be."""
        if self._seed_run is not None and self._begun is None:
            self._seed_run.save()

    def _open_seed_run(self) -> TdRun | None:
        if not self.settings.seed_preset:
            return None
        path = self.folder.path / SEED_RUN
        if (path / "settings.toml").is_file():
            return TdRun(RunFolder.open(path))
        return TdRun.create(path, seed_settings(self.settings), self.seed)

    def _begin(self) -> None:
        seed_player = None
        if self._seed_run is not None:
            best = self.folder.path / SEED_RUN / "best.safetensors"
            seed_player = str(best)
        self._begun = beginning_of(self.settings, self.seed, seed_player)
        self.optimiser = new_optimiser(self.settings, self._begun, self.seed)
        self.measure = new_measure(self.settings, self.optimiser, self.seed)
        self._restore()

    @property
    def _evaluator(self) -> CoreEvaluator:
        assert self._begun is not None
        return self._begun.evaluator

    @property
    def _view(self) -> View:
        assert self._begun is not None
        return self._begun.view

    def _contest(self, weights: FloatMatrix, opponents: Opponents, double_games: bool, seed: int) -> Contest:
        s = self.settings
        return Contest(
            self._evaluator, weights, s.style(self._view), opponents, s.epsilon, seed, double_games
        )

    def _generation(self) -> Step:
        began = time.perf_counter()
        generation = self.optimiser.generation
        asked = self.optimiser.ask()
        learned = self._taught(asked, generation)
        individuals = asked if learned is None else learned
        seed = generation_seed(self.seed, generation, Purpose.FITNESS)
        opponents = self.measure.opponents(generation)
        contest = self._contest(individuals, opponents, self.measure.double_games, seed)
        games = Games(self.executor, contest)
        fitness = self.measure.measure(games, generation)
        self.optimiser.tell(fitness, learned)
        self.games += games.played
        entry = {
            "generation": generation + 1,
            "games": self.games,
            "fitness_best": float(fitness.max()),
            "fitness_mean": float(fitness.mean()),
        }
        if self.optimiser.kept.size:
            entry["kept"] = self.optimiser.kept.tolist()  # with which learners/runs/parent_replay.py finds them again
        if isinstance(self.measure, RacedScore):
            self.measure.kept = self.optimiser.kept
            full = 2 * self.measure.score.double_games_in(generation) * len(opponents) * len(individuals)
            self._games_not_played += full - games.played
            entry["games_not_played"] = self._games_not_played
        self._seconds += time.perf_counter() - began
        return self._after(entry, contest)

    def _taught(self, asked: FloatMatrix, generation: int) -> FloatMatrix | None:
        """The individuals after this generation's self-play games; None if there are none."""
        s = self.settings
        if s.td_games == 0:
            return None
        assert self._view != "doubled"  # a player with two evaluators is no beginning
        settings = TdSettings(view=self._view, games=s.td_games, alpha=s.td_alpha, epsilon=s.epsilon,
                              coherence=False)  # fmt: skip
        seed = generation_seed(self.seed, generation, Purpose.LESSONS)
        self.games += s.td_games * len(asked)
        return learn_all(self.executor, Lessons(settings, self._evaluator, asked, seed))

    def _after(self, entry: dict[str, Any], contest: Contest) -> Step:
        """Watch and measure where it is time to, log, and save the checkpoint that counts it as done."""
        s = self.settings
        generation = self.optimiser.generation
        if s.watch:
            seed = generation_seed(self.seed, generation, Purpose.WATCHING)
            parents = watching_contest(contest, s.watch, self.optimiser.parents, seed)
            entry["watch"] = watch(self.executor, parents, s.watch).as_entry()
        if generation % s.measure_every == 0 or self.is_finished:
            entry |= self._measured(generation)
        entry["games_per_second"] = round(self.games / self._seconds, 1)
        entry["seconds"] = round(self._seconds, 3)
        self.folder.append_to_log(entry)
        self._save_checkpoint()
        return Step(generation, entry)

    def _measured(self, generation: int) -> dict[str, Any]:
        """The favourite and the best so far on the same fresh games: whoever wins them is the best, so
        that a lucky measurement is not kept."""
        s = self.settings
        favourite = self.optimiser.favourite
        best = favourite if self._best is None else self._best
        seed = generation_seed(self.seed, generation, Purpose.MEASURING)
        contest = Contest(
            self._evaluator, np.stack([favourite, best]), s.style(self._view),
            Opponents((s.measure_against,)), s.measure_epsilon, seed,
        )  # fmt: skip
        games = Games(self.executor, contest)
        now = games.tally(0, s.measure_double_games)
        before = now if best is favourite else games.tally(1, s.measure_double_games)
        self._save_player(favourite, "last.safetensors")
        if now.score >= before.score:
            self._best, before = favourite.copy(), now
            self._save_player(favourite, "best.safetensors")
        entry = {"score": now.score, "ci95": list(now.ci95)}
        entry |= {"best_score": before.score, "best_ci95": list(before.ci95)}
        assert self._begun is not None
        if self._begun.seed is not None:
            entry["changed_weights"] = int(np.count_nonzero(favourite != self._begun.seed))
        return entry

    def _save_player(self, weights: FloatVector, name: str) -> None:
        provenance = {"learned by": "evolution", "games": self.games, "seed": self.seed,
                      "generations": self.optimiser.generation,
                      "settings": settings_toml(self.settings, self.seed)}  # fmt: skip
        stored = StoredPlayer(self._evaluator.with_weights(weights), self._view, provenance)
        save_player(stored, self.folder.path / name)

    def _save_checkpoint(self) -> None:
        tensors: dict[str, npt.NDArray[Any]] = {
            f"optimiser {key}": np.ascontiguousarray(value) for key, value in self.optimiser.state().items()
        }
        if self._best is not None:
            tensors["best"] = self._best
        if isinstance(self.measure, RacedScore):
            tensors["tallies"] = np.ascontiguousarray(self.measure.tallies)
        state = {"games": self.games, "games_not_played": self._games_not_played}
        self.folder.save_checkpoint(tensors, state)

    def _restore(self) -> None:
        saved = self.folder.load_checkpoint()
        if saved is None:
            self.folder.rewrite_log([])
            return
        tensors, state = saved
        prefix = "optimiser "
        self.optimiser.restore(
            {key.removeprefix(prefix): value for key, value in tensors.items() if key.startswith(prefix)}
        )
        self._best = tensors.get("best")
        if isinstance(self.measure, RacedScore):
            self.measure.tallies, self.measure.kept = tensors["tallies"], self.optimiser.kept
        self.games, self._games_not_played = state["games"], state["games_not_played"]
        entries = [e for e in self.folder.log() if e["generation"] <= self.optimiser.generation]
        self._seconds = entries[-1]["seconds"] if entries else 0.0
        self.folder.rewrite_log(entries)  # what came after the checkpoint will come again

