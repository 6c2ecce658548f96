"""N-tuple network with tables of whole-board counts: both sides' legal moves, or discs beside empty squares.

>>> network = CountedNetwork.of_shape("all-2+mobility")
>>> network.counts, network.weights.size
(('mobility',), 1312)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board, Colour
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.protocol import BitArray, CoreEvaluator, FloatArray

COUNTS = ("mobility", "frontier")
LARGEST_COUNT = 31
ENTRIES = (LARGEST_COUNT + 1) ** 2
_COLOURS: tuple[Colour, ...] = ("black", "white")


def without_counts(shape: str) -> tuple[str, tuple[str, ...]]:
    """The shape of tuples and the counts in a name.

    >>> without_counts("logistello+mobility")
    ('logistello', ('mobility',))
    """
    parts = shape.split("+")
    return "+".join(part for part in parts if part not in COUNTS), tuple(
        part for part in parts if part in COUNTS
    )


class CountedNetwork(CoreEvaluator):
    """A network plus, for each count, a table of 32 x 32 entries: Black's count, then White's, up to 31.

    mobility: legal moves. frontier: discs beside an empty square, which give the other side moves.
    The weight vector holds, for each stage, the tuples' tables and then the counts' tables.
    """

    def __init__(
        self, network: NTupleNetwork, counts: tuple[str, ...], weights: npt.ArrayLike | None = None
    ) -> None:
        """`network`: the tuples and stages; its weights do not matter."""
        if not counts or len(set(counts)) < len(counts) or not set(counts) <= set(COUNTS):
            raise ValueError(f"counts are {' and '.join(COUNTS)}, each at most once, got {', '.join(counts)}")
        self.network = network
        self.counts = tuple(counts)
        super().__init__(weights, self.stages * self.weights_of_one_stage)

    @classmethod
    def of_shape(cls, name: str, *, stages: int = 1, seed: int = 1) -> CountedNetwork:
        shape, counts = without_counts(name)
        return cls(NTupleNetwork.of_shape(shape, stages=stages, seed=seed), counts)

    @property
    def stages(self) -> int:
        return self.network.stages

    @property
    def weights_of_one_stage(self) -> int:
        return self.network.weights_of_one_stage + ENTRIES * len(self.counts)

    @property
    def placements(self) -> list[npt.NDArray[np.uint8]]:
        return self.network.placements

    def _parts(self) -> tuple[FloatArray, FloatArray]:
        """The weights of the tuples and those of the counts, each stage by stage."""
        by_stage = self.weights.reshape(self.stages, -1)
        split = self.network.weights_of_one_stage
        return by_stage[:, :split].ravel(), by_stage[:, split:].ravel()

    @property
    def tuples(self) -> NTupleNetwork:
        """The network without the counts, with its weights."""
        return self.network.with_weights(self._parts()[0])

    def with_weights(self, weights: npt.ArrayLike) -> CountedNetwork:
        return CountedNetwork(self.network, self.counts, weights)

    @property
    def architecture(self) -> dict[str, Any]:
        return {**self.network.architecture, "kind": "counted-network", "counts": list(self.counts)}

    @property
    def description(self) -> str:
        return f"{self.network.description}, with {' and '.join(self.counts)}"

    @property
    def bytes_held(self) -> int:
        return super().bytes_held + self.network.weights.nbytes

    def _compile(self) -> _core.Evaluator:
        tuples, counts = self._parts()
        return _core.counted_network(self.placements, tuples, list(self.counts), counts, self.stages)

    def values_plainly(self, black: BitArray, white: BitArray) -> FloatArray:
        """The values in plain Python: slow, the reference for the core."""
        tables = self._parts()[1].reshape(self.stages, len(self.counts), LARGEST_COUNT + 1, LARGEST_COUNT + 1)
        values = self.tuples.values_plainly(black, white)
        for i, (b, w) in enumerate(zip(map(int, black), map(int, white), strict=True)):
            stage = max((b | w).bit_count() - 4, 0) * self.stages // 61
            for table, count in zip(tables[stage], self.counts, strict=True):
                mine, other = count_both_sides(count, b, w)
                values[i] += table[min(mine, LARGEST_COUNT), min(other, LARGEST_COUNT)]
        return values


def count_both_sides(count: str, black: int, white: int) -> tuple[int, int]:
    """A count for Black and for White, in plain Python.

    >>> count_both_sides("mobility", Board().black, Board().white)
    (4, 4)
    """
    if count == "mobility":
        mine, other = (len(Board.from_discs(black, white, mover).legal_moves) for mover in _COLOURS)
        return mine, other
    beside = squares_beside(~(black | white))
    return (black & beside).bit_count(), (white & beside).bit_count()


def squares_beside(squares: int) -> int:
    """Those of a set, and their neighbours."""
    own = {divmod(s, 8) for s in range(64) if squares >> s & 1}
    beside = {(r + dr, c + dc) for r, c in own for dr in (-1, 0, 1) for dc in (-1, 0, 1)}
    return sum(1 << 8 * r + c for r, c in beside if 0 <= r < 8 and 0 <= c < 8)
