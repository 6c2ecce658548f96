"""Evaluators: a number for each board of a batch, larger if Black is better.

>>> import numpy as np
>>> from outflank import Board, FunctionEvaluator
>>> corners = FunctionEvaluator(lambda squares: squares[:, [0, 7, 56, 63]].sum(axis=1))
>>> corners(Board("X--------------------------OX------XO--------------------------- X"))
1.0
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.pickling import Portable
from outflank.plugins import PluginError
from outflank.suggestions import shown

if TYPE_CHECKING:
    from outflank.board import Board

BitArray = npt.NDArray[np.uint64]
FloatArray = npt.NDArray[np.float64]


def board_bits(boards: Iterable[Board]) -> tuple[BitArray, BitArray]:
    """Black and white discs of many boards as two arrays."""
    listed = list(boards)
    black = np.fromiter((board.black for board in listed), dtype=np.uint64, count=len(listed))
    white = np.fromiter((board.white for board in listed), dtype=np.uint64, count=len(listed))
    return black, white


def as_numbers(values: npt.ArrayLike, what: str) -> FloatArray:
    """A copy as an array of 64-bit floats; an error for anything but real numbers.

    >>> as_numbers([1, 2j], "the weights")
    Traceback (most recent call last):
    TypeError: the weights must be an array of numbers, got [1, 2j]
    """
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.array(None)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{what} must be an array of numbers, got {shown(values)}")
    return array.astype(np.float64)


def checked_bits(black: BitArray, white: BitArray) -> tuple[BitArray, BitArray]:
    """Two batches of sets of discs, as the core takes them; an error says how to make them of boards."""
    for side in (black, white):
        if not isinstance(side, np.ndarray) or side.dtype != np.uint64 or side.ndim != 1:
            is_array = isinstance(side, np.ndarray)
            got = f"an array of {side.dtype} and shape {side.shape}" if is_array else shown(side)
            raise TypeError(
                f"boards are two arrays of uint64, Black's and White's discs (board_bits); got {got}"
            )
    if black.shape != white.shape:
        raise ValueError(f"there are {len(black)} sets of black discs, but {len(white)} of white ones")
    return black, white


def checked_values(result: Any, boards: int, name: str) -> FloatArray:
    """What somebody's code returned for a batch of boards, as numbers."""
    if hasattr(result, "detach"):  # a PyTorch tensor, perhaps with a gradient, perhaps on a GPU
        result = result.detach().cpu()
    found = np.asarray(result)
    if found.dtype.kind not in "biufO" or result is None:
        got = "None" if result is None else f"an array of {found.dtype}"
        raise PluginError(f"{name} must return one number per board, got {got}")
    try:
        values = np.ascontiguousarray(found, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise PluginError(f"{name} must return one number per board, got {type(result).__name__}") from None
    if values.shape != (boards,):
        raise PluginError(f"{name} returned {values.size} values for {boards} boards")
    if np.isnan(values).any():
        raise PluginError(f"{name} returned NaN for board {int(np.argmax(np.isnan(values)))}")
    return values


class Evaluator(ABC):
    """Position -> number, regardless of whose move it is."""

    @abstractmethod
    def values(self, black: BitArray, white: BitArray) -> FloatArray:
        """The values of a batch of boards, given as 64-bit sets of discs."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What it is, in a few words."""

    def __call__(self, board: Board) -> float:
        """The value of one board."""
        from outflank.board import checked_board

        return float(self.values(*board_bits([checked_board(board)]))[0])


class WeightedEvaluator(Evaluator):
    """An evaluator with a flat vector of weights: what evolution can learn.

    Immutable: `with_weights` gives the same architecture with another vector.
    """

    def __init__(self, weights: npt.ArrayLike | None, weight_count: int) -> None:
        vector = np.zeros(weight_count) if weights is None else as_numbers(weights, "the weights")
        if vector.shape != (weight_count,):
            raise ValueError(f"this evaluator has {weight_count} weights, got an array of {vector.shape}")
        if not np.isfinite(vector).all():
            raise ValueError(f"weight {int(np.argmin(np.isfinite(vector)))} is not a finite number")
        vector.flags.writeable = False
        self._weights: FloatArray = vector

    @property
    def weights(self) -> FloatArray:
        """All weights in one vector (read-only)."""
        return self._weights

    @abstractmethod
    def with_weights(self, weights: npt.ArrayLike) -> Self:
        """The same architecture with other weights."""

    @property
    @abstractmethod
    def architecture(self) -> dict[str, Any]:
        """Everything but the weights, as plain data for storage."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeightedEvaluator):
            return NotImplemented
        return self.architecture == other.architecture and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash((type(self), self.weights.tobytes()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.description}>"


class CoreEvaluator(WeightedEvaluator, Portable):
    """One that can be compiled for the core."""

    @abstractmethod
    def _compile(self) -> _core.Evaluator: ...

    @cached_property
    def core(self) -> _core.Evaluator:
        """The compiled evaluator, made when first needed."""
        return self._compile()

    @property
    def bytes_held(self) -> int:
        """The memory of its weights and its compiled form, which is made if needed."""
        return self.weights.nbytes + self.core.bytes

    def values(self, black: BitArray, white: BitArray) -> FloatArray:
        return self.core.values(*checked_bits(black, white))


class FunctionEvaluator(Evaluator):
    """Any function from a batch of boards to numbers: NumPy, PyTorch, ONNX or plain Python.

    The function gets a float32 array of shape (boards, 64), row by row from a1: black +1, white -1,
    empty 0. It returns one number per board, as anything that numpy.asarray accepts.
    """

    def __init__(self, function: Callable[[npt.NDArray[np.float32]], Any], name: str = "function") -> None:
        if not callable(function):
            raise TypeError(
                f"a FunctionEvaluator has a function of an array (boards, 64), got {shown(function)}"
            )
        self._function = function
        self._name = name

    @property
    def code(self) -> Callable[..., Any]:
        """What somebody wrote."""
        return self._function

    @property
    def description(self) -> str:
        return self._name

    def values(self, black: BitArray, white: BitArray) -> FloatArray:
        return checked_values(
            self._function(_core.squares(*checked_bits(black, white))), len(black), self._name
        )
