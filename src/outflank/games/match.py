"""Matches: many double games between two players, streamed in batches.

>>> from outflank import named_player
>>> match = Match(named_player("all-2"), named_player("standard-heuristic"), double_games=500, epsilon=0.1)
>>> round(match.play().score, 1)
1.0

Game number n draws only from stream(seed, n), so the same seed gives the same games, whatever the number of
threads, the batch sizes or the path. Players made of core evaluators play in the core. Any other player plays
by the same rules, many games in step, so that one call evaluates thousands of positions; an external engine
plays one game at a time per process.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.arguments import check_number, check_several, check_whole
from outflank.board import Board
from outflank.cores import available_cores
from outflank.games.batch import Batch as Batch
from outflank.games.batch import Forfeit as Forfeit
from outflank.games.batch import play_in_step, squares_of
from outflank.games.cluster_games import Workers, batches_of_workers, joined
from outflank.games.engine_games import FEWEST_DISCS, EngineGames, needs_a_table
from outflank.games.game import Game
from outflank.games.repeats import RARE, Hashes, RepeatedGames
from outflank.games.statistics import Tally
from outflank.players.engines.player import ExternalPlayer
from outflank.players.greedy import Player, RandomPlayer
from outflank.players.names import as_player
from outflank.suggestions import shown

BATCH_SECONDS = 0.2  # target duration of a batch: short enough for progress bars and interrupts
FIRST_BATCH = 64
LARGEST_BATCH = 1 << 16
GAMES_IN_STEP = 4096
START = Board()


class Match:
    """Double games between a first and a second player, or their names, from given starts, in turn.

    epsilon: the probability of a forced random move, one for both players or one for each. workers: who plays
    the games, if not this process's threads; players are sent to them by name.
    """

    def __init__(
        self,
        first: Player | str,
        second: Player | str,
        *,
        double_games: int,
        epsilon: float | tuple[float, float] = 0.0,
        starts: Sequence[Board] | Board = START,
        seed: int = 1,
        threads: int | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.first, self.second = as_player(first), as_player(second)
        self.double_games = double_games
        self.epsilon = epsilon if isinstance(epsilon, tuple) else (epsilon, epsilon)
        if not isinstance(starts, Board):
            check_several("starts must be boards: read_start_positions(file), or [Board(text)]", starts)
        self.starts = (starts,) if isinstance(starts, Board) else tuple(starts)
        self.seed = seed
        self.threads = available_cores() if threads is None else threads
        self.workers = workers
        _check(self)
        self._rules = match_rules(self.starts, self.epsilon, seed)

    @property
    def counts_repeats(self) -> bool:
        """Whether few moves are random, so that double games may repeat earlier ones."""
        plays_randomly = any(isinstance(player, RandomPlayer) for player in (self.first, self.second))
        return sum(self.epsilon) < RARE and not plays_randomly

    def batches(
        self, record: bool = False, first_game: int = 0, before: Hashes | None = None
    ) -> Iterator[Batch]:
        """The games in order, in batches that adapt to the speed, in constant memory. `before`: the hashes of
        the games before the first, which later ones may repeat."""
        if not self.counts_repeats:
            yield from self.played(record, first_game)
            return
        seen = RepeatedGames(self.starts, before)
        for batch in self.played(True, first_game):
            assert batch.moves is not None
            hashes = seen.hashes(batch.first_game, batch.moves)
            yield replace(batch, repeated=seen.count(hashes), hashes=hashes,
                          moves=batch.moves if record else None)  # fmt: skip

    def played(self, record: bool, first_game: int) -> Iterator[Batch]:
        """As batches, without counting repeated games."""
        if self.workers is not None:
            yield from batches_of_workers(self, self.workers, record, first_game)
            return
        if any(needs_a_table(player) for player in (self.first, self.second)):
            yield from EngineGames(self, self._rules).batches(record, first_game)
            return
        games = 2 * self.double_games
        at, size = first_game, FIRST_BATCH
        while at < games:
            count = min(size, games - at)
            began = time.perf_counter()
            yield self._play_batch(at, count, record)
            at += count
            wanted = count * BATCH_SECONDS / max(time.perf_counter() - began, 1e-9)
            size = 2 * round(max(1.0, min(wanted, 4 * size, LARGEST_BATCH) / 2))

    def play(self) -> Tally:
        """The whole match."""
        return sum((batch.tally for batch in self.batches()), Tally())

    def games(self) -> Iterator[Game]:
        """Every game with its moves."""
        for batch in self.batches(record=True):
            assert batch.moves is not None
            for i, moves in enumerate(batch.moves):
                start = self.starts[(batch.first_game + i) // 2 % len(self.starts)]
                yield Game(squares_of(moves), start)

    def disc_differences(self, batch: Batch) -> npt.NDArray[np.int8]:
        """Black's disc difference before the first move and after each: [games, 61]."""
        if batch.moves is None:
            raise ValueError("the batch was played without records; use batches(record=True)")
        return _core.disc_differences(self._rules, batch.first_game, batch.moves)

    def _play_batch(self, first_game: int, count: int, record: bool) -> Batch:
        players = [getattr(player, "core", None) for player in (self.first, self.second)]
        if players[0] is not None and players[1] is not None:
            differences, moves = _core.play_games(
                players[0], players[1], self._rules, first_game, count, self.threads, record
            )
            return Batch(first_game, differences, moves)
        both, end = (self.first, self.second), first_game + count
        return joined(
            [
                play_in_step(both, self._rules, at, min(GAMES_IN_STEP, end - at), record)
                for at in range(first_game, end, GAMES_IN_STEP)
            ]
        )


def match_rules(
    starts: Sequence[Board], epsilon: tuple[float, float], seed: int, *, alternate_colours: bool = True
) -> _core.MatchRules:
    """The rules of games between a first and a second player, checked by the core."""
    return _core.MatchRules(
        np.array([board.black for board in starts], dtype=np.uint64),
        np.array([board.white for board in starts], dtype=np.uint64),
        np.array([board.mover == "black" for board in starts], dtype=bool),
        epsilon,
        seed,
        alternate_colours,
    )


def _check(match: Match) -> None:
    for what, number in (("double_games", match.double_games), ("seed", match.seed)):
        check_whole(what, number)
    if not all(isinstance(start, Board) for start in match.starts):
        raise TypeError("starts must be boards: read_start_positions(file), or [Board(text)]")
    if match.double_games < 1:
        raise ValueError(f"a match has at least one double game, got {match.double_games}")
    check_whole("threads", match.threads)
    if len(match.epsilon) != 2:
        raise ValueError(f"epsilon is one number, or one for each of two players, got {shown(match.epsilon)}")
    for epsilon in match.epsilon:
        check_number("epsilon", epsilon)
        if not 0 <= epsilon <= 1:
            raise ValueError(f"epsilon must be within 0..1, got {epsilon}")
    if match.workers is not None and not callable(getattr(match.workers, "map", None)):
        raise TypeError(f"workers are an executor of outflank, or None; got {shown(match.workers)}")
    if not match.starts:
        raise ValueError("a match needs at least one start position")
    if any(isinstance(player, ExternalPlayer) for player in (match.first, match.second)):
        for start in match.starts:
            if start.discs < FEWEST_DISCS:
                raise ValueError(f"an engine plays from {FEWEST_DISCS} discs or more, not from {start.text}")
    if not 0 <= match.seed < 1 << 64:
        raise ValueError(f"a seed is a whole number from 0 to 2^64 - 1, got {match.seed}")
    if not 1 <= match.threads <= 1024:
        raise ValueError(f"threads must be within 1..1024, got {match.threads}")
