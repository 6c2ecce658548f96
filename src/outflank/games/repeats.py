"""Double games that repeat an earlier one of the same match, move for move or in a mirror.

>>> from outflank import Match, named_player
>>> tally = Match(named_player("league-champion"), named_player("td-all-rounder"), double_games=50).play()
>>> tally.games, tally.distinct, tally.ci95
(100, 1, (0.0, 1.0))
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from outflank.board import Board, symmetric_square

Hashes = npt.NDArray[np.uint64]

MOST_REMEMBERED = 1_000_000  # double games
# With more forced random moves than this, of both players together, games hardly ever repeat: at the League's
# rates of 0.1 and 0.1 one game in a thousand could.
RARE = 0.2
PLIES = 60
CHUNK = 4096  # games hashed at once, to bound memory

# Zobrist hashing: a random number for each ply and square (or 255, after the last move), and for each disc of
# a start. A game's hash under a symmetry is the sum of those of its images.
_random = np.random.default_rng(1)
_IMAGES = np.tile(np.arange(256), (8, 1))
_IMAGES[:, :64] = [[int(symmetric_square(square, k)) for square in range(64)] for k in range(8)]
_OF_MOVES: Hashes = _random.integers(0, 1 << 64, (PLIES, 256), dtype=np.uint64)[:, _IMAGES]  # [60, 8, 256]
_OF_DISCS: Hashes = _random.integers(0, 1 << 64, (2, 64), dtype=np.uint64)
_OF_MOVER = {"black": 0, "white": int(_random.integers(0, 1 << 64, dtype=np.uint64))}
_SECOND = np.uint64(int(_random.integers(0, 1 << 63)) * 2 + 1)  # so that a double game has an order


class RepeatedGames:
    """Remembers the double games of a match, those that were played `before` too: their hashes."""

    def __init__(self, starts: Sequence[Board], before: Hashes | None = None) -> None:
        self._starts = np.array([_start_hashes(start) for start in starts], dtype=np.uint64)  # [starts, 8]
        self._seen: set[int] = set()
        if before is not None:
            self.count(before)

    def hashes(self, first_game: int, moves: npt.NDArray[np.uint8]) -> Hashes:
        """One of each of the next double games, [games, 60]: equal games have equal hashes."""
        chunks = range(0, len(moves) - 1, CHUNK)
        found = [self._hashes(first_game + at, moves[at : at + CHUNK]) for at in chunks]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.uint64)

    def count(self, hashes: Hashes) -> int:
        """How many of these double games are not new."""
        repeated = 0
        for one in hashes.tolist():
            repeated += one in self._seen
            if len(self._seen) < MOST_REMEMBERED:
                self._seen.add(one)
        return repeated

    def _hashes(self, first_game: int, moves: npt.NDArray[np.uint8]) -> Hashes:
        numbers = (first_game + np.arange(len(moves))) // 2 % len(self._starts)
        hashes = np.min(
            [
                _OF_MOVES[np.arange(PLIES), k, moves].sum(axis=1, dtype=np.uint64) + self._starts[numbers, k]
                for k in range(8)
            ],
            axis=0,
        )  # mirrored games have the same images, so the same least hash
        return np.asarray(hashes[0::2] * _SECOND + hashes[1::2], dtype=np.uint64)


def _start_hashes(board: Board) -> list[int]:
    """Of a start under each of the eight symmetries."""
    found = []
    for k in range(8):
        total = _OF_MOVER[board.mover]
        for colour, discs in enumerate((board.black, board.white)):
            squares = [int(_IMAGES[k, square]) for square in range(64) if discs >> square & 1]
            total += sum(int(_OF_DISCS[colour, square]) for square in squares)
        found.append(total % (1 << 64))
    return found
