"""Evolution strategies: the papers' figures, selection against a slow twin, and who mutates how far."""

from __future__ import annotations

import decimal
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from outflank import _core
from outflank.learners.optimisers.evolution_strategies import (
    EvolutionStrategy,
    SelfAdaptiveEvolution,
    adaptation_rate,
    uniform_start,
)
from outflank.learners.optimisers.optimiser import FloatMatrix

# A fixed seed either passes or fails for ever; one seed in a thousand would fail.
UNLIKELY = 0.001


def far_apart(rows: int, weights: int) -> FloatMatrix:
    """Parents so far from each other that every child shows whose it is."""
    return np.repeat(1000.0 * np.arange(rows)[:, np.newaxis], weights, axis=1)


def parent_of(children: FloatMatrix) -> FloatMatrix:
    return np.round(children[:, 0] / 1000).astype(int)


def test_the_defaults_are_jaskowskis() -> None:
    """Section III-A: (10 + 90), Gaussian mutation with sigma 1.0, first weights from [-0.1, 0.1]."""
    start = uniform_start(100, 288, bound=0.1, seed=1)
    assert stats.kstest(start.ravel(), stats.uniform(-0.1, 0.2).cdf).pvalue > UNLIKELY
    search = EvolutionStrategy(start, seed=1)
    assert np.array_equal(search.ask(), start)
    search.tell(np.arange(100.0))
    assert search.survivors.tolist() == list(range(99, 89, -1))
    assert np.array_equal(search.ask()[:10], start[search.survivors])
    assert search.ask().shape == (100, 288)
    assert search.selection_size == 10


def test_the_defaults_are_chongs() -> None:
    """Section 4: ten parents from [-0.2, 0.2] with ten offspring, sigma 0.05, and tau = 0.08068 for 5,900."""
    assert round(adaptation_rate(5900), 5) == 0.08068
    start = uniform_start(10, 5900, bound=0.2, seed=1)
    search = SelfAdaptiveEvolution(start, seed=1)
    assert round(search.tau, 5) == 0.08068
    assert np.array_equal(search.sigmas, np.full((10, 5900), 0.05))
    assert search.ask().shape == (20, 5900)
    assert np.array_equal(search.ask()[:10], start)
    # The step of a child is 0.05 exp(tau N) N, of variance 0.05^2 exp(2 tau^2); 59,000 of them.
    steps = search.ask()[10:] - start
    assert steps.std() == pytest.approx(0.05 * np.exp(search.tau**2), rel=0.02)


def test_the_start_draws_apart_from_the_search() -> None:
    assert np.array_equal(uniform_start(3, 4, 0.1, seed=7), uniform_start(3, 4, 0.1, seed=7))
    assert not np.array_equal(uniform_start(3, 4, 0.1, seed=7), uniform_start(3, 4, 0.1, seed=8))
    seen = np.random.default_rng([7, 0]).uniform(-0.1, 0.1, size=(3, 4))  # what generation 0 draws
    assert not np.isin(uniform_start(3, 4, 0.1, seed=7), seen).any()


def test_children_draw_their_parent_uniformly_and_move_by_sigma() -> None:
    search = EvolutionStrategy(far_apart(5, 20), parents=5, offspring=2000, sigma=1.5, seed=3)
    children = search.ask()[5:]
    whose = parent_of(children)
    assert stats.chisquare(np.bincount(whose, minlength=5)).pvalue > UNLIKELY
    steps = (children - search.parents[whose]) / 1.5
    assert stats.kstest(steps.ravel(), "norm").pvalue > UNLIKELY


def test_step_sizes_mutate_before_the_weights_they_move() -> None:
    """Both by standard normal numbers of their own: ln(sigma' / sigma) / tau, and (w' - w) / sigma'."""
    start = uniform_start(10, 2000, bound=0.2, seed=4)
    search = SelfAdaptiveEvolution(start, sigma=0.3, tau=0.2, seed=4)
    children = search.ask()[10:]
    search.tell(np.repeat([0.0, 1.0], 10))  # the children are chosen, in their order
    assert np.array_equal(search.parents, children)
    first = np.log(search.sigmas / 0.3) / 0.2
    second = (children - start) / search.sigmas
    for numbers in (first, second):
        assert stats.kstest(numbers.ravel(), "norm").pvalue > UNLIKELY
    # 20,000 pairs: a correlation's standard error is 0.007.
    assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.03
    # The next children start from their parents' step sizes, not from the first ones.
    sigmas, grandchildren = search.sigmas, search.ask()[10:]
    search.tell(np.repeat([0.0, 1.0], 10))
    assert stats.kstest(np.log(search.sigmas / sigmas).ravel() / 0.2, "norm").pvalue > UNLIKELY
    assert stats.kstest(((grandchildren - children) / search.sigmas).ravel(), "norm").pvalue > UNLIKELY


def test_parents_keep_their_step_sizes_and_have_children_in_turn() -> None:
    search = SelfAdaptiveEvolution(far_apart(4, 3), parents=4, offspring=10, seed=5)
    assert parent_of(search.ask()[4:]).tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
    search.tell(np.array([1.0, 3.0, 0, 0, 0, 0, 0, 0, 4.0, 2.0, 0, 0, 0, 0]))
    assert search.survivors.tolist() == [8, 1, 9, 0]
    assert (search.sigmas == 0.05).all(axis=1).tolist() == [False, True, False, True]


@settings(max_examples=150, deadline=None)
@given(
    parents=st.integers(1, 5),
    more=st.integers(0, 6),
    plus=st.booleans(),
    whole=st.booleans(),
    data=st.data(),
)
def test_selection_is_that_of_a_slow_twin(
    parents: int, more: int, plus: bool, whole: bool, data: st.DataObject
) -> None:
    offspring = parents + more
    start = uniform_start(parents + offspring if whole else parents, 2, bound=1.0, seed=6)
    search = EvolutionStrategy(start, parents=parents, offspring=offspring, plus=plus, seed=6)
    for generation in range(3):
        asked = search.ask()
        assert len(asked) == offspring + (parents if plus or generation == 0 else 0)
        # Few different values: ties are many.
        told = data.draw(st.lists(st.integers(-2, 2), min_size=len(asked), max_size=len(asked)))
        search.tell(np.array(told, dtype=float))
        chosen = sorted(range(len(asked)), key=lambda row: (-told[row], row))[:parents]
        assert search.parents.tolist() == [asked[row].tolist() for row in chosen]
        assert search.favourite.tolist() == asked[chosen[0]].tolist()
        assert search.survivors.tolist() == (chosen if plus else [])


def test_the_lost_can_be_told_as_minus_infinity() -> None:
    search = EvolutionStrategy(uniform_start(4, 2, 1.0, seed=1), parents=2, offspring=2, seed=1)
    search.tell(np.array([-np.inf, 0.5, -np.inf, 0.7]))
    assert search.survivors.tolist() == [3, 1]


START = np.zeros((4, 3))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"parents": 0}, "parents must be at least 1"),
        ({"offspring": 0}, "offspring must be at least 1"),
        ({"sigma": 0.0}, "sigma must be a number above 0"),
        ({"sigma": -1.0}, "sigma must be a number above 0"),
        ({"sigma": float("nan")}, "sigma must be a number above 0"),
        ({"sigma": float("inf")}, "sigma must be a number above 0"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"parents": 3}, "must have 3 rows .* or 9 rows .*, got 4"),
        ({"plus": False, "offspring": 3}, "4 parents need at least 4 offspring, got 3"),
        ({"start": np.zeros(4)}, "one weight vector per row"),
        ({"start": np.zeros((4, 0))}, "one weight vector per row"),
        ({"start": np.diag([0, 0, np.inf, 0])}, "row 2 holds others"),
    ],
)
def test_wrong_settings(settings: dict[str, object], message: str) -> None:
    values: dict[str, object] = {"start": START, "parents": 4, "offspring": 6, "sigma": 1.0, "seed": 1}
    with pytest.raises(ValueError, match=message):
        EvolutionStrategy(**(values | settings))  # type: ignore[arg-type]
    if "plus" not in settings:
        with pytest.raises(ValueError, match=message):
            SelfAdaptiveEvolution(**(values | settings))  # type: ignore[arg-type]


def test_wrong_rates_and_starts() -> None:
    with pytest.raises(ValueError, match="tau must be a number above 0"):
        SelfAdaptiveEvolution(START, parents=4, tau=0.0, seed=1)
    for sizes in ((0, 3, 0.1, 1), (3, 0, 0.1, 1), (3, 3, 0.0, 1), (3, 3, float("nan"), 1), (3, 3, 0.1, -1)):
        with pytest.raises(ValueError, match="must be"):
            uniform_start(*sizes)


def test_bounds_of_weights_and_steps_are_kept() -> None:
    start = np.random.default_rng(1).uniform(-0.2, 0.2, (10, 40))
    search = SelfAdaptiveEvolution(start, sigma=0.3, tau=0.5, largest_weight=0.25, largest_sigma=0.3, seed=1)
    free = SelfAdaptiveEvolution(start, sigma=0.3, tau=0.5, seed=1)
    for _ in range(5):
        assert np.abs(search.ask()).max() <= 0.25
        search.tell(np.arange(20.0))
        free.tell(np.arange(20.0))
        assert search.sigmas.max() <= 0.3
    assert np.abs(free.ask()).max() > 0.25
    assert free.sigmas.max() > 0.3
    with pytest.raises(ValueError, match="largest weight"):
        SelfAdaptiveEvolution(start, largest_weight=0.0, seed=1)


def test_exponentials_are_rounded_as_they_should_be() -> None:
    """Against fifty digits. NumPy's own differ between processors, which would learn other players."""
    exponents = np.concatenate(
        [np.random.default_rng(1).uniform(-bound, bound, 500) for bound in (1e-6, 1, 30, 708)]
    )
    with decimal.localcontext(prec=50):
        for exponent, power in zip(exponents, _core.exponentials(exponents), strict=True):
            error = abs(decimal.Decimal(float(power)) - decimal.Decimal(float(exponent)).exp())
            assert error < decimal.Decimal("0.501") * decimal.Decimal(math.ulp(power))
    ends = _core.exponentials(np.array([0, 1e9, -np.inf]))
    assert np.array_equal(ends, [1, *_core.exponentials(np.array([708.0, -708.0]))])
