"""The genetic search: roulette, mutation and elitism as Kim 2007 has them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from outflank.learners.optimisers.genetic import GeneticSearch
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector

UNLIKELY = 0.001  # a fixed seed either passes or fails for ever; one seed in a thousand would fail


def copies(weights: int) -> FloatMatrix:
    return np.zeros((50, weights))


def test_the_first_generation_is_the_start() -> None:
    search = GeneticSearch(copies(2113), seed=1)
    assert np.array_equal(search.ask(), copies(2113))
    assert search.selection_size == 50
    assert search.survivors.size == 0


def test_one_weight_in_a_hundred_moves_by_a_hundredth() -> None:
    search = GeneticSearch(copies(2113), seed=1)
    search.tell(np.full(50, 630.0))
    children = search.ask()[1:]
    assert set(np.unique(children)) == {-0.01, 0.0, 0.01}
    # 49 x 2,113 weights, each moved with probability 0.01: within four standard deviations.
    moved, trials = np.count_nonzero(children), children.size
    assert abs(moved - 0.01 * trials) < 4 * np.sqrt(trials * 0.01 * 0.99)
    assert abs(np.count_nonzero(children > 0) - moved / 2) < 4 * np.sqrt(moved) / 2


def roulette(fitness: FloatVector, rounds: int = 300) -> FloatVector:
    """How often each row was chosen, in this many generations after one with that fitness."""
    rows = 1000.0 * np.arange(len(fitness))[:, np.newaxis]
    chosen = []
    for seed in range(rounds):
        search = GeneticSearch(rows, seed=seed)
        search.tell(fitness)
        chosen.append(np.round(search.ask()[1:, 0] / 1000).astype(int))
    return np.bincount(np.concatenate(chosen), minlength=len(fitness)).astype(float)


def test_the_roulette_deals_in_proportion_to_fitness() -> None:
    fitness = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 10.0, 0.5, 0.0])
    counts = roulette(fitness)
    assert counts[fitness == 0].tolist() == [0, 0]
    some = fitness > 0
    shares = fitness[some] / fitness.sum()
    assert stats.chisquare(counts[some], shares * counts.sum()).pvalue > UNLIKELY


def test_a_generation_without_a_point_is_dealt_evenly() -> None:
    assert stats.chisquare(roulette(np.zeros(6))).pvalue > UNLIKELY
    assert roulette(np.array([1e308, 1e308, 1e308]), rounds=20).min() > 0  # their sum is no finite number


def test_the_best_is_never_lost() -> None:
    random = np.random.default_rng(2)
    target = random.normal(size=30)
    search = GeneticSearch(random.normal(size=(20, 30)), mutation_rate=0.2, step=0.1, seed=2)
    best = 0.0
    for _ in range(40):
        asked = search.ask()
        fitness = 1 / (1 + np.square(asked - target).sum(axis=1))
        assert fitness.max() >= best
        best = fitness.max()
        search.tell(fitness)
        assert search.survivors.tolist() == [int(fitness.argmax())]
        assert np.array_equal(search.ask()[0], asked[fitness.argmax()])
        assert np.array_equal(search.favourite, asked[fitness.argmax()])
        slow = sorted(range(20), key=lambda row: (-fitness[row], row))
        assert np.array_equal(search.parents, asked[slow])


@pytest.mark.parametrize("worst", [-0.5, np.inf])
def test_fitness_that_no_roulette_can_deal(worst: float) -> None:
    search = GeneticSearch(copies(3), seed=1)
    with pytest.raises(ValueError, match=f"finite and not negative, got {worst}"):
        search.tell(np.append(np.ones(49), worst))
    assert search.generation == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"start": np.zeros((1, 3))}, "at least 2 individuals"),
        ({"start": np.full((2, 3), np.nan)}, "row 0 holds others"),
        ({"mutation_rate": 0.0}, "mutation rate must be above 0"),
        ({"mutation_rate": 1.5}, "mutation rate must be above 0 and at most 1"),
        ({"mutation_rate": float("nan")}, "mutation rate must be above 0"),
        ({"step": 0.0}, "step of a mutation must be a number above 0"),
        ({"seed": -2}, "seed must be 0 or more"),
    ],
)
def test_wrong_settings(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GeneticSearch(**({"start": copies(3), "seed": 1} | settings))  # type: ignore[arg-type]
