"""Watchers: who beats them climbs; what they see changes nothing."""

from __future__ import annotations

import numpy as np

from outflank import GreedyPlayer, _core, named_player
from outflank.evaluators.protocol import CoreEvaluator
from outflank.learners.execution.executor import ThreadExecutor
from outflank.learners.fitness.benchmark_opponents import (
    Watched,
    climb,
    discs_along,
    watch,
    watcher_names,
    watching_contest,
)
from outflank.learners.fitness.contest import Contest, Opponents, PlayingStyle
from outflank.players.search import SearchLimits, SearchPlayer

WATCHERS = ("disc-difference", "positional")


def parents() -> Contest:
    """Three networks at two plies: one that has learned, one between, and one that knows nothing."""
    evaluator = named_player("all-2").evaluator  # type: ignore[union-attr]
    assert isinstance(evaluator, CoreEvaluator)
    noise = np.random.default_rng(2).normal(0, 100, (3, 288)) * np.array([[0], [1], [100]])
    rows = evaluator.weights + noise
    fitness = Contest(evaluator, rows, PlayingStyle(depth=2), Opponents(), 0.1, 1)
    return watching_contest(fitness, WATCHERS, rows, seed=3)


def won(made: Contest, parent: int, watcher: str, first_number: int) -> list[bool]:
    """Slow twin: the games at depth 2, 4 and 6 one by one, between players made in another way."""
    mine = SearchPlayer(
        GreedyPlayer(made.evaluator.with_weights(made.weights[parent])), SearchLimits(depth=2)
    ).core
    results = []
    for rung, depth in enumerate((2, 4, 6)):
        its = named_player(f"{watcher},depth={depth}").core
        assert mine is not None
        assert its is not None
        differences, _ = _core.play_games(mine, its, made.rules, first_number + rung, 1, 1, False)
        results.append(bool(differences[0] > 0))
    return results


def test_each_watcher_at_each_depth() -> None:
    assert watcher_names(WATCHERS) == (
        "disc-difference,depth=2", "disc-difference,depth=4", "disc-difference,depth=6",
        "positional,depth=2", "positional,depth=4", "positional,depth=6",
    )  # fmt: skip


def test_who_wins_climbs() -> None:
    made = parents()
    with ThreadExecutor(2) as executor:
        watched = watch(executor, made, WATCHERS)
    wins = [
        [won(made, parent, watcher, 3 * (3 * number + parent)) for parent in range(3)]
        for number, watcher in enumerate(WATCHERS)
    ]
    climbed = [[2 * [*games, False].index(False) for games in of_one] for of_one in wins]
    assert [list(beaten) for beaten in watched.plies_beaten] == climbed
    assert len({plies for beaten in climbed for plies in beaten}) > 1  # some climb, some do not
    assert list(watched.points) == [sum(games[1] for games in of_one) for of_one in wins]
    assert watched.as_entry()["most_points"] == 6


def test_discs_along_a_game() -> None:
    made = parents()
    assert made.epsilon == 0
    assert not made.double_games  # the parent is Black
    for watcher in range(2):
        discs = discs_along(made, watcher)
        assert discs[0] == (2, 2)
        assert all(mine + its == 4 + ply for ply, (mine, its) in enumerate(discs))
        mine, its = discs[-1]
        assert (mine > its) == climb(made, (0, watcher))[1]


def test_the_difference_of_points() -> None:
    watched = Watched(WATCHERS, ((0, 2, 4, 6), (4, 4, 4, 2)), (2, 3), ((), ()))
    assert watched.as_entry()["points_difference"] == 1  # Figure 2(b): positional less disc difference
