"""Checks of what optimisers are given: settings, weights, fitness and checkpoints."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from outflank.arguments import check_number, check_whole
from outflank.evaluators.protocol import as_numbers
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector, Tensors
from outflank.suggestions import shown


def weight_matrix(rows: npt.ArrayLike, what: str) -> FloatMatrix:
    """A copy of the rows, one finite weight vector each."""
    matrix = as_numbers(rows, what)
    if matrix.ndim != 2 or matrix.size == 0:
        raise ValueError(f"{what} must hold one weight vector per row, got an array of shape {matrix.shape}")
    if not (finite := np.isfinite(matrix).all(axis=1)).all():
        row = int(np.argmin(finite))
        raise ValueError(f"{what} must be finite numbers, but row {row} holds others")
    return matrix


def fitness(told: npt.ArrayLike, count: int) -> FloatVector:
    """The fitness of a generation: one number per individual."""
    numbers = as_numbers(told, "the fitness")
    if numbers.shape != (count,):
        raise ValueError(
            f"a generation of {count} individuals needs {count} fitness values in a row, "
            f"got an array of shape {numbers.shape}"
        )
    if np.isnan(numbers).any():
        raise ValueError(f"the fitness of row {int(np.flatnonzero(np.isnan(numbers))[0])} is not a number")
    return numbers


def generation(asked: FloatMatrix, weights: int) -> None:
    """What an optimiser asks for: one finite weight vector per row."""
    if not isinstance(asked, np.ndarray) or asked.ndim != 2 or len(asked) == 0 or asked.shape[1] != weights:
        got = f"shape {asked.shape}" if isinstance(asked, np.ndarray) else f"type {type(asked).__name__}"
        raise ValueError(f"ask() must return an array with rows of {weights} weights, got one of {got}")
    if not np.isfinite(asked).all():
        raise ValueError("ask() must return finite weights, got others")


def individuals(told: npt.ArrayLike | None, asked: FloatMatrix) -> FloatMatrix:
    """The generation after it has learned, if it has; else as it was asked for."""
    if told is None:
        return asked
    learned = weight_matrix(told, "the individuals told")
    if learned.shape != asked.shape:
        raise ValueError(
            f"the individuals told must be those asked, an array of shape {asked.shape}, "
            f"got one of shape {learned.shape}"
        )
    return learned


def count(what: str, number: int) -> None:
    check_whole(what, number)
    if number < 1:
        raise ValueError(f"{what} must be at least 1, got {number}")


def positive(what: str, number: float) -> None:
    check_number(what, number)
    if not (number > 0 and math.isfinite(number)):
        raise ValueError(f"{what} must be a number above 0, got {number}")


def seed(number: int) -> None:
    check_whole("the seed", number)
    if number < 0:
        raise ValueError(f"the seed must be 0 or more, got {number}")


def tensor(state: Tensors, name: str, *shape: int) -> FloatMatrix:
    """A copy of a checkpoint's tensor, which must have this shape."""
    if not isinstance(state, Mapping):
        raise TypeError(f"a checkpoint is a dictionary of arrays, got {shown(state)}")
    found = state.get(name)
    if found is None or found.shape != shape:
        held = "nothing" if found is None else f"shape {found.shape}"
        raise ValueError(
            f"the checkpoint does not belong to this search: it should hold {name!r} of shape {shape}, "
            f"but holds {held}"
        )
    return np.array(found, dtype=np.float64)
