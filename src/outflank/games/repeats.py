"""Double games that repeat an earlier one of the same match, move for move.

>>> from outflank import Match, named_player
>>> players = named_player("all-2"), named_player("standard-heuristic")
>>> tally = Match(*players, double_games=100).play()
>>> tally.games, tally.distinct < 30, tally.ci95[1] - tally.ci95[0] > 0.1
(200, True, True)
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from outflank.board import Board

MOST_REMEMBERED = 1_000_000  # double games
# With more forced random moves than this, of both players together, games hardly ever repeat: at the League's
# rates of 0.1 and 0.1 one game in a thousand could.
RARE = 0.2


class RepeatedGames:
    """Remembers the double games of a match."""

    def __init__(self, starts: Sequence[Board]) -> None:
        self._starts = [f"{start.text}".encode() for start in starts]
        self._seen: set[bytes] = set()

    def count(self, first_game: int, moves: npt.NDArray[np.uint8]) -> int:
        """How many of the next double games, [games, 60], are not new."""
        repeated = 0
        for at in range(0, len(moves) - 1, 2):
            start = self._starts[(first_game + at) // 2 % len(self._starts)]
            key = blake2b(start + moves[at : at + 2].tobytes(), digest_size=16).digest()
            repeated += key in self._seen
            if len(self._seen) < MOST_REMEMBERED:
                self._seen.add(key)
        return repeated
