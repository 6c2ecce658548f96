"""Racing: who is dropped could not have been chosen, survivors keep their games, and games are saved."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from outflank import named_player
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.learners.execution.executor import ThreadExecutor
from outflank.learners.fitness.fixed_opponents import LeagueScore
from outflank.learners.fitness.population import Games, PlayingStyle, Population
from outflank.learners.fitness.racing import RacedScore, _interval, _rounds, undecided

NETWORK = NTupleNetwork.of_shape("all-2")
CHOSEN = 10
HEURISTIC = (named_player("standard-heuristic"),)


def networks() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Sixty networks from nearly the published one to nearly noise."""
    published = named_player("all-2").evaluator.weights  # type: ignore[union-attr]
    noise = np.random.default_rng(1).normal(0, 1, (60, 288))
    return np.asarray(published + noise * np.linspace(5, 300, 60)[:, None])


def race(measure: RacedScore | LeagueScore, generation: int = 0) -> tuple[list[float], int]:
    made = Population(NETWORK, networks(), PlayingStyle(), measure.opponents(0), 0.1, seed=5 + generation)
    with ThreadExecutor(2) as executor:
        games = Games(executor, made)
        return measure.measure(games, generation).tolist(), games.played


def test_the_chosen_are_those_of_the_full_measure_for_half_the_games() -> None:
    full = LeagueScore(HEURISTIC, 400, 400, 1)
    fitness, games = race(full)
    raced, fewer = race(RacedScore(full, CHOSEN))
    best, best_raced = (set(np.argsort(values)[-CHOSEN:].tolist()) for values in (fitness, raced))
    # Those that raced to the end have played the very games of the full measure, so their scores are equal;
    # intervals of 95 % may drop one of those at the edge.
    assert len(best & best_raced) >= CHOSEN - 1
    assert fewer < 0.6 * games
    assert sum(a == b for a, b in zip(fitness, raced, strict=True)) >= 5


def test_survivors_keep_their_games() -> None:
    score = LeagueScore(HEURISTIC, 20, 20, 10)
    measure = RacedScore(score, CHOSEN)
    race(measure)
    chosen = np.argsort(-(measure.tallies[:, 0] + 0.5 * measure.tallies[:, 1]))[:CHOSEN].astype(np.int64)
    before = measure.tallies[chosen].copy()
    measure.survivors = chosen
    race(measure, generation=1)
    after = measure.tallies[:CHOSEN]
    assert (after >= before).all()
    assert (after.sum(axis=1) > before.sum(axis=1)).any()
    assert (measure.tallies[CHOSEN:].sum(axis=1) <= 40).all()


tallies = st.lists(st.tuples(*[st.integers(0, 40)] * 3), min_size=2, max_size=12)


@given(tallies=tallies, share=st.floats(0, 1))
def test_undecided_against_a_slow_twin(tallies: list[tuple[int, int, int]], share: float) -> None:
    rows = np.array(tallies, dtype=np.int64)
    choosing = 1 + int(share * (len(rows) - 1))
    low, high = _interval(rows)
    expected = []
    for i in range(len(rows)):
        above = sum(low[j] > high[i] for j in range(len(rows)) if j != i)
        perhaps = sum(high[j] > low[i] for j in range(len(rows)) if j != i)
        if above < choosing and perhaps >= choosing:
            expected.append(i)
    everybody = np.arange(len(rows))
    assert undecided(rows, choosing, everybody).tolist() == expected
    in_the_race = undecided(rows, choosing, everybody, rank_counts=True).tolist()
    assert set(expected) <= set(in_the_race)
    assert len(in_the_race) >= choosing


@given(st.integers(1, 5000))
def test_rounds_add_up(double_games: int) -> None:
    rounds = _rounds(double_games)
    assert sum(rounds) == double_games
    assert min(rounds) >= 1
    assert len(rounds) <= 7
