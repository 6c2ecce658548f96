"""Fitness by games within the population: there are no fixed opponents, all improve together.

Both players of a game score. (In Chong 2003 each network plays
Black against five others and meets on average five more as White "when other neural networks are
evaluated"; in the checkers work it follows, Chellapilla and Fogel 1999, both players of a game score.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outflank.learners.fitness.fixed_opponents import MEASURE_STREAMS
from outflank.learners.fitness.population import Games, Opponents, Outcomes, Pairings
from outflank.learners.optimisers.optimiser import FloatVector, IntVector, stream

CHONG_POINTS = (5.0, 1.0, 0.0)  # for a win, a draw, a loss: playing for wins pays
LEAGUE_POINTS = (1.0, 0.5, 0.0)


class _WithinPopulation:
    def opponents(self, generation: int) -> Opponents:  # noqa: ARG002
        return Opponents()


@dataclass(frozen=True)
class RandomOpponents(_WithinPopulation):
    """Chong 2003: each individual plays Black against five random others; the same two meet again only
    with colours swapped."""

    seed: int
    games_each: int = 5
    double_games: bool = False

    def draw(self, individuals: int, generation: int) -> Pairings:
        """Who plays Black against whom, and the number of their game."""
        if self.games_each >= individuals:
            raise ValueError(
                f"each individual meets {self.games_each} others, so a population needs at least "
                f"{self.games_each + 1} individuals, got {individuals}"
            )
        generator = stream(self.seed, MEASURE_STREAMS + generation)
        black = np.repeat(np.arange(individuals), self.games_each)
        drawn = np.concatenate(
            [generator.choice(individuals - 1, self.games_each, replace=False) for _ in range(individuals)]
        )
        white = drawn + (drawn >= black)  # no individual plays against itself
        numbers = np.arange(len(black))
        return np.stack([black, white, numbers, np.ones_like(numbers)], axis=1).astype(np.int64)

    def measure(self, games: Games, generation: int) -> FloatVector:
        rows = self.draw(games.individuals, generation)
        return points(rows, games.play(rows), games.individuals, CHONG_POINTS)


@dataclass(frozen=True)
class RoundRobin(_WithinPopulation):
    """Every two individuals play double games (competitive CMA-ES, Jaskowski and Szubert 2016)."""

    games_each: int = 1  # double games per pair
    double_games: bool = True

    def measure(self, games: Games, generation: int) -> FloatVector:  # noqa: ARG002
        first, second = np.triu_indices(games.individuals, k=1)
        return average(_double_games(first, second, self.games_each), games)


@dataclass(frozen=True)
class TwoPopulations(_WithinPopulation):
    """Two populations, stacked; each individual meets all of the other population and none of its own."""

    games_each: int = 1
    double_games: bool = True

    def measure(self, games: Games, generation: int) -> FloatVector:  # noqa: ARG002
        half = games.individuals // 2
        first, second = np.divmod(np.arange(half * half), half)
        return average(_double_games(first, half + second, self.games_each), games)


def _double_games(first: IntVector, second: IntVector, games_each: int) -> Pairings:
    count = np.full(len(first), 2 * games_each)
    return np.stack([first, second, np.arange(len(first)) * 2 * games_each, count], axis=1).astype(np.int64)


def average(rows: Pairings, games: Games) -> FloatVector:
    """Average League points of each individual over its games."""
    counted = np.bincount(rows[:, :2].ravel(), np.repeat(rows[:, 3], 2), games.individuals)
    return np.asarray(points(rows, games.play(rows), games.individuals, LEAGUE_POINTS) / counted)


def points(
    rows: Pairings, outcomes: Outcomes, individuals: int, worth: tuple[float, float, float]
) -> FloatVector:
    """What each individual won, as the first and as the second of a pair."""
    first = outcomes @ np.array(worth)
    second = outcomes[:, ::-1] @ np.array(worth)
    return np.asarray(
        np.bincount(rows[:, 0], first, individuals) + np.bincount(rows[:, 1], second, individuals)
    )
