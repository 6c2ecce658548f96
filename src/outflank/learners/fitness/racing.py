"""Racing: games are dealt in rounds, and individuals that can no longer be selected stop playing.

All individuals still in the race play the same numbered games (common random numbers). After each round, an
individual is out if at least as many others as will be selected are surely better, and in if fewer than that
can possibly be better. CMA-ES weighs the selected by their rank, so there individuals that are in race on.
Survivors keep the games of earlier generations: a parent is known better with each generation it survives, so
one lucky generation does not keep it alive.

"Surely" refers to normal intervals of the scores. Common streams make the scores of one generation rise and
fall together, so differences are known better than these intervals say: the race stops too late rather than
too early. (Maron and Moore 1994 for races; Heidrich-Meisner and Igel 2009 for races within evolution
strategies.)
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from outflank.learners.fitness.fixed_opponents import LeagueScore, against_all
from outflank.learners.fitness.population import Games, Opponents, Outcomes, scores
from outflank.learners.optimisers.optimiser import FloatVector, IntVector

REACH = 1.96  # standard errors: 95 % intervals
FIRST_ROUND = 20  # the first round is one twentieth of all double games


@dataclass
class RacedScore:
    """A League score that drops hopeless individuals early."""

    score: LeagueScore
    selected: int
    rank_counts: bool = False  # the order of the selected matters too
    # Wins, draws, losses of the last generation's individuals; and the row in it of each survivor.
    tallies: Outcomes = field(default_factory=lambda: np.zeros((0, 3), dtype=np.int64))
    survivors: IntVector = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    double_games: bool = True

    def opponents(self, generation: int) -> Opponents:
        return self.score.opponents(generation)

    def measure(self, games: Games, generation: int) -> FloatVector:
        individuals = games.individuals
        tallies = np.zeros((individuals, 3), dtype=np.int64)
        tallies[: len(self.survivors)] = self.tallies[self.survivors]
        racing = np.arange(individuals)
        opponents = len(games.population.opponents)
        at = 0
        for count in _rounds(self.score.double_games_in(generation)):
            rows = against_all(individuals, opponents, 2 * at, 2 * count)
            rows = rows[np.isin(rows[:, 0], racing)]
            np.add.at(tallies, rows[:, 0], games.play(rows))
            at += count
            racing = undecided(tallies, self.selected, racing, self.rank_counts)
            if len(racing) == 0:
                break
        self.tallies = tallies
        return scores(tallies)


def _rounds(double_games: int) -> list[int]:
    """Double games of each round: few at first, to drop the clearly bad, then doubling."""
    rounds = [max(1, double_games // FIRST_ROUND)]
    while sum(rounds) < double_games:
        rounds.append(min(sum(rounds), double_games - sum(rounds)))
    return rounds


def undecided(tallies: Outcomes, selected: int, racing: IntVector, rank_counts: bool = False) -> IntVector:
    """Those still racing that are neither surely outside the `selected` best nor, unless their rank counts,
    surely among them."""
    low, high = _interval(tallies)
    surely_above = (low[None, :] > high[:, None]).sum(axis=1)
    perhaps_above = (high[None, :] > low[:, None]).sum(axis=1) - 1  # not counting itself
    is_out = surely_above >= selected
    is_in = (perhaps_above < selected) & (not rank_counts)
    return np.asarray(racing[~(is_out | is_in)[racing]])


def _interval(tallies: Outcomes) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Intervals of the scores, shrunk towards one half so that few games leave some doubt (Agresti and Coull
    1998: add two wins and two losses)."""
    games = tallies.sum(axis=1) + 4
    score = (tallies[:, 0] + 0.5 * tallies[:, 1] + 2) / games
    reach = REACH * np.sqrt(score * (1 - score) / games)
    return score - reach, score + reach
