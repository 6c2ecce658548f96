"""Fitness by games against players that do not evolve: the League score, and expected utility.

A measure is asked for one number an individual, the higher the better; how the numbers are used is the
optimiser's business. All individuals of a generation play the same numbered games, so they draw the same
random streams (common random numbers), and the next generation draws others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from outflank.learners.fitness.contest import Games, Opponents, Outcomes, Pairings, scores
from outflank.learners.optimisers.optimiser import FloatVector, stream

# Numbers within stream(seed, generation) are the optimiser's; a measure draws from a stream of its own.
DRAWS = 1 << 40


class Measure(Protocol):
    """How fit the individuals of a generation are."""

    @property
    def double_games(self) -> bool:
        """Whether games come in pairs with colours swapped; else the first player is Black."""
        ...

    def opponents(self, generation: int) -> Opponents:
        """The fixed players of that generation."""
        ...

    def measure(self, games: Games, generation: int) -> FloatVector: ...


@dataclass(frozen=True)
class LeagueScore:
    """Average points against one or several fixed players (Kim 2007: 1,000 games; Jaskowski 2014: 1,000
    double games). The number of double games may grow with the generations: while individuals differ
    much, few games tell them apart."""

    names: tuple[str, ...]
    first_double_games: int
    last_double_games: int
    generations: int
    double_games: bool = True

    def opponents(self, generation: int) -> Opponents:  # noqa: ARG002
        return Opponents(self.names)

    def double_games_in(self, generation: int) -> int:
        """Geometric growth: the same factor each generation."""
        if self.first_double_games == self.last_double_games:
            return self.first_double_games
        share = generation / max(self.generations - 1, 1)
        growth = float(self.last_double_games / self.first_double_games)
        return int(self.first_double_games * growth**share + 0.5)

    def measure(self, games: Games, generation: int) -> FloatVector:
        count = 2 * self.double_games_in(generation)
        rows = against_all(games.individuals, len(games.contest.opponents), 0, count)
        return mean_score(games.play(rows), games.individuals)


@dataclass(frozen=True)
class ExpectedUtility:
    """Average points against random piece counters, weights uniform in [-1, 1], other ones in each
    generation (Chong 2012, Jaskowski 2013)."""

    counters: int
    games_each: int  # double games
    seed: int
    double_games: bool = True

    def opponents(self, generation: int) -> Opponents:
        drawn = stream(self.seed, DRAWS + generation).uniform(-1, 1, (self.counters, 64))
        return Opponents(piece_counters=drawn)

    def measure(self, games: Games, generation: int) -> FloatVector:  # noqa: ARG002
        rows = against_all(games.individuals, self.counters, 0, 2 * self.games_each)
        return mean_score(games.play(rows), games.individuals)


def against_all(individuals: int, opponents: int, first_game: int, games: int) -> Pairings:
    """Every individual against every opponent; the games against opponent k have numbers of their own."""
    individual, opponent = np.divmod(np.arange(individuals * opponents), opponents)
    return np.stack(
        [
            individual,
            individuals + opponent,
            first_game + opponent * (1 << 32),
            np.full(len(individual), games),
        ],
        axis=1,
    ).astype(np.int64)


def mean_score(outcomes: Outcomes, individuals: int) -> FloatVector:
    """Of rows that belong to the individuals in turn, equally many to each."""
    return scores(outcomes.reshape(individuals, -1, 3).sum(axis=1))
