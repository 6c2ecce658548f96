"""Scores and intervals against SciPy and against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from outflank import Tally
from outflank.games.statistics import FinishedGames


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


def test_interval_is_that_of_wilson() -> None:
    """As SciPy's for a share of independent games, where double games are independent games twice."""
    won = np.repeat(np.random.default_rng(1).random(400) < 0.97, 2)
    tally = Tally.of_disc_differences(np.where(won, 1, -1))
    expected = stats.binomtest(int(won.sum()) // 2, 400).proportion_ci(0.95, "wilson")
    assert tally.ci95 == pytest.approx((expected.low, expected.high), abs=1e-4)
    assert 0 < tally.ci95[0] < tally.score < tally.ci95[1] < 1


def test_repeated_double_games_do_not_narrow_the_interval() -> None:
    few = Tally.of_disc_differences(np.array([4, -2, 6, 8, -2, -6, 4, 4]))
    many = Tally.of_disc_differences(np.tile([4, -2, 6, 8, -2, -6, 4, 4], 100), repeated=396)
    assert (many.games, many.distinct) == (800, 4)
    assert many.ci95 == pytest.approx(few.ci95)
    assert Tally.of_disc_differences(np.full(400, 10), repeated=199).ci95 == (0.0, 1.0)
    assert sum((few, many), Tally()).repeated == 396


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


@given(
    st.lists(st.tuples(st.integers(-64, 64), st.booleans()), min_size=4, max_size=100).filter(
        lambda games: len(games) % 2 == 0
    )
)
def test_finished_games_are_those_that_nobody_forfeited(games: list[tuple[int, bool]]) -> None:
    differences = np.array([difference for difference, _ in games])
    forfeited = [number for number, (_, is_forfeited) in enumerate(games) if is_forfeited]
    finished = FinishedGames.without(differences, forfeited)
    left = [difference for difference, is_forfeited in games if not is_forfeited]
    assert finished.games == len(left)
    assert finished.wins == sum(d > 0 for d in left)
    assert finished.losses == sum(d < 0 for d in left)
    if left:
        assert finished.score == pytest.approx(np.mean([(np.sign(d) + 1) / 2 for d in left]))
        assert finished.ci95[0] <= finished.score <= finished.ci95[1]
    half = len(games) // 4 * 2
    first = FinishedGames.without(differences[:half], [n for n in forfeited if n < half])
    second = FinishedGames.without(differences[half:], [n - half for n in forfeited if n >= half])
    assert first + second == finished


def test_without_forfeits_the_interval_is_that_of_the_tally() -> None:
    differences = np.random.default_rng(4).integers(-20, 30, 400)
    finished, tally = FinishedGames.without(differences), Tally.of_disc_differences(differences)
    assert (finished.score, finished.ci95) == (tally.score, tally.ci95)


def test_batches_that_only_repeat_earlier_games_tell_nothing_new() -> None:
    same = np.array([4, 2] * 25)
    batches = FinishedGames.without(same, repeated=24)
    for _ in range(3):
        batches += FinishedGames.without(same, repeated=25)
    assert (batches.distinct, batches.score, batches.ci95) == (1, 1.0, (0.0, 1.0))


def test_the_interval_without_forfeits_covers_the_truth_about_95_times_in_100() -> None:
    """2,000 matches of 200 double games whose two games often end alike; a quarter of them is forfeited."""
    random = np.random.default_rng(5)
    covered = 0
    for _ in range(2000):
        one = np.where(random.random(200) < 0.6, 1, -1)
        other = np.where(random.random(200) < 0.5, one, np.where(random.random(200) < 0.6, 1, -1))
        forfeited = np.flatnonzero(random.random(400) < 0.25).tolist()
        low, high = FinishedGames.without(np.ravel([one, other], "F"), forfeited).ci95
        covered += low <= 0.6 <= high
    assert abs(covered / 2000 - 0.95) < 4 * (0.95 * 0.05 / 2000) ** 0.5
