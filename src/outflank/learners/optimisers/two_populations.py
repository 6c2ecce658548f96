"""Two populations side by side, each measured against the other.

>>> import numpy as np
>>> from outflank.learners.optimisers.evolution_strategies import EvolutionStrategy, uniform_start
>>> first, second = (
...     EvolutionStrategy(uniform_start(4, 3, bound=0.1, seed=seed), parents=1, offspring=3, seed=seed)
...     for seed in (1, 2)
... )
>>> both = PairOfPopulations(first, second)
>>> both.ask().shape, both.border
((8, 3), 4)
"""

from __future__ import annotations

import numpy as np

from outflank.learners.optimisers import checks
from outflank.learners.optimisers.optimiser import (
    FloatMatrix,
    FloatVector,
    Optimiser,
    Tensors,
    scalar,
)


class PairOfPopulations(Optimiser):
    """Two optimisers of one kind and different seeds as one; the rows of the first come first.

    It names no survivors: those of the second population do not lead the rows, and their earlier games were
    against other opponents.
    """

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
        told = checks.fitness(fitness, len(asked))
        learned = None if individuals is None else checks.individuals(individuals, asked)
        self.first.tell(told[:border], None if learned is None else learned[:border])
        self.second.tell(told[border:], None if learned is None else learned[border:])
        # Individuals of different populations had different opponents, so their numbers cannot be compared.
        # The means are over all games between the two: the higher one belongs to the stronger population.
        self._second_is_fitter = bool(told[border:].mean() > told[:border].mean())
        self.generation += 1

    @property
    def selection_size(self) -> int:
        """Of both together. Each population selects its own, so they cannot race each other."""
        return self.first.selection_size + self.second.selection_size

    @property
    def parents(self) -> FloatMatrix:
        """Those of the fitter population, then the other ones."""
        return np.vstack([population.parents for population in self._fitter_first()])

    @property
    def favourite(self) -> FloatVector:
        """That of the fitter population."""
        return self._fitter_first()[0].favourite

    def _fitter_first(self) -> tuple[Optimiser, Optimiser]:
        return (self.second, self.first) if self._second_is_fitter else (self.first, self.second)

    def state(self) -> Tensors:
        tensors = {"generation": scalar(self.generation), "second is fitter": scalar(self._second_is_fitter)}
        for prefix, population in (("a ", self.first), ("b ", self.second)):
            tensors |= {prefix + name: tensor for name, tensor in population.state().items()}
        return tensors

    def restore(self, state: Tensors) -> None:
        generation = int(checks.tensor(state, "generation", 1)[0])
        second_is_fitter = bool(checks.tensor(state, "second is fitter", 1)[0])
        for prefix, population in (("a ", self.first), ("b ", self.second)):
            population.restore(
                {name.removeprefix(prefix): state[name] for name in state if name.startswith(prefix)}
            )
        self.generation, self._second_is_fitter = generation, second_is_fitter
