"""What the environments share: one game by the rules of a match, its observations, and their settings.

>>> game = EnvironmentGame((Board(),), 0.0, seed=1, number=0)
>>> game.turn, action_mask(game.board).sum().item(), observation(game.board).shape
(0, 4, (2, 8, 8))
>>> game.play(37)
>>> game.turn, str(game.board.legal_moves[0])
(1, 'f4')
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board
from outflank.games.batch import answer_in_game
from outflank.games.match import match_rules
from outflank.players.greedy import Player
from outflank.players.names import named_player

FEWEST_DISCS = 4  # a game from fewer discs may have more moves than a record holds


def missing(library: str) -> ImportError:
    """The error for a library that comes with an extra."""
    extra = "openspiel" if library == "open_spiel" else "envs"
    return ImportError(f'{library} is not installed; install it with: pip install "outflank[{extra}]"')


def observation(board: Board) -> npt.NDArray[np.int8]:
    """Two planes, [2, 8, 8]: the discs of the side to move and those of its opponent."""
    return _planes(board.mover_discs, board.opponent_discs)


def action_mask(board: Board) -> npt.NDArray[np.int8]:
    """1 for each legal move, [64]."""
    return _planes(_core.legal_moves(board.mover_discs, board.opponent_discs)).reshape(64)


def _planes(*sets: int) -> npt.NDArray[np.int8]:
    octets = np.array(sets, dtype="<u8").view(np.uint8)
    return np.unpackbits(octets, bitorder="little").view(np.int8).reshape(len(sets), 8, 8)


class EnvironmentGame:
    """One game between a first and a second player, in which passes and forced random moves are played.

    Its number decides who has Black (the first player, in even games), its start and its random numbers, as
    in a match with the same seed.
    """

    def __init__(
        self, starts: Sequence[Board], epsilon: float, *, seed: int, number: int, alternate: bool = True
    ) -> None:
        rules = match_rules(starts, (epsilon, epsilon), seed, alternate_colours=alternate)
        self._start = starts[(number // 2 if alternate else number) % len(starts)]
        self._games = _core.GamesInStep(rules, number, 1, True)
        self._look()

    def _look(self) -> None:
        """Finds out who is to move: 0, 1, or None at the end of the game."""
        self.turn: int | None = None
        for turn in (0, 1):
            if self._games.gather(turn):
                self.turn = turn
                (black,), (white,), (black_moves,) = self._games.waiting_boards()
                self.board = Board.from_discs(int(black), int(white), "black" if black_moves else "white")
                return
        self.board = self._last_board()

    def _last_board(self) -> Board:
        """The board at the end of the game, where nobody is to move: as Black sees it."""
        start = self._start
        *_, (black,), (white,) = _core.replay_records(
            self._games.moves(),
            np.array([start.black], dtype=np.uint64),
            np.array([start.white], dtype=np.uint64),
            np.array([start.mover == "black"]),
        )
        return Board.from_discs(int(black), int(white))

    @property
    def disc_difference_for_first(self) -> int:
        """At the end of the game."""
        return int(self._games.disc_differences()[0])

    def play(self, square: int) -> None:
        self._games.answer_squares(np.array([square], dtype=np.uint8))
        self._look()

    def play_by(self, player: Player) -> None:
        """Lets a player choose the move."""
        answer_in_game(self._games, player, self._start)
        self._look()


def opponent_named(opponent: Player | str) -> Player:
    """A player, or the one that a name such as `all-2,depth=4` means."""
    if isinstance(opponent, str):
        return named_player(opponent)
    if not isinstance(opponent, Player):
        kind = type(opponent).__name__
        raise TypeError(f"an opponent is a player or its name, such as 'all-2', not a {kind}")
    return opponent


def checked_epsilon(epsilon: float) -> float:
    if not isinstance(epsilon, int | float | np.number):
        raise TypeError(f"epsilon is a number within 0..1, got {epsilon!r}")
    if not 0 <= epsilon <= 1:
        raise ValueError(f"epsilon must be within 0..1, got {epsilon}")
    return float(epsilon)


def checked_seed(seed: SupportsIndex) -> int:
    seed = index(seed)  # refuses 1.5
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"a seed is a whole number from 0 to 2^64 - 1, got {seed}")
    return seed


def checked_starts(starts: Sequence[Board] | Board) -> tuple[Board, ...]:
    starts = (starts,) if isinstance(starts, Board) else starts
    if not isinstance(starts, Sequence) or not all(isinstance(start, Board) for start in starts):
        raise TypeError(f"starts are boards: [Board(text), ...], got {starts!r}")
    if not starts:
        raise ValueError("an environment needs at least one start position")
    for start in starts:
        if start.is_over or start.discs < FEWEST_DISCS:
            raise ValueError(
                f"a game cannot start from {start.text}: it is over or has too few discs; leave it out"
            )
    return tuple(starts)
