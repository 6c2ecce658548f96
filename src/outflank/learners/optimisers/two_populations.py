"""Two populations side by side, each measured against the other.

>>> import numpy as np
>>> from outflank.learners.optimisers.evolution_strategies import EvolutionStrategy, uniform_start
>>> first, second = (
...     EvolutionStrategy(uniform_start(4, 3, reach=0.1, seed=seed), parents=1, offspring=3, seed=seed)
...     for seed in (1, 2)
... )
>>> both = PairOfPopulations(first, second)
>>> both.ask().shape, both.border
((8, 3), 4)
"""

from __future__ import annotations

import numpy as np

from outflank.learners.optimisers.optimiser import (
    NOBODY,
    FloatMatrix,
    FloatVector,
    IntVector,
    Optimiser,
    Tensors,
    number,
    stored,
    told_fitness,
    told_individuals,
)


class PairOfPopulations:
    """An optimiser made of two of one kind and of different seeds: the first one's rows come first."""

    def __init__(self, first: Optimiser, second: Optimiser) -> None:
        if first is second:
            raise ValueError("two populations need two optimisers, got the same one twice")
        if first.favourite.shape != second.favourite.shape:
            raise ValueError(
                f"two populations need as many weights in each, got {first.favourite.size} and "
                f"{second.favourite.size}"
            )
        if first.generation != second.generation:
            raise ValueError("two populations must be in the same generation")
        self.first, self.second = first, second
        self.generation = first.generation
        self._second_is_fitter = False

    @property
    def border(self) -> int:
        """The first row of the second population."""
        return len(self.first.ask())

    def ask(self) -> FloatMatrix:
        return np.vstack([self.first.ask(), self.second.ask()])

    def tell(self, fitness: FloatVector, individuals: FloatMatrix | None = None) -> None:
        border, asked = self.border, self.ask()
        told = told_fitness(fitness, len(asked))
        learned = None if individuals is None else told_individuals(individuals, asked)
        self.first.tell(told[:border], None if learned is None else learned[:border])
        self.second.tell(told[border:], None if learned is None else learned[border:])
        # Fitness is measured against the other population, so two single numbers of different populations
        # say little: each had other opponents. The means are over all games between the two: the higher one
        # belongs to the stronger population, and no single lucky individual decides.
        self._second_is_fitter = bool(told[border:].mean() > told[:border].mean())
        self.generation += 1

    @property
    def kept(self) -> IntVector:
        """Empty: the second population's parents do not lead the rows, and all have met new opponents, so
        earlier games of a parent say nothing of it now."""
        return NOBODY

    @property
    def choosing(self) -> int:
        """Of both together. Each population chooses its own: race them apart, or not at all."""
        return self.first.choosing + self.second.choosing

    @property
    def parents(self) -> FloatMatrix:
        """Those of the fitter population, then the other's."""
        return np.vstack([population.parents for population in self._fitter_first()])

    @property
    def favourite(self) -> FloatVector:
        """That of the fitter population."""
        return self._fitter_first()[0].favourite

    def _fitter_first(self) -> tuple[Optimiser, Optimiser]:
        return (self.second, self.first) if self._second_is_fitter else (self.first, self.second)

    def state(self) -> Tensors:
        tensors = {"generation": number(self.generation), "second is fitter": number(self._second_is_fitter)}
        for prefix, population in (("a ", self.first), ("b ", self.second)):
            tensors |= {prefix + name: tensor for name, tensor in population.state().items()}
        return tensors

    def restore(self, state: Tensors) -> None:
        generation = int(stored(state, "generation", 1)[0])
        second_is_fitter = bool(stored(state, "second is fitter", 1)[0])
        for prefix, population in (("a ", self.first), ("b ", self.second)):
            population.restore(
                {name.removeprefix(prefix): state[name] for name in state if name.startswith(prefix)}
            )
        self.generation, self._second_is_fitter = generation, second_is_fitter
