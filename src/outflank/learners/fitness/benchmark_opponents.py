"""Watching without touching (Chong 2003, section 4): parents meet computer players that do not learn.

After each generation every parent plays Black against each watcher at depth 2, and after a win at depth 4,
then 6: the plies beaten. Nothing of it feeds back. A point is a win against a watcher at depth 4, whom every
parent meets, also after a loss at depth 2 (the paper shows such games, and its early points are what random
networks win in this way): ten parents and two watchers make twenty at most (Figure 2(a)); the second
watcher's points less the first one's are Figure 2(b).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank import _core
from outflank.learners.execution.executor import Executor
from outflank.learners.fitness.contest import Contest, Opponents

DEPTHS = (2, 4, 6)
DEPTH_OF_A_POINT = 4


@dataclass(frozen=True)
class Watched:
    """One generation's parents, the fittest first, against the watchers."""

    watchers: tuple[str, ...]
    plies_beaten: tuple[tuple[int, ...], ...]  # for each watcher: the depth each parent beat, 0 for none
    points: tuple[int, ...]  # of all parents, against each watcher at depth 4
    best_discs: tuple[tuple[tuple[int, int], ...], ...]  # for each watcher at depth 4: discs of the fittest
    # parent and of the watcher, before the first move and after each

    def as_entry(self) -> dict[str, Any]:
        """For the log."""
        return {
            "watchers": list(self.watchers),
            "points": list(self.points),
            "most_points": sum(len(beaten) for beaten in self.plies_beaten),
            "points_difference": self.points[-1] - self.points[0] if len(self.points) == 2 else None,
            "plies_beaten": [list(beaten) for beaten in self.plies_beaten],
            "best_discs": [[list(discs) for discs in game] for game in self.best_discs],
        }


def watcher_names(watchers: tuple[str, ...]) -> tuple[str, ...]:
    """Each watcher at each depth, in the order in which a contest of parents holds them."""
    return tuple(f"{name},depth={depth}" for name in watchers for depth in DEPTHS)


def watch(executor: Executor, parents: Contest, watchers: tuple[str, ...]) -> Watched:
    """`parents`: a contest of the parents against the players of watcher_names, the first always Black."""
    pairs = [(parent, watcher) for watcher in range(len(watchers)) for parent in range(parents.individuals)]
    climbed = executor.map(climb, parents, pairs)
    games = executor.map(discs_along, parents, list(range(len(watchers))))
    starts = range(0, len(pairs), parents.individuals)
    of_watchers = [climbed[at : at + parents.individuals] for at in starts]
    return Watched(
        watchers,
        tuple(tuple(beaten for beaten, _ in of_one) for of_one in of_watchers),
        tuple(sum(won for _, won in of_one) for of_one in of_watchers),
        tuple(games),
    )


def climb(parents: Contest, pair: tuple[int, int]) -> tuple[int, bool]:
    """The depth up to which a parent beats a watcher, one game at each, 0 if not even the first; and
    whether it wins at depth 4."""
    parent, watcher = pair

    def wins(depth: int) -> bool:
        differences, _ = _play(parents, parent, watcher, DEPTHS.index(depth), record=False)
        return bool(differences[0] > 0)

    wins_a_point = wins(DEPTH_OF_A_POINT)
    beaten = 0
    for depth in DEPTHS:
        if not (wins_a_point if depth == DEPTH_OF_A_POINT else wins(depth)):
            break
        beaten = depth
    return beaten, wins_a_point


def discs_along(parents: Contest, watcher: int) -> tuple[tuple[int, int], ...]:
    """Discs of the fittest parent and of a watcher along their game at depth 4: the game of climb."""
    moves = fittest_parents_game(parents, watcher)
    number = _number(parents, 0, watcher, DEPTHS.index(DEPTH_OF_A_POINT))
    differences = _core.disc_differences(parents.rules, number, moves)[0]
    placed = int(np.count_nonzero(moves[0] != _core.NO_MOVE))
    return tuple(
        ((4 + ply + int(difference)) // 2, (4 + ply - int(difference)) // 2)
        for ply, difference in enumerate(differences[: placed + 1])
    )


def fittest_parents_game(parents: Contest, watcher: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The moves of the fittest parent, Black, and of a watcher at depth 4: [1, 60]."""
    _, moves = _play(parents, 0, watcher, DEPTHS.index(DEPTH_OF_A_POINT), record=True)
    assert moves is not None
    return moves


def _play(
    parents: Contest, parent: int, watcher: int, rung: int, record: bool
) -> tuple[np.ndarray[Any, np.dtype[np.int8]], np.ndarray[Any, np.dtype[np.uint8]] | None]:
    seat = parents.individuals + watcher * len(DEPTHS) + rung
    number = _number(parents, parent, watcher, rung)
    return _core.play_games(
        parents.core_player(parent), parents.core_player(seat), parents.rules, number, 1, 1, record
    )


def _number(parents: Contest, parent: int, watcher: int, rung: int) -> int:
    """The number of their game, from which its random choices among equal moves are drawn."""
    return (watcher * parents.individuals + parent) * len(DEPTHS) + rung


def watching_contest(contest: Contest, watchers: tuple[str, ...], weights: Any, seed: int) -> Contest:
    """The parents as they play in the contest, without forced random moves, the parent always Black."""
    opponents = Opponents(watcher_names(watchers))
    return Contest(contest.evaluator, weights, contest.style, opponents, 0.0, seed, double_games=False)
