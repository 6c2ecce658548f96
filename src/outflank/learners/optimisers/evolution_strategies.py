"""Evolution strategies: parents, Gaussian mutation, and the fittest become the next parents.

>>> start = uniform_start(100, weights=288, bound=0.1, seed=1)
>>> search = EvolutionStrategy(start, parents=10, offspring=90, sigma=1.0, seed=1)
>>> search.tell(-np.square(search.ask()).sum(axis=1))  # the nearer to 0, the fitter
>>> search.ask().shape, search.parents.shape
((100, 288), (10, 288))
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.arguments import check_type
from outflank.learners.optimisers import checks
from outflank.learners.optimisers.optimiser import (
    FloatMatrix,
    FloatVector,
    IntVector,
    Optimiser,
    Tensors,
    fittest_first,
    scalar,
    stream,
)


def uniform_start(individuals: int, weights: int, bound: float, seed: int) -> FloatMatrix:
    """Weight vectors drawn uniformly from [-bound, bound] (Jaskowski 2014: 0.1; Chong 2003: 0.2)."""
    checks.count("the number of individuals", individuals)
    checks.count("the number of weights", weights)
    checks.positive("the bound of the initial weights", bound)
    checks.seed(seed)
    # Generation 0 may mutate with stream(seed, 0); one more number keeps these draws apart from those.
    return np.random.default_rng([seed, 0, 1]).uniform(-bound, bound, size=(individuals, weights))


class _Strategy(Optimiser, ABC):
    """Selection, which all strategies share; mutation is left to `_children`.

    A start of mu rows holds the first parents, which are mutated at once (Chong 2003). A start of mu + lambda
    rows is the whole first generation (Jaskowski 2014). In both cases all of generation 0 is measured.
    """

    def __init__(
        self, start: npt.ArrayLike, *, parents: int, offspring: int, sigma: float, plus: bool, seed: int
    ) -> None:
        checks.count("the number of parents", parents)
        checks.count("the number of offspring", offspring)
        checks.positive("sigma", sigma)
        checks.seed(seed)
        check_type("plus is True or False", plus, bool | np.bool_)
        if not plus and offspring < parents:
            raise ValueError(
                f"with selection among the offspring alone, {parents} parents need at least {parents} "
                f"offspring, got {offspring}"
            )
        self._rows: FloatMatrix = checks.weight_matrix(start, "the start")
        if len(self._rows) not in (parents, parents + offspring):
            raise ValueError(
                f"the start must have {parents} rows (the parents) or {parents + offspring} rows (the whole "
                f"first generation), got {len(self._rows)}"
            )
        self.generation = 0
        self._mu, self._lambda, self._sigma, self._plus, self._seed = parents, offspring, sigma, plus, seed
        self._selected: IntVector = np.empty(0, dtype=np.int64)
        self._start_rows = len(self._rows)

    @abstractmethod
    def _children(self, random: np.random.Generator) -> FloatMatrix: ...

    def ask(self) -> FloatMatrix:
        if self._starts_whole:
            return self._rows.copy()
        children = self._children(stream(self._seed, self.generation))
        return np.vstack([self._rows, children]) if self._with_parents else children

    def tell(self, fitness: FloatVector, individuals: FloatMatrix | None = None) -> None:
        asked = self.ask()
        selected = fittest_first(checks.fitness(fitness, len(asked)))[: self._mu]
        self._select(checks.individuals(individuals, asked), selected)
        self.generation += 1

    def _select(self, rows: FloatMatrix, selected: IntVector) -> None:
        self._rows, self._selected = rows[selected], selected

    @property
    def _starts_whole(self) -> bool:
        return len(self._rows) != self._mu

    @property
    def _with_parents(self) -> bool:
        return self._plus or self.generation == 0

    @property
    def survivors(self) -> IntVector:
        return self._selected.copy() if self._plus else super().survivors

    @property
    def selection_size(self) -> int:
        return self._mu

    @property
    def parents(self) -> FloatMatrix:
        return self._rows[: self._mu].copy()

    def _shape(self, generation: int) -> tuple[int, int]:
        return (self._start_rows if generation == 0 else self._mu), self._rows.shape[1]

    def state(self) -> Tensors:
        return {
            "generation": scalar(self.generation),
            "parents": self._rows.copy(),
            "chosen": self._selected.astype(np.float64),
        }

    def restore(self, state: Tensors) -> None:
        generation = int(checks.tensor(state, "generation", 1)[0])
        parents = checks.tensor(state, "parents", *self._shape(generation))
        selected = checks.tensor(state, "chosen", 0 if generation == 0 else self._mu)
        self.generation, self._rows, self._selected = generation, parents, selected.astype(np.int64)


class EvolutionStrategy(_Strategy):
    """(mu + lambda), or with plus=False (mu, lambda): Gaussian mutation of one step size for all weights.

    The defaults are those of Jaskowski 2014, section III-A: (10 + 90), sigma 1.0.
    """

    def __init__(
        self,
        start: npt.ArrayLike,
        *,
        parents: int = 10,
        offspring: int = 90,
        sigma: float = 1.0,
        plus: bool = True,
        seed: int,
    ) -> None:
        super().__init__(start, parents=parents, offspring=offspring, sigma=sigma, plus=plus, seed=seed)

    def _children(self, random: np.random.Generator) -> FloatMatrix:
        # Each child draws its parent uniformly, as in Beyer and Schwefel 2002 ("Evolution strategies: a
        # comprehensive introduction"); Jaskowski 2014 does not say.
        parents = random.integers(self._mu, size=self._lambda)
        steps = random.standard_normal((self._lambda, self._rows.shape[1]))
        return self._rows[parents] + self._sigma * steps


class SelfAdaptiveEvolution(_Strategy):
    """(mu + lambda) where every weight has its own step size, which is mutated first (Chong 2003, section 4,
    the equations after Figure 1): sigma' = sigma exp(tau N), w' = w + sigma' N.

    Parents have children in turn: with as many offspring as parents each has one, as in the paper.
    It names no bounds; `largest_weight` and `largest_sigma` clip what mutation makes.
    """

    def __init__(
        self,
        start: npt.ArrayLike,
        *,
        parents: int = 10,
        offspring: int = 10,
        sigma: float = 0.05,
        tau: float | None = None,
        largest_weight: float | None = None,
        largest_sigma: float | None = None,
        seed: int,
    ) -> None:
        super().__init__(start, parents=parents, offspring=offspring, sigma=sigma, plus=True, seed=seed)
        self.tau = adaptation_rate(self._rows.shape[1]) if tau is None else tau
        checks.positive("tau", self.tau)
        for name, bound in {"largest weight": largest_weight, "largest sigma": largest_sigma}.items():
            checks.positive(f"the {name}", 1.0 if bound is None else bound)
        self._largest_weight, self._largest_sigma = largest_weight, largest_sigma
        self._sigmas = np.full_like(self._rows, sigma)

    @property
    def sigmas(self) -> FloatMatrix:
        """The step sizes of the parents, one row each."""
        return self._sigmas[: self._mu].copy()

    def _children(self, random: np.random.Generator) -> FloatMatrix:
        sigmas = self._child_sigmas(random)
        children = self._rows[self._parent_of_child] + sigmas * random.standard_normal(sigmas.shape)
        bound = self._largest_weight
        return children if bound is None else np.clip(children, -bound, bound)

    def _child_sigmas(self, random: np.random.Generator) -> FloatMatrix:
        steps = random.standard_normal((self._lambda, self._rows.shape[1]))
        # Not np.exp, whose last bit hangs on the processor: a seed gives the same bytes everywhere.
        factors = _core.exponentials((self.tau * steps).ravel()).reshape(steps.shape)
        sigmas = self._sigmas[self._parent_of_child] * factors
        return sigmas if self._largest_sigma is None else np.minimum(sigmas, self._largest_sigma)

    @property
    def _parent_of_child(self) -> IntVector:
        return np.arange(self._lambda) % self._mu

    def _select(self, rows: FloatMatrix, selected: IntVector) -> None:
        if not self._starts_whole:
            # The first numbers of the stream: the step sizes with which ask() made the children.
            children = self._child_sigmas(stream(self._seed, self.generation))
            self._sigmas = np.vstack([self._sigmas, children])
        self._sigmas = self._sigmas[selected]
        super()._select(rows, selected)

    def state(self) -> Tensors:
        return super().state() | {"sigmas": self._sigmas.copy()}

    def restore(self, state: Tensors) -> None:
        sigmas = checks.tensor(state, "sigmas", *self._shape(int(checks.tensor(state, "generation", 1)[0])))
        super().restore(state)
        self._sigmas = sigmas


def adaptation_rate(weights: int) -> float:
    """tau of Chong 2003: 1 / sqrt(2 sqrt(n)).

    >>> round(adaptation_rate(5900), 5)
    0.08068
    """
    return 1 / math.sqrt(2 * math.sqrt(weights))
