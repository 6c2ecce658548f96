"""Benchmark opponents (Chong 2003, section 4): players that do not learn, which the parents meet.

After each generation every parent plays Black against each benchmark opponent at depth 2, and after a win
at depth 4, then 6: the plies beaten, by this ladder. The results do not feed back. A point is a win at depth
4 on the ladder. Ten parents and two opponents make at most twenty points (Figure 2(a)); Figure 2(b) shows the
points against the second opponent minus those against the first. Every parent also plays at depth 4 after a
loss at depth 2: the paper shows such games, and wins of them are another reading of its points.

In settings and logs the benchmark opponents are called `watch` and `watchers`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank import _core
from outflank.evaluators.protocol import WeightedEvaluator
from outflank.learners.execution.executor import Executor
from outflank.learners.fitness.population import Opponents, PlayingStyle, Population
from outflank.learners.optimisers.optimiser import FloatMatrix

DEPTHS = (2, 4, 6)
DEPTH_OF_A_POINT = 4
Moves = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True)
class BenchmarkResults:
    """One generation's parents, the fittest first, against the benchmark opponents."""

    opponents: tuple[str, ...]
    plies_beaten: tuple[tuple[int, ...], ...]  # per opponent: the depth each parent beat, 0 for none
    points: tuple[int, ...]  # wins of all parents against each opponent at depth 4, without the ladder
    # Per opponent at depth 4: discs of the fittest parent and of the opponent, before the first move and
    # after each.
    best_discs: tuple[tuple[tuple[int, int], ...], ...]

    def as_entry(self) -> dict[str, Any]:
        """For the log."""
        return {
            "watchers": list(self.opponents),
            "points": list(self.points),
            "most_points": sum(len(beaten) for beaten in self.plies_beaten),
            "points_difference": self.points[-1] - self.points[0] if len(self.points) == 2 else None,
            "plies_beaten": [list(beaten) for beaten in self.plies_beaten],
            "best_discs": [[list(discs) for discs in game] for game in self.best_discs],
        }


def ladder_points(watch: Mapping[str, Any]) -> list[int]:
    """The points against each opponent, from an entry of the log.

    >>> ladder_points({"plies_beaten": [[0, 2, 4], [6, 4, 0]]})
    [1, 2]
    """
    return [sum(plies >= DEPTH_OF_A_POINT for plies in of_one) for of_one in watch["plies_beaten"]]


def at_all_depths(names: Sequence[str]) -> Opponents:
    """Each benchmark opponent at each depth."""
    return Opponents.named(f"{name},depth={depth}" for name in names for depth in DEPTHS)


def benchmark_population(
    evaluator: WeightedEvaluator, parents: FloatMatrix, style: PlayingStyle, opponents: Opponents, seed: int
) -> Population:
    """The parents and the opponents of at_all_depths: no forced random moves, the parent is always Black."""
    return Population(evaluator, parents, style, opponents, 0.0, seed, double_games=False)


def play_benchmarks(executor: Executor, population: Population, names: Sequence[str]) -> BenchmarkResults:
    """`population`: of benchmark_population; `names`: of its opponents."""
    parents = population.individuals
    pairs = [(parent, opponent) for opponent in range(len(names)) for parent in range(parents)]
    results = executor.map(plies_beaten, population, pairs)
    games = executor.map(discs_along, population, list(range(len(names))))
    per_opponent = [results[at : at + parents] for at in range(0, len(pairs), parents)]
    return BenchmarkResults(
        tuple(names),
        tuple(tuple(beaten for beaten, _ in of_one) for of_one in per_opponent),
        tuple(sum(won for _, won in of_one) for of_one in per_opponent),
        tuple(games),
    )


def plies_beaten(population: Population, pair: tuple[int, int]) -> tuple[int, bool]:
    """The depth up to which a parent beats an opponent, one game at each, 0 if not even the first; and
    whether it wins at depth 4."""

    def wins(depth: int) -> bool:
        return bool(_play(population, *pair, depth)[0][0] > 0)

    wins_a_point = wins(DEPTH_OF_A_POINT)
    beaten = 0
    for depth in DEPTHS:
        if not (wins_a_point if depth == DEPTH_OF_A_POINT else wins(depth)):
            break
        beaten = depth
    return beaten, wins_a_point


def discs_along(population: Population, opponent: int) -> tuple[tuple[int, int], ...]:
    """Discs of the fittest parent and of an opponent along their game at depth 4."""
    moves = fittest_parents_game(population, opponent)
    number = _game_number(population, 0, opponent, DEPTH_OF_A_POINT)
    differences = _core.disc_differences(population.rules, number, moves)[0]
    placed = int(np.count_nonzero(moves[0] != _core.NO_MOVE))
    return tuple(
        ((4 + ply + int(difference)) // 2, (4 + ply - int(difference)) // 2)
        for ply, difference in enumerate(differences[: placed + 1])
    )


def fittest_parents_game(population: Population, opponent: int) -> Moves:
    """The moves of the fittest parent, Black, and of an opponent at depth 4: [1, 60]."""
    moves = _play(population, 0, opponent, DEPTH_OF_A_POINT, record=True)[1]
    assert moves is not None
    return moves


def _play(
    population: Population, parent: int, opponent: int, depth: int, record: bool = False
) -> tuple[np.ndarray[Any, np.dtype[np.int8]], Moves | None]:
    seat = population.individuals + opponent * len(DEPTHS) + DEPTHS.index(depth)
    players = population.core_player(parent), population.core_player(seat)
    number = _game_number(population, parent, opponent, depth)
    return _core.play_games(*players, population.rules, number, 1, 1, record)


def _game_number(population: Population, parent: int, opponent: int, depth: int) -> int:
    """Random choices among equal moves are drawn from the stream of this number."""
    return (opponent * population.individuals + parent) * len(DEPTHS) + DEPTHS.index(depth)
