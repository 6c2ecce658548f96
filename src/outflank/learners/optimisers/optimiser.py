"""A generation of weight vectors as the optimisers share it: what may be told of it, and who is fittest.

>>> fittest_first(np.array([0.25, 0.75, 0.25, 0.5]))
array([1, 3, 0, 2])

What an optimiser is: ask it for a generation of weight vectors, tell it how fit each of them is.

It knows nothing of games. Randomness is an argument: generation g draws only from stream(seed, g), so
that a checkpoint needs no generator, and a generation that is asked for again is the same.
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
    """The numbers that generation draws."""
    return np.random.default_rng([seed, generation])


class Optimiser(Protocol):
    """Searches flat weight vectors. `generation` counts the tells so far."""

    generation: int

    def ask(self) -> FloatMatrix:
        """The individuals of this generation, one a row: first those kept from the last one, then new
        ones. Asking twice gives the same."""
        ...

    def tell(self, fitness: FloatVector, individuals: FloatMatrix | None = None) -> None:
        """One number for each row that was asked, the higher the better. `individuals`: the rows as they
        are now, if they learned something in the meantime (weights changed within their lifetime)."""
        ...

    @property
    def kept(self) -> IntVector:
        """For the leading rows that ask() carries over unchanged from the last generation: which row of
        that generation each was. Empty if every row is new."""
        ...

    @property
    def choosing(self) -> int:
        """How many individuals of a generation are chosen; the rest could as well not have been."""
        ...

    @property
    def parents(self) -> FloatMatrix:
        """The individuals chosen last, the fittest first; for a search distribution, its mean."""
        ...

    @property
    def favourite(self) -> FloatVector:
        """The vector it would hand out now."""
        ...

    def state(self) -> Tensors:
        """All that a checkpoint must hold."""
        ...

    def restore(self, state: Tensors) -> None:
        """Go on from a checkpoint."""
        ...


NOBODY: IntVector = np.empty(0, dtype=np.int64)


def fittest_first(fitness: FloatVector) -> IntVector:
    """The rows by falling fitness. Of equals the lower row comes first, so that a parent stays before its
    child, and the order does not hang on how numpy sorts."""
    return np.argsort(-fitness, kind="stable").astype(np.int64)


def weight_matrix(rows: npt.ArrayLike, what: str) -> FloatMatrix:
    """A copy of one weight vector a row, all of them finite."""
    matrix = np.array(rows, dtype=np.float64)
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"{what} must hold one weight vector a row, got an array of shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{what} must be finite numbers, but row {_first_odd(matrix)} holds others")
    return matrix


def told_fitness(fitness: npt.ArrayLike, individuals: int) -> FloatVector:
    """The fitness of a generation: one number for each individual."""
    numbers = np.array(fitness, dtype=np.float64)
    if numbers.shape != (individuals,):
        raise ValueError(
            f"a generation of {individuals} individuals needs {individuals} fitness values in a row, "
            f"got an array of shape {numbers.shape}"
        )
    if np.isnan(numbers).any():
        raise ValueError(f"the fitness of row {int(np.flatnonzero(np.isnan(numbers))[0])} is not a number")
    return numbers


def told_individuals(individuals: npt.ArrayLike | None, asked: FloatMatrix) -> FloatMatrix:
    """The generation as it is after its lifetime: what it learned replaces what was asked."""
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


def stored(state: Tensors, name: str, *shape: int) -> FloatMatrix:
    """A copy of a tensor of a checkpoint that must have this shape."""
    tensor = state.get(name)
    if tensor is None or tensor.shape != shape:
        found = "nothing" if tensor is None else f"shape {tensor.shape}"
        raise ValueError(
            f"the checkpoint does not belong to this search: it should hold {name!r} of shape {shape}, "
            f"but holds {found}"
        )
    return np.array(tensor, dtype=np.float64)


def number(value: float) -> FloatVector:
    """A number as checkpoints hold it."""
    return np.array([value], dtype=np.float64)


def _first_odd(matrix: FloatMatrix) -> int:
    return int(np.flatnonzero(~np.isfinite(matrix).all(axis=1))[0])
