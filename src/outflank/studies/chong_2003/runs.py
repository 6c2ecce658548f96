"""The evolution runs that all experiments of the paper share, and generations chosen from them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Board
from outflank.cores import available_cores
from outflank.evaluators.protocol import WeightedEvaluator
from outflank.evaluators.storage import View
from outflank.learners.fitness.benchmark_opponents import (
    at_all_depths,
    benchmark_population,
    fittest_parents_game,
    ladder_points,
)
from outflank.learners.fitness.population import PlayingStyle
from outflank.learners.optimisers.optimiser import FloatMatrix
from outflank.learners.runs.evolution_run import Purpose, generation_seed
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.initialisation import starting_point
from outflank.learners.runs.parent_replay import earlier_parents
from outflank.players.greedy import GreedyPlayer
from outflank.players.search import SearchPlayer
from outflank.plots.benchmark_opponents import benchmark_points
from outflank.studies.agreement import same_sign
from outflank.studies.inference import mean_interval
from outflank.studies.laboratory import FinishedRun, Laboratory
from outflank.studies.verdicts import Claim

FloatArray = npt.NDArray[np.float64]
PDP, PSP = "disc-difference", "positional"  # the paper's piece differential and positional players


def evolutions(lab: Laboratory) -> list[FinishedRun]:
    """Runs with the paper's settings, one per seed.

    One core per run while there are as many runs as cores; the rest one after another on all cores, so that
    none is idle. A cluster gets them all.
    """
    s = lab.settings
    changes = {**s.get("changes", {}), "generations": s["generations"]}
    cores = 1 if lab.has_cluster else available_cores()
    together = len(lab.seeds) // cores * cores
    groups = [lab.seeds[:together], *([seed] for seed in lab.seeds[together:])]
    return [run for seeds in groups if seeds for run in lab.learn(s["preset"], changes, seeds)]


@dataclass(frozen=True)
class Generation:
    """A generation of a run, with its line of the log."""

    run: FinishedRun
    entry: dict[str, Any]

    @property
    def number(self) -> int:
        return int(self.entry["generation"])

    @property
    def text(self) -> str:
        return f"generation {self.number} of run {self.run.seed}"

    @property
    def parents(self) -> int:
        return int(self.entry["watch"]["most_points"]) // 2

    def points(self, opponent: str) -> int:
        """How many parents beat a benchmark opponent at depth 4, after depth 2."""
        watch = self.entry["watch"]
        return int(ladder_points(watch)[watch["watchers"].index(opponent)])

    @property
    def all_points(self) -> int:
        return self.points(PDP) + self.points(PSP)

    @property
    def difference(self) -> int:
        return self.points(PSP) - self.points(PDP)

    def discs(self, opponent: str) -> tuple[int, int]:
        """Of the first parent and of the opponent at the end of their game at depth 4."""
        watch = self.entry["watch"]
        own, other = watch["best_discs"][watch["watchers"].index(opponent)][-1]
        return int(own), int(other)

    def margin(self, opponent: str) -> int:
        own, other = self.discs(opponent)
        return own - other


# How the paper came to the generations of its Figures 3 to 6; ties go to the earliest.
CHOICES: dict[str, Callable[[Generation], tuple[int, ...]]] = {
    "most points": lambda g: (g.all_points,),
    "greatest difference": lambda g: (g.difference,),
    "narrowest win": lambda g: ((g.margin(PDP) > 0) + (g.margin(PSP) > 0), -abs(g.margin(PSP))),
}


def chosen(runs: Sequence[FinishedRun], window: Sequence[int], choice: str) -> Generation:
    """The best generation of all runs by a choice, between the first and the last number of the window."""
    first, last = window
    generations = [
        Generation(run, entry) for run in runs for entry in run.log() if first <= entry["generation"] <= last
    ]
    return max(generations, key=CHOICES[choice])


def percent_of(runs: Sequence[FinishedRun]) -> FloatArray:
    """The points of each generation as a share of the most possible, in percent: one row per run."""
    return np.array([benchmark_points(run.log()).percent for run in runs])


def rises(early: FloatArray, late: FloatArray, text: str) -> Claim:
    """Whether late values are higher than early ones, [runs, samples] both: by the 95 % interval of the runs'
    rises, since the generations of one run are not independent. `text` formats a value.

    >>> rises(np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([[4.0], [4.2]]), "{:.1f}")
    Claim(holds=True, evidence='1.5, then 4.1; rise 2.6, 95 % interval 1.3 to 3.9 (2 runs)')
    >>> rises(np.array([[1.0, 2.0]]), np.array([[4.0]]), "{:.0f}").holds is None
    True
    """
    both = f"{text.format(early.mean())}, then {text.format(late.mean())}"
    if len(early) == 1:
        return Claim(None, f"{both}; one run has no spread")
    found_rises = late.mean(axis=1) - early.mean(axis=1)
    mean, low, high = (text.format(value) for value in (found_rises.mean(), *mean_interval(found_rises)))
    evidence = f"{both}; rise {mean}, 95 % interval {low} to {high} ({len(early)} runs)"
    return Claim(same_sign(mean_interval(found_rises), 0), evidence)


def random_openings(count: int, plies: int, seed: int) -> tuple[Board, ...]:
    """Distinct boards after this many random moves.

    >>> boards = random_openings(3, 6, seed=1)
    >>> [board.discs for board in boards], len(set(boards))
    ([10, 10, 10], 3)
    """
    random = np.random.default_rng(seed)
    found: dict[Board, None] = {}
    while len(found) < count:
        board = Board()
        for _ in range(plies):
            board = board.settled()
            board = board.play(board.legal_moves[random.integers(len(board.legal_moves))])
        if board.has_moves:
            found[board] = None
    return tuple(found)


@dataclass(frozen=True)
class Parents:
    """Parents of a generation, as they travel to a worker: players are made there."""

    evaluator: WeightedEvaluator
    weights: FloatMatrix
    style: PlayingStyle

    @property
    def identity(self) -> str:
        """What identifies them in a cached part."""
        return hashlib.sha256(
            np.ascontiguousarray(self.weights).tobytes() + str(self.style).encode()
        ).hexdigest()[:10]

    def players(self) -> list[GreedyPlayer | SearchPlayer]:
        return [self.style.player(self.evaluator.with_weights(row)) for row in self.weights]


class ReplayedRun:
    """The parents of a run's generations, rebuilt from its log."""

    def __init__(self, run: FinishedRun, generations: Collection[int]) -> None:
        self.folder = RunFolder.open(run.path)
        settings, self.seed = self.folder.settings()
        assert isinstance(settings, EvolutionSettings)
        self.settings: EvolutionSettings = settings
        self._start = starting_point(settings, self.seed)
        self._weights = earlier_parents(self.folder, generations)

    @property
    def view(self) -> View:
        return self._start.view

    def weights(self, generation: int) -> FloatMatrix:
        return self._weights[generation]

    def parents(self, generation: int, depth: int) -> Parents:
        """The parents after a generation, the fittest first, at this depth."""
        return Parents(self._start.evaluator, self.weights(generation), PlayingStyle(self.view, depth))

    def benchmark_game(self, generation: int, opponent: str) -> npt.NDArray[np.uint8]:
        """The moves of the first parent's game against a benchmark opponent at depth 4, as in the run."""
        s = self.settings
        seed = generation_seed(self.seed, generation, Purpose.BENCHMARK)
        population = benchmark_population(
            self._start.evaluator, self.weights(generation), s.style(self.view), at_all_depths(s.watch), seed
        )
        return fittest_parents_game(population, s.watch.index(opponent))
