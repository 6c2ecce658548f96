"""Batches of a match's games: results, forfeits and thinking times; and a player's turn in a batch."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board, Square
from outflank.games.statistics import FinishedGames, Tally
from outflank.players.greedy import GreedyPlayer, HistoryPlayer, Player, PreferringPlayer

FORFEIT_DIFFERENCE = 64  # discs by which a forfeited game is lost: all of them


@dataclass(frozen=True)
class Forfeit:
    """A game that an engine lost by an error: it hung, crashed, played an illegal move ..."""

    game: int  # its number in the match
    player: str
    reason: str
    by_first: bool  # by the match's first player; both may have the same name


@dataclass(frozen=True)
class MoveTimes:
    """How long one side thought, in wall-clock time; forced random moves do not count.

    >>> MoveTimes.of(0.5) + MoveTimes.of(1.5)
    MoveTimes(moves=2, seconds=2.0, longest=1.5)
    """

    moves: int = 0
    seconds: float = 0.0  # in total
    longest: float | None = None  # None if many games were played in step: moves have no times of their own

    @classmethod
    def of(cls, seconds: float) -> MoveTimes:
        return cls(1, seconds, seconds)

    def __add__(self, other: MoveTimes) -> MoveTimes:
        if not self.moves or not other.moves:
            return self if self.moves else other
        known = self.longest is not None and other.longest is not None
        longest = max(self.longest or 0.0, other.longest or 0.0) if known else None
        return MoveTimes(self.moves + other.moves, self.seconds + other.seconds, longest)

    @property
    def mean(self) -> float | None:
        return self.seconds / self.moves if self.moves else None


BothTimes = tuple[MoveTimes, MoveTimes]  # of the first player and of the second


@dataclass(frozen=True)
class Batch:
    """Some consecutive games of a match.

    A forfeited game is lost by 64 discs; its moves are those played before.
    """

    first_game: int
    disc_differences: npt.NDArray[np.int8]  # for the first player, at the end of each game
    moves: npt.NDArray[np.uint8] | None  # [games, 60], 255 after the last move; None if not recorded
    forfeits: tuple[Forfeit, ...] = ()
    times: BothTimes | None = None  # None for games in the core, which are not timed
    game_times: tuple[BothTimes, ...] | None = None  # per game, if they were played one at a time
    repeated: int = 0  # double games that are the same as an earlier one of the match
    hashes: npt.NDArray[np.uint64] | None = None  # of its double games, if repeated ones are counted

    @property
    def tally(self) -> Tally:
        return Tally.of_disc_differences(self.disc_differences, self.repeated)

    @property
    def finished(self) -> FinishedGames:
        """The result without forfeited games."""
        forfeited = [forfeit.game - self.first_game for forfeit in self.forfeits]
        return FinishedGames.without(self.disc_differences, forfeited, self.repeated)


def play_in_step(
    players: tuple[Player, Player], rules: _core.MatchRules, first_game: int, count: int, record: bool
) -> Batch:
    """Games of players of which at least one is outside the core, so that one call answers many of them."""
    games = _core.GamesInStep(rules, first_game, count, record)
    times = [MoveTimes(), MoveTimes()]
    while not games.over:
        for turn, player in enumerate(players):
            if waiting := games.gather(turn):
                began = time.perf_counter()
                answer(games, player)
                times[turn] += MoveTimes(waiting, time.perf_counter() - began)
    moves = games.moves() if record else None
    return Batch(first_game, games.disc_differences(), moves, times=(times[0], times[1]))


def answer(games: _core.GamesInStep, player: Player) -> None:
    """Lets a player move in all games where it is to move."""
    core = getattr(player, "core", None)
    if core is not None:
        games.answer_by(core)
        return
    black, white, black_moves = games.waiting_boards()
    if isinstance(player, GreedyPlayer):
        black_after, white_after, first = games.afterstates()
        black_moved = np.repeat(black_moves.astype(bool), first[1:] - first[:-1])
        games.answer_values(player.values_for_mover(black_after, white_after, black_moved))
        return
    boards = [
        Board.from_discs(int(b), int(w), "black" if is_black else "white")
        for b, w, is_black in zip(black, white, black_moves, strict=True)
    ]
    if isinstance(player, PreferringPlayer):
        games.answer_values(np.concatenate(player.preferences(boards)))
        return
    chosen = [player.choose(board) for board in boards]
    for board, square in zip(boards, chosen, strict=True):
        if square not in board.legal_moves:
            raise ValueError(f"{player.name} chose {square!r}, which is not a legal move on {board.text}")
    games.answer_squares(np.array(chosen, dtype=np.uint8))


def answer_in_game(game: _core.GamesInStep, player: Player, start: Board) -> None:
    """As `answer`, in a single recorded game: a player may see its moves."""
    if isinstance(player, HistoryPlayer):
        square = player.choose_after(start, squares_of(game.moves()[0]))
        game.answer_squares(np.array([square], dtype=np.uint8))
    else:
        answer(game, player)


def squares_of(moves: npt.NDArray[np.uint8]) -> tuple[Square, ...]:
    """The moves of a row of records."""
    return tuple(Square(int(move)) for move in moves if move != _core.NO_MOVE)
