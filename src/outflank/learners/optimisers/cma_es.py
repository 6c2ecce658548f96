"""CMA-ES, full and separable, by the library `cmaes`; with random numbers from a seed, a state for
checkpoints, and the same bytes on any number of threads.

>>> search = CmaEs(np.zeros(5), population=10, sigma=0.5, seed=1)
>>> for _ in range(60):
...     search.tell(-np.square(search.ask() - 0.25).sum(axis=1))  # the nearer to 0.25, the fitter
>>> search.favourite.round(3).tolist()
[0.25, 0.25, 0.25, 0.25, 0.25]
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.arguments import check_whole
from outflank.evaluators.protocol import as_numbers
from outflank.learners.optimisers import checks
from outflank.learners.optimisers.optimiser import (
    FloatMatrix,
    FloatVector,
    Optimiser,
    Tensors,
    scalar,
    stream,
)

# The state that the library's ask and tell depend on. (Its history of function values serves its stopping
# rule only, which is of no use with a noisy fitness.)
DISTRIBUTION = {
    "mean": "_mean",
    "covariance": "_C",
    "sigma": "_sigma",
    "sigma path": "_p_sigma",
    "covariance path": "_pc",
}
ADAPTED_RATES = {
    "mean shift": "_Emean",
    "covariance shift": "_ESigma",
    "mean noise": "_Vmean",
    "covariance noise": "_VSigma",
    "mean rate": "_eta_mean",
    "covariance rate": "_eta_Sigma",
}
LARGEST = 1e16  # initial mean and sigma; the library stops at 1e32
MEMORY = 4e9  # bytes per update


class CmaEs(Optimiser):
    """Searches with a Gaussian distribution: of all weights jointly, or separable (no correlations) for
    thousands of weights. `adapt_rate` slows learning down where fitness is noisy (the library's `lr_adapt`,
    Nomura, Akimoto and Ono 2023)."""

    def __init__(
        self,
        mean: npt.ArrayLike,
        *,
        population: int,
        sigma: float,
        separable: bool = False,
        adapt_rate: bool = False,
        seed: int,
    ) -> None:
        start = as_numbers(mean, "the mean")
        if start.ndim != 1:
            raise ValueError(f"the mean must be one weight vector, got an array of shape {start.shape}")
        checks.weight_matrix(start[np.newaxis], "the mean")
        checks.positive("sigma", sigma)
        checks.seed(seed)
        _check_sizes(len(start), population, separable)
        if separable and adapt_rate:
            raise ValueError("the separable CMA-ES cannot adapt its learning rate; choose one of them")
        if max(sigma, np.abs(start).max()) > LARGEST:
            raise ValueError(f"mean and sigma of CMA-ES must be at most {LARGEST:g}")
        self._names = DISTRIBUTION | (ADAPTED_RATES if adapt_rate else {})
        self._library = _library(start, population, sigma, separable, adapt_rate)
        self._seed, self._population = seed, population
        self.restore(self._snapshot())

    def ask(self) -> FloatMatrix:
        with _one_thread():
            return self._drawn()

    def _drawn(self) -> FloatMatrix:
        # x ~ N(m, sigma^2 C). The library draws individuals one by one, with a matrix product each: 45 ms for
        # 40 individuals of 288 weights; together they take a third of a millisecond.
        search = self._library
        normal = stream(self._seed, self.generation).standard_normal((self._population, search.dim))
        if len(self._state["covariance"].shape) == 1:  # separable
            steps = normal * search._eigen_decomposition()
        else:
            axes, lengths = search._eigen_decomposition()
            steps = (normal * lengths) @ axes.T
        return np.asarray(search._mean + search._sigma * steps)

    def tell(self, fitness: FloatVector, individuals: FloatMatrix | None = None) -> None:
        if individuals is not None:
            raise ValueError(
                "CMA-ES learns from the vectors it drew: individuals that learn between generations need an "
                "evolution strategy or the genetic search"
            )
        checked = checks.fitness(fitness, self._population)
        # On one thread BLAS adds in one order. A distribution that collapses or explodes is an error below.
        with _one_thread(), np.errstate(all="ignore"):
            drawn = self._drawn()
            try:
                # It minimises; its sort is stable: of equals the lower row comes first.
                self._library.tell([(row, -float(value)) for row, value in zip(drawn, checked, strict=True)])
                after = self._snapshot()
            except (AssertionError, np.linalg.LinAlgError):  # weights beyond 1e32; NaN in a matrix
                after = {"sigma": scalar(np.inf)}
        if not all(np.isfinite(tensor).all() for tensor in after.values()) or after["sigma"][0] <= 0:
            self.restore(self._state)
            raise ValueError(
                f"the distribution of CMA-ES has collapsed or exploded in generation {self.generation}, "
                f"sigma {float(self._state['sigma'][0]):g}: start again with another sigma"
            )
        self.restore(after)

    @property
    def selection_size(self) -> int:
        """The half that moves the mean. (The full form also learns from the order of the other half where
        not to search, so individuals dropped early should be ordered by when they were dropped.)"""
        return self._population // 2

    @property
    def parents(self) -> FloatMatrix:
        return self._state["mean"][np.newaxis].copy()

    @property
    def sigma(self) -> float:
        """The step size."""
        return float(self._state["sigma"][0])

    def _snapshot(self) -> Tensors:
        tensors = {
            name: np.array(getattr(self._library, attribute), dtype=np.float64, ndmin=1)
            for name, attribute in self._names.items()
        }
        return tensors | {"generation": scalar(self._library.generation)}

    def state(self) -> Tensors:
        return {name: tensor.copy() for name, tensor in self._state.items()}

    def restore(self, state: Tensors) -> None:
        # Every generation passes through here, so that one after a checkpoint starts with the same bytes. The
        # state holds the covariance as tell left it: the library decomposes and rounds it in place in ask.
        shapes = {name: tensor.shape for name, tensor in self._snapshot().items()}
        self._state = {name: checks.tensor(state, name, *shape) for name, shape in shapes.items()}
        self.generation = self._library._g = int(self._state["generation"][0])
        for name, attribute in self._names.items():
            is_scalar = np.ndim(getattr(self._library, attribute)) == 0
            value = self._state[name]
            setattr(self._library, attribute, value[0] if is_scalar else value.copy())
        self._library._B = self._library._D = None


def _check_sizes(weights: int, population: int, separable: bool) -> None:
    check_whole("the population", population)
    if population < 4:
        # With fewer, one parent alone moves the mean and the covariance is not learned.
        raise ValueError(f"CMA-ES needs a population of at least 4, got {population}")
    if separable and weights < 2:
        raise ValueError("the separable CMA-ES needs at least 2 weights")
    needed = 16.0 * population * weights**2  # an outer product for each individual, and the weighted copy
    if not separable and needed > MEMORY:
        raise ValueError(
            f"the full CMA-ES of {weights} weights and a population of {population} would take "
            f"{needed / 1e9:.0f} GB of memory per generation; use the separable one"
        )


def _library(mean: FloatVector, population: int, sigma: float, separable: bool, adapt_rate: bool) -> Any:
    from cmaes import CMA, SepCMA  # type: ignore[import-untyped]  # takes most of a second, mainly SciPy

    if not separable:
        return CMA(mean=mean, sigma=sigma, population_size=population, lr_adapt=adapt_rate)
    search = SepCMA(mean=mean, sigma=sigma, population_size=population)
    if search._c1 + search._cmu > 1:
        raise ValueError(
            f"a population of {population} is too large for the separable CMA-ES of {len(mean)} weights: "
            "its learning rate of variances would exceed 1"
        )
    return search


def _one_thread() -> AbstractContextManager[Any]:
    limit: AbstractContextManager[Any] = _thread_pools().limit(limits=1, user_api="blas")
    return limit


@cache
def _thread_pools() -> Any:
    """Finding them takes milliseconds, limiting them microseconds."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()
