"""What a match's games add up to: points, and how far to trust them.

>>> tally = Tally.of_disc_differences(np.array([4, -2, 10, 6, 0, 12]))
>>> tally.wins, tally.draws, tally.losses, round(tally.score, 3)
(4, 1, 1, 0.75)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Tally:
    """Results of the first player. Double games are the unit of chance: their two games share a start."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    # How many double games gave 0, 1/4, 2/4, 3/4 and 4/4 of the points.
    double_games: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    @classmethod
    def of_disc_differences(cls, differences: npt.NDArray[np.integer]) -> Tally:
        """Games in order, two for each double game, as disc differences for the first player."""
        half_points = np.sign(differences).astype(np.int64) + 1
        if len(half_points) % 2:
            raise ValueError("double games come in pairs of games")
        pairs = np.bincount(half_points.reshape(-1, 2).sum(axis=1), minlength=5)
        losses, draws, wins = (int(n) for n in np.bincount(half_points, minlength=3))
        return cls(
            wins, draws, losses, (int(pairs[0]), int(pairs[1]), int(pairs[2]), int(pairs[3]), int(pairs[4]))
        )

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
        """Of the score, from how much double games differ."""
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

        Normal, from the spread of double games. If all of them ended alike there is no spread to go by;
        then the exact (Clopper-Pearson) bound for a share of 0 or 1.
        """
        from scipy import special

        count = sum(self.double_games)
        if count < 2:
            return 0.0, 1.0
        if max(self.double_games) == count:
            unseen = float(special.betaincinv(1, count, CONFIDENCE))
            return max(0.0, self.score - unseen), min(1.0, self.score + unseen)
        reach = float(special.ndtri(0.5 + CONFIDENCE / 2)) * self.standard_error
        return max(0.0, self.score - reach), min(1.0, self.score + reach)
