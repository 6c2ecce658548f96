"""Scores and intervals against SciPy and against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from outflank import Tally


@given(st.lists(st.integers(-64, 64), min_size=4, max_size=200).filter(lambda d: len(d) % 2 == 0))
def test_tally_counts_games(differences: list[int]) -> None:
    tally = Tally.of_disc_differences(np.array(differences))
    assert tally.wins == sum(d > 0 for d in differences)
    assert tally.losses == sum(d < 0 for d in differences)
    assert tally.games == len(differences)
    points = [(np.sign(d) + 1) / 2 for d in differences]
    doubles = np.reshape(points, (-1, 2)).mean(axis=1)
    assert tally.score == pytest.approx(np.mean(points))
    assert tally.standard_error == pytest.approx(stats.sem(doubles))
    half = len(differences) // 4 * 2
    parts = [Tally.of_disc_differences(np.array(part)) for part in (differences[:half], differences[half:])]
    assert parts[0] + parts[1] == tally


def test_interval_is_the_normal_one() -> None:
    tally = Tally.of_disc_differences(np.random.default_rng(1).integers(-20, 30, 2000))
    expected = stats.norm.interval(0.95, tally.score, tally.standard_error)
    assert tally.ci95 == pytest.approx(expected)


def test_interval_covers_the_truth_about_95_times_in_100() -> None:
    """2,000 simulated matches of 200 double games; a share of 0.95 within four standard errors."""
    random = np.random.default_rng(2)
    covered = 0
    for _ in range(2000):
        low, high = Tally.of_disc_differences(np.where(random.random(400) < 0.8, 1, -1)).ci95
        covered += low <= 0.8 <= high
    assert abs(covered / 2000 - 0.95) < 4 * (0.95 * 0.05 / 2000) ** 0.5


def test_interval_of_a_clean_sweep_is_not_empty() -> None:
    low, high = Tally.of_disc_differences(np.full(200, 10)).ci95
    assert (round(low, 4), high) == (round(0.05 ** (1 / 100), 4), 1.0)
    assert Tally().ci95 == (0.0, 1.0)


def test_games_come_in_pairs() -> None:
    with pytest.raises(ValueError, match="pairs"):
        Tally.of_disc_differences(np.array([1]))
