"""The genetic search of Kim 2007, Figure 2: roulette selection, rare small mutations, elitism.

>>> learned = np.linspace(-1, 1, 2113)
>>> search = GeneticSearch(np.tile(learned, (50, 1)), seed=1)
>>> search.tell(np.arange(50.0))
>>> int((search.ask()[1] != learned).sum())  # each of 2,113 weights mutates with probability 0.01
20
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from outflank.arguments import check_number
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


class GeneticSearch(Optimiser):
    """`start` is the population, one individual per row; Kim 2007, section IV-A: 50 copies of a learned
    network, a mutation rate of 0.01, and steps of +0.01 or -0.01."""

    def __init__(
        self, start: npt.ArrayLike, *, mutation_rate: float = 0.01, step: float = 0.01, seed: int
    ) -> None:
        self._rows: FloatMatrix = checks.weight_matrix(start, "the start")
        if len(self._rows) < 2:
            raise ValueError("a genetic search needs at least 2 individuals: the best, and one that changes")
        check_number("the mutation rate", mutation_rate)
        if not 0 < mutation_rate <= 1:
            raise ValueError(f"the mutation rate must be above 0 and at most 1, got {mutation_rate}")
        checks.positive("the step of a mutation", step)
        checks.seed(seed)
        self.generation = 0
        self._rate, self._step, self._seed = mutation_rate, step, seed
        self._fitness: FloatVector = np.zeros(len(self._rows))  # of the rows, the last generation

    def ask(self) -> FloatMatrix:
        if self.generation == 0:
            return self._rows.copy()
        random = stream(self._seed, self.generation)
        # Elitism: the fittest takes the row that Figure 2 does not mutate (line 13 starts at 1; line 20).
        chosen = random.choice(len(self._rows), size=len(self._rows) - 1, p=self._shares())
        moved = random.random((len(chosen), self._rows.shape[1])) < self._rate
        signs = random.choice([-1.0, 1.0], size=moved.shape)
        mutated = self._rows[chosen] + np.where(moved, self._step * signs, 0.0)
        return np.vstack([self.favourite, mutated])

    def _shares(self) -> FloatVector:
        """The probability that the roulette selects each row, in proportion to its fitness."""
        if not self._fitness.any():
            return np.full(len(self._fitness), 1 / len(self._fitness))
        scaled = self._fitness / self._fitness.max()  # so that the sum of very large numbers stays finite
        return np.asarray(scaled / scaled.sum())

    def tell(self, fitness: FloatVector, individuals: FloatMatrix | None = None) -> None:
        asked = self.ask()
        told = checks.fitness(fitness, len(asked))
        if (told < 0).any() or not np.isfinite(told).all():
            raise ValueError(
                "roulette selection is proportional to fitness, which must be finite and not negative, "
                f"got {told[(told < 0) | ~np.isfinite(told)][0]}"
            )
        self._rows = checks.individuals(individuals, asked)
        self._fitness = told
        self.generation += 1

    @property
    def survivors(self) -> IntVector:
        return fittest_first(self._fitness)[:1] if self.generation else super().survivors

    @property
    def selection_size(self) -> int:
        """All: every fitness counts, since each row has a share of the roulette."""
        return len(self._rows)

    @property
    def parents(self) -> FloatMatrix:
        """The last generation, the fittest first."""
        return self._rows[fittest_first(self._fitness)]

    def state(self) -> Tensors:
        return {
            "generation": scalar(self.generation),
            "individuals": self._rows.copy(),
            "fitness": self._fitness.copy(),
        }

    def restore(self, state: Tensors) -> None:
        generation = int(checks.tensor(state, "generation", 1)[0])
        rows = checks.tensor(state, "individuals", *self._rows.shape)
        fitness = checks.tensor(state, "fitness", len(self._rows))
        self.generation, self._rows, self._fitness = generation, rows, fitness
