"""The doubled function: one evaluator for Black, another for White (Jaskowski 2014, II-F)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.evaluators.protocol import CoreEvaluator
from outflank.suggestions import shown


class DoubledFunction:
    """Two evaluators: each sees the board as it is and is maximised by its own colour.

    The flat weight vector is Black's weights, then White's.
    """

    def __init__(self, for_black: CoreEvaluator, for_white: CoreEvaluator) -> None:
        for evaluator in (for_black, for_white):
            if not isinstance(evaluator, CoreEvaluator):
                raise TypeError(f"a doubled function is two core evaluators, got {shown(evaluator)}")
        self.for_black = for_black
        self.for_white = for_white

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        return np.concatenate([self.for_black.weights, self.for_white.weights])

    def with_weights(self, weights: npt.ArrayLike) -> DoubledFunction:
        vector = np.asarray(weights, dtype=np.float64)
        split = self.for_black.weights.size
        return DoubledFunction(
            self.for_black.with_weights(vector[:split]), self.for_white.with_weights(vector[split:])
        )

    @property
    def architecture(self) -> dict[str, Any]:
        return {
            "kind": "doubled",
            "black": self.for_black.architecture,
            "white": self.for_white.architecture,
        }

    @property
    def bytes_held(self) -> int:
        """The memory of both evaluators, weights and compiled."""
        return self.for_black.bytes_held + self.for_white.bytes_held

    @property
    def description(self) -> str:
        return f"doubled function: {self.for_black.description} and {self.for_white.description}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DoubledFunction):
            return NotImplemented
        return (self.for_black, self.for_white) == (other.for_black, other.for_white)

    def __hash__(self) -> int:
        return hash((self.for_black, self.for_white))
