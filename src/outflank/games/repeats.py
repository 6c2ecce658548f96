"""Double games that repeat an earlier one of the same match, move for move or in a mirror.

>>> from outflank import Match, named_player
>>> tally = Match(named_player("league-champion"), named_player("all-rounder"), double_games=50).play()
>>> tally.games, tally.distinct, tally.ci95
(100, 1, (0.0, 1.0))
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from outflank.board import Board, Square, symmetric_square

MOST_REMEMBERED = 1_000_000  # double games
# With more forced random moves than this, of both players together, games hardly ever repeat: at the League's
# rates of 0.1 and 0.1 one game in a thousand could.
RARE = 0.2
# The images of squares under the eight symmetries, and of the 255 that ends a record: [8, 256].
_IMAGES = np.tile(np.arange(256, dtype=np.uint8), (8, 1))
_IMAGES[:, :64] = [[int(symmetric_square(square, k)) for square in range(64)] for k in range(8)]


class RepeatedGames:
    """Remembers the double games of a match."""

    def __init__(self, starts: Sequence[Board]) -> None:
        self._starts = [_images(start) for start in starts]
        self._seen: set[bytes] = set()

    def count(self, first_game: int, moves: npt.NDArray[np.uint8]) -> int:
        """How many of the next double games, [games, 60], are not new."""
        repeated = 0
        images = _IMAGES[:, moves]  # [8, games, 60]
        for at in range(0, len(moves) - 1, 2):
            starts = self._starts[(first_game + at) // 2 % len(self._starts)]
            both = (
                min(start + image.tobytes() for start, image in zip(starts, images[:, game], strict=True))
                for game in (at, at + 1)
            )
            key = blake2b(b"".join(both), digest_size=16).digest()
            repeated += key in self._seen
            if len(self._seen) < MOST_REMEMBERED:
                self._seen.add(key)
        return repeated


def _images(board: Board) -> list[bytes]:
    """A start under each of the eight symmetries."""
    discs = {None: b"-", "black": b"X", "white": b"O"}
    found = []
    for k in range(8):
        squares = [b"-"] * 64
        for square in range(64):
            squares[int(symmetric_square(square, k))] = discs[board.disc(Square(square))]
        found.append(b"".join(squares) + board.mover.encode())
    return found
