"""The papers' statistics, by SciPy: intervals, rank tests with Holm's correction, fits, bootstrap bands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Samples = Sequence[float] | npt.NDArray[np.float64]
FloatArray = npt.NDArray[np.float64]
RESAMPLES = 2000


def share_interval(wins: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share; draws count half a win, so `wins` need not be whole.

    >>> low, high = share_interval(135 + 3, 200)
    >>> round(low, 3), round(high, 3)
    (0.623, 0.75)
    """
    from scipy import special

    if not 0 <= wins <= games or games < 1:
        raise ValueError(f"a share is 0 to all of at least one game, got {wins:g} of {games}")
    z2 = float(special.ndtri(0.975)) ** 2
    share = wins / games
    centre = (share + z2 / (2 * games)) / (1 + z2 / games)
    reach = np.sqrt(z2 * (share * (1 - share) / games + z2 / (4 * games**2))) / (1 + z2 / games)
    return max(0.0, float(centre - reach)), min(1.0, float(centre + reach))


def mean_interval(samples: Samples) -> tuple[float, float]:
    """Student's 95 % interval of the mean of at least two samples.

    >>> low, high = mean_interval([1.0, 2.0, 3.0])
    >>> round(low, 2), round(high, 2)
    (-0.48, 4.48)
    """
    from scipy import stats

    values = np.asarray(samples, dtype=np.float64)
    if values.size < 2:
        raise ValueError("an interval of the mean needs at least two samples")
    error = float(stats.sem(values))
    if error == 0:
        return float(values.mean()), float(values.mean())
    low, high = stats.t.interval(0.95, values.size - 1, loc=values.mean(), scale=error)
    return float(low), float(high)


def bootstrap_interval(
    samples: Samples, statistic: Callable[..., Any] = np.mean, seed: int = 1
) -> tuple[float, float]:
    """The 95 % percentile interval of a statistic of samples drawn again and again.

    >>> low, high = bootstrap_interval(np.arange(100.0), np.median)
    >>> bool(30 < low < 49.5 < high < 70)
    True
    """
    from scipy import stats

    values = np.asarray(samples, dtype=np.float64)
    if values.size < 2:
        raise ValueError("a bootstrap needs at least two samples")
    found = stats.bootstrap((values,), statistic, n_resamples=RESAMPLES, method="percentile",
                            rng=np.random.default_rng(seed))  # fmt: skip
    return float(found.confidence_interval.low), float(found.confidence_interval.high)


def bootstrap_band(curves: FloatArray, seed: int = 1) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Lower edge, mean and upper edge of the mean curve, from resampling whole runs: [runs, points].

    >>> low, mean, high = bootstrap_band(np.array([[0.0, 1.0], [0.0, 3.0]]))
    >>> low, mean, high
    (array([0., 1.]), array([0., 2.]), array([0., 3.]))
    """
    chosen = np.random.default_rng(seed).integers(len(curves), size=(RESAMPLES, len(curves)))
    means = curves[chosen].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975), axis=0)
    return low, curves.mean(axis=0), high


@dataclass(frozen=True)
class Comparison:
    """A rank test between two methods."""

    first: str
    second: str
    u: float
    p: float
    p_holm: float  # among all comparisons made together

    @property
    def text(self) -> str:
        return f"U = {self.u:g}, p = {self.p_holm:.2g}"


def mann_whitney(
    samples: Mapping[str, Samples],
    pairs: Sequence[tuple[str, str]] | None = None,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
) -> list[Comparison]:
    """Mann-Whitney U (Wilcoxon's rank sum) of the pairs, of all by default, with Holm's correction.

    >>> found = mann_whitney({"a": range(10, 20), "b": range(10)})[0]
    >>> found.u, round(found.p, 6)
    (100.0, 1.1e-05)
    """
    from scipy import stats

    chosen = list(combinations(samples, 2)) if pairs is None else list(pairs)
    ranked = [(np.asarray(samples[a]), np.asarray(samples[b])) for a, b in chosen]
    found = [stats.mannwhitneyu(a, b, alternative=alternative, method=_method(a, b)) for a, b in ranked]
    corrected = holm([float(one.pvalue) for one in found])
    return [
        Comparison(a, b, float(one.statistic), float(one.pvalue), p)
        for (a, b), one, p in zip(chosen, found, corrected, strict=True)
    ]


def _method(a: FloatArray, b: FloatArray) -> Literal["exact", "asymptotic"]:
    """Exact for small samples without ties, as R's wilcox.test does it."""
    both = np.concatenate([a, b])
    return "exact" if max(a.size, b.size) < 50 and np.unique(both).size == both.size else "asymptotic"


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction (Holm 1979): the k-th smallest of m times m - k + 1, never falling.

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    m = len(p_values)
    corrected = [0.0] * m
    highest = 0.0
    for rank, index in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        highest = max(highest, min(1.0, (m - rank) * p_values[index]))
        corrected[index] = highest
    return corrected


def polynomial_fit(x: Samples, y: Samples, degree: int) -> FloatArray:
    """The least-squares polynomial's values at x, fitted in a scaled domain for the sake of rounding.

    >>> polynomial_fit([0, 1, 2, 3], [0, 1, 4, 9], 2).round(6).tolist()
    [-0.0, 1.0, 4.0, 9.0]
    """
    from numpy.polynomial import Polynomial

    places = np.asarray(x, dtype=np.float64)
    return np.asarray(Polynomial.fit(places, np.asarray(y, dtype=np.float64), degree)(places))


def added_orders_p(x: Samples, y: Samples, degree: int, higher: int) -> float:
    """The p-value of the F-test that a polynomial of a higher degree fits no better than by chance.

    >>> noise = np.random.default_rng(1).normal(0, 1, 50)
    >>> x = np.arange(50.0)
    >>> bool(added_orders_p(x, x**2 + noise, 2, 4) > 0.05), bool(added_orders_p(x, x**3 + noise, 2, 4) < 1e-9)
    (True, True)
    """
    from scipy import stats

    values = np.asarray(y, dtype=np.float64)
    free = values.size - higher - 1
    if free < 1:
        raise ValueError(f"a polynomial of degree {higher} is tested with at least {higher + 2} points")
    left, left_higher = (
        float(np.square(values - polynomial_fit(x, values, order)).sum()) for order in (degree, higher)
    )
    if left <= left_higher or left_higher == 0:
        return 1.0
    return float(
        stats.f.sf((left - left_higher) / (higher - degree) / (left_higher / free), higher - degree, free)
    )


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's, with the p-value of a permutation test against none and a bootstrap interval."""

    rho: float
    p: float
    ci95: tuple[float, float]

    @property
    def text(self) -> str:
        low, high = self.ci95
        return f"Spearman's rho = {self.rho:.2f}, 95 % interval {low:.2f} to {high:.2f}, p = {self.p:.2g}"


def rank_correlation(x: Samples, y: Samples, seed: int = 1) -> RankCorrelation:
    """Of pairs; the interval by drawing pairs again and again, so of three pairs at least.

    >>> found = rank_correlation(range(10), [0, 2, 1, 3, 4, 6, 5, 7, 8, 9])
    >>> round(found.rho, 3), found.p < 0.01, found.ci95[0] > 0.7
    (0.976, True, True)
    """
    from scipy import stats

    pairs = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if pairs[0].size < 3:
        raise ValueError("a rank correlation needs at least three pairs")
    tested = stats.permutation_test(
        pairs[:1], lambda x, axis: _spearman(x, pairs[1], axis), permutation_type="pairings", vectorized=True,
        n_resamples=10 * RESAMPLES, rng=np.random.default_rng(seed),
    )  # fmt: skip
    found = stats.bootstrap(pairs, _spearman, paired=True, vectorized=True, n_resamples=RESAMPLES,
                            method="percentile", rng=np.random.default_rng(seed))  # fmt: skip
    interval = found.confidence_interval
    return RankCorrelation(
        float(tested.statistic), float(tested.pvalue), (float(interval.low), float(interval.high))
    )


def _spearman(x: FloatArray, y: FloatArray, axis: int = -1) -> FloatArray:
    """Pearson's correlation of the ranks; 0 where all are the same, as in a draw of one pair alone."""
    from scipy import stats

    ranks = [stats.rankdata(values, axis=axis) for values in (x, y)]
    a, b = (rank - rank.mean(axis=axis, keepdims=True) for rank in ranks)
    spread = np.sqrt((a**2).sum(axis=axis) * (b**2).sum(axis=axis))
    return np.asarray((a * b).sum(axis=axis) / np.where(spread == 0, 1.0, spread))
