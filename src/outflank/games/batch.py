"""What a match hands over: some consecutive games, and the games that a player gave away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.games.statistics import Tally

FORFEIT_DIFFERENCE = 64  # discs by which a forfeited game is lost: all of them


@dataclass(frozen=True)
class Forfeit:
    """A game that an engine lost by a fault: it hung, died, played an illegal move ..."""

    game: int  # its number in the match
    player: str
    reason: str


@dataclass(frozen=True)
class Batch:
    """Some consecutive games of a match.

    A forfeited game is lost by 64 discs; its moves are those played until then.
    """

    first_game: int
    disc_differences: npt.NDArray[np.int8]  # for the first player, at the end of each game
    moves: npt.NDArray[np.uint8] | None  # [games, 60], 255 after the last move; if recorded
    forfeits: tuple[Forfeit, ...] = ()

    @property
    def tally(self) -> Tally:
        return Tally.of_disc_differences(self.disc_differences)
