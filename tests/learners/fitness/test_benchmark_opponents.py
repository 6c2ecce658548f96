"""Benchmark opponents: parents that beat them meet them at greater depth."""

from __future__ import annotations

import numpy as np

from outflank import GreedyPlayer, _core, named_player
from outflank.evaluators.protocol import CoreEvaluator
from outflank.learners.execution.executor import ThreadExecutor
from outflank.learners.fitness.benchmark_opponents import (
    BenchmarkResults,
    at_all_depths,
    benchmark_population,
    discs_along,
    play_benchmarks,
    plies_beaten,
)
from outflank.learners.fitness.population import PlayingStyle, Population
from outflank.players.search import SearchLimits, SearchPlayer

OPPONENTS = ("disc-difference", "positional")


def parents() -> Population:
    """Three networks at two plies: one that has learned, one between, and one that knows nothing."""
    evaluator = named_player("all-2").evaluator  # type: ignore[union-attr]
    assert isinstance(evaluator, CoreEvaluator)
    noise = np.random.default_rng(2).normal(0, 100, (3, 288)) * np.array([[0], [1], [100]])
    style = PlayingStyle(depth=2)
    return benchmark_population(evaluator, evaluator.weights + noise, style, at_all_depths(OPPONENTS), seed=3)


def won(made: Population, parent: int, opponent: str, first_number: int) -> list[bool]:
    """Slow twin: the games at depth 2, 4 and 6 one by one, between players made in another way."""
    mine = SearchPlayer(
        GreedyPlayer(made.evaluator.with_weights(made.weights[parent])), SearchLimits(depth=2)
    ).core
    results = []
    for rung, depth in enumerate((2, 4, 6)):
        its = named_player(f"{opponent},depth={depth}").core
        assert mine is not None
        assert its is not None
        differences, _ = _core.play_games(mine, its, made.rules, first_number + rung, 1, 1, False)
        results.append(bool(differences[0] > 0))
    return results


def test_each_opponent_at_each_depth() -> None:
    assert [player.name for player in at_all_depths(OPPONENTS).players] == [
        "disc-difference,depth=2", "disc-difference,depth=4", "disc-difference,depth=6",
        "positional,depth=2", "positional,depth=4", "positional,depth=6",
    ]  # fmt: skip


def test_plies_beaten() -> None:
    made = parents()
    with ThreadExecutor(2) as executor:
        found = play_benchmarks(executor, made, OPPONENTS)
    wins = [
        [won(made, parent, opponent, 3 * (3 * number + parent)) for parent in range(3)]
        for number, opponent in enumerate(OPPONENTS)
    ]
    beaten = [[2 * [*games, False].index(False) for games in of_one] for of_one in wins]
    assert [list(plies) for plies in found.plies_beaten] == beaten
    assert len({plies for of_one in beaten for plies in of_one}) > 1  # some win more than others
    assert list(found.points) == [sum(games[1] for games in of_one) for of_one in wins]
    assert found.as_entry()["most_points"] == 6


def test_discs_along_a_game() -> None:
    made = parents()
    assert made.epsilon == 0
    assert not made.double_games  # the parent is Black
    for opponent in range(2):
        discs = discs_along(made, opponent)
        assert discs[0] == (2, 2)
        assert all(mine + its == 4 + ply for ply, (mine, its) in enumerate(discs))
        mine, its = discs[-1]
        assert (mine > its) == plies_beaten(made, (0, opponent))[1]


def test_the_difference_of_points() -> None:
    found = BenchmarkResults(OPPONENTS, ((0, 2, 4, 6), (4, 4, 4, 2)), (2, 3), ((), ()))
    assert found.as_entry()["points_difference"] == 1  # Figure 2(b): positional less disc difference
