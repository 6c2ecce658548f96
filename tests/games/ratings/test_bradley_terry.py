"""Bradley-Terry ratings: a slow twin, published estimates, known strengths, and intervals that cover."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from outflank import Tally, bradley_terry
from outflank.games.ratings.bradley_terry import ELO, double_game_variance

NAMES = ["a", "b", "c", "d", "e"]
STRENGTHS = np.array([1.2, 0.5, 0.0, -0.4, -1.3])
Pairs = dict[tuple[str, str], Tally]


def played(
    random: np.random.Generator, strengths: npt.NDArray[np.float64], double_games: int, alike: float
) -> Pairs:
    """A round robin of players whose expected scores follow their strengths.

    alike: how often both games of a double game end the same way, as from a start that suits one player.
    """
    results = {}
    for i, j in combinations(range(len(strengths)), 2):
        expected = 1 / (1 + math.exp(strengths[j] - strengths[i]))
        won = random.random((double_games, 2)) < expected
        won[:, 1] = np.where(random.random(double_games) < alike, won[:, 0], won[:, 1])
        results[NAMES[i], NAMES[j]] = Tally.of_disc_differences(np.where(won, 2, -2).ravel())
    return results


def zermelo(players: list[str], results: Pairs, rounds: int = 20_000) -> list[float]:
    """Zermelo's iteration of 1929 (an MM algorithm, Hunter 2004), in Elo about the mean: the slow twin."""
    points = dict.fromkeys(players, 0.0)
    games: dict[tuple[str, str], int] = {}
    for (a, b), tally in results.items():
        points[a] += tally.wins + tally.draws / 2
        points[b] += tally.losses + tally.draws / 2
        games[a, b] = games[b, a] = tally.games
    worth = dict.fromkeys(players, 1.0)
    for _ in range(rounds):
        new = {
            player: points[player] / sum(games[p, q] / (worth[p] + worth[q]) for p, q in games if p == player)
            for player in players
        }
        scale = math.exp(sum(map(math.log, new.values())) / len(new))
        new = {player: value / scale for player, value in new.items()}
        change = max(abs(math.log(new[player] / worth[player])) for player in players)
        worth = new
        if change < 1e-13:
            break
    return [ELO * math.log(worth[player]) for player in players]


def test_the_slow_twin_agrees() -> None:
    random = np.random.default_rng(3)
    for double_games in (5, 50, 5000):
        results = played(random, STRENGTHS, double_games, alike=0.3)
        del results["a", "e"]  # not every pair need have met
        ratings = bradley_terry(NAMES, results)
        assert not ratings.has_prior
        np.testing.assert_allclose(ratings.values, zermelo(NAMES, results), atol=1e-6)
        assert ratings.values.sum() == pytest.approx(0, abs=1e-9)


def test_draws_are_half_wins() -> None:
    drawn = {
        ("a", "b"): Tally(30, 20, 10, (0, 5, 10, 10, 5)),
        ("b", "c"): Tally(10, 40, 10, (0, 5, 20, 5, 0)),
    }
    np.testing.assert_allclose(
        bradley_terry(["a", "b", "c"], drawn).values, zermelo(["a", "b", "c"], drawn), atol=1e-6
    )


def test_published_estimates() -> None:
    """American League 1987, Agresti, Categorical Data Analysis: 13 games a pair; Baltimore is at 0."""
    teams = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
    wins = [[0, 7, 9, 7, 7, 9, 11], [6, 0, 7, 5, 11, 9, 9], [4, 6, 0, 7, 7, 8, 12], [6, 8, 6, 0, 6, 7, 10],
            [6, 2, 6, 7, 0, 7, 12], [4, 4, 5, 6, 6, 0, 6], [2, 4, 1, 3, 1, 7, 0]]  # fmt: skip
    results = {
        (teams[i], teams[j]): Tally(wins[i][j], 0, wins[j][i], (0, 0, 6, 0, 0))
        for i, j in combinations(range(7), 2)
    }
    values = bradley_terry(teams, results).values / ELO
    np.testing.assert_allclose(values - values[-1], [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0], atol=0.005)


def test_known_strengths_are_recovered() -> None:
    results = played(np.random.default_rng(8), STRENGTHS, 100_000, alike=0.2)
    ratings = bradley_terry(NAMES, results)
    # A rating's standard error is about 1 Elo here; 5 is far beyond chance.
    np.testing.assert_allclose(ratings.values, ELO * (STRENGTHS - STRENGTHS.mean()), atol=5)
    for a, b in combinations(range(5), 2):
        expected = 1 / (1 + math.exp(STRENGTHS[b] - STRENGTHS[a]))
        assert ratings.expected_score(NAMES[a], NAMES[b]) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(("double_games", "alike"), [(20, 0.0), (300, 0.8)])
def test_intervals_cover_the_true_ratings(double_games: int, alike: float) -> None:
    random = np.random.default_rng(13)
    true = ELO * (STRENGTHS - STRENGTHS.mean())
    times = 400
    covered = np.zeros(5)
    for _ in range(times):
        ratings = bradley_terry(NAMES, played(random, STRENGTHS, double_games, alike))
        covered += [low <= value <= high for value, (low, high) in zip(true, ratings.ci95, strict=True)]
    # 0.95 of 400 has a standard error of 0.011; the bounds are 3.2 of them away, and a little more above,
    # since half a won and half a lost double game make the intervals of short matches wider.
    assert (covered / times > 0.915).all()
    assert (covered / times < 0.99).all()


def test_games_taken_one_by_one_would_cover_too_little() -> None:
    """What double games as the unit of chance are good for: the information alone is too sure of itself."""
    random = np.random.default_rng(13)
    true = ELO * (STRENGTHS - STRENGTHS.mean())
    covered = np.zeros(5)
    for _ in range(200):
        ratings = bradley_terry(NAMES, played(random, STRENGTHS, 100, alike=0.8))
        expected = 1 / (1 + np.exp((ratings.values - ratings.values[:, None]) / ELO))
        weights = 200 * expected * (1 - expected)  # 200 games a pair, all independent
        information = np.diag(weights.sum(axis=1)) - weights
        errors = ELO * np.sqrt(np.diagonal(np.linalg.pinv(information)))
        covered += abs(ratings.values - true) < 1.96 * errors
    assert (covered / 200).mean() < 0.91  # 0.856 expected: what 1.96 / sqrt(1.8) standard errors cover


def test_who_lost_everything_gets_a_finite_rating() -> None:
    won = Tally(200, 0, 0, (0, 0, 0, 0, 100))
    results = {("a", "b"): won, ("a", "c"): won, ("b", "c"): Tally(100, 0, 100, (0, 0, 100, 0, 0))}
    ratings = bradley_terry(["a", "b", "c"], results)
    assert ratings.has_prior
    drawn = Tally(0, 2, 0, (0, 0, 1, 0, 0))
    with_imaginary = results | {(name, "imaginary"): drawn for name in "abc"}
    twin = np.array(zermelo(["a", "b", "c", "imaginary"], with_imaginary))[:3]
    np.testing.assert_allclose(ratings.values, twin - twin.mean(), atol=1e-4)
    (low, high), *_ = ratings.ci95
    assert 100 < high - low < 2000  # a hundred double games won by chance alone leave much open
    assert ratings.values[1] == pytest.approx(ratings.values[2])


def test_one_double_game_or_all_alike_is_not_certain() -> None:
    assert double_game_variance(Tally(2, 0, 0, (0, 0, 0, 0, 1))) > 0.3
    assert 0.4 / 1000 < double_game_variance(Tally(2000, 0, 0, (0, 0, 0, 0, 1000))) < 0.6 / 1000
    many = Tally(1000, 0, 1000, (250, 0, 500, 0, 250))
    assert double_game_variance(many) == pytest.approx(0.125, rel=0.01)


@pytest.mark.parametrize("strong", [10_000_000, 10_000_000_000])
def test_huge_differences(strong: int) -> None:
    ratings = bradley_terry(["a", "b"], {("a", "b"): Tally(strong - 1, 1, 0, (0, 0, 0, 1, strong // 2 - 1))})
    assert ratings.values[0] - ratings.values[1] == pytest.approx(400 * math.log10(2 * strong - 1), abs=1e-3)
    assert np.isfinite(ratings.covariance).all()


def test_players_that_cannot_be_compared() -> None:
    even = Tally(1, 0, 1, (0, 0, 1, 0, 0))
    with pytest.raises(ValueError, match="a and c cannot be compared"):
        bradley_terry(["a", "b", "c", "d"], {("a", "b"): even, ("c", "d"): even})
    with pytest.raises(ValueError, match="more than one result between b and a"):
        bradley_terry(["a", "b"], {("a", "b"): even, ("b", "a"): even})
    with pytest.raises(ValueError, match="each named once"):
        bradley_terry(["a", "a"], {})
