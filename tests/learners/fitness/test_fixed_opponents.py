"""Measures of fitness against slow twins: the same games counted in another way."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import GreedyPlayer, Match, named_player
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.piece_counter import PieceCounter
from outflank.learners.execution.executor import ThreadExecutor
from outflank.learners.fitness.coevolution import (
    CHONG_POINTS,
    RandomOpponents,
    RoundRobin,
    TwoPopulations,
    points,
)
from outflank.learners.fitness.fixed_opponents import ExpectedUtility, LeagueScore, Measure
from outflank.learners.fitness.population import Games, PlayingStyle, Population, pairings, play_pairings
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector
from outflank.players.names import NamedPlayer

NETWORK = NTupleNetwork.of_shape("all-2")
WEIGHTS = np.random.default_rng(3).normal(0, 1, (6, 288))
SEED = 11


def players(*names: str) -> tuple[NamedPlayer, ...]:
    return tuple(named_player(name) for name in names)


def measured(measure: Measure, weights: FloatMatrix = WEIGHTS, generation: int = 0) -> FloatVector:
    opponents = measure.opponents(generation)
    population = Population(NETWORK, weights, PlayingStyle(), opponents, 0.1, SEED, measure.double_games)
    with ThreadExecutor(2) as executor:
        return measure.measure(Games(executor, population), generation)


def test_the_league_score_is_that_of_a_match() -> None:
    fitness = measured(LeagueScore(players("standard-heuristic"), 50, 50, 10))
    for row, value in zip(WEIGHTS, fitness, strict=True):
        match = Match(GreedyPlayer(NETWORK.with_weights(row)), named_player("standard-heuristic"),
                      double_games=50, epsilon=0.1, seed=SEED)  # fmt: skip
        assert match.play().score == pytest.approx(value)


def test_individuals_draw_the_same_streams_and_opponents_their_own() -> None:
    twins = np.stack([WEIGHTS[0], WEIGHTS[0], WEIGHTS[1]])
    one, other, third = measured(LeagueScore(players("standard-heuristic", "all-2"), 50, 50, 10), twins)
    assert one == other != third
    same = measured(LeagueScore(players("random"), 50, 50, 10), twins)
    twice = measured(LeagueScore(players("random", "random"), 50, 50, 10), twins)
    assert same.tolist() != twice.tolist()  # the second fifty double games are other games


def test_double_games_grow_by_the_same_factor() -> None:
    score = LeagueScore((), 100, 1600, 5)
    assert [score.double_games_in(generation) for generation in range(5)] == [100, 200, 400, 800, 1600]
    assert LeagueScore((), 1000, 1000, 1).double_games_in(0) == 1000


def test_expected_utility_meets_other_counters_in_each_generation() -> None:
    measure = ExpectedUtility(counters=20, games_each=2, seed=5)
    counters = measure.opponents(0).piece_counters
    assert counters.shape == (20, 64)
    assert np.abs(counters).max() <= 1
    assert not np.array_equal(counters, measure.opponents(1).piece_counters)
    assert np.array_equal(counters, measure.opponents(0).piece_counters)
    # Random weights win about half of their games against random weights; the published network nearly
    # all: of 80 games it may lose a few. Three standard errors of 80 games are 0.17 at one half.
    random_network, published = measured(
        measure,
        np.stack([WEIGHTS[0], named_player("all-2").evaluator.weights]),  # type: ignore[union-attr]
    )
    assert 0.2 < random_network < 0.8 < published


def test_expected_utility_is_the_mean_of_matches() -> None:
    measure = ExpectedUtility(counters=3, games_each=20, seed=5)
    fitness = measured(measure, WEIGHTS[:1])
    player = GreedyPlayer(NETWORK.with_weights(WEIGHTS[0]))
    first = Match(player, GreedyPlayer(PieceCounter(measure.opponents(0).piece_counters[0])),
                  double_games=20, epsilon=0.1, seed=SEED).play()  # fmt: skip
    assert fitness[0] * 3 - first.score == pytest.approx(round((fitness[0] * 3 - first.score) * 80) / 80)


@given(individuals=st.integers(6, 40), generation=st.integers(0, 10_000))
def test_with_random_opponents_no_two_meet_twice_in_the_same_colours(
    individuals: int, generation: int
) -> None:
    rows = RandomOpponents(seed=1).draw(individuals, generation)
    assert np.bincount(rows[:, 0]).tolist() == [5] * individuals  # Chong 2003: Black against five others
    assert len({(black, white) for black, white, *_ in rows.tolist()}) == len(rows)
    assert all(black != white for black, white, *_ in rows.tolist())
    assert rows[:, 2].tolist() == list(range(len(rows)))  # a stream for each game


def test_with_random_opponents_everybody_plays_white_equally_often_on_average() -> None:
    white = np.concatenate([RandomOpponents(seed=1).draw(20, generation)[:, 1] for generation in range(400)])
    # 40,000 games, 2,000 for each: the standard deviation is 44, four of them are 176.
    assert abs(np.bincount(white) - 2000).max() < 176


def test_points_count_for_both_players() -> None:
    rows = pairings((0, 1, 0, 1), (1, 2, 1, 1), (2, 0, 2, 1))
    outcomes = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])  # 0 beats 1, 1 draws 2, 0 beats 2 as White
    assert points(rows, outcomes, 3, CHONG_POINTS).tolist() == [10, 1, 1]


def test_fitness_is_its_games_added_up() -> None:
    measure = RandomOpponents(seed=9)
    fitness = measured(measure, generation=3)
    population = Population(
        NETWORK, WEIGHTS, PlayingStyle(), measure.opponents(3), 0.1, SEED, double_games=False
    )
    expected = np.zeros(len(WEIGHTS))
    for row in measure.draw(len(WEIGHTS), 3):
        won, drawn, lost = play_pairings(population, row[None, :])[0]
        expected[row[0]] += 5 * won + drawn
        expected[row[1]] += 5 * lost + drawn
    assert fitness.tolist() == expected.tolist()


def test_a_round_robin_shares_out_all_points() -> None:
    fitness = measured(RoundRobin(games_each=3))
    assert fitness.mean() == pytest.approx(0.5)
    scores = np.zeros(len(WEIGHTS))
    population = Population(NETWORK, WEIGHTS, PlayingStyle(), RoundRobin().opponents(0), 0.1, SEED)
    for number, (i, j) in enumerate(itertools.combinations(range(len(WEIGHTS)), 2)):
        won, drawn, lost = play_pairings(population, pairings((i, j, 6 * number, 6)))[0]
        scores[i] += won + 0.5 * drawn
        scores[j] += lost + 0.5 * drawn
    assert fitness.tolist() == pytest.approx((scores / (6 * (len(WEIGHTS) - 1))).tolist())


def test_two_populations_meet_only_each_other() -> None:
    strong = named_player("all-2").evaluator.weights  # type: ignore[union-attr]
    # Two populations of one kind each: the strong ones win most points (had they met their like, they could
    # have at most 3/4), the other half the rest.
    fitness = measured(
        TwoPopulations(games_each=10), np.stack([strong, strong, np.zeros(288), np.zeros(288)])
    )
    assert fitness[:2].min() > 0.8
    assert fitness[:2].mean() + fitness[2:].mean() == pytest.approx(1)


def test_a_population_too_small_for_its_opponents() -> None:
    with pytest.raises(ValueError, match="at least 6 individuals, got 5"):
        RandomOpponents(seed=1).draw(5, 0)
