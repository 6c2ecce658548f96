"""Lucas 2007: counting routines against slow twins and cases made by hand, the files against the paper."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest

from outflank import named_player
from outflank.evaluators.tuple_shapes import expansions, shape
from outflank.games.match import Match
from outflank.games.statistics import Tally
from outflank.learners.runs.settings import load_preset
from outflank.learners.td import TdLearner, TdSettings
from outflank.studies.experiment import find_experiments
from outflank.studies.lucas_2007.champion import score_of, won_share
from outflank.studies.lucas_2007.disc_differences import (
    games_as_black,
    lead_changes,
    most_typical,
    padded,
)
from outflank.studies.lucas_2007.learning_curve import AS_PRINTED, improves, is_above_all, score_at
from outflank.studies.lucas_2007.look_up_table import learned_table
from outflank.studies.lucas_2007.snakes import (
    central_range,
    found_expansions,
    found_possible,
    neighbours,
    network_weights,
    order_matters,
    snake_lengths,
    walks_over,
)
from outflank.studies.lucas_2007.squares import equivalent_squares, heuristic_weights

SNAKE = (2, 11, 20, 28, 34, 35)


def as_printed(**changes: Any) -> TdSettings:
    settings = load_preset("lucas-2007", changes).settings
    assert isinstance(settings, TdSettings)
    return settings


def all_walks(squares: int) -> dict[int, float]:
    """How probable each length is: every walk written out."""
    found: dict[int, float] = defaultdict(float)
    walks: list[tuple[tuple[int, ...], float]] = [((square,), 1 / 64) for square in range(64)]
    for _ in range(squares - 1):
        walks = [
            ((*walk, near), chance / len(neighbours(walk[-1])))
            for walk, chance in walks
            for near in neighbours(walk[-1])
        ]
    for walk, chance in walks:
        found[len(set(walk))] += chance
    return found


@pytest.mark.parametrize("squares", [1, 2, 3, 4])
def test_lengths_of_snakes_are_those_of_all_walks(squares: int) -> None:
    exact, slow = snake_lengths(squares), all_walks(squares)
    assert set(exact) == set(slow)
    for length, probability in exact.items():
        assert probability == pytest.approx(slow[length])


def test_lengths_of_drawn_snakes_and_the_paper() -> None:
    exact = snake_lengths(6)
    assert (min(exact), max(exact)) == (2, 6)  # section 3.2
    assert max(snake_lengths(7)) == 6  # the seventh square is not kept
    drawn = [len(table[0]) for seed in range(1, 41) for table in shape("snakes-30x6", seed)]
    for length, probability in exact.items():
        error = np.sqrt(probability * (1 - probability) / len(drawn))
        assert abs(drawn.count(length) / len(drawn) - probability) < 4 * error + 1e-3


def test_numbers_of_weights_are_those_of_all_networks() -> None:
    lengths = {2: 0.25, 3: 0.5, 5: 0.25}
    slow: dict[int, float] = defaultdict(float)
    for network in product(lengths, repeat=3):
        chance = float(np.prod([lengths[length] for length in network]))
        slow[sum(3**length for length in network)] += chance
    weights, probability = network_weights(lengths, 3)
    assert weights.tolist() == sorted(slow)
    np.testing.assert_allclose(probability, [slow[int(count)] for count in weights])
    low, high = central_range((np.arange(1000.0), np.full(1000, 0.001)))
    assert (low, high) == pytest.approx((25, 975), abs=1.5)


def test_the_papers_number_of_weights_is_not_possible() -> None:
    assert not found_possible(14_772, snake_lengths(6), 30).holds
    assert found_possible(14_778, snake_lengths(6), 30).holds
    assert found_possible(30 * 9, snake_lengths(6), 30).holds
    assert found_possible(14_772, {1: 0.1, 2: 0.1, 3: 0.2, 4: 0.2, 5: 0.2, 6: 0.2}, 30).holds


def test_the_published_snake() -> None:
    assert walks_over(SNAKE) == [(2, 11, 20, 28, 35, 34), (34, 35, 28, 20, 11, 2)]
    assert walks_over([0, 1, 9, 63]) == []
    table = expansions(SNAKE)
    assert found_expansions(table).holds
    assert not found_expansions(table[1:]).holds
    assert not found_expansions((*table[:7], tuple(reversed(table[7])))).holds
    assert not found_expansions((*table[:7], table[0])).holds
    assert order_matters([SNAKE, SNAKE[::-1]], 20) == [0.0]
    assert order_matters([SNAKE, (*SNAKE[:5], 63)], 20)[0] > 0  # other squares are another tuple


def test_equivalent_squares_are_as_far_from_the_edges() -> None:
    def distances(square: int) -> tuple[int, ...]:
        row, column = divmod(square, 8)
        return tuple(sorted((min(row, 7 - row), min(column, 7 - column))))

    groups = equivalent_squares()
    assert sorted(square for group in groups for square in group) == list(range(64))
    for group in groups:
        same = [square for square in range(64) if distances(square) == distances(group[0])]
        assert list(group) == same


def test_the_files_hold_the_papers_tables() -> None:
    table = find_experiments(["lucas-2007/table-1"])[0]
    settings = table.settings("standard")
    rows = {row.key: row for row in table.rows}
    for games, (won, drawn, lost) in zip(settings["self_play"], settings["printed"], strict=True):
        assert won + drawn + lost == 200
        assert rows[f"score at {games}"].paper == pytest.approx((won + drawn / 2) / 200)
    assert rows["won early"].paper == pytest.approx(135 / 200)
    weights = find_experiments(["lucas-2007/figure-3"])[0].settings("standard")["printed"]
    np.testing.assert_array_equal(np.ravel(weights), heuristic_weights("standard-heuristic"))


@pytest.mark.parametrize("scale", ["quick", "standard", "paper"])
def test_settings_of_the_same_name_are_the_same(scale: str) -> None:
    names = ["lucas-2007/figure-9", "lucas-2007/figure-10", "lucas-2007/table-1"]
    curves = [one.settings(scale)["curves"] for one in find_experiments(names)]  # type: ignore[arg-type]
    assert curves[0] == curves[1] == curves[2]
    assert curves[0][AS_PRINTED] == {}


def test_a_shorter_run_is_a_longer_one_stopped() -> None:
    for changes in find_experiments(["lucas-2007/table-1"])[0].settings("standard")["curves"].values():
        longer = TdLearner(as_printed(games=60, **changes), seed=3)
        shorter = TdLearner(as_printed(games=30, measure_every=30, **changes), seed=3)
        longer.play(30)
        shorter.play(30)
        np.testing.assert_array_equal(longer.core.weights(), shorter.core.weights())


def test_changes_of_the_lead() -> None:
    games = [[0, 3, 0, 3], [0, 3, -1, 2, -4], [0, -1, 0, 0, 5, 0], [0]]
    differences = padded(games)
    assert differences.shape == (4, 61)
    assert differences[1, 4:].tolist() == [-4] * 57
    assert lead_changes(differences).tolist() == [0, 3, 1, 0]


def test_the_typical_game_has_the_median_of_changes() -> None:
    differences = padded([[0, 1], [0, 9, -9], [0, 2, -1], [0, 3, -3, 3, -3]])
    changes = lead_changes(differences)
    assert changes.tolist() == [0, 1, 1, 3]
    assert most_typical(differences, changes) == 2  # nearer to the median than the game with 9


def test_games_as_black_by_replaying_them() -> None:
    match = Match(named_player("all-2"), named_player("standard-heuristic"), double_games=70, epsilon=0.1)
    found = games_as_black(match)
    curves = [game.disc_differences for game in list(match.games())[::2]]
    assert found["games"] == len(curves) == 70
    assert found["won"] == sum(curve[-1] > 0 for curve in curves)
    assert found["behind"] == sum(sum(row[20:41]) < 0 for row in padded(curves).tolist())
    np.testing.assert_allclose(found["mean"], padded(curves).mean(axis=0))
    assert 0 < found["error"][-1] == pytest.approx(np.std([c[-1] for c in curves], ddof=1) / np.sqrt(70))


def test_scores_of_one_run_and_of_several() -> None:
    tally = Tally(135, 6, 59, (10, 5, 30, 5, 50))
    assert (score_of([tally]).value, score_of([tally]).ci95) == (0.69, tally.ci95)
    both = score_of([tally, Tally(142, 5, 53, (10, 5, 30, 5, 50))])
    assert both.value == pytest.approx((0.69 + 0.7225) / 2)
    assert both.of == "2 runs"
    assert won_share([tally]).ci95[0] < 0.675 < won_share([tally]).ci95[1]


def curve(*scores: float) -> list[dict[str, object]]:
    return [{"games": 25 * n, "score": x, "ci95": [x - 0.1, x + 0.1]} for n, x in enumerate(scores)]


def test_claims_about_curves() -> None:
    rising, flat = curve(*np.linspace(0.1, 0.6, 20)), curve(*[0.3, 0.31] * 10)
    more = curve(*np.linspace(0.1, 0.65, 20))
    assert improves([rising, more, rising]).holds
    assert improves([rising]).holds is None  # one run has no spread
    assert improves([flat, curve(*[0.31, 0.3] * 10)]).holds is None
    assert improves([rising[::-1], more[::-1], rising[::-1]]).holds is False
    assert score_at([rising], 60).value == score_at([rising], 50).value  # the last one before
    assert score_at([rising]).value == pytest.approx(0.6)
    high = [curve(0.2, 0.6 + n / 100) for n in range(8)]
    low = [curve(0.2, 0.3 + n / 100) for n in range(8)]
    assert is_above_all(high, {"low": low}).holds
    assert not is_above_all(high, {"low": low}, 0).holds  # all alike at the start
    assert not is_above_all(low, {"high": high, "low": low}).holds


def test_a_learned_table_of_one_tuple_is_that_network() -> None:
    alone = learned_table(as_printed(), 30, 0, seed=1)
    assert alone.shape == (27,)
    assert np.any(alone != 0)
    np.testing.assert_array_equal(alone, learned_table(as_printed(), 30, 0, seed=1))
    assert np.any(alone != learned_table(as_printed(), 30, 29, seed=1))
