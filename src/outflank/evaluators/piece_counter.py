"""Weighted piece counter (WPC): one weight per square, plus for black discs, minus for white ones.

>>> from outflank import Board
>>> heuristic = PieceCounter.symmetric([1, -0.25, 0.1, 0.05, -0.25, 0.01, 0.01, 0.05, 0.02, 0.01])
>>> round(heuristic(Board().play("f5")), 6)
0.04
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import symmetric_square
from outflank.evaluators.protocol import CoreEvaluator, FloatArray

# The ten classes of squares under the eight symmetries (Lucas 2007, Figure 4), each named by its
# square in the triangle a1, d1, d4: a1 b1 c1 d1 b2 c2 d2 c3 d3 d4.
CLASSES = tuple(8 * row + column for row in range(4) for column in range(row, 4))
CLASS_OF_SQUARE = tuple(
    next(i for i, square in enumerate(CLASSES) if any(symmetric_square(square, k) == s for k in range(8)))
    for s in range(64)
)


class PieceCounter(CoreEvaluator):
    """64 weights, or 10 shared by equivalent squares."""

    def __init__(self, weights: npt.ArrayLike | None = None, *, is_symmetric: bool = False) -> None:
        super().__init__(weights, 10 if is_symmetric else 64)
        self.is_symmetric = is_symmetric

    @classmethod
    def symmetric(cls, weights: npt.ArrayLike | None = None) -> PieceCounter:
        """Weights of the squares a1 b1 c1 d1 b2 c2 d2 c3 d3 d4 and of all equivalent ones."""
        return cls(weights, is_symmetric=True)

    def with_weights(self, weights: npt.ArrayLike) -> PieceCounter:
        return PieceCounter(weights, is_symmetric=self.is_symmetric)

    @property
    def square_weights(self) -> FloatArray:
        """The weight of each of the 64 squares."""
        return self.weights[list(CLASS_OF_SQUARE)] if self.is_symmetric else self.weights

    @property
    def architecture(self) -> dict[str, Any]:
        return {"kind": "piece-counter", "symmetric": self.is_symmetric}

    @property
    def description(self) -> str:
        return "weighted piece counter, 10 shared weights" if self.is_symmetric else "weighted piece counter"

    def _compile(self) -> _core.Evaluator:
        return _core.piece_counter(np.ascontiguousarray(self.square_weights))
