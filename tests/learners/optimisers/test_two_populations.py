"""Two populations side by side: rows, shares of what is told, and which one is handed out."""

from __future__ import annotations

import numpy as np
import pytest

from outflank.learners.optimisers.cma_es import CmaEs
from outflank.learners.optimisers.evolution_strategies import EvolutionStrategy, uniform_start
from outflank.learners.optimisers.two_populations import PairOfPopulations


def population(seed: int, plus: bool = True) -> EvolutionStrategy:
    start = uniform_start(2, 3, bound=1.0, seed=seed)
    return EvolutionStrategy(start, parents=2, offspring=4, plus=plus, seed=seed)


@pytest.mark.parametrize("plus", [True, False])
def test_each_lives_as_if_alone(plus: bool) -> None:
    pair = PairOfPopulations(population(1, plus), population(2, plus))
    alone = population(1, plus), population(2, plus)
    random = np.random.default_rng(3)
    for generation in range(4):
        assert pair.generation == generation
        assert pair.border == len(alone[0].ask())
        assert np.array_equal(pair.ask(), np.vstack([one.ask() for one in alone]))
        fitness = random.random(len(pair.ask()))
        for one, part in zip(alone, np.split(fitness, [pair.border]), strict=True):
            one.tell(part)
        pair.tell(fitness)
        assert pair.selection_size == 4
        assert pair.survivors.size == 0


def test_the_stronger_population_comes_first() -> None:
    pair = PairOfPopulations(population(1), population(2))
    assert np.array_equal(pair.favourite, pair.first.favourite)
    # The first has the luckiest individual, the second wins more of the games between them.
    pair.tell(np.array([1.0, 0, 0, 0, 0, 0] + [0.7] * 6))
    assert np.array_equal(pair.favourite, pair.second.favourite)
    assert np.array_equal(pair.parents, np.vstack([pair.second.parents, pair.first.parents]))
    pair.tell(np.full(12, 0.5))
    assert np.array_equal(pair.favourite, pair.first.favourite)
    assert np.array_equal(pair.parents, np.vstack([pair.first.parents, pair.second.parents]))


def test_its_state_names_both() -> None:
    state = PairOfPopulations(population(1), population(2)).state()
    names = set(population(1).state())
    assert set(state) == {"generation", "second is fitter"} | {
        f"{of} {name}" for of in "ab" for name in names
    }


def test_what_is_no_pair() -> None:
    one = population(1)
    with pytest.raises(ValueError, match="the same one twice"):
        PairOfPopulations(one, one)
    with pytest.raises(ValueError, match="as many weights in each, got 3 and 4"):
        PairOfPopulations(one, CmaEs(np.zeros(4), population=6, sigma=1.0, seed=1))
    older = population(2)
    older.tell(np.ones(6))
    with pytest.raises(ValueError, match="the same generation"):
        PairOfPopulations(one, older)
