"""A population as players: its individuals, the fixed opponents they meet, and the games they play.

>>> import numpy as np
>>> from outflank.evaluators.piece_counter import PieceCounter
>>> from outflank.learners.execution.executor import ThreadExecutor
>>> weights = np.random.default_rng(1).uniform(-1, 1, (3, 64))
>>> heuristic = Opponents((named_player("standard-heuristic"),))
>>> population = Population(PieceCounter(), weights, PlayingStyle(), heuristic, epsilon=0.1, seed=1)
>>> with ThreadExecutor() as executor:
...     outcomes = Games(executor, population).play(pairings((0, 3, 0, 100), (2, 1, 0, 10)))
>>> outcomes.sum(axis=1).tolist()
[100, 10]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.arguments import check_number, check_several, check_text, check_type, check_whole
from outflank.board import Board
from outflank.evaluators.piece_counter import PieceCounter
from outflank.evaluators.protocol import CoreEvaluator, WeightedEvaluator
from outflank.evaluators.storage import View, check_view
from outflank.games.batch import play_in_step
from outflank.games.engine_games import needs_a_table
from outflank.games.statistics import Tally
from outflank.learners.execution.executor import Executor
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import NamedPlayer, named_player
from outflank.players.opening_book import OpeningBook
from outflank.players.search import SearchLimits, SearchPlayer
from outflank.suggestions import shown

# Rows of first player, second player, number of the first game, games. Players are numbered: individuals
# first, then the fixed opponents.
Pairings = npt.NDArray[np.int64]
Outcomes = npt.NDArray[np.int64]  # rows of wins, draws, losses of the first player

MOST_PASSES = 60  # no game has more
PIECES_PER_WORKER = 8, 48  # at least and at most, so that no worker waits long for the last one
FEW_GAMES = 256  # a piece of fewer costs more time around the games


@dataclass(frozen=True)
class PlayingStyle:
    """How weights become a player, by which conventions they play; Kim 2007, Figure 3: knowledge of openings
    and endings on top."""

    view: View = "inversion"
    depth: int = 1
    solve: int = 0  # perfect play from this many empty squares on; 0: none
    book: str = ""  # a book file, or default; empty: none. Opened where the games are played
    book_best: int = 1
    ties: Literal["random", "first"] = "random"  # of equal moves, of all players
    most_passes: int | None = None  # one more ends the game

    def __post_init__(self) -> None:
        check_view(self.view)
        for what in ("depth", "solve", "book_best"):
            check_whole(what, getattr(self, what))
        check_text("a book's file", self.book)

    def player(
        self, evaluator: WeightedEvaluator, book: OpeningBook | None = None
    ) -> GreedyPlayer | SearchPlayer:
        """`book`: the style's book, if it is already open."""
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
    """Players that do not learn; and piece counters, given by their weights."""

    players: tuple[NamedPlayer, ...] = ()
    piece_counters: FloatMatrix = field(default_factory=lambda: np.empty((0, 64)))

    @classmethod
    def named(cls, names: Iterable[str], piece_counters: FloatMatrix | None = None) -> Opponents:
        check_several("opponents are a list of names", names)
        players = tuple(named_player(name) for name in names)
        return cls(players) if piece_counters is None else cls(players, piece_counters)

    def __reduce__(self) -> tuple[Any, ...]:
        """To a cluster's workers players go by name: plug-ins and engines cannot be pickled."""
        return Opponents.named, ([player.name for player in self.players], self.piece_counters)

    def __len__(self) -> int:
        return len(self.players) + len(self.piece_counters)

    def player(self, number: int) -> NamedPlayer:
        if number < len(self.players):
            if needs_a_table(self.players[number]):
                core_of(self.players[number])  # an error: its games would not follow from the seed
            return self.players[number]
        return GreedyPlayer(PieceCounter(self.piece_counters[number - len(self.players)]))

    def core_player(self, number: int) -> _core.Player:
        return core_of(self.player(number))

    @property
    def play_in_core(self) -> bool:
        return all(player.core is not None for player in self.players)


class Population:
    """Everything that the games of a generation depend on, except their numbers. Sent to a worker once per
    generation; players are compiled where they play, when they are first needed."""

    def __init__(
        self,
        evaluator: WeightedEvaluator,
        weights: FloatMatrix,
        style: PlayingStyle,
        opponents: Opponents,
        epsilon: float,
        seed: int,
        double_games: bool = True,
    ) -> None:
        check_type("a population has the architecture of a WeightedEvaluator", evaluator, WeightedEvaluator)
        check_type("its style is PlayingStyle(...)", style, PlayingStyle)
        check_type("its opponents are Opponents.named([...])", opponents, Opponents)
        check_number("epsilon", epsilon)
        check_whole("seed", seed)
        if np.ndim(weights) != 2 or np.shape(weights)[1] != evaluator.weights.size:
            size = evaluator.weights.size
            raise ValueError(f"weights have one row of {size} per individual, got shape {np.shape(weights)}")
        self.evaluator = evaluator  # the architecture; its own weights are not used
        self.weights, self.style, self.opponents = weights, style, opponents
        self.epsilon, self.seed = epsilon, seed
        self.double_games = double_games  # games 2k and 2k + 1 swap colours; else the first is always Black
        self._players: dict[int, _core.Player] = {}
        self._book: OpeningBook | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_players": {}, "_book": None}  # compiled players and books stay here

    @property
    def individuals(self) -> int:
        return len(self.weights)

    def individual(self, number: int) -> GreedyPlayer | SearchPlayer:
        if self._book is None:
            self._book = self.style.open_book()
        return self.style.player(self.evaluator.with_weights(self.weights[number]), self._book)

    def core_player(self, number: int, cached: bool = True) -> _core.Player:
        """Two threads may compile the same player; one of the two is cached.

        An individual that meets fixed opponents only is needed once, and memory that was just freed is much
        faster than fresh memory: filling the tables of a network (2.5 MB of all-2) takes a third of the time.
        """
        if number < self.individuals and not cached:
            return core_of(self.individual(number))
        if number not in self._players:
            is_opponent = number >= self.individuals
            self._players[number] = (
                self.opponents.core_player(number - self.individuals)
                if is_opponent
                else core_of(self.individual(number))
            )
        return self._players[number]

    @property
    def plays_in_core(self) -> bool:
        """Whether all its games are: not if the evaluator or an opponent is written in Python."""
        return isinstance(self.evaluator, CoreEvaluator) and self.opponents.play_in_core

    def player(self, number: int) -> NamedPlayer:
        """An individual or, after them, an opponent."""
        is_opponent = number >= self.individuals
        return self.opponents.player(number - self.individuals) if is_opponent else self.individual(number)

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
            self.style.ties == "first",
            MOST_PASSES if self.style.most_passes is None else self.style.most_passes,
        )


def play_pairings(population: Population, piece: Pairings) -> Outcomes:
    """Pure: what a worker does with its piece of the work."""
    if not population.plays_in_core:
        return np.array([_play_in_step(population, row) for row in piece.tolist()], dtype=np.int64)
    if (piece[:, 1] < population.individuals).any():
        return _play(population, piece, cached=True)
    # Against fixed opponents, one individual after another: only one is in memory at a time.
    by_individual = np.split(piece, np.flatnonzero(np.diff(piece[:, 0])) + 1)
    return np.concatenate([_play(population, part, cached=False) for part in by_individual])


def _play(population: Population, piece: Pairings, cached: bool) -> Outcomes:
    seats, numbers = np.unique(piece[:, :2], return_inverse=True)
    rows = np.concatenate([numbers.reshape(-1, 2), piece[:, 2:]], axis=1, dtype=np.int64)
    players = [population.core_player(int(seat), cached) for seat in seats]
    return _core.play_pairings(players, rows, population.rules).astype(np.int64)


def _play_in_step(population: Population, row: list[int]) -> tuple[int, int, int]:
    """Wins, draws and losses of a pairing."""
    first, second, first_game, games = row
    found = _differences_in_step(population, first, second, first_game, games)
    return int((found > 0).sum()), int((found == 0).sum()), int((found < 0).sum())


def _differences_in_step(
    population: Population, first: int, second: int, first_game: int, games: int
) -> npt.NDArray[np.int8]:
    players = population.player(first), population.player(second)
    return play_in_step(players, population.rules, first_game, games, record=False).disc_differences


def disc_differences(population: Population, piece: tuple[int, int, int]) -> npt.NDArray[np.int8]:
    """Pure: disc differences of some of an individual's games against the first opponent."""
    individual, first_game, games = piece
    if not population.plays_in_core:
        return _differences_in_step(population, individual, population.individuals, first_game, games)
    players = population.core_player(individual), population.core_player(population.individuals)
    return _core.play_games(*players, population.rules, first_game, games, 1, False)[0]


class Games:
    """The games of one generation, played on an executor and counted."""

    def __init__(self, executor: Executor, population: Population) -> None:
        if not hasattr(executor, "map") or not isinstance(population, Population):
            raise TypeError(
                f"games are Games(executor, population), got {shown(executor)} and {shown(population)}"
            )
        self._executor, self.population = executor, population
        self.played = 0

    @property
    def individuals(self) -> int:
        return self.population.individuals

    def play(self, rows: Pairings) -> Outcomes:
        """The outcome of each pairing; the same for any number of workers."""
        total = int(rows[:, 3].sum())
        pieces, owners = _pieces(rows, _piece_size(rows[:, 3], self._executor.workers))
        outcomes = np.zeros((len(rows), 3), dtype=np.int64)
        results = self._executor.map(play_pairings, self.population, pieces)
        for owner, result in zip(owners, results, strict=True):
            np.add.at(outcomes, owner, result)
        self.played += total
        return outcomes

    def tally(self, individual: int, double_games: int) -> Tally:
        """An individual's double games against the first opponent, tallied for a confidence interval."""
        games = 2 * double_games
        size = max(2, 2 * round(games / (2 * PIECES_PER_WORKER[0] * self._executor.workers)))
        pieces = [(individual, at, min(size, games - at)) for at in range(0, games, size)]
        self.played += games
        differences = self._executor.map(disc_differences, self.population, pieces)
        return Tally.of_disc_differences(np.concatenate(differences))


def pairings(*rows: tuple[int, int, int, int]) -> Pairings:
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def scores(outcomes: Outcomes) -> FloatVector:
    """Average points of the first player: win 1, draw 0.5, loss 0."""
    return np.asarray((outcomes[:, 0] + 0.5 * outcomes[:, 1]) / outcomes.sum(axis=1))


def _piece_size(games: npt.NDArray[np.int64], workers: int) -> int:
    """Games per piece, given the games of each pairing. Short pieces keep all workers busy to the end; but a
    pairing that is cut compiles its players twice, so where there are pairings enough, none is."""
    fewest, most = (pieces * workers for pieces in PIECES_PER_WORKER)
    total = int(games.sum())
    size = max(ceil(total / most), min(FEW_GAMES, ceil(total / fewest)), 1)
    return max(size, int(games.max())) if len(games) >= fewest else size


def _pieces(rows: Pairings, games: int) -> tuple[list[Pairings], list[npt.NDArray[np.int64]]]:
    """Pieces of about this many games, long pairings cut; and the row that each row of a piece belongs to."""
    cut = [
        (owner, first, second, start + at, min(games, count - at))
        for owner, (first, second, start, count) in enumerate(rows.tolist())
        for at in range(0, count, games)
    ]
    table = np.array(cut, dtype=np.int64).reshape(-1, 5)
    ends = np.cumsum(table[:, 4])
    parts = np.split(table, np.flatnonzero(np.diff((ends - 1) // games)) + 1)
    return [part[:, 1:] for part in parts], [part[:, 0] for part in parts]


def core_of(player: NamedPlayer) -> _core.Player:
    """The player's form in the core; an error for those that have none."""
    core: _core.Player | None = getattr(player, "core", None)
    if core is None:
        raise ValueError(
            f"{player.name} does not play inside the core (an engine, a search by the clock, or Python code);"
            " choose an opponent by depth or nodes"
        )
    return core
