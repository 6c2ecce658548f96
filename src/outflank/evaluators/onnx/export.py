"""Our evaluators as ONNX networks: the same values, in 64-bit floats, for any program that runs ONNX.

The input is `squares` (batch, 64) in 32-bit floats, black +1, white -1, empty 0; the output `value`
(batch, 1) in 64-bit floats. The view is in the metadata (onnx/network.py: METADATA).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from outflank.evaluators.mlp import Layer, Mlp, SpatialMlp, dense_layers
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.onnx.file import MISSING
from outflank.evaluators.piece_counter import PieceCounter
from outflank.machine import version

if TYPE_CHECKING:
    import onnx

OPSET, IR_VERSION = 17, 8  # of 2022: old enough for every runtime that is in use


class _Graph:
    """Nodes and constants, one after another; values are known by their names."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, value: npt.ArrayLike) -> str:
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def __call__(self, operator: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        from onnx import helper

        output = name or f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def sum_of_row(self, rows: str, count: int) -> str:
        """(batch, count) to (batch, 1). By a product: onnxruntime's sums depend on the place in the batch."""
        return self("MatMul", rows, self.constant(np.ones((count, 1))))

    def model(self, value: str, view: str | None) -> onnx.ModelProto:
        from onnx import TensorProto, helper

        self("Identity", value, name="value")
        graph = helper.make_graph(
            self.nodes, "outflank",
            [helper.make_tensor_value_info("squares", TensorProto.FLOAT, ["batch", 64])],
            [helper.make_tensor_value_info("value", TensorProto.DOUBLE, ["batch", 1])],
            self.constants,
        )  # fmt: skip
        made = helper.make_model(
            graph, producer_name="outflank", producer_version=version(), ir_version=IR_VERSION,
            opset_imports=[helper.make_opsetid("", OPSET)],
        )  # fmt: skip
        helper.set_model_props(made, {"outflank.view": view} if view else {})
        return made


def onnx_bytes(evaluator: object, view: str | None) -> bytes:
    """The evaluator as an ONNX file, with the view it was made for."""
    try:
        import onnx
    except ModuleNotFoundError:
        raise ValueError(MISSING) from None
    graph = _Graph()
    squares = graph("Cast", "squares", to=onnx.TensorProto.DOUBLE)
    match evaluator:
        case NTupleNetwork():
            value = _ntuple_network(graph, squares, evaluator)
        case PieceCounter():
            value = graph("MatMul", squares, graph.constant(evaluator.square_weights.reshape(64, 1)))
        case Mlp():
            value = _layers(graph, squares, dense_layers(evaluator.weights, evaluator.nodes))
        case SpatialMlp():
            output = _layers(graph, squares, evaluator.layers())
            value = graph("Add", output, graph.sum_of_row(squares, 64))
        case _:
            what = getattr(evaluator, "description", type(evaluator).__name__)
            raise ValueError(
                f"ONNX export is for piece counters, n-tuple networks and MLPs, not for this: {what}"
            )
    return bytes(graph.model(value, view).SerializeToString(deterministic=True))


def _layers(graph: _Graph, nodes: str, layers: Sequence[Layer]) -> str:
    """Fully connected, tanh between them."""
    for weights, biases in layers[:-1]:
        sums = graph("Add", graph("MatMul", nodes, graph.constant(weights)), graph.constant(biases))
        nodes = graph("Tanh", sums)
    weights, biases = layers[-1]
    return graph("Add", graph("MatMul", nodes, graph.constant(weights)), graph.constant(biases))


def _ntuple_network(graph: _Graph, squares: str, network: NTupleNetwork) -> str:
    """The index of every placement is a product with powers of three, exact in 64-bit floats; its weight is
    gathered, and the weights are summed."""
    import onnx

    powers, offsets = _placements(network)
    digits = graph("Add", squares, graph.constant(np.array(1.0)))
    within = graph("Cast", graph("MatMul", digits, graph.constant(powers)), to=onnx.TensorProto.INT64)
    index = graph("Add", within, graph.constant(offsets))
    if network.stages > 1:
        index = graph("Add", index, _stage_offset(graph, squares, network))
    gathered = graph("Gather", graph.constant(_short(network.weights)), index)
    return graph.sum_of_row(graph("Cast", gathered, to=onnx.TensorProto.DOUBLE), len(offsets))


def _stage_offset(graph: _Graph, squares: str, network: NTupleNetwork) -> str:
    """(discs - 4) * stages / 61, rounded down, times the weights of a stage: in whole numbers."""
    import onnx

    def whole(number: int) -> str:
        return graph.constant(np.array(number, dtype=np.int64))

    discs = graph("Cast", graph.sum_of_row(graph("Abs", squares), 64), to=onnx.TensorProto.INT64)
    placed = graph("Max", graph("Sub", discs, whole(4)), whole(0))
    stage = graph("Div", graph("Mul", placed, whole(network.stages)), whole(61))
    return graph("Mul", stage, whole(network.weights_of_one_stage))


def _placements(network: NTupleNetwork) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """For each placement the value of each square's digit [64, placements], and where its table begins."""
    columns, offsets, first = [], [], 0
    for table in network.tables:
        for placement in table:
            column = np.zeros(64)
            np.add.at(column, list(placement), 3.0 ** np.arange(len(placement) - 1, -1, -1))
            columns.append(column)
            offsets.append(first)
        first += 3 ** len(table[0])
    return np.stack(columns, axis=1), np.array(offsets, dtype=np.int64)


def _short(weights: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    """32-bit floats where they lose nothing."""
    with np.errstate(over="ignore"):
        short = weights.astype(np.float32)
    return short if np.array_equal(short, weights) else weights
