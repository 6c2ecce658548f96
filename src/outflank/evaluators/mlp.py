"""Multi-layer perceptrons on the 64 squares: 64-32-1 of Kim 2007, and the spatial network of Chong 2003.

>>> Mlp().weights.size, Mlp(hidden=4).weights.size, SpatialMlp().weights.size
(2113, 265, 5900)
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.arguments import check_whole
from outflank.evaluators.protocol import BitArray, CoreEvaluator, FloatArray

Layer = tuple[FloatArray, FloatArray]  # weights [inputs, nodes] and biases [nodes]


def dense_layers(weights: FloatArray, nodes: tuple[int, ...]) -> list[Layer]:
    """A flat vector split into fully connected layers: each layer's weights [from][to], then its biases."""
    layers = []
    at = 0
    for inputs, outputs in pairwise(nodes):
        matrix = weights[at : at + inputs * outputs].reshape(inputs, outputs)
        at += inputs * outputs
        layers.append((np.ascontiguousarray(matrix), np.ascontiguousarray(weights[at : at + outputs])))
        at += outputs
    return layers


def dense_weight_count(nodes: tuple[int, ...]) -> int:
    return sum((inputs + 1) * outputs for inputs, outputs in pairwise(nodes))


def forward(layers: list[Layer], squares: npt.NDArray[np.float32]) -> FloatArray:
    """The layers in plain NumPy: slow, the reference for the core."""
    nodes = squares.astype(np.float64)
    for weights, biases in layers[:-1]:
        nodes = np.tanh(nodes @ weights + biases)
    weights, biases = layers[-1]
    return np.asarray((nodes @ weights + biases)[:, 0])


class Mlp(CoreEvaluator):
    """64 inputs (black +1, white -1, empty 0), one hidden layer of tanh nodes, one output.

    The value is the output node's sum. The papers' tanh on it is left to the learner: it is increasing, so it
    changes no choice. Weights: input to hidden [64][hidden], hidden biases, hidden
    to output, output bias.
    """

    def __init__(self, weights: npt.ArrayLike | None = None, *, hidden: int = 32) -> None:
        check_whole("hidden", hidden)
        if not 1 <= hidden <= 4096:
            raise ValueError(f"a network has 1 to 4096 hidden nodes, got {hidden}")
        self.hidden = hidden
        super().__init__(weights, dense_weight_count(self.nodes))

    @property
    def nodes(self) -> tuple[int, ...]:
        return (64, self.hidden, 1)

    def with_weights(self, weights: npt.ArrayLike) -> Mlp:
        return Mlp(weights, hidden=self.hidden)

    @property
    def architecture(self) -> dict[str, Any]:
        return {"kind": "mlp", "hidden": self.hidden}

    @property
    def description(self) -> str:
        return f"MLP 64-{self.hidden}-1"

    def _compile(self) -> _core.Evaluator:
        return _core.mlp(dense_layers(self.weights, self.nodes))

    def values_plainly(self, black: BitArray, white: BitArray) -> FloatArray:
        return forward(dense_layers(self.weights, self.nodes), _core.squares(black, white))


# The squares each node of the first layer sees, by size of the part, then row by row.
PARTS: tuple[tuple[int, ...], ...] = tuple(
    tuple(8 * (top + row) + left + column for row in range(size) for column in range(size))
    for size in range(3, 9)
    for top in range(9 - size)
    for left in range(9 - size)
)
# Where the weights of the first layer go: each part's squares, then its bias.
_SQUARE_OF_WEIGHT = np.array([square for part in PARTS for square in (*part, -1)])
_NODE_OF_WEIGHT = np.array([node for node, part in enumerate(PARTS) for _ in range(len(part) + 1)])
_IS_BIAS = _SQUARE_OF_WEIGHT < 0
MOST_DISCS = 1_000_000  # of discs_per_unit
_LATER_NODES = (len(PARTS), 40, 10, 1)
_FIRST_LAYER_WEIGHTS = sum(len(part) + 1 for part in PARTS)


class SpatialMlp(CoreEvaluator):
    """A first layer that sees every square part of the board (Chong 2003).

    91 nodes see the 36 parts of 3x3 squares, 25 of 4x4, 16 of 5x5, 9 of 6x6, 4 of 7x7 and the whole board;
    then 40, 10 and one node, all tanh but the last, and the disc difference is added at the output.
    Weights: for each part its squares' weights and a bias; then the layers as in Mlp.

    The paper does not print the scale of the disc difference. `discs_per_unit` is how many discs are worth
    one unit of the output node's sum, so the value is that many times the sum, and the difference in discs.
    """

    def __init__(self, weights: npt.ArrayLike | None = None, *, discs_per_unit: int = 1) -> None:
        if not 1 <= discs_per_unit <= MOST_DISCS:
            raise ValueError(f"1 to {MOST_DISCS:,} discs are worth one unit, got {discs_per_unit}")
        self.discs_per_unit = discs_per_unit
        super().__init__(weights, _FIRST_LAYER_WEIGHTS + dense_weight_count(_LATER_NODES))

    def with_weights(self, weights: npt.ArrayLike) -> SpatialMlp:
        return SpatialMlp(weights, discs_per_unit=self.discs_per_unit)

    @property
    def architecture(self) -> dict[str, Any]:
        scale = {"discs_per_unit": self.discs_per_unit} if self.discs_per_unit > 1 else {}
        return {"kind": "spatial-mlp", **scale}

    @property
    def description(self) -> str:
        scale = f", disc difference / {self.discs_per_unit}" if self.discs_per_unit > 1 else ""
        return f"spatial MLP 64-91-40-10-1{scale}"

    def layers(self) -> list[Layer]:
        """All layers as full matrices; the first is mostly zeros."""
        first = np.zeros((64, len(PARTS)))
        weights, later = np.split(self.weights, [_FIRST_LAYER_WEIGHTS])
        first[_SQUARE_OF_WEIGHT[~_IS_BIAS], _NODE_OF_WEIGHT[~_IS_BIAS]] = weights[~_IS_BIAS]
        *middle, (last, bias) = dense_layers(later, _LATER_NODES)
        in_discs = (last * self.discs_per_unit, bias * self.discs_per_unit)
        return [(first, weights[_IS_BIAS]), *middle, in_discs]

    def _compile(self) -> _core.Evaluator:
        return _core.mlp(self.layers(), add_disc_difference=True)

    def values_plainly(self, black: BitArray, white: BitArray) -> FloatArray:
        squares = _core.squares(black, white)
        return np.asarray(forward(self.layers(), squares) + squares.sum(axis=1, dtype=np.float64))
