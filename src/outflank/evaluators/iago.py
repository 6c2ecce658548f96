"""Iago's evaluation, simplified: positional play and mobility (Rosenbloom 1982; Chong 2003).

>>> from outflank import Board, named_player
>>> iago = named_player("iago").evaluator
>>> print(iago.formula)
(312 + 6.24 m) positional + (50 + 2 m) mobility + 20 potential mobility
m: moves made; from move 25 on (75 + 1 m) mobility
>>> round(iago(Board().play("f5")), 4)  # 318.24 * 9 / 1176 for the squares, 20 * (5 - 13) / 20 for potential
-5.5645
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.evaluators.protocol import CoreEvaluator, FloatArray

LATE_MOVE = 25  # from here on the late coefficient of mobility applies (Norvig 1992, section 18.12)


class Iago(CoreEvaluator):
    """Three parts, each within -1..1, times coefficients that change with the number of moves made.

    - positional: Black's square weights minus White's, divided by the sum of all their sizes;
    - mobility: (b - w) / (b + w + 2), where Black has b legal moves and White w;
    - potential mobility: likewise, with the empty squares next to the opponent's discs.

    Each coefficient is base + slope * m, where m = discs on the board - 4. Exchanging the colours only
    changes the sign of the value, so both views choose the same moves.

    Weights: 64 squares; then base and slope of the positional part, of mobility before move 25, of mobility
    from then on, of potential mobility.
    """

    def __init__(self, weights: npt.ArrayLike | None = None) -> None:
        super().__init__(weights, 64 + 4 * 2)

    def with_weights(self, weights: npt.ArrayLike) -> Iago:
        return Iago(weights)

    @property
    def square_weights(self) -> FloatArray:
        """The weight of each of the 64 squares."""
        return self.weights[:64]

    @property
    def coefficients(self) -> FloatArray:
        """Rows: positional, early mobility, late mobility, potential mobility. Columns: base, slope."""
        return self.weights[64:].reshape(4, 2)

    @property
    def formula(self) -> str:
        """The formula, in two lines."""
        positional, early, late, potential = (_of_moves(*row) for row in self.coefficients.tolist())
        return (
            f"{positional} positional + {early} mobility + {potential} potential mobility\n"
            f"m: moves made; from move {LATE_MOVE} on {late} mobility"
        )

    @property
    def architecture(self) -> dict[str, Any]:
        return {"kind": "iago"}

    @property
    def description(self) -> str:
        return "square weights and mobility, after Iago"

    def _compile(self) -> _core.Evaluator:
        return _core.iago(np.ascontiguousarray(self.square_weights), np.ascontiguousarray(self.coefficients))


def _of_moves(base: float, slope: float) -> str:
    """A coefficient as text.

    >>> _of_moves(312, 6.24), _of_moves(1, -0.5), _of_moves(20, 0), _of_moves(-3, 0)
    ('(312 + 6.24 m)', '(1 - 0.5 m)', '20', '(-3)')
    """
    if slope == 0:
        return f"{base:g}" if base >= 0 else f"({base:g})"
    return f"({base:g} {'-' if slope < 0 else '+'} {abs(slope):g} m)"
