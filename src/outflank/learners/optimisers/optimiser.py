"""Optimisers: ask for a generation of weight vectors, tell how fit each of them is.

>>> fittest_first(np.array([0.25, 0.75, 0.25, 0.5]))
array([1, 3, 0, 2])

An optimiser knows nothing of games. Randomness is an argument: generation g draws only from stream(seed, g),
so a checkpoint needs no generator, and a generation that is asked for again is the same.
"""

from __future__ import annotations

import math
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
        ...

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
        ...

    def state(self) -> Tensors:
        """Everything a checkpoint must hold."""
        ...

    def restore(self, state: Tensors) -> None:
        """Continue from a checkpoint."""
        ...


NO_SURVIVORS: IntVector = np.empty(0, dtype=np.int64)


def fittest_first(fitness: FloatVector) -> IntVector:
    """Row numbers by falling fitness. Of equals the lower row comes first, so that a parent precedes its
    children, and the order does not depend on how numpy sorts."""
    return np.argsort(-fitness, kind="stable").astype(np.int64)


def weight_matrix(rows: npt.ArrayLike, what: str) -> FloatMatrix:
    """A copy of the rows, one finite weight vector each."""
    matrix = np.array(rows, dtype=np.float64)
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"{what} must hold one weight vector per row, got an array of shape {matrix.shape}")
    if not (finite := np.isfinite(matrix).all(axis=1)).all():
        row = int(np.argmin(finite))
        raise ValueError(f"{what} must be finite numbers, but row {row} holds others")
    return matrix


def checked_fitness(fitness: npt.ArrayLike, individuals: int) -> FloatVector:
    """The fitness of a generation: one number per individual."""
    numbers = np.array(fitness, dtype=np.float64)
    if numbers.shape != (individuals,):
        raise ValueError(
            f"a generation of {individuals} individuals needs {individuals} fitness values in a row, "
            f"got an array of shape {numbers.shape}"
        )
    if np.isnan(numbers).any():
        raise ValueError(f"the fitness of row {int(np.flatnonzero(np.isnan(numbers))[0])} is not a number")
    return numbers


def checked_individuals(individuals: npt.ArrayLike | None, asked: FloatMatrix) -> FloatMatrix:
    """The generation after it has learned, if it has; else as it was asked for."""
    if individuals is None:
        return asked
    learned = weight_matrix(individuals, "the individuals told")
    if learned.shape != asked.shape:
        raise ValueError(
            f"the individuals told must be those asked, an array of shape {asked.shape}, "
            f"got one of shape {learned.shape}"
        )
    return learned


def check_count(what: str, number: int) -> None:
    if number < 1:
        raise ValueError(f"{what} must be at least 1, got {number}")


def check_positive(what: str, number: float) -> None:
    if not (number > 0 and math.isfinite(number)):
        raise ValueError(f"{what} must be a number above 0, got {number}")


def check_seed(seed: int) -> None:
    if seed < 0:
        raise ValueError(f"the seed must be 0 or more, got {seed}")


def checkpoint_tensor(state: Tensors, name: str, *shape: int) -> FloatMatrix:
    """A copy of a checkpoint's tensor, which must have this shape."""
    tensor = state.get(name)
    if tensor is None or tensor.shape != shape:
        found = "nothing" if tensor is None else f"shape {tensor.shape}"
        raise ValueError(
            f"the checkpoint does not belong to this search: it should hold {name!r} of shape {shape}, "
            f"but holds {found}"
        )
    return np.array(tensor, dtype=np.float64)


def scalar(value: float) -> FloatVector:
    """A number as a checkpoint holds it."""
    return np.array([value], dtype=np.float64)
