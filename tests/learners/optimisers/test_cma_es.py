"""CMA-ES: the library's own way of asking as a slow twin, the equations of its mean, and odd sizes."""

from __future__ import annotations

import cmaes  # type: ignore[import-untyped]
import numpy as np
import pytest

from outflank.learners.optimisers.cma_es import CmaEs
from outflank.learners.optimisers.optimiser import FloatVector, stream

FORMS = pytest.mark.parametrize(
    ("separable", "adapt_rate"), [(False, False), (False, True), (True, False)], ids=["full", "rate", "sep"]
)


class Dealt:
    """Numbers for the library, which it asks for one individual at a time."""

    def __init__(self, seed: int, population: int, weights: int) -> None:
        self.seed, self.population, self.weights, self.generation = seed, population, weights, 0

    def next_generation(self) -> None:
        size = (self.population, self.weights)
        self.rows = iter(stream(self.seed, self.generation).standard_normal(size))
        self.generation += 1

    def randn(self, weights: int) -> FloatVector:
        assert weights == self.weights
        return next(self.rows)


def bent(row: FloatVector) -> float:
    """An ellipsoid turned out of the axes: what covariances are for. The lower, the better."""
    sums = np.cumsum(row - 1)
    return float(sums @ (sums * np.arange(1, len(row) + 1)))


@FORMS
def test_the_library_asked_its_own_way_finds_the_same(separable: bool, adapt_rate: bool) -> None:
    weights, population = 7, 13
    search = CmaEs(
        np.zeros(weights),
        population=population,
        sigma=0.7,
        separable=separable,
        adapt_rate=adapt_rate,
        seed=4,
    )
    form = cmaes.SepCMA if separable else cmaes.CMA
    options = {"lr_adapt": True} if adapt_rate else {}
    twin = form(mean=np.zeros(weights), sigma=0.7, population_size=population, **options)
    twin._rng = Dealt(4, population, weights)
    for _ in range(25):
        twin._rng.next_generation()
        solutions = [twin.ask() for _ in range(population)]
        np.testing.assert_allclose(search.ask(), solutions, rtol=1e-7, atol=1e-9)
        twin.tell([(row, bent(row)) for row in solutions])
        search.tell(np.array([-bent(row) for row in search.ask()]))
        # Rounding alone: a checkpoint's covariance is decomposed again.
        np.testing.assert_allclose(search.favourite, twin.mean, rtol=1e-7, atol=1e-9)
        assert search.sigma == pytest.approx(twin._sigma, rel=1e-7)


def test_the_mean_moves_to_the_weighted_better_half() -> None:
    """Hansen's tutorial (arXiv 1604.00772), equations 41, 42 and 49."""
    population = 12
    search = CmaEs(np.full(5, 0.3), population=population, sigma=0.2, seed=2)
    asked = search.ask()
    fitness = np.random.default_rng(1).permutation(population).astype(float)
    search.tell(fitness)
    better = sorted(range(population), key=lambda row: -fitness[row])[: population // 2]
    share = np.array([np.log((population + 1) / 2) - np.log(rank) for rank in range(1, len(better) + 1)])
    expected = sum(weight * asked[row] for weight, row in zip(share / share.sum(), better, strict=True))
    np.testing.assert_allclose(search.favourite, expected, rtol=1e-12)
    assert np.array_equal(search.parents, search.favourite[np.newaxis])
    assert search.selection_size == population // 2
    assert search.survivors.size == 0


def test_draws_have_the_mean_and_the_covariance_of_the_state() -> None:
    population, covariance = 20_000, np.array([[2.0, 0.9, 0.0], [0.9, 1.0, -0.2], [0.0, -0.2, 0.5]])
    search = CmaEs(np.zeros(3), population=population, sigma=1.0, seed=3)
    changed = {"mean": np.array([1.0, 2.0, 3.0]), "covariance": covariance, "sigma": np.array([0.5])}
    search.restore(search.state() | changed)
    drawn = search.ask()
    # Standard errors: of a mean at most 0.5 sqrt(2 / 20,000) = 0.005, of a covariance 0.25 x 0.02 = 0.005.
    np.testing.assert_allclose(drawn.mean(axis=0), changed["mean"], atol=0.02)
    np.testing.assert_allclose(np.cov(drawn.T), 0.25 * covariance, atol=0.02)


@FORMS
def test_long_narrow_valleys_are_followed(separable: bool, adapt_rate: bool) -> None:
    """A turned ellipsoid, whose axes differ by two orders of magnitude: value 1 to begin with, more or less.
    The full form ends at rounding errors; without correlations, or with small rates, at a thousandth."""
    search = CmaEs(np.zeros(6), population=12, sigma=0.3, separable=separable, adapt_rate=adapt_rate, seed=5)
    first = bent(search.favourite)
    for _ in range(400):
        search.tell(np.array([-bent(row) for row in search.ask()]))
    assert bent(search.favourite) < first * (1e-3 if separable or adapt_rate else 1e-12)


@pytest.mark.parametrize("population", [4, 5, 7, 150])
@FORMS
def test_small_odd_and_large_populations(population: int, separable: bool, adapt_rate: bool) -> None:
    search = CmaEs(
        np.zeros(40), population=population, sigma=1.0, separable=separable, adapt_rate=adapt_rate, seed=6
    )
    for _ in range(8):
        asked = search.ask()
        assert asked.shape == (population, 40)
        search.tell(np.floor(asked[:, 0]))  # many ties
    assert search.favourite[0] > 0


def test_a_single_weight() -> None:
    search = CmaEs(np.array([5.0]), population=6, sigma=1.0, seed=7)
    for _ in range(60):
        search.tell(-np.abs(search.ask()[:, 0] - 2))
    assert search.favourite[0] == pytest.approx(2, abs=1e-3)


@FORMS
@pytest.mark.parametrize("sigma", [1e33, 0.0])
def test_a_broken_distribution_is_an_error_that_changes_nothing(
    sigma: float, separable: bool, adapt_rate: bool
) -> None:
    search = CmaEs(np.ones(3), population=6, sigma=1.0, separable=separable, adapt_rate=adapt_rate, seed=8)
    search.restore(search.state() | {"sigma": np.array([sigma])})
    asked = search.ask()
    with pytest.raises(ValueError, match="collapsed or exploded in generation 0, sigma"):
        search.tell(np.arange(6.0))
    assert search.generation == 0
    assert np.array_equal(search.ask(), asked)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"population": 3}, "population of at least 4, got 3"),
        ({"population": 0}, "population of at least 4, got 0"),
        ({"sigma": 0.0}, "sigma must be a number above 0"),
        ({"sigma": 1e20}, "at most 1e"),
        ({"mean": np.full(4, -1e20)}, "at most 1e"),
        ({"mean": np.array([0.0, np.nan])}, "finite"),
        ({"mean": np.zeros((2, 2))}, "one weight vector, got an array of shape"),
        ({"mean": np.zeros(0)}, "one weight vector"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"separable": True, "adapt_rate": True}, "cannot adapt its learning rate"),
        ({"separable": True, "mean": np.zeros(1)}, "at least 2 weights"),
        ({"separable": True, "mean": np.zeros(288), "population": 3000}, "3000 is too large"),
        ({"mean": np.zeros(5900), "population": 40}, "22 GB of memory per generation; use the separable"),
    ],
)
def test_wrong_settings(settings: dict[str, object], message: str) -> None:
    values: dict[str, object] = {"mean": np.zeros(4), "population": 8, "sigma": 1.0, "seed": 1}
    with pytest.raises(ValueError, match=message):
        CmaEs(**(values | settings))  # type: ignore[arg-type]
