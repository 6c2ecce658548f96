"""Racing: games are dealt in rounds, and who can no longer be among the chosen plays no more.

All individuals still racing play the same numbered games (common random numbers). After each round, an
individual is out when so many others stand surely above it as will be chosen, and in when so few stand
surely or possibly above it that it will be chosen whatever comes. CMA-ES weighs the chosen by their rank, so
there who is in races on. Survivors keep the games of earlier
generations: a parent is known better with each generation it lives, so a lucky day does not keep it.

"Surely" is by normal intervals of the scores. Common streams make scores of one generation rise and fall
together, so differences are known better than these intervals say: they err on the side of playing on.
(Maron and Moore 1994 for races; Heidrich-Meisner and Igel 2009 for races within evolution strategies.)
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from outflank.learners.fitness.contest import Games, Opponents, Outcomes, scores
from outflank.learners.fitness.fixed_opponents import LeagueScore, against_all
from outflank.learners.optimisers.optimiser import FloatVector, IntVector

REACH = 1.96  # standard errors: 95 % intervals
LARGEST_SHARE = 20  # of the first round in all double games


@dataclass
class RacedScore:
    """A League score in which hopeless individuals are given up early."""

    score: LeagueScore
    choosing: int
    rank_counts: bool = False  # the order of the chosen matters too
    # Wins, draws, losses of the individuals of the last generation, and where survivors find theirs.
    tallies: Outcomes = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    kept: IntVector = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    double_games: bool = True

    def opponents(self, generation: int) -> Opponents:
        return self.score.opponents(generation)

    def measure(self, games: Games, generation: int) -> FloatVector:
        individuals = games.individuals
        tallies = np.zeros((individuals, 3), dtype=np.int64)
        tallies[: len(self.kept)] = self.tallies[self.kept]
        racing = np.arange(individuals)
        opponents = len(games.contest.opponents)
        at = 0
        for count in _rounds(self.score.double_games_in(generation)):
            rows = against_all(individuals, opponents, 2 * at, 2 * count)
            rows = rows[np.isin(rows[:, 0], racing)]
            np.add.at(tallies, rows[:, 0], games.play(rows))
            at += count
            racing = undecided(tallies, self.choosing, racing, self.rank_counts)
            if len(racing) == 0:
                break
        self.tallies = tallies
        return scores(tallies)


def _rounds(double_games: int) -> list[int]:
    """Double games of each round: few at first, for those that are clearly bad, then twice as many."""
    rounds = [max(1, double_games // LARGEST_SHARE)]
    while sum(rounds) < double_games:
        rounds.append(min(sum(rounds), double_games - sum(rounds)))
    return rounds


def undecided(tallies: Outcomes, choosing: int, racing: IntVector, rank_counts: bool = False) -> IntVector:
    """Those still racing that are not surely out of the `choosing` best; nor, unless their rank counts,
    surely among them."""
    low, high = _interval(tallies)
    surely_above = (low[None, :] > high[:, None]).sum(axis=1)
    perhaps_above = (high[None, :] > low[:, None]).sum(axis=1) - 1  # not counting itself
    is_out = surely_above >= choosing
    is_in = (perhaps_above < choosing) & (not rank_counts)
    return np.asarray(racing[~(is_out | is_in)[racing]])


def _interval(tallies: Outcomes) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Intervals of the scores, pulled a little towards one half so that none is certain after few games
    (Agresti and Coull 1998: two wins and two losses more)."""
    games = tallies.sum(axis=1) + 4
    score = (tallies[:, 0] + 0.5 * tallies[:, 1] + 2) / games
    reach = REACH * np.sqrt(score * (1 - score) / games)
    return score - reach, score + reach
