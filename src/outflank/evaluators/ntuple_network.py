"""N-tuple network: a sum of table entries, looked up by the contents of tuples of squares (Lucas 2007 eq. 1).

>>> network = NTupleNetwork.of_shape("all-2")
>>> len(network.tables), network.weights.size
(32, 288)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from operator import index
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.arguments import check_whole
from outflank.evaluators.protocol import CoreEvaluator, FloatArray
from outflank.evaluators.tuple_shapes import Table, shape
from outflank.suggestions import shown

MOST_WEIGHTS = 1 << 27  # a gigabyte


class NTupleNetwork(CoreEvaluator):
    """Tables with their placements on the board, as given: no symmetries are added.

    The first square of a placement is the most significant digit; white 0, empty 1, black 2. The
    weight vector holds the tables one after another; with game stages, one such set per stage, where
    stage s of S is for boards with (discs - 4) * S / 61 rounded down to s.
    """

    def __init__(
        self,
        tables: Sequence[Sequence[Sequence[int]]],
        weights: npt.ArrayLike | None = None,
        *,
        stages: int = 1,
    ) -> None:
        try:
            self.tables: tuple[Table, ...] = tuple(
                tuple(tuple(map(index, placement)) for placement in table) for table in tables
            )
        except TypeError:
            hint = f"; by the name of a shape: NTupleNetwork.of_shape({tables!r})"
            raise TypeError(
                "tables are lists of placements, and those lists of squares, such as [[[0, 1], [1, 2]]]"
                + (hint if isinstance(tables, str) else f", got {shown(tables)}")
            ) from None
        self.stages = stages
        _check(self.tables, stages)
        super().__init__(weights, stages * self.weights_of_one_stage)

    @classmethod
    def of_shape(
        cls, name: str, weights: npt.ArrayLike | None = None, *, stages: int = 1, seed: int = 1
    ) -> NTupleNetwork:
        """A network by the name of its shape: `all-2`, `rand-8x4`, `all-3+corner-2x5` (see shape)."""
        return cls(shape(name, seed), weights, stages=stages)

    @property
    def weights_of_one_stage(self) -> int:
        return sum(3 ** len(table[0]) for table in self.tables)

    def table_weights(self, stage: int = 0) -> Iterator[tuple[Table, FloatArray]]:
        """Each table with its weights."""
        first = stage * self.weights_of_one_stage
        for table in self.tables:
            count = 3 ** len(table[0])
            yield table, self.weights[first : first + count]
            first += count

    def with_weights(self, weights: npt.ArrayLike) -> NTupleNetwork:
        same = object.__new__(NTupleNetwork)  # the tables are valid
        same.tables, same.stages = self.tables, self.stages
        CoreEvaluator.__init__(same, weights, self.weights.size)
        return same

    @property
    def architecture(self) -> dict[str, Any]:
        tables = [[list(placement) for placement in table] for table in self.tables]
        return {"kind": "n-tuple-network", "stages": self.stages, "tables": tables}

    @property
    def description(self) -> str:
        lengths = sorted({len(table[0]) for table in self.tables})
        size = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
        stages = f", {self.stages} stages" if self.stages > 1 else ""
        plural = "tuple" if len(self.tables) == 1 else "tuples"
        return f"n-tuple network, {len(self.tables)} {plural} of {size}{stages}"

    @property
    def placements(self) -> list[npt.NDArray[np.uint8]]:
        """The tables for the core: one matrix each, with a row of squares per placement."""
        return [np.array(table, dtype=np.uint8) for table in self.tables]

    @property
    def bytes_held(self) -> int:
        placements = sum(len(table) * sys.getsizeof(table[0]) for table in self.tables)
        return super().bytes_held + placements

    def _compile(self, form: Literal["compiled", "plain", "folded"] = "compiled") -> _core.Evaluator:
        return _core.ntuple_network(self.placements, self.weights, self.stages, form)

    def values_plainly(self, black: npt.NDArray[np.uint64], white: npt.NDArray[np.uint64]) -> FloatArray:
        """The values in plain NumPy: slow, the reference for the core."""
        digits = (_core.squares(black, white) + 1).astype(np.int64)
        discs = np.bitwise_count(black | white).astype(np.int64)
        first = np.maximum(discs - 4, 0) * self.stages // 61 * self.weights_of_one_stage
        values = np.zeros(len(digits))
        for table in self.tables:
            for placement in table:
                powers = 3 ** np.arange(len(placement) - 1, -1, -1)
                values += self.weights[first + digits[:, list(placement)] @ powers]
            first = first + 3 ** len(table[0])
        return values


def _check(tables: tuple[Table, ...], stages: int) -> None:
    check_whole("stages", stages)
    if not 1 <= stages <= 61:
        raise ValueError(f"a network has 1 to 61 stages, got {stages}")
    if not tables:
        raise ValueError("a network needs at least one table")
    for number, table in enumerate(tables, start=1):
        if not table:
            raise ValueError(f"table {number} has no placements")
        length = len(table[0])
        if not 1 <= length <= _core.LONGEST_TUPLE:
            raise ValueError(f"table {number}: a tuple has 1 to {_core.LONGEST_TUPLE} squares, got {length}")
        for placement in table:
            if len(placement) != length:
                raise ValueError(f"table {number}: its placements differ in length")
            if min(placement) < 0 or max(placement) > 63:
                wrong = next(square for square in placement if not 0 <= square <= 63)
                raise ValueError(f"table {number}: square {wrong} is outside 0..63")
    if stages * sum(3 ** len(table[0]) for table in tables) > MOST_WEIGHTS:
        raise ValueError(f"a network has at most {MOST_WEIGHTS:,} weights")
