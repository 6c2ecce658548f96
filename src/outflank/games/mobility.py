"""How many moves each side has along recorded games, and how many corners it holds.

>>> from outflank.games.game import Game
>>> from outflank.games.game_record import GameRecord, moves_matrix
>>> game = Game.from_transcript("f5d6c3d3c4")
>>> along = mobility_along(moves_matrix([GameRecord(game)]), [game.start])
>>> along.movers[0, :5].tolist(), along.length[0].item()
([1, -1, 1, -1, 1], 5)
>>> along.black[0, :6].tolist(), along.white[0, :6].tolist()
([4, 3, 5, 4, 6, 9], [4, 3, 4, 4, 7, 6])
>>> along.replies(side=1, first_move=3).tolist()  # what Black's third and fifth move leave to White
[4, 6]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board, Square

Counts = npt.NDArray[np.int8]
BLACK, WHITE = 1, -1
AFTER_THE_END = -1
CORNERS = 1 << 0 | 1 << 7 | 1 << 56 | 1 << 63


@dataclass(frozen=True)
class Mobility:
    """One row a game. Counts: before the first move and after each, -1 after the end of the game."""

    movers: Counts  # [games, 60]: who made each move, Black 1 or White -1; 0 after the end
    black: Counts  # [games, 61]: legal moves Black has or would have, were it Black's turn
    white: Counts
    black_corners: Counts  # [games, 61]
    white_corners: Counts

    @property
    def length(self) -> npt.NDArray[np.int64]:
        """Moves of each game."""
        return np.asarray(np.count_nonzero(self.movers, axis=1), dtype=np.int64)

    def of_games(self, games: slice) -> Mobility:
        """Of some of the games."""
        return Mobility(self.movers[games], self.black[games], self.white[games], self.black_corners[games],
                        self.white_corners[games])  # fmt: skip

    def choices(self, side: int, first_move: int = 1, last_move: int = 60) -> Counts:
        """From how many moves a side chose each of its moves with these numbers."""
        made = _between(self.movers == side, first_move, last_move)
        return (self.black if side == BLACK else self.white)[:, :-1][made]

    def replies(self, side: int, first_move: int = 1, last_move: int = 60) -> Counts:
        """How many moves each of a side's moves with these numbers left to the other side, 0 if it had to
        pass; a move that ended the game counts nothing."""
        made = _between(self.movers == side, first_move, last_move)
        goes_on = (self.black[:, 1:] > 0) | (self.white[:, 1:] > 0)
        return (self.white if side == BLACK else self.black)[:, 1:][made & goes_on]

    def corners_at_the_end(self, side: int) -> Counts:
        corners = self.black_corners if side == BLACK else self.white_corners
        return np.asarray(corners[np.arange(len(corners)), self.length])


def mobility_along(moves: npt.NDArray[np.uint8], starts: Sequence[Board]) -> Mobility:
    """`moves`: a game a row, 255 after its last move, as a match records them; `starts`: a board a game."""
    movers = np.zeros((len(moves), _core.LONGEST_GAME), dtype=np.int8)
    counts = np.full((4, len(moves), _core.LONGEST_GAME + 1), AFTER_THE_END, dtype=np.int8)
    for number, (row, start) in enumerate(zip(moves.tolist(), starts, strict=True)):
        placed = row[: row.index(_core.NO_MOVE)] if _core.NO_MOVE in row else row
        sides, rows = _along(placed, start)
        movers[number, : len(sides)] = sides
        counts[:, number, : len(rows)] = np.array(rows, dtype=np.int8).T
    return Mobility(movers, *counts)


def _along(moves: Sequence[int], start: Board) -> tuple[list[int], list[tuple[int, int, int, int]]]:
    """Who made each move; the counts before the first and after each."""
    black, white, side = start.black, start.white, BLACK if start.mover == "black" else WHITE
    sides, rows = [], [_counts(black, white)]
    for number, square in enumerate(moves, start=1):
        if not rows[-1][0 if side == BLACK else 1]:
            side = -side  # a pass
        mover, opponent = (black, white) if side == BLACK else (white, black)
        flipped = 0 if (black | white) >> square & 1 else _core.flips(square, mover, opponent)
        if not flipped:
            raise ValueError(f"move {number} ({Square(square)}) of a recorded game is not legal")
        mover, opponent = mover | flipped | 1 << square, opponent & ~flipped
        black, white = (mover, opponent) if side == BLACK else (opponent, mover)
        sides.append(side)
        rows.append(_counts(black, white))
        side = -side
    return sides, rows


def _counts(black: int, white: int) -> tuple[int, int, int, int]:
    return (
        _core.legal_moves(black, white).bit_count(), _core.legal_moves(white, black).bit_count(),
        (black & CORNERS).bit_count(), (white & CORNERS).bit_count(),
    )  # fmt: skip


def _between(made: npt.NDArray[np.bool_], first_move: int, last_move: int) -> npt.NDArray[np.bool_]:
    numbers = np.arange(1, made.shape[1] + 1)
    return made & (numbers >= first_move) & (numbers <= last_move)
