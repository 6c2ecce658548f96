"""A generation's games: its individuals as players, the fixed players they meet, and where it is all played.

>>> import numpy as np
>>> from outflank.evaluators.piece_counter import PieceCounter
>>> from outflank.learners.execution.executor import ThreadExecutor
>>> weights = np.random.default_rng(1).uniform(-1, 1, (3, 64))
>>> heuristic = Opponents(("standard-heuristic",))
>>> contest = Contest(PieceCounter(), weights, PlayingStyle(), heuristic, epsilon=0.1, seed=1)
>>> with ThreadExecutor() as executor:
...     outcomes = Games(executor, contest).play(pairings((0, 3, 0, 100), (2, 1, 0, 10)))
>>> outcomes.sum(axis=1).tolist()
[100, 10]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board
from outflank.evaluators.piece_counter import PieceCounter
from outflank.evaluators.protocol import CoreEvaluator
from outflank.evaluators.storage import View
from outflank.games.statistics import Tally
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import NamedPlayer, named_player
from outflank.players.opening_book import OpeningBook
from outflank.players.search import SearchLimits, SearchPlayer

if TYPE_CHECKING:
    from outflank.learners.execution.executor import Executor

# Rows of first player, second player, number of the first game, games. Players count from the individuals on:
# fixed opponents come after them.
Pairings = npt.NDArray[np.int64]
Outcomes = npt.NDArray[np.int64]  # rows of wins, draws, losses of the first player

PIECES_A_WORKER = 8  # so that no worker waits long for the last one


@dataclass(frozen=True)
class PlayingStyle:
    """How weights become a player; Kim 2007, Figure 3: knowledge of openings and endings on top."""

    view: View = "inversion"
    depth: int = 1
    solve: int = 0  # perfect play from so many empty squares; 0: none
    book: str = ""  # a book's file, or default; empty: none
    book_best: int = 1

    def player(
        self, evaluator: CoreEvaluator, book: OpeningBook | None = None
    ) -> GreedyPlayer | SearchPlayer:
        """`book`: the style's book, if it is open already."""
        greedy = GreedyPlayer(evaluator, self.view)
        if (self.depth, self.solve, self.book) == (1, 0, ""):
            return greedy
        limits = SearchLimits(depth=self.depth if self.depth > 1 else None)
        book = book or self.open_book()
        return SearchPlayer(greedy, limits, solve=self.solve or None, book=book, book_best=self.book_best)

    def open_book(self) -> OpeningBook | None:
        return OpeningBook.open(self.book) if self.book else None


@dataclass(frozen=True)
class Opponents:
    """Players that do not learn: by name, or piece counters by their weights."""

    names: tuple[str, ...] = ()
    piece_counters: FloatMatrix = field(default_factory=lambda: np.empty((0, 64)))

    def __len__(self) -> int:
        return len(self.names) + len(self.piece_counters)

    def core_player(self, number: int) -> _core.Player:
        if number >= len(self.names):
            return _core_of(GreedyPlayer(PieceCounter(self.piece_counters[number - len(self.names)])))
        return _core_of(named_player(self.names[number]))


class Contest:
    """Everything a game of a generation depends on but its number. Sent to a worker once a generation;
    players are made where they play, when they are first needed."""

    def __init__(
        self,
        evaluator: CoreEvaluator,
        weights: FloatMatrix,
        style: PlayingStyle,
        opponents: Opponents,
        epsilon: float,
        seed: int,
        double_games: bool = True,
    ) -> None:
        self.evaluator = evaluator  # the architecture; its own weights play no part
        self.weights, self.style, self.opponents = weights, style, opponents
        self.epsilon, self.seed = epsilon, seed
        self.double_games = double_games  # games 2k and 2k + 1 swap colours; else the first is always Black
        self._players: dict[int, _core.Player] = {}
        self._book: OpeningBook | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_players": {}, "_book": None}  # the core's objects stay where they are

    @property
    def individuals(self) -> int:
        return len(self.weights)

    def individual(self, number: int) -> GreedyPlayer | SearchPlayer:
        if self._book is None:
            self._book = self.style.open_book()
        return self.style.player(self.evaluator.with_weights(self.weights[number]), self._book)

    def core_player(self, number: int, is_kept: bool = True) -> _core.Player:
        """Two threads may make the same player; one of them is kept. An individual that meets fixed
        opponents alone is needed once, and memory that was just freed is much faster than fresh one: the
        tables of a network (2.5 MB of all-2) take a third of the time to fill."""
        if number >= self.individuals:
            if number not in self._players:
                self._players[number] = self.opponents.core_player(number - self.individuals)
        elif not is_kept:
            return _core_of(self.individual(number))
        elif number not in self._players:
            self._players[number] = _core_of(self.individual(number))
        return self._players[number]

    @property
    def rules(self) -> _core.MatchRules:
        start = Board()
        return _core.MatchRules(
            np.array([start.black], dtype=np.uint64),
            np.array([start.white], dtype=np.uint64),
            np.array([True]),
            (self.epsilon, self.epsilon),
            self.seed,
            self.double_games,
        )


def play_pairings(contest: Contest, piece: Pairings) -> Outcomes:
    """Pure: what a worker does with a piece of the work."""
    if (piece[:, 1] < contest.individuals).any():
        return _play(contest, piece, is_kept=True)
    # Against fixed opponents, one individual after another: only one is in memory at a time.
    by_individual = np.split(piece, np.flatnonzero(np.diff(piece[:, 0])) + 1)
    return np.concatenate([_play(contest, part, is_kept=False) for part in by_individual])


def _play(contest: Contest, piece: Pairings, is_kept: bool) -> Outcomes:
    seats, numbers = np.unique(piece[:, :2], return_inverse=True)
    rows = np.concatenate([numbers.reshape(-1, 2), piece[:, 2:]], axis=1, dtype=np.int64)
    players = [contest.core_player(int(seat), is_kept) for seat in seats]
    return _core.play_pairings(players, rows, contest.rules).astype(np.int64)


def disc_differences(contest: Contest, piece: tuple[int, int, int]) -> npt.NDArray[np.int8]:
    """Pure: of some of an individual's games against the first opponent, for the individual."""
    individual, first_game, games = piece
    players = contest.core_player(individual), contest.core_player(contest.individuals)
    return _core.play_games(*players, contest.rules, first_game, games, 1, False)[0]


class Games:
    """The games of one generation, on an executor; counts how many have been played."""

    def __init__(self, executor: Executor, contest: Contest) -> None:
        self._executor, self.contest = executor, contest
        self.played = 0

    @property
    def individuals(self) -> int:
        return self.contest.individuals

    def play(self, rows: Pairings) -> Outcomes:
        """The outcome of each pairing; the same whatever the workers."""
        total = int(rows[:, 3].sum())
        pieces, owners = _pieces(rows, max(1, -(-total // (PIECES_A_WORKER * self._executor.workers))))
        outcomes = np.zeros((len(rows), 3), dtype=np.int64)
        for owner, result in zip(
            owners, self._executor.map(play_pairings, self.contest, pieces), strict=True
        ):
            np.add.at(outcomes, owner, result)
        self.played += total
        return outcomes

    def tally(self, individual: int, double_games: int) -> Tally:
        """An individual's double games against the first opponent, with what a confidence interval needs."""
        games = 2 * double_games
        size = max(2, 2 * round(games / (2 * PIECES_A_WORKER * self._executor.workers)))
        pieces = [(individual, at, min(size, games - at)) for at in range(0, games, size)]
        self.played += games
        return Tally.of_disc_differences(
            np.concatenate(self._executor.map(disc_differences, self.contest, pieces))
        )


def pairings(*rows: tuple[int, int, int, int]) -> Pairings:
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def scores(outcomes: Outcomes) -> FloatVector:
    """Average points of the first player: win 1, draw 0.5, loss 0."""
    return np.asarray((outcomes[:, 0] + 0.5 * outcomes[:, 1]) / outcomes.sum(axis=1))


def _pieces(rows: Pairings, games: int) -> tuple[list[Pairings], list[npt.NDArray[np.int64]]]:
    """Pieces of about so many games, long pairings cut; and for each row of a piece whose it was."""
    cut = [
        (owner, first, second, start + at, min(games, count - at))
        for owner, (first, second, start, count) in enumerate(rows.tolist())
        for at in range(0, count, games)
    ]
    table = np.array(cut, dtype=np.int64).reshape(-1, 5)
    ends = np.cumsum(table[:, 4])
    breaks = np.flatnonzero(np.diff((ends - 1) // games)) + 1
    parts = np.split(table, breaks)
    return [part[:, 1:] for part in parts], [part[:, 0] for part in parts]


def _core_of(player: NamedPlayer) -> _core.Player:
    core: _core.Player | None = getattr(player, "core", None)
    if core is None:
        raise ValueError(
            f"{player.name} does not play inside the core (an engine, or a search by the clock); choose an "
            "opponent by depth or nodes"
        )
    return core
