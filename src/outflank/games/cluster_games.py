"""The games of a match on the workers of an executor, such as a Dask cluster.

A worker gets the players, the starts and the seed, and then numbers of games to play. Game number n
draws only from stream(seed, n), and results are put together in the order of games: so a match has the same
games on any number of workers, also if some of them die and their games are played again.

>>> from outflank import Board, Match, named_player
>>> class Here:
...     workers = 2
...     def map(self, function, shared, pieces):
...         return [function(shared, piece) for piece in pieces]
>>> match = Match("all-2", "standard-heuristic", double_games=100, epsilon=0.1)
>>> there = Match("all-2", "standard-heuristic", double_games=100, epsilon=0.1, workers=Here())
>>> match.play() == there.play()
True
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from outflank.board import Board
from outflank.games.batch import Batch, BothTimes, MoveTimes
from outflank.players.greedy import Player

if TYPE_CHECKING:
    from outflank.games.match import Match

ROUND_SECONDS = 1.0  # between two reports of progress; a round costs a cluster about 30 ms
PIECES_PER_WORKER = 4  # in a round, so that a slow worker does not hold up the others
LARGEST_PIECE = 1 << 14  # games


class Workers(Protocol):
    """What plays games elsewhere: the executors in learners/execution are such."""

    @property
    def workers(self) -> int: ...

    def map(self, function: Callable[[Any, Any], Any], shared: Any, pieces: Sequence[Any]) -> list[Any]: ...


@dataclass(frozen=True)
class RemoteMatch:
    """What a worker must know of a match."""

    first: Player | str
    second: Player | str
    epsilon: tuple[float, float]
    starts: tuple[Board, ...]
    seed: int

    @classmethod
    def of(cls, match: Match) -> RemoteMatch:
        first, second = _portable(match.first), _portable(match.second)
        return cls(first, second, match.epsilon, match.starts, match.seed)

    @cached_property
    def players(self) -> tuple[Player, Player]:
        """Those that came by name are made once per worker."""
        from outflank.players.names import as_player

        return as_player(self.first), as_player(self.second)


def _portable(player: Player) -> Player | str:
    """Players of the core go by their weights and settings. An engine, or other code that cannot be pickled,
    goes by its name: it is started on the worker, where its files must be."""
    try:
        pickle.dumps(player)
    except (TypeError, AttributeError, pickle.PicklingError):
        return player.name
    return player


@dataclass(frozen=True)
class Piece:
    """Some consecutive games of a match, from an even number on."""

    first_game: int
    count: int
    record: bool


def play_piece(match: RemoteMatch, piece: Piece) -> Batch:
    """On a worker: these games, on one thread."""
    from outflank.games.match import Match

    games = Match(
        *match.players, double_games=(piece.first_game + piece.count) // 2, epsilon=match.epsilon,
        starts=match.starts, seed=match.seed, threads=1,
    )  # fmt: skip
    return joined(list(games.played(piece.record, piece.first_game)))


def batches_of_workers(match: Match, workers: Workers, record: bool, first_game: int) -> Iterator[Batch]:
    """The games in order, in rounds whose size adapts to the speed."""
    remote, games = RemoteMatch.of(match), 2 * match.double_games
    at, size = first_game, 2
    while at < games:
        ends = range(at, min(games, at + PIECES_PER_WORKER * max(1, workers.workers) * size), size)
        began = time.perf_counter()
        pieces = [Piece(first, min(size, games - first), record) for first in ends]
        yield joined(workers.map(play_piece, remote, pieces))
        at = pieces[-1].first_game + pieces[-1].count
        wanted = size * ROUND_SECONDS / max(time.perf_counter() - began, 1e-9)
        size = 2 * round(max(1.0, min(wanted, 8 * size, LARGEST_PIECE) / 2))


def joined(batches: Sequence[Batch]) -> Batch:
    """Consecutive batches as one."""
    if len(batches) == 1:
        return batches[0]
    moves = [batch.moves for batch in batches if batch.moves is not None]
    times = [batch.times for batch in batches if batch.times is not None]
    game_times = [batch.game_times for batch in batches if batch.game_times is not None]
    return replace(
        batches[0],
        disc_differences=np.concatenate([batch.disc_differences for batch in batches]),
        moves=np.concatenate(moves) if moves else None,
        forfeits=tuple(forfeit for batch in batches for forfeit in batch.forfeits),
        times=sum_of_times(times) if len(times) == len(batches) else None,
        game_times=tuple(t for some in game_times for t in some) if len(game_times) == len(batches) else None,
        repeated=sum(batch.repeated for batch in batches),
    )


def sum_of_times(times: Sequence[BothTimes]) -> BothTimes:
    return sum((t[0] for t in times), MoveTimes()), sum((t[1] for t in times), MoveTimes())
