"""ONNX files of others: what is checked before onnxruntime sees them.

A network is data: its nodes are ONNX's own operators without control flow or chance, its tensors lie in the
file itself, and the size of everything it computes follows from the file and is bounded. The batch is fixed
before the sizes are worked out, and the network runs as it was checked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from outflank.evaluators.league_text import PlayerFileError

if TYPE_CHECKING:
    import onnx

MISSING = "ONNX networks need onnxruntime and onnx: pip install 'outflank[onnx]'"
BOARDS_AT_ONCE = 64  # always: then a value does not depend on how many boards are valued together
MOST_BOARDS_AT_ONCE = 4096  # of a network whose batch is fixed
OLDEST_OPSET = 7
MOST_NODES = 20_000
MOST_ELEMENTS = 1 << 24  # of one tensor, for a batch: 262,144 numbers per board
MOST_ELEMENTS_IN_ALL = 1 << 28
RANDOM = {
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
    "Multinomial",
    "Bernoulli",
}
FLOATS = {1: "float32", 10: "float16", 11: "float64"}  # TensorProto.DataType

InputForm = Literal["squares", "planes"]
OutputKind = Literal["value", "policy"]


@dataclass(frozen=True)
class OnnxOutput:
    """A number per board, or one per square."""

    name: str
    kind: OutputKind
    numbers: int  # per board: 1, 64 or 65


@dataclass(frozen=True)
class CheckedModel:
    """A network that may run: its bytes, with the batch fixed; what goes in, and what comes out."""

    content: bytes
    input_name: str
    input_form: InputForm
    input_type: str  # of NumPy
    boards: int  # at once
    outputs: tuple[OnnxOutput, ...]
    metadata: dict[str, str]
    weights: int


def check_model(content: bytes, source: str) -> CheckedModel:
    """The network in a file; `source` is its name in error messages."""
    try:
        import onnx
        from google.protobuf.message import DecodeError
    except ModuleNotFoundError:
        raise ValueError(MISSING) from None
    model = onnx.ModelProto()
    try:
        model.ParseFromString(content)
    except DecodeError:
        raise PlayerFileError(f"{source} is damaged, or not an ONNX file") from None
    if not model.graph.node or not model.graph.output:
        raise PlayerFileError(f"{source} is damaged, or not an ONNX file")
    try:
        return _checked(model, source)
    except PlayerFileError:
        raise
    except Exception as error:  # of onnx's own checks: many types, long texts
        raise PlayerFileError(f"{source} is not a valid ONNX network: {_first_line(error)}") from None


def _checked(model: onnx.ModelProto, source: str) -> CheckedModel:
    import onnx

    _check_opset(model, source)
    _check_nodes(model, source)
    weights = _check_tensors(model, source)
    onnx.checker.check_model(model)
    name, form, number_type, boards = _fixed_input(model, source)
    shapes = _inferred_shapes(model, source)
    outputs = tuple(_outputs(model, shapes, boards))
    if not outputs:
        found = ", ".join(f"{one.name} {shapes.get(one.name)}" for one in model.graph.output)
        raise PlayerFileError(
            f"{source} has neither a value (batch, 1) nor a policy (batch, 64 or 65): {found}"
        )
    metadata = {prop.key: prop.value for prop in model.metadata_props}
    return CheckedModel(
        model.SerializeToString(), name, form, number_type, boards, outputs, metadata, weights
    )


def _check_opset(model: onnx.ModelProto, source: str) -> None:
    import onnx

    if model.functions:
        raise PlayerFileError(
            f"{source} has functions of its own; inline them first: onnx.inliner.inline_local_functions"
        )
    newest = onnx.defs.onnx_opset_version()
    for opset in model.opset_import:
        if opset.domain not in ("", "ai.onnx"):
            raise PlayerFileError(
                f"{source} needs the operators of {opset.domain[:60]!r}, not only ONNX's own"
            )
        if not OLDEST_OPSET <= opset.version <= newest:
            raise PlayerFileError(
                f"{source} is of opset {opset.version}; {OLDEST_OPSET} to {newest} are known: export it again"
            )


def _check_nodes(model: onnx.ModelProto, source: str) -> None:
    import onnx

    if len(model.graph.node) > MOST_NODES:
        raise PlayerFileError(
            f"{source} has {len(model.graph.node):,} nodes; at most {MOST_NODES:,} are accepted"
        )
    for node in model.graph.node:
        if node.domain not in ("", "ai.onnx"):
            raise PlayerFileError(f"{source} uses the operator {node.op_type[:60]} of {node.domain[:60]!r}")
        if any(a.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for a in node.attribute):
            raise PlayerFileError(f"{source} has loops or branches ({node.op_type[:60]}); a player has none")
        if node.op_type in RANDOM or (node.op_type == "Dropout" and len(node.input) > 2 and node.input[2]):
            raise PlayerFileError(f"{source} draws random numbers ({node.op_type}); export it for inference")
        if node.op_type == "BatchNormalization" and any(
            attribute.name == "training_mode" and attribute.i for attribute in node.attribute
        ):
            raise PlayerFileError(
                f"{source} normalises over the batch, so boards change each other's values; export it for "
                "inference (in PyTorch: model.eval())"
            )


def _tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    yield from model.graph.initializer
    for sparse in model.graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    for node in model.graph.node:
        for attribute in node.attribute:
            yield from (attribute.t, *attribute.tensors)
            for one in (attribute.sparse_tensor, *attribute.sparse_tensors):
                yield from (one.values, one.indices)


def _check_tensors(model: onnx.ModelProto, source: str) -> int:
    """The number of weights."""
    import onnx

    for tensor in _tensors(model):
        if tensor.data_location == onnx.TensorProto.EXTERNAL or tensor.external_data:
            raise PlayerFileError(
                f"{source} keeps {tensor.name[:60]!r} in another file; save it with everything in one"
            )
        if tensor.data_type == onnx.TensorProto.STRING:
            raise PlayerFileError(f"{source} holds text in {tensor.name[:60]!r}; a network holds numbers")
    return sum(math.prod(tensor.dims) for tensor in model.graph.initializer)


def _fixed_input(model: onnx.ModelProto, source: str) -> tuple[str, InputForm, str, int]:
    """Fixes the batch of the only input: its name, form and type, and the boards at once."""
    initial = {tensor.name for tensor in model.graph.initializer}
    inputs = [one for one in model.graph.input if one.name not in initial]
    if len(inputs) != 1:
        raise PlayerFileError(f"{source} has {len(inputs)} inputs; a player's network has one, the board")
    tensor = inputs[0].type.tensor_type
    if tensor.elem_type not in FLOATS:
        raise PlayerFileError(f"{source} takes inputs that are not floats of 16, 32 or 64 bits")
    dims = tensor.shape.dim
    given = [dim.dim_value if dim.HasField("dim_value") else None for dim in dims]
    form = next((form for form, rest in FORMS.items() if _fits(given, rest)), None)
    if form is None:
        raise PlayerFileError(
            f"{source} takes an input of {_shape(given)}; a board is (batch, 64) or (batch, 2, 8, 8)"
        )
    boards = given[0] if given[0] and given[0] > 0 else BOARDS_AT_ONCE  # some exporters say 0 or -1 for any
    if boards > MOST_BOARDS_AT_ONCE:
        raise PlayerFileError(
            f"{source} has a batch of {boards:,}; at most {MOST_BOARDS_AT_ONCE:,} are accepted"
        )
    for dim, size in zip(dims, (boards, *FORMS[form]), strict=True):
        dim.dim_value = size
    # What the file says of other tensors may name the batch: it is worked out anew.
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    return inputs[0].name, form, FLOATS[tensor.elem_type], boards


FORMS: dict[InputForm, tuple[int, ...]] = {"squares": (64,), "planes": (2, 8, 8)}


def _fits(given: list[int | None], rest: tuple[int, ...]) -> bool:
    return len(given) == 1 + len(rest) and all(
        one in (None, size) for one, size in zip(given[1:], rest, strict=True)
    )


def _shape(dims: list[int | None]) -> str:
    return f"({', '.join('?' if dim is None else str(dim) for dim in dims)})"


def _inferred_shapes(model: onnx.ModelProto, source: str) -> dict[str, tuple[int, ...]]:
    """The size of everything that is computed, all of it known and bounded."""
    import onnx

    inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    found: dict[str, tuple[int, ...]] = {}
    for value in (*inferred.graph.value_info, *inferred.graph.output):
        tensor = value.type.tensor_type
        if tensor.HasField("shape") and all(dim.HasField("dim_value") for dim in tensor.shape.dim):
            found[value.name] = tuple(dim.dim_value for dim in tensor.shape.dim)
    total = 0
    for node in model.graph.node:
        for name in filter(None, node.output):
            if name not in found:
                raise PlayerFileError(
                    f"{source}: the size of {name[:60]!r} ({node.op_type}) does not follow from the file; "
                    "export it with fixed sizes, all but the batch"
                )
            size = math.prod(found[name])
            total += size
            if size > MOST_ELEMENTS or total > MOST_ELEMENTS_IN_ALL:
                raise PlayerFileError(
                    f"{source} computes too much: {name[:60]!r} has {size:,} numbers per batch"
                )
    return found


def _outputs(model: onnx.ModelProto, shapes: dict[str, tuple[int, ...]], boards: int) -> Iterator[OnnxOutput]:
    for output in model.graph.output:
        shape = shapes.get(output.name, ())
        if output.type.tensor_type.elem_type not in FLOATS or shape[:1] != (boards,):
            continue
        numbers = math.prod(shape[1:])
        if numbers == 1:
            yield OnnxOutput(output.name, "value", 1)
        elif shape[1:] in ((64,), (65,), (8, 8), (1, 8, 8)):
            yield OnnxOutput(output.name, "policy", numbers)


def _first_line(error: Any) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:200]
