"""Fitness by games against players that do not evolve: the League score, and expected utility.

A measure returns one number per individual, the higher the better. All individuals of a generation play the
same numbered games, so they draw the same random streams (common random numbers); the next generation draws
others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from outflank.arguments import check_whole
from outflank.learners.fitness.population import Games, Opponents, Outcomes, Pairings, scores
from outflank.learners.optimisers.optimiser import FloatVector, stream
from outflank.players.greedy import Player
from outflank.players.names import NamedPlayer
from outflank.suggestions import shown

# A measure draws from stream(seed, MEASURE_STREAMS + generation): the lower streams are the optimiser's.
MEASURE_STREAMS = 1 << 40


class Measure(Protocol):
    """How fit the individuals of a generation are."""

    @property
    def double_games(self) -> bool:
        """Whether games come in pairs with colours swapped; else the first player is Black."""
        ...

    def opponents(self, generation: int) -> Opponents:
        """The fixed opponents of that generation."""
        ...

    def measure(self, games: Games, generation: int) -> FloatVector: ...


@dataclass(frozen=True)
class LeagueScore:
    """Average points against fixed players (Kim 2007: 1,000 games; Jaskowski 2014: 1,000 double games). The
    number of double games may grow with the generations: few are enough to tell early individuals apart."""

    players: tuple[NamedPlayer, ...]
    first_double_games: int
    last_double_games: int
    generations: int
    double_games: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.players, tuple | list) or not all(isinstance(p, Player) for p in self.players):
            raise TypeError(
                f"players are a tuple of players, as named_player(...); got {shown(self.players)}"
            )
        for what in ("first_double_games", "last_double_games", "generations"):
            check_whole(what, getattr(self, what))

    def opponents(self, generation: int) -> Opponents:  # noqa: ARG002
        return Opponents(self.players)

    def double_games_in(self, generation: int) -> int:
        """Geometric growth: the same factor each generation."""
        if self.first_double_games == self.last_double_games:
            return self.first_double_games
        share = generation / max(self.generations - 1, 1)
        growth = float(self.last_double_games / self.first_double_games)
        return int(self.first_double_games * growth**share + 0.5)

    def measure(self, games: Games, generation: int) -> FloatVector:
        count = 2 * self.double_games_in(generation)
        rows = against_all(games.individuals, len(games.population.opponents), 0, count)
        return mean_score(games.play(rows), games.individuals)


@dataclass(frozen=True)
class ExpectedUtility:
    """Average points against random piece counters, weights uniform in [-1, 1], drawn anew for each
    generation (Chong 2012, Jaskowski 2013)."""

    counters: int
    games_each: int  # double games
    seed: int
    double_games: bool = True

    def opponents(self, generation: int) -> Opponents:
        drawn = stream(self.seed, MEASURE_STREAMS + generation).uniform(-1, 1, (self.counters, 64))
        return Opponents(piece_counters=drawn)

    def measure(self, games: Games, generation: int) -> FloatVector:  # noqa: ARG002
        rows = against_all(games.individuals, self.counters, 0, 2 * self.games_each)
        return mean_score(games.play(rows), games.individuals)


def against_all(individuals: int, opponents: int, first_game: int, games: int) -> Pairings:
    """Every individual against every opponent; the games against each opponent have their own numbers."""
    individual, opponent = np.divmod(np.arange(individuals * opponents), opponents)
    numbers = first_game + opponent * (1 << 32)
    counts = np.full(len(individual), games)
    return np.stack([individual, individuals + opponent, numbers, counts], axis=1).astype(np.int64)


def mean_score(outcomes: Outcomes, individuals: int) -> FloatVector:
    """The score of each individual; the rows belong to them in turn, equally many to each."""
    return scores(outcomes.reshape(individuals, -1, 3).sum(axis=1))
