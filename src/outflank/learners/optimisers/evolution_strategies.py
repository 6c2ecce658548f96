"""Evolution strategies: parents, Gaussian mutation, and the fittest become the next parents.

>>> start = uniform_start(100, weights=288, reach=0.1, seed=1)
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

from outflank.learners.optimisers.optimiser import (
    NOBODY,
    FloatMatrix,
    FloatVector,
    IntVector,
    Tensors,
    check_count,
    check_positive,
    check_seed,
    fittest_first,
    number,
    stored,
    stream,
    told_fitness,
    told_individuals,
    weight_matrix,
)


def uniform_start(individuals: int, weights: int, reach: float, seed: int) -> FloatMatrix:
    """Weight vectors drawn uniformly from [-reach, reach] (Jaskowski 2014: 0.1; Chong 2003: 0.2)."""
    check_count("the number of individuals", individuals)
    check_count("the number of weights", weights)
    check_positive("the reach of the first weights", reach)
    check_seed(seed)
    # Generation 0 may mutate with stream(seed, 0); one more number keeps these draws apart from those.
    return np.random.default_rng([seed, 0, 1]).uniform(-reach, reach, size=(individuals, weights))


class _Strategy(ABC):
    """Selection, which all strategies share. How children come about is left to `_children`.

    A start of mu rows holds the first parents, who have their first children at once (Chong 2003). A start
    of mu + lambda rows is the whole first generation (Jaskowski 2014). Either way generation 0 is judged
    whole, since nobody in it has been judged before.
    """

    def __init__(
        self, start: npt.ArrayLike, *, parents: int, offspring: int, sigma: float, plus: bool, seed: int
    ) -> None:
        check_count("the number of parents", parents)
        check_count("the number of offspring", offspring)
        check_positive("sigma", sigma)
        check_seed(seed)
        if not plus and offspring < parents:
            raise ValueError(
                f"with selection among the offspring alone, {parents} parents need at least {parents} "
                f"offspring, got {offspring}"
            )
        self._rows: FloatMatrix = weight_matrix(start, "the start")
        if len(self._rows) not in (parents, parents + offspring):
            raise ValueError(
                f"the start must have {parents} rows (the parents) or {parents + offspring} rows (the whole "
                f"first generation), got {len(self._rows)}"
            )
        self.generation = 0
        self._mu, self._lambda, self._sigma, self._plus, self._seed = parents, offspring, sigma, plus, seed
        self._chosen = NOBODY
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
        chosen = fittest_first(told_fitness(fitness, len(asked)))[: self._mu]
        self._choose(told_individuals(individuals, asked), chosen)
        self.generation += 1

    def _choose(self, rows: FloatMatrix, chosen: IntVector) -> None:
        self._rows, self._chosen = rows[chosen], chosen

    @property
    def _starts_whole(self) -> bool:
        return len(self._rows) != self._mu

    @property
    def _with_parents(self) -> bool:
        return self._plus or self.generation == 0

    @property
    def kept(self) -> IntVector:
        return self._chosen.copy() if self._plus else NOBODY

    @property
    def choosing(self) -> int:
        return self._mu

    @property
    def parents(self) -> FloatMatrix:
        return self._rows[: self._mu].copy()

    @property
    def favourite(self) -> FloatVector:
        """The fittest of the last generation."""
        return np.asarray(self.parents[0])

    def _shape(self, generation: int) -> tuple[int, int]:
        return (self._start_rows if generation == 0 else self._mu), self._rows.shape[1]

    def state(self) -> Tensors:
        return {
            "generation": number(self.generation),
            "parents": self._rows.copy(),
            "chosen": self._chosen.astype(np.float64),
        }

    def restore(self, state: Tensors) -> None:
        generation = int(stored(state, "generation", 1)[0])
        parents = stored(state, "parents", *self._shape(generation))
        chosen = stored(state, "chosen", 0 if generation == 0 else self._mu)
        self.generation, self._rows, self._chosen = generation, parents, chosen.astype(np.int64)


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
        # Every child draws its parent uniformly, as Beyer and Schwefel 2002 ("Evolution strategies: a
        # comprehensive introduction") have it for one parent a child; Jaskowski 2014 does not say.
        whose = random.integers(self._mu, size=self._lambda)
        steps = random.standard_normal((self._lambda, self._rows.shape[1]))
        return self._rows[whose] + self._sigma * steps


class SelfAdaptiveEvolution(_Strategy):
    """(mu + lambda) where every weight carries its own step size, which is mutated before it (Chong 2003,
    section 4, the equations after Figure 1): sigma' = sigma exp(tau N), w' = w + sigma' N.

    Parents have children in turn: with as many offspring as parents each has one, as in the paper.
    """

    def __init__(
        self,
        start: npt.ArrayLike,
        *,
        parents: int = 10,
        offspring: int = 10,
        sigma: float = 0.05,
        tau: float | None = None,
        seed: int,
    ) -> None:
        super().__init__(start, parents=parents, offspring=offspring, sigma=sigma, plus=True, seed=seed)
        self.tau = adaptation_rate(self._rows.shape[1]) if tau is None else tau
        check_positive("tau", self.tau)
        self._sigmas = np.full_like(self._rows, sigma)

    @property
    def sigmas(self) -> FloatMatrix:
        """The step sizes of the parents, a row each."""
        return self._sigmas[: self._mu].copy()

    def _children(self, random: np.random.Generator) -> FloatMatrix:
        sigmas = self._childrens_sigmas(random)
        return self._rows[self._whose] + sigmas * random.standard_normal(sigmas.shape)

    def _childrens_sigmas(self, random: np.random.Generator) -> FloatMatrix:
        steps = random.standard_normal((self._lambda, self._rows.shape[1]))
        return self._sigmas[self._whose] * np.exp(self.tau * steps)

    @property
    def _whose(self) -> IntVector:
        return np.arange(self._lambda) % self._mu

    def _choose(self, rows: FloatMatrix, chosen: IntVector) -> None:
        if not self._starts_whole:
            # The first numbers of the stream, so these are the step sizes that ask() made the children with.
            children = self._childrens_sigmas(stream(self._seed, self.generation))
            self._sigmas = np.vstack([self._sigmas, children])
        self._sigmas = self._sigmas[chosen]
        super()._choose(rows, chosen)

    def state(self) -> Tensors:
        return super().state() | {"sigmas": self._sigmas.copy()}

    def restore(self, state: Tensors) -> None:
        sigmas = stored(state, "sigmas", *self._shape(int(stored(state, "generation", 1)[0])))
        super().restore(state)
        self._sigmas = sigmas


def adaptation_rate(weights: int) -> float:
    """tau of Chong 2003: 1 / sqrt(2 sqrt(n)).

    >>> round(adaptation_rate(5900), 5)
    0.08068
    """
    return 1 / math.sqrt(2 * math.sqrt(weights))
