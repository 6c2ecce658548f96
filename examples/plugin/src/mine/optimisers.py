"""An optimiser: ask() for a generation, tell() how fit it is, and a state that a checkpoint can hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from outflank import Optimiser

Floats = npt.NDArray[np.float64]


class Ga(Optimiser):
    """A genetic algorithm: the better half survives, the other half are crossed and mutated children."""

    def __init__(self, start: npt.ArrayLike, *, seed: int, step: float = 0.1) -> None:
        self._rows: Floats = np.array(start, dtype=np.float64)
        self._seed, self._step = seed, step
        self.generation = 0

    def ask(self) -> Floats:
        if self.generation == 0:
            return self._rows.copy()
        # Generation g draws only from its own stream: a run that was killed goes on as if it had not been.
        random = np.random.default_rng([self._seed, self.generation])
        mothers, fathers = (random.integers(len(self._rows), size=len(self._rows)) for _ in range(2))
        mixed = np.where(random.random(self._rows.shape) < 0.5, self._rows[mothers], self._rows[fathers])
        return np.vstack([self._rows, mixed + self._step * random.normal(size=mixed.shape)])

    def tell(self, fitness: Floats, individuals: Floats | None = None) -> None:
        asked = self.ask() if individuals is None else individuals
        best_first = np.argsort(-fitness, kind="stable")
        self._rows = asked[best_first[: max(1, len(asked) // 2)]]
        self.generation += 1

    @property
    def selection_size(self) -> int:
        return max(1, len(self.ask()) // 2)

    @property
    def parents(self) -> Floats:
        return self._rows

    def state(self) -> dict[str, Floats]:
        return {"generation": np.array([float(self.generation)]), "rows": self._rows}

    def restore(self, state: dict[str, Floats]) -> None:
        self.generation, self._rows = int(state["generation"][0]), np.array(state["rows"])
