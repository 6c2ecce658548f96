"""The papers' statistics, against SciPy's own, published examples, and chance itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from outflank.studies.agreement import of_one_run, of_runs, of_shares
from outflank.studies.inference import (
    bootstrap_band,
    bootstrap_interval,
    holm,
    mann_whitney,
    mean_interval,
    polynomial_fit,
    share_interval,
)


@pytest.mark.parametrize(("wins", "games"), [(0, 10), (3, 10), (135, 200), (200, 200), (1, 1)])
def test_the_interval_of_whole_wins_is_scipys(wins: int, games: int) -> None:
    expected = stats.binomtest(wins, games).proportion_ci(method="wilson")
    assert share_interval(wins, games) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(("wins", "games"), [(-1, 10), (11, 10), (0, 0)])
def test_a_share_of_impossible_games_is_refused(wins: int, games: int) -> None:
    with pytest.raises(ValueError, match="a share is 0 to all"):
        share_interval(wins, games)


def test_holms_correction_of_a_published_example() -> None:
    # Holm 1979's procedure on the example of Wright 1992, "Adjusted p-values for simultaneous inference".
    assert holm([0.01, 0.02, 0.03, 0.04, 0.05]) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_rank_test_is_exact_for_small_samples_without_ties() -> None:
    # Ten against ten, wholly apart: 2 of the 184,756 ways to choose ten of twenty are as extreme.
    (found,) = mann_whitney({"high": np.arange(10.0, 20), "low": np.arange(10.0)})
    assert found.u == 100
    assert found.p == pytest.approx(2 / 184_756)
    (one_sided,) = mann_whitney({"high": np.arange(10.0, 20), "low": np.arange(10.0)}, alternative="greater")
    assert one_sided.p == pytest.approx(1 / 184_756)


def test_ties_fall_back_to_the_normal_approximation() -> None:
    (found,) = mann_whitney({"a": [1, 1, 2, 3], "b": [1, 2, 2, 4]})
    assert found.p == pytest.approx(
        stats.mannwhitneyu([1, 1, 2, 3], [1, 2, 2, 4], method="asymptotic").pvalue
    )


def test_pairs_compared_together_are_corrected_together() -> None:
    samples = {"a": [1.0, 2, 3, 4], "b": [5.0, 6, 7, 8], "c": [1.5, 2.5, 3.5, 4.5]}
    alone = mann_whitney(samples, [("a", "b")])[0]
    together = mann_whitney(samples)[0]
    assert (together.first, together.second, together.p) == ("a", "b", alone.p)
    assert together.p_holm == pytest.approx(3 * alone.p)


def test_intervals_of_the_mean_hold_it_about_95_times_in_100() -> None:
    random = np.random.default_rng(3)
    samples = random.normal(size=(1000, 10))
    held = sum(low <= 0 <= high for low, high in map(mean_interval, samples))
    assert 950 - 28 <= held <= 950 + 28  # four standard errors of 1,000 draws at 0.95


def test_the_bootstrap_finds_the_interval_of_a_known_mean() -> None:
    samples = np.random.default_rng(4).normal(5, 2, size=400)
    low, high = bootstrap_interval(samples)
    expected = mean_interval(samples)
    assert (low, high) == pytest.approx(expected, abs=0.03)  # a seventh of its width
    assert (low, high) == bootstrap_interval(samples)


def test_a_band_is_the_interval_at_every_point() -> None:
    curves = np.random.default_rng(5).normal(size=(30, 3))
    low, middle, high = bootstrap_band(curves)
    assert middle == pytest.approx(curves.mean(axis=0))
    for point in range(3):
        assert (low[point], high[point]) == pytest.approx(bootstrap_interval(curves[:, point]), abs=0.05)


def test_one_sample_has_no_interval() -> None:
    for interval in (mean_interval, bootstrap_interval):
        with pytest.raises(ValueError, match="at least two samples"):
            interval([1.0])


def test_a_polynomial_is_found_again() -> None:
    x = np.linspace(0, 1000, 50)
    y = 3 - 0.2 * x + 4e-5 * x**2 + 1e-8 * x**3
    assert polynomial_fit(x, y, 3) == pytest.approx(y)
    assert polynomial_fit(x, y, 2) == pytest.approx(np.polyval(np.polyfit(x, y, 2), x), rel=1e-6)


def test_the_two_sample_test_is_scipys() -> None:
    random = np.random.default_rng(8)
    paper, ours = random.normal(0.9, 0.02, 10), random.normal(0.88, 0.05, 6)
    found, expected = of_runs(paper, ours), stats.ttest_ind(ours, paper, equal_var=False)
    assert found.ci95 == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert f"Welch p = {expected.pvalue:.2g}" in found.test
    assert of_runs([0.5, 0.5], [0.5, 0.5]).p == 1
    assert of_runs([0.5, 0.5], [0.6, 0.6]).p == 0


def test_one_run_against_many_is_the_pooled_test() -> None:
    """Of one and of k samples Student's pooled variance is that of the k alone."""
    ours = np.array([0.5, 0.52, 0.47, 0.49, 0.55])
    found = of_one_run(0.6, 0.0, ours.size, float(ours.std(ddof=1)), float(ours.mean()))
    t = (ours.mean() - 0.6) / (ours.std(ddof=1) * np.sqrt(1 + 1 / ours.size))
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), ours.size - 1))
    noisy = of_one_run(0.6, 0.04, ours.size, float(ours.std(ddof=1)), float(ours.mean()))
    assert noisy.p > found.p  # the paper's few games count too


def test_equal_numbers_are_told_apart_five_times_in_a_hundred() -> None:
    random = np.random.default_rng(9)
    apart = sum(of_runs(a, b).p < 0.05 for a, b in random.normal(size=(500, 2, 10)))
    assert apart <= 25 + 40  # two tests, of which the smaller p counts: somewhat more than 25 of 500
    shares = random.binomial(200, 0.6, size=(500, 2))
    apart = sum(of_shares(a, 200, b, 200).p < 0.05 for a, b in shares.tolist())
    assert apart <= 25 + 4 * 5
