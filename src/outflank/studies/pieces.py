"""Work of an experiment in pieces, for the threads of this machine or the workers of a cluster.

>>> from outflank.players.names import named_player
>>> match = Match(named_player("all-2"), named_player("random"), double_games=30, epsilon=0.1)
>>> pieces = PortableMatch.of(match)
>>> sum((play_range(pieces, piece) for piece in ((0, 10), (10, 30))), Tally()) == match.play()
True

Compiled players cannot be pickled. To a worker a player travels by its evaluator's weights and its search's
settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

from outflank.board import Board
from outflank.evaluators.protocol import CoreEvaluator
from outflank.games.match import Match
from outflank.games.statistics import Tally
from outflank.learners.execution.executor import Executor
from outflank.players.greedy import GreedyPlayer, Player, RandomPlayer
from outflank.players.search import SearchPlayer

PIECES_PER_WORKER = 4
FEWEST_DOUBLE_GAMES = 50  # of a piece: fewer do not pay for their way


@dataclass(frozen=True)
class PortablePlayer:
    """A player as it travels: without what is compiled."""

    inner: GreedyPlayer | RandomPlayer
    search: Mapping[str, Any] | None = None  # the settings of a search around it

    @classmethod
    def of(cls, player: Player) -> PortablePlayer | None:
        """None: the player cannot travel, so it plays here."""
        if isinstance(player, RandomPlayer):
            return cls(RandomPlayer(player.name))
        if isinstance(player, GreedyPlayer) and isinstance(player.evaluator, CoreEvaluator):
            fresh = player.evaluator.with_weights(player.evaluator.weights)
            return cls(replace(player, evaluator=fresh))
        if isinstance(player, SearchPlayer) and player.book is None and (inner := cls.of(player.inner)):
            settings = {one.name: getattr(player, one.name) for one in fields(player) if one.name != "inner"}
            return cls(inner.inner, settings)
        return None

    def player(self) -> Player:
        return self.inner if self.search is None else SearchPlayer(self.inner, **self.search)


@dataclass(frozen=True)
class PortableMatch:
    """All of a match but its length."""

    first: PortablePlayer
    second: PortablePlayer
    epsilon: tuple[float, float]
    starts: tuple[Board, ...]
    seed: int

    @classmethod
    def of(cls, match: Match) -> PortableMatch | None:
        first, second = PortablePlayer.of(match.first), PortablePlayer.of(match.second)
        if first is None or second is None:
            return None
        return cls(first, second, match.epsilon, match.starts, match.seed)


def play_range(match: PortableMatch, piece: tuple[int, int]) -> Tally:
    """Double games number `first` up to `end`, on one thread: those of the whole match."""
    first, end = piece
    whole = Match(match.first.player(), match.second.player(), double_games=end, epsilon=match.epsilon,
                  starts=match.starts, seed=match.seed, threads=1)  # fmt: skip
    return sum((batch.tally for batch in whole.batches(first_game=2 * first)), Tally())


def play_on(cluster: Executor, match: Match) -> Tally | None:
    """The match on a cluster; None if a player cannot travel, or if games may repeat each other, which is
    found out only where all of them are."""
    portable = None if match.counts_repeats else PortableMatch.of(match)
    if portable is None:
        return None
    return sum(cluster.map(play_range, portable, ranges(match.double_games, cluster.workers)), Tally())


def ranges(double_games: int, workers: int) -> Sequence[tuple[int, int]]:
    """
    >>> ranges(1000, 1), ranges(70, 8)
    ([(0, 250), (250, 500), (500, 750), (750, 1000)], [(0, 70)])
    """
    count = max(1, min(PIECES_PER_WORKER * workers, double_games // FEWEST_DOUBLE_GAMES))
    edges = [double_games * number // count for number in range(count + 1)]
    return list(pairwise(edges))
