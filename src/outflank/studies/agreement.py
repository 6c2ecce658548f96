"""Whether a number of ours agrees with the paper's: a two-sample test, and a margin within which two numbers
count as equal.

>>> found = of_shares(10, 10, 5, 10)  # ten of ten games in the paper, five of ten here
>>> round(found.difference, 2), round(found.p, 3), found.agrees(0.05)
(-0.5, 0.033, False)
>>> of_shares(300, 400, 3, 4).agrees(0.05) is None  # equal, but four games could not have said otherwise
True
>>> of_shares(30_000, 40_000, 30_100, 40_000).agrees(0.05)
True

Absence of a significant difference is no evidence of equality: two numbers agree if no test tells them apart
*and* the 95 % interval of their difference lies within the margin, so that the data could have refused. An
interval that is wider says nothing either way (Lakens 2017, "Equivalence tests").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outflank.studies.inference import Samples, mann_whitney, share_interval

SIGNIFICANT = 0.05
FISHER_GAMES = 2_000  # whole counts up to this size are tested exactly
Z = 1.959963984540054  # the normal distribution's 97.5 % quantile


@dataclass(frozen=True)
class Agreement:
    """Ours less the paper's with its 95 % interval, and the p-value of the test that fits; of two tests the
    smaller one, and the larger one."""

    difference: float
    ci95: tuple[float, float]
    p: float
    test: str
    larger_p: float | None = None

    def agrees(self, margin: float) -> bool | None:
        """True: equal within the margin. False: significantly different, by both tests if there are two.
        None: the data cannot tell.

        >>> agreement = Agreement(0.1, (0.01, 0.19), 0.03, "two tests", larger_p=0.08)
        >>> agreement.agrees(0.2) is None  # the tests contradict each other
        True
        """
        if self.p < SIGNIFICANT:
            return False if self.larger_p is None or self.larger_p < SIGNIFICANT else None
        return True if -margin <= self.ci95[0] and self.ci95[1] <= margin else None


def of_runs(paper: Samples, ours: Samples) -> Agreement:
    """Runs of the paper against runs of ours: Welch's t-test and the Mann-Whitney test. *Reproduced* has
    passed both, *differs* is refused by both.

    >>> of_runs([0.5, 0.6, 0.7], [0.6, 0.7, 0.8]).test
    'Welch p = 0.29, Mann-Whitney p = 0.37'
    """
    from scipy import stats

    if min(len(paper), len(ours)) < 2:
        raise ValueError("two samples need at least two runs each")
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(paper, dtype=np.float64)
    (ranks,) = mann_whitney({"ours": a, "paper": b})
    difference = float(a.mean() - b.mean())
    parts = [float(of.var(ddof=1)) / of.size for of in (a, b)]
    error = float(np.sqrt(sum(parts)))
    if error == 0:
        p, interval = float(difference == 0), (difference, difference)
    else:
        free = sum(parts) ** 2 / sum(part**2 / (of.size - 1) for part, of in zip(parts, (a, b), strict=True))
        p = 2 * float(stats.t.sf(abs(difference) / error, free))
        reach = float(stats.t.ppf(0.975, free)) * error
        interval = difference - reach, difference + reach
    return Agreement(
        difference, interval, min(p, ranks.p), f"Welch p = {p:.2g}, Mann-Whitney p = {ranks.p:.2g}",
        larger_p=max(p, ranks.p),
    )  # fmt: skip


def of_one_run(paper: float, variance: float, runs: int, deviation: float, mean: float) -> Agreement:
    """One run of the paper against several, of which mean and standard deviation are known. It varies as they
    do, and at least as the games behind it let it (`variance`): Student's test of one against k, Welch's
    where the games weigh more.

    >>> of_one_run(0.64, 0.25 / 800, 6, 0.022, 0.503).agrees(0.05)
    False
    >>> of_one_run(0.50, 0.25 / 800, 6, 0.053, 0.497).agrees(0.05) is None
    True
    """
    from scipy import stats

    if runs < 2:
        raise ValueError("the spread of runs needs at least two of them")
    own = deviation**2
    error = float(np.sqrt(own / runs + max(own, variance)))
    difference = mean - paper
    test = f"one run against {runs}"
    if error == 0:
        return Agreement(difference, (difference, difference), float(difference == 0), test)
    free = runs - 1.0
    if variance > own > 0:  # Welch-Satterthwaite: the games' variance is known
        free *= (error**2 / (own / runs)) ** 2
    p = 2 * float(stats.t.sf(abs(difference) / error, free))
    reach = float(stats.t.ppf(0.975, free)) * error
    return Agreement(difference, (difference - reach, difference + reach), p, f"{test}, Student p = {p:.2g}")


def of_shares(paper_wins: float, paper_games: int, wins: float, games: int) -> Agreement:
    """Two shares of independent games: Fisher's exact test of whole counts, the score test where draws count
    half or games are many; Newcombe's interval of the difference (Newcombe 1998, method 10)."""
    from scipy import stats

    a, b = wins / games, paper_wins / paper_games
    (a_low, a_high), (b_low, b_high) = share_interval(wins, games), share_interval(paper_wins, paper_games)
    interval = (
        a - b - float(np.hypot(a - a_low, b_high - b)), a - b + float(np.hypot(a_high - a, b - b_low))
    )  # fmt: skip
    if wins == int(wins) and paper_wins == int(paper_wins) and games + paper_games <= FISHER_GAMES:
        table = [[int(wins), games - int(wins)], [int(paper_wins), paper_games - int(paper_wins)]]
        p, name = float(stats.fisher_exact(np.array(table))[1]), "Fisher"
    else:
        pooled = (wins + paper_wins) / (games + paper_games)
        error = float(np.sqrt(pooled * (1 - pooled) * (1 / games + 1 / paper_games)))
        p = 2 * float(stats.norm.sf(abs(a - b) / error)) if error else 1.0
        name = "score test"
    return Agreement(a - b, interval, p, f"{name} p = {p:.2g}")


def of_measurements(paper: float, paper_error: float, ours: float, error: float) -> Agreement:
    """Two measured values with their standard errors: the z-test.

    >>> of_measurements(0.9584, 0.0006, 0.9597, 0.0004).test
    'z-test p = 0.071'
    """
    from scipy import stats

    both, difference = float(np.hypot(paper_error, error)), ours - paper
    p = 2 * float(stats.norm.sf(abs(difference) / both)) if both else float(difference == 0)
    return Agreement(difference, (difference - Z * both, difference + Z * both), p, f"z-test p = {p:.2g}")


def variance_of_share(share: float, games: int) -> float:
    """The variance of a share of games, with two wins and two losses added, so that a share of 1 has one too
    (Agresti and Coull 1998).

    >>> round(variance_of_share(1.0, 10), 4)
    0.0087
    """
    moved = (share * games + 2) / (games + 4)
    return moved * (1 - moved) / (games + 4)


def same_sign(interval: Sequence[float], bound: float) -> bool | None:
    """Whether an interval lies above the bound (True), below it (False), or holds it (None).

    >>> same_sign((0.1, 0.2), 0), same_sign((-0.2, -0.1), 0), same_sign((-1, 1), 0)
    (True, False, None)
    """
    low, high = interval
    return True if low > bound else False if high < bound else None
