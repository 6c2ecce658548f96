"""Results of a match: points, and the confidence interval of their average.

>>> tally = Tally.of_disc_differences(np.array([4, -2, 10, 6, 0, 12]))
>>> tally.wins, tally.draws, tally.losses, round(tally.score, 3)
(4, 1, 1, 0.75)

Two players who choose nothing at random play the same games again and again, however long the match is. So
double games that repeat an earlier one are counted (repeats.py), and intervals and ratings rest on the
distinct ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Tally:
    """Results of the first player. The unit of chance is the double game: its two games share a start.
    `repeated`: double games that are the same as an earlier one, move for move."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    # How many double games gave 0, 1/4, 2/4, 3/4 and 4/4 of the points.
    double_games: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    repeated: int = 0

    @classmethod
    def of_disc_differences(cls, differences: npt.NDArray[np.integer], repeated: int = 0) -> Tally:
        """From disc differences for the first player: games in order, two for each double game."""
        half_points = np.sign(differences).astype(np.int64) + 1
        if len(half_points) % 2:
            raise ValueError("double games come in pairs of games")
        a, b, c, d, e = np.bincount(half_points.reshape(-1, 2).sum(axis=1), minlength=5).tolist()
        losses, draws, wins = np.bincount(half_points, minlength=3).tolist()
        return Tally(wins, draws, losses, (a, b, c, d, e), repeated)

    def __add__(self, other: Tally) -> Tally:
        if not isinstance(other, Tally):
            return NotImplemented
        a, b, c, d, e = (x + y for x, y in zip(self.double_games, other.double_games, strict=True))
        return Tally(
            self.wins + other.wins, self.draws + other.draws, self.losses + other.losses, (a, b, c, d, e),
            self.repeated + other.repeated,
        )  # fmt: skip

    @property
    def distinct(self) -> int:
        """Double games that repeat none before them."""
        return sum(self.double_games) - self.repeated

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Average points: win 1, draw 0.5, loss 0."""
        return (self.wins + 0.5 * self.draws) / self.games if self.games else float("nan")

    @property
    def standard_error(self) -> float:
        """Of the score, from the variance between double games, as many as are distinct."""
        if self.distinct < 2:
            return float("nan")
        points = np.arange(5) / 4
        shares = np.array(self.double_games) / sum(self.double_games)
        return float(np.sqrt(shares @ (points - shares @ points) ** 2 / (self.distinct - 1)))

    @property
    def ci95(self) -> tuple[float, float]:
        """The 95 % confidence interval of the score, by Wilson, from the variance between double games. If
        all of them ended alike, that is zero; then the exact (Clopper-Pearson) bound for a share of 0 or 1.
        """
        if self.distinct < 2:
            return 0.0, 1.0
        if self.standard_error == 0:
            return _interval(self.score, _unseen(self.distinct))
        return wilson_interval(self.score, self.standard_error)


@dataclass(frozen=True)
class FinishedGames(Tally):
    """Results of the first player without forfeited games; `double_games` are those with both games finished.

    >>> games = FinishedGames.without(np.array([4, 10, -64, 6, 2, -64, -8, 2]), forfeited=[2, 5])
    >>> games.wins, games.losses, round(games.score, 3)
    (5, 1, 0.833)
    """

    single_games: tuple[int, int, int] = (0, 0, 0)  # losses, draws and wins whose twin was forfeited

    @classmethod
    def without(
        cls, differences: npt.NDArray[np.integer], forfeited: Sequence[int] = (), repeated: int = 0
    ) -> FinishedGames:
        """As a tally, without the games of these numbers."""
        is_finished = np.ones(len(differences), dtype=bool)
        is_finished[list(forfeited)] = False
        finished_of_pair = is_finished.reshape(-1, 2).sum(axis=1).repeat(2)
        pairs = Tally.of_disc_differences(differences[finished_of_pair == 2])
        singles = np.sign(differences[is_finished & (finished_of_pair == 1)]).astype(np.int64) + 1
        lost, drawn, won = np.bincount(singles, minlength=3).tolist()
        repeated = min(repeated, sum(pairs.double_games))  # of a batch: all may repeat earlier ones
        return cls(
            pairs.wins + won, pairs.draws + drawn, pairs.losses + lost, pairs.double_games, repeated,
            (lost, drawn, won),
        )  # fmt: skip

    def __add__(self, other: Tally) -> FinishedGames:
        if not isinstance(other, Tally):
            return NotImplemented
        added = super().__add__(other)
        others = other.single_games if isinstance(other, FinishedGames) else (0, 0, 0)
        lost, drawn, won = (x + y for x, y in zip(self.single_games, others, strict=True))
        return FinishedGames(
            added.wins, added.draws, added.losses, added.double_games, added.repeated, (lost, drawn, won)
        )

    @property
    def ci95(self) -> tuple[float, float]:
        """As of a tally. A single game counts as half a double game: the variance is that of a ratio of
        sums over clusters of two games or one (Cochran 1977, section 6.3)."""
        if not any(self.single_games):
            return super().ci95
        points = np.array([0, 0.5, 1, 1.5, 2, 0, 0.5, 1])
        games = np.array([2] * 5 + [1] * 3)
        counts = np.array([*self.double_games, *self.single_games])
        count = int(counts.sum())
        distinct = count - self.repeated
        if distinct < 2:
            return 0.0, 1.0
        squares = float(counts @ (points - self.score * games) ** 2)
        if squares == 0:
            return _interval(self.score, _unseen(distinct))
        variance = squares * count / (distinct - 1) / self.games**2
        return wilson_interval(self.score, float(np.sqrt(variance)))


def wilson_interval(score: float, error: float) -> tuple[float, float]:
    """The 95 % interval of a score with a standard error: that of a share of as many games as have this error
    (Wilson 1927). It lies within 0..1.

    >>> [round(edge, 3) for edge in wilson_interval(0.98, 0.014)]  # a normal one would reach 1.007
    [0.93, 0.994]
    """
    if not 0 < score < 1:
        return _interval(score, _normal_quantile() * error)
    square = _normal_quantile() ** 2 * error**2 / (score * (1 - score))  # z^2 / n
    centre = (score + square / 2) / (1 + square)
    reach = math.sqrt(square * score * (1 - score) + square**2 / 4) / (1 + square)
    return centre - reach, centre + reach


def score_text(score: float, ci95: Sequence[float], digits: int = 4) -> str:
    """A score with its interval: "±" if that is the same on both sides.

    >>> score_text(0.95, (0.9481, 0.9519), 3), score_text(0.98, (0.931, 0.994), 3)
    ('0.950 ± 0.002', '0.980 (0.931 to 0.994)')
    """
    low, high = ci95
    below, above = f"{score - low:.{digits}f}", f"{high - score:.{digits}f}"
    if below == above:
        return f"{score:.{digits}f} ± {above}"
    return f"{score:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def _interval(score: float, reach: float) -> tuple[float, float]:
    return max(0.0, score - reach), min(1.0, score + reach)


def _unseen(count: int) -> float:
    """The share of other results that may exist though all of `count` were alike (Clopper-Pearson)."""
    from scipy import special

    return float(special.betaincinv(1, count, CONFIDENCE))


def _normal_quantile() -> float:
    from scipy import special

    return float(special.ndtri(0.5 + CONFIDENCE / 2))
