"""Results of a match: points, and the confidence interval of their average.

>>> tally = Tally.of_disc_differences(np.array([4, -2, 10, 6, 0, 12]))
>>> tally.wins, tally.draws, tally.losses, round(tally.score, 3)
(4, 1, 1, 0.75)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Tally:
    """Results of the first player. The unit of chance is the double game: its two games share a start."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    # How many double games gave 0, 1/4, 2/4, 3/4 and 4/4 of the points.
    double_games: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    @classmethod
    def of_disc_differences(cls, differences: npt.NDArray[np.integer]) -> Tally:
        """From disc differences for the first player: games in order, two for each double game."""
        half_points = np.sign(differences).astype(np.int64) + 1
        if len(half_points) % 2:
            raise ValueError("double games come in pairs of games")
        a, b, c, d, e = np.bincount(half_points.reshape(-1, 2).sum(axis=1), minlength=5).tolist()
        losses, draws, wins = np.bincount(half_points, minlength=3).tolist()
        return Tally(wins, draws, losses, (a, b, c, d, e))

    def __add__(self, other: Tally) -> Tally:
        a, b, c, d, e = (x + y for x, y in zip(self.double_games, other.double_games, strict=True))
        return Tally(
            self.wins + other.wins, self.draws + other.draws, self.losses + other.losses, (a, b, c, d, e)
        )

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Average points: win 1, draw 0.5, loss 0."""
        return (self.wins + 0.5 * self.draws) / self.games if self.games else float("nan")

    @property
    def standard_error(self) -> float:
        """Of the score, from the variance between double games."""
        count = sum(self.double_games)
        if count < 2:
            return float("nan")
        points = np.arange(5) / 4
        shares = np.array(self.double_games) / count
        variance = float(shares @ (points - shares @ points) ** 2) * count / (count - 1)
        return float(np.sqrt(variance / count))

    @property
    def ci95(self) -> tuple[float, float]:
        """The 95 % confidence interval of the score.

        Normal, from the variance between double games. If all of them ended alike, that is zero; then the
        exact (Clopper-Pearson) bound for a share of 0 or 1.
        """
        count = sum(self.double_games)
        if count < 2:
            return 0.0, 1.0
        if max(self.double_games) == count:
            return _interval(self.score, _unseen(count))
        return _interval(self.score, _normal_quantile() * self.standard_error)


@dataclass(frozen=True)
class FinishedGames(Tally):
    """Results of the first player without forfeited games; `double_games` are those with both games finished.

    >>> games = FinishedGames.of_disc_differences(np.array([4, 10, -64, 6, 2, -64, -8, 2]), forfeited=[2, 5])
    >>> games.wins, games.losses, round(games.score, 3)
    (5, 1, 0.833)
    """

    single_games: tuple[int, int, int] = (0, 0, 0)  # losses, draws and wins whose twin was forfeited

    @classmethod
    def of_disc_differences(
        cls, differences: npt.NDArray[np.integer], forfeited: Sequence[int] = ()
    ) -> FinishedGames:
        """As a tally, without the games of these numbers."""
        is_finished = np.ones(len(differences), dtype=bool)
        is_finished[list(forfeited)] = False
        finished_of_pair = is_finished.reshape(-1, 2).sum(axis=1).repeat(2)
        pairs = Tally.of_disc_differences(differences[finished_of_pair == 2])
        singles = np.sign(differences[is_finished & (finished_of_pair == 1)]).astype(np.int64) + 1
        lost, drawn, won = np.bincount(singles, minlength=3).tolist()
        return cls(
            pairs.wins + won, pairs.draws + drawn, pairs.losses + lost, pairs.double_games, (lost, drawn, won)
        )

    def __add__(self, other: Tally) -> FinishedGames:
        added = super().__add__(other)
        others = other.single_games if isinstance(other, FinishedGames) else (0, 0, 0)
        lost, drawn, won = (x + y for x, y in zip(self.single_games, others, strict=True))
        return FinishedGames(added.wins, added.draws, added.losses, added.double_games, (lost, drawn, won))

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
        if count < 2:
            return 0.0, 1.0
        squares = float(counts @ (points - self.score * games) ** 2)
        if squares == 0:
            return _interval(self.score, _unseen(count))
        variance = squares * count / (count - 1) / self.games**2
        return _interval(self.score, _normal_quantile() * float(np.sqrt(variance)))


def _interval(score: float, reach: float) -> tuple[float, float]:
    return max(0.0, score - reach), min(1.0, score + reach)


def _unseen(count: int) -> float:
    """The share of other results that may exist though all of `count` were alike (Clopper-Pearson)."""
    from scipy import special

    return float(special.betaincinv(1, count, CONFIDENCE))


def _normal_quantile() -> float:
    from scipy import special

    return float(special.ndtri(0.5 + CONFIDENCE / 2))
