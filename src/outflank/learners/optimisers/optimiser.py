"""Optimisers: ask for a generation of weight vectors, tell how fit each of them is.

>>> fittest_first(np.array([0.25, 0.75, 0.25, 0.5]))
array([1, 3, 0, 2])

An optimiser knows nothing of games. Randomness is an argument: generation g draws only from stream(seed, g),
so a checkpoint needs no generator, and a generation that is asked for again is the same.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

FloatVector = npt.NDArray[np.float64]
FloatMatrix = npt.NDArray[np.float64]
IntVector = npt.NDArray[np.int64]
Tensors = dict[str, npt.NDArray[np.float64]]


def stream(seed: int, generation: int) -> np.random.Generator:
    """The random numbers of a generation."""
    return np.random.default_rng([seed, generation])


class Optimiser(Protocol):
    """Searches flat weight vectors. `generation` counts the tells so far."""

    generation: int

    def ask(self) -> FloatMatrix:
        """The individuals of this generation, one per row: first the survivors of the last one, then new
        ones. Asking twice gives the same."""
        ...

    def tell(self, fitness: FloatVector, individuals: FloatMatrix | None = None) -> None:
        """One number per row of ask(), the higher the better. `individuals`: the rows as they are now, if
        they have learned in the meantime (runs/learning_between_generations.py)."""
        ...

    @property
    def survivors(self) -> IntVector:
        """For the leading rows that ask() carries over unchanged from the last generation: their rows in
        that generation. Empty if every row is new."""
        return np.empty(0, dtype=np.int64)

    @property
    def selection_size(self) -> int:
        """How many individuals of a generation are selected; the others have no influence."""
        ...

    @property
    def parents(self) -> FloatMatrix:
        """The individuals selected last, the fittest first; of a search distribution, its mean."""
        ...

    @property
    def favourite(self) -> FloatVector:
        """The vector it would recommend now."""
        return np.asarray(self.parents[0])

    def state(self) -> Tensors:
        """Everything a checkpoint must hold."""
        ...

    def restore(self, state: Tensors) -> None:
        """Continue from a checkpoint."""
        ...


def fittest_first(fitness: FloatVector) -> IntVector:
    """Row numbers by falling fitness. Of equals the lower row comes first, so that a parent precedes its
    children, and the order does not depend on how numpy sorts."""
    return np.argsort(-fitness, kind="stable").astype(np.int64)


def scalar(value: float) -> FloatVector:
    """A number as a checkpoint holds it."""
    return np.array([value], dtype=np.float64)
