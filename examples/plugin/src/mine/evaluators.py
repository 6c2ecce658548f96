"""Evaluators: a function of the squares, and one with weights, which evolution can learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from outflank import WeightedEvaluator

CORNERS = [0, 7, 56, 63]
NEXT_TO_CORNERS = [9, 14, 49, 54]
EDGES = [square for square in range(64) if square % 8 in (0, 7) or square // 8 in (0, 7)]


def corners(squares: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Black +1, white -1, empty 0, one row of 64 per board; a number per board, larger if Black is better."""
    discs = squares.sum(axis=1)
    values: npt.NDArray[np.float32] = (
        20 * squares[:, CORNERS].sum(axis=1) - 5 * squares[:, NEXT_TO_CORNERS].sum(axis=1) + 0.1 * discs
    )
    return values


class Regions(WeightedEvaluator):
    """Four weights: corners, squares next to them, edges, all squares. Plain NumPy, no core."""

    def __init__(self, weights: npt.ArrayLike | None = None) -> None:
        super().__init__(weights, 4)

    def with_weights(self, weights: npt.ArrayLike) -> Regions:
        return Regions(weights)

    @property
    def architecture(self) -> dict[str, Any]:
        return {"kind": "regions"}

    @property
    def description(self) -> str:
        return "four regions"

    def values(self, black: npt.NDArray[np.uint64], white: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
        differences = [_discs(black, region) - _discs(white, region) for region in REGIONS]
        values: npt.NDArray[np.float64] = np.stack(differences, axis=1) @ self.weights
        return values


def _discs(board: npt.NDArray[np.uint64], region: np.uint64) -> npt.NDArray[np.float64]:
    counts: npt.NDArray[np.float64] = np.bitwise_count(board & region).astype(np.float64)
    return counts


def _mask(squares: list[int]) -> np.uint64:
    return np.uint64(sum(1 << square for square in squares))


REGIONS = [_mask(CORNERS), _mask(NEXT_TO_CORNERS), _mask(EDGES), _mask(list(range(64)))]
