"""Deep n-tuple network: table entries are short vectors, whose sum passes through small layers.

>>> network = DeepNetwork.of_shape("all-2", vector=4, hidden=8, stages=10)
>>> network.description, network.weights.size
('deep n-tuple network, 32 tuples of 2, 4-8-1 in 10 stages', 2442)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.arguments import check_whole
from outflank.evaluators.counted_network import count_both_sides, squares_beside
from outflank.evaluators.ntuple_network import MOST_WEIGHTS, NTupleNetwork
from outflank.evaluators.protocol import BitArray, CoreEvaluator, FloatArray

LONGEST_ENTRY = 32
MOST_HIDDEN = 64
BOARD_INPUTS = 8
LANES = 16  # partial sums of the output
LEAK = np.float32(1 / 16)
Floats = npt.NDArray[np.float32]


class DeepNetwork(CoreEvaluator):
    """Each entry of the tables holds `vector` numbers. Their sums over all placements, with biases, and eight
    counts of the whole board (core/evaluators/deep_layers.hpp) are inputs of `hidden` leaky rectifiers and of
    the output, to which the inputs also lead directly. Tables serve the whole game, layers one stage.

    The weight vector holds the tables one after another, entry by entry; then for each stage: biases of the
    sums; weights of the hidden nodes [input][node] and their biases; weights of the output for inputs and
    hidden nodes, and its bias. Tables are read as whole numbers of 16 bits times a power of two.
    """

    def __init__(
        self,
        tuples: NTupleNetwork,
        vector: int,
        hidden: int,
        stages: int = 1,
        weights: npt.ArrayLike | None = None,
    ) -> None:
        """`tuples`: the tables, of one stage; its weights do not matter."""
        if not 1 <= vector <= LONGEST_ENTRY:
            raise ValueError(f"an entry has 1 to {LONGEST_ENTRY} numbers, got {vector}")
        if not 1 <= hidden <= MOST_HIDDEN:
            raise ValueError(f"a deep network has 1 to {MOST_HIDDEN} hidden nodes, got {hidden}")
        check_whole("stages", stages)
        if not 1 <= stages <= 61:
            raise ValueError(f"a network has 1 to 61 stages, got {stages}")
        if vector * tuples.weights.size > MOST_WEIGHTS:
            raise ValueError(f"a network has at most {MOST_WEIGHTS:,} weights")
        self.tuples = tuples
        self.vector, self.hidden, self.stages = vector, hidden, stages
        super().__init__(weights, self.table_weights + stages * self.layer_weights)

    @classmethod
    def of_shape(
        cls, name: str, *, vector: int = 8, hidden: int = 16, stages: int = 1, seed: int = 1
    ) -> DeepNetwork:
        return cls(NTupleNetwork.of_shape(name, seed=seed), vector, hidden, stages)

    @property
    def placements(self) -> list[npt.NDArray[np.uint8]]:
        return self.tuples.placements

    @property
    def inputs(self) -> int:
        return self.vector + BOARD_INPUTS

    @property
    def table_weights(self) -> int:
        return self.vector * self.tuples.weights.size

    @property
    def layer_weights(self) -> int:
        """Of one stage."""
        return self.vector + (self.inputs + 1) * self.hidden + self.inputs + self.hidden + 1

    def with_weights(self, weights: npt.ArrayLike) -> DeepNetwork:
        return DeepNetwork(self.tuples, self.vector, self.hidden, self.stages, weights)

    def random(self, seed: int, bound: float = 0.0) -> DeepNetwork:
        """A start for learning: tables within a bound, the same layers for all stages. With a bound of zero,
        entries that are never met stay zero."""
        random = np.random.default_rng(seed)
        tables = random.uniform(-bound, bound, self.table_weights)
        layers = random.normal(size=self.layer_weights) / self.inputs**0.5
        biases = [*range(self.vector), *range(self._direct - self.hidden, self._direct), -1]
        layers[biases] = 0
        return self.with_weights(np.concatenate([tables, np.tile(layers, self.stages)]).astype(np.float32))

    @property
    def _direct(self) -> int:
        """Where, in the layers of a stage, the output's weights for the inputs begin."""
        return self.vector + (self.inputs + 1) * self.hidden

    @property
    def architecture(self) -> dict[str, Any]:
        sizes = {"vector": self.vector, "hidden": self.hidden, "stages": self.stages}
        return {**self.tuples.architecture, **sizes, "kind": "deep-network"}

    @property
    def description(self) -> str:
        stages = f" in {self.stages} stages" if self.stages > 1 else ""
        return f"deep {self.tuples.description}, {self.vector}-{self.hidden}-1{stages}"

    @property
    def bytes_held(self) -> int:
        return super().bytes_held + self.tuples.weights.nbytes

    def _compile(self) -> _core.Evaluator:
        return _core.deep_network(self.placements, self.vector, self.hidden, self.stages, self.weights)

    def values_plainly(self, black: BitArray, white: BitArray) -> FloatArray:
        """The values in plain NumPy: slow, the reference for the core."""
        layers = self.weights[self.table_weights :].reshape(self.stages, -1).astype(np.float32)
        boards = list(zip(map(int, black), map(int, white), strict=True))
        stages = [max((b | w).bit_count() - 4, 0) * self.stages // 61 for b, w in boards]
        return np.array(
            [
                self._output(layers[stage], sums, _board_inputs(*board))
                for stage, sums, board in zip(stages, self._sums(black, white), boards, strict=True)
            ]
        )

    def _sums(self, black: BitArray, white: BitArray) -> Floats:
        """Of the entries, board by board."""
        tables = self.weights[: self.table_weights].reshape(-1, self.vector)
        step = math.ldexp(1.0, math.frexp(np.abs(tables).max())[1] - 15)
        whole = np.minimum(np.rint(tables / step), 32767)
        sums = [self.tuples.with_weights(column).values_plainly(black, white) for column in whole.T]
        return np.stack(sums, axis=1).astype(np.float32) * np.float32(step)

    def _output(self, layers: Floats, sums: Floats, counts: Floats) -> float:
        """In single precision, every sum in the core's order."""
        inputs = np.concatenate([sums + layers[: self.vector], counts])
        into_hidden = layers[self.vector : self._direct].reshape(-1, self.hidden)
        nodes = into_hidden[-1].copy()
        for value, row in zip(inputs, into_hidden, strict=False):
            nodes += value * row
        active = np.where(nodes > 0, nodes, LEAK * nodes)
        direct, out_of_hidden = np.split(layers[self._direct : -1], [self.inputs])
        lanes = np.zeros(LANES, dtype=np.float32)
        for products in (active * out_of_hidden, inputs * direct):
            for begin in range(0, len(products), LANES):
                some = products[begin : begin + LANES]
                lanes[: len(some)] += some
        while len(lanes) > 1:
            lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
        return float(lanes[0] + layers[-1])


def _board_inputs(black: int, white: int) -> Floats:
    empty = ~(black | white) & (1 << 64) - 1
    moves, replies = count_both_sides("mobility", black, white)
    frontier = count_both_sides("frontier", black, white)
    openings = [(squares_beside(discs) & empty).bit_count() for discs in (white, black)]
    difference = black.bit_count() - white.bit_count()
    halves = [moves / 8, replies / 8, *(count / 16 for count in (*openings, *frontier))]
    return np.array([*halves, difference / 32, replies == 0], dtype=np.float32)
