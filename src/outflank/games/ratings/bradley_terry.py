"""Bradley-Terry ratings of players that met in many double games, on the Elo scale.

>>> beats = Tally(wins=150, draws=0, losses=50, double_games=(10, 0, 30, 0, 60))
>>> ratings = bradley_terry(["strong", "weak"], {("strong", "weak"): beats})
>>> ratings.values.round(1).tolist()  # 190.8 apart: 400 log10(0.75 / 0.25)
[95.4, -95.4]
>>> low, high = ratings.ci95[0]
>>> round(low, 1), round(high, 1)
(64.6, 126.3)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.arguments import check_several
from outflank.games.statistics import CONFIDENCE, Tally
from outflank.suggestions import shown

ELO = 400 / np.log(10)  # a difference of 400 stands for odds of ten to one
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ratings:
    """Ratings of the players in their order; their mean is 0."""

    players: tuple[str, ...]
    values: FloatArray
    covariance: FloatArray
    has_prior: bool  # whether results alone gave no finite ratings, see bradley_terry

    @property
    def ci95(self) -> list[tuple[float, float]]:
        """The 95 % confidence interval of each rating, as its distance from the mean of all."""
        reach = normal_reach(np.diagonal(self.covariance))
        return [(float(v - r), float(v + r)) for v, r in zip(self.values, reach, strict=True)]

    def expected_score(self, player: str, opponent: str) -> float:
        """The player's expected score against an opponent, by their ratings."""
        from scipy.special import expit

        a, b = (self.values[self.players.index(name)] for name in (player, opponent))
        return float(expit((a - b) / ELO))


def bradley_terry(players: Sequence[str], results: Mapping[tuple[str, str], Tally]) -> Ratings:
    """The most likely ratings if A takes 1 / (1 + 10^((B - A) / 400)) of the points against B.

    A draw is half a win (Bradley and Terry 1952; draws as in Elo's system). `results` holds at most one
    tally per pair, of the player named first.

    Where some players took no point from the others, the most likely ratings are infinitely far apart
    (Ford 1957: they are finite if and only if points lead from every player to every other). Then each player
    is given one drawn double game against an imaginary player, and `has_prior` is set (fictitious games as a
    prior: Whelan 2017).
    """
    meetings = _Meetings.of(players, results)
    has_prior = not meetings.is_finite
    fitted = meetings.with_imaginary_player() if has_prior else meetings
    strengths = _most_likely(fitted)
    spread = _covariance(fitted, strengths)
    count = len(players)
    centre = np.eye(count) - 1 / count
    return Ratings(
        tuple(players),
        ELO * centre @ strengths[:count],
        ELO**2 * centre @ spread[:count, :count] @ centre,
        has_prior,
    )


def double_game_variance(tally: Tally) -> float:
    """The variance of the results of double games (0 to 1).

    Half a won and half a lost double game are added (Jeffreys' prior), so that neither identical results
    nor a single one count as certain. Repeated double games count together as one.
    """
    distinct = tally.distinct / max(1, sum(tally.double_games))
    counts = distinct * np.array(tally.double_games) + np.array([0.5, 0, 0, 0, 0.5])
    points = np.arange(5) / 4
    mean = counts @ points / counts.sum()
    return float(counts @ (points - mean) ** 2 / (counts.sum() - 1))


def variance_of_sum(tally: Tally) -> float:
    """The variance of the sum of the results of all double games, of which the distinct ones are independent
    of each other."""
    played = sum(tally.double_games)
    return played**2 / max(1, tally.distinct) * double_game_variance(tally)


@dataclass(frozen=True)
class _Meetings:
    """How many points each player took from each other."""

    points: FloatArray  # [player, opponent], a draw is half a point for each
    variance: FloatArray  # [player, opponent] of the points taken, the same in both directions

    @classmethod
    def of(cls, players: Sequence[str], results: Mapping[tuple[str, str], Tally]) -> _Meetings:
        from scipy.sparse.csgraph import connected_components

        check_several("ratings are of a list of players' names", players)
        if not all(isinstance(player, str) for player in players):
            raise TypeError(f"ratings are of a list of players' names, got {shown(players)}")
        if not isinstance(results, Mapping) or not all(
            isinstance(tally, Tally) for tally in results.values()
        ):
            raise TypeError(f"results are tallies by pairs of players, got {shown(results)}")
        if len(players) < 2 or len(set(players)) < len(players):
            raise ValueError("ratings are of two or more players, each named once")
        number = {player: i for i, player in enumerate(players)}
        points, variance = np.zeros((len(players), len(players))), np.zeros((len(players), len(players)))
        for (first, second), tally in results.items():
            if unknown := {first, second} - set(players):
                raise ValueError(
                    f"there is a result of {shown(unknown.pop())}, who is not one of the players"
                )
            a, b = number[first], number[second]
            if a == b or points[a, b] + points[b, a]:
                raise ValueError(f"there is more than one result between {first} and {second}")
            points[a, b] = tally.wins + tally.draws / 2
            points[b, a] = tally.losses + tally.draws / 2
            variance[a, b] = variance[b, a] = 4 * variance_of_sum(tally)  # points are twice the results
        groups, group = connected_components(points > 0, connection="weak")
        if groups > 1:
            stranger = players[int(np.argmax(group != group[0]))]
            raise ValueError(
                f"{players[0]} and {stranger} cannot be compared: they met neither each other nor, "
                "through other players, opponents in common"
            )
        return cls(points, variance)

    @property
    def is_finite(self) -> bool:
        from scipy.sparse.csgraph import connected_components

        return int(connected_components(self.points > 0, connection="strong")[0]) == 1

    def with_imaginary_player(self) -> _Meetings:
        """With one more player, last, against whom everyone drew two games; these have no variance."""
        count = len(self.points)
        points, variance = np.ones((count + 1, count + 1)), np.zeros((count + 1, count + 1))
        points[count, count] = 0
        points[:count, :count], variance[:count, :count] = self.points, self.variance
        return _Meetings(points, variance)


def _most_likely(meetings: _Meetings) -> FloatArray:
    """The strengths (natural logarithms of odds) that give the points the highest likelihood.

    Only differences matter, so the search is within strengths whose sum is 0, where the likelihood is
    strictly concave: the orthonormal rows of Helmert's matrix span them.
    """
    from scipy.linalg import helmert
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit

    basis: FloatArray = helmert(len(meetings.points))
    games = meetings.points.sum()
    points = meetings.points / games

    def loss(at: FloatArray) -> float:
        strengths = at @ basis
        return float(-(points * log_expit(strengths[:, None] - strengths)).sum())

    def gradient(at: FloatArray) -> FloatArray:
        strengths = at @ basis
        lacking = points * expit(strengths - strengths[:, None])  # points times 1 - expected share
        return np.asarray(basis @ (lacking.sum(axis=0) - lacking.sum(axis=1)))

    def curvature(at: FloatArray) -> FloatArray:
        return basis @ _information(points, at @ basis) @ basis.T

    start, near = np.zeros(len(basis)), 1e-3 / games  # a thousandth of a point
    found = minimize(loss, start, jac=gradient, hess=curvature, method="trust-exact", options={"gtol": near})
    at = np.asarray(found.x, dtype=np.float64)
    for _ in range(3):  # Newton steps to the last digits, where the loss itself no longer changes
        at = at - np.linalg.solve(curvature(at), gradient(at))
    return np.asarray(at @ basis, dtype=np.float64)


def _information(points: FloatArray, strengths: FloatArray) -> FloatArray:
    """The observed information: minus the second derivatives of the log likelihood."""
    from scipy.special import expit

    gap = strengths[:, None] - strengths
    weights: FloatArray = (points + points.T) * expit(gap) * expit(-gap)
    return np.diag(weights.sum(axis=1)) - weights


def _covariance(meetings: _Meetings, strengths: FloatArray) -> FloatArray:
    """The covariance of the strengths, if the double games were played again.

    The sandwich of observed information and the variance of the score. The information alone would treat all
    games as independent and draws as random half wins; but the two games of a double game share a start, on
    which the better player may win both, or each side its Black game. So the filling is the observed variance
    of double games within each pair, since pairings are not random. Compared with a bootstrap, this needs no
    random numbers and a thousandth of the time.
    """
    from scipy.linalg import helmert

    basis: FloatArray = helmert(len(strengths))
    bread = np.linalg.inv(basis @ _information(meetings.points, strengths) @ basis.T)
    variance = np.diag(meetings.variance.sum(axis=1)) - meetings.variance
    return basis.T @ bread @ (basis @ variance @ basis.T) @ bread @ basis


def normal_reach(variance: FloatArray) -> FloatArray:
    """Half the width of a 95 % confidence interval of something normally distributed."""
    from scipy.special import ndtri

    return np.asarray(ndtri(0.5 + CONFIDENCE / 2) * np.sqrt(variance), dtype=np.float64)
