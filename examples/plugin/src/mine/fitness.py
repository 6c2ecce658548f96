"""A fitness measure: which fixed opponents a generation meets, and a number per individual."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from outflank import Games, Opponents
from outflank.learners.fitness.fixed_opponents import against_all
from outflank.learners.fitness.population import scores


class WorstCase:
    """The score against whichever of several opponents is the hardest for an individual."""

    double_games = True  # games come in pairs, with colours swapped

    def __init__(self, *, seed: int, opponents: list[str], double_games: int = 20) -> None:
        self._opponents = Opponents.named(opponents)
        self._games = 2 * double_games

    def opponents(self, generation: int) -> Opponents:
        return self._opponents

    def measure(self, games: Games, generation: int) -> npt.NDArray[np.float64]:
        outcomes = games.play(against_all(games.individuals, len(self._opponents), 0, self._games))
        lowest: npt.NDArray[np.float64] = (
            scores(outcomes).reshape(games.individuals, len(self._opponents)).min(axis=1)
        )
        return lowest
