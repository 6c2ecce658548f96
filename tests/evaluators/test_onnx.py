"""ONNX networks: ours exported with equal values, those of others checked before they run."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from outflank import (
    Board,
    CoreEvaluator,
    GreedyPlayer,
    Iago,
    Match,
    Mlp,
    NTupleNetwork,
    OnnxEvaluator,
    OnnxNetwork,
    PieceCounter,
    PolicyPlayer,
    SearchPlayer,
    SpatialMlp,
    StoredPlayer,
    load_player,
    named_player,
    save_player,
)
from outflank.evaluators.onnx.export import onnx_bytes

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

RANDOM = np.random.default_rng(1)
Bits = npt.NDArray[np.uint64]
OURS: dict[str, CoreEvaluator] = {
    "piece counter": PieceCounter(RANDOM.normal(size=64)),
    "ten weights": PieceCounter.symmetric(RANDOM.normal(size=10)),
    "mlp": Mlp(RANDOM.normal(size=2113)),
    "spatial mlp": SpatialMlp(RANDOM.normal(size=5900) / 3),
    "all-2": NTupleNetwork.of_shape("all-2", RANDOM.normal(size=288)),
    "stages": NTupleNetwork.of_shape("rand-8x4", RANDOM.normal(size=8 * 81 * 7), stages=7),
}


@pytest.mark.parametrize("kind", OURS)
def test_our_evaluators_keep_their_values(kind: str, board_arrays: tuple[Bits, Bits]) -> None:
    ours = OURS[kind]
    network = OnnxNetwork(onnx_bytes(ours, "inversion"))
    exported = OnnxEvaluator(network)
    assert network.view == "inversion"
    found, expected = exported.values(*board_arrays), ours.values(*board_arrays)
    assert np.abs(found - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


def test_values_do_not_depend_on_the_batch(board_arrays: tuple[Bits, Bits]) -> None:
    black, white = board_arrays
    order = np.random.default_rng(2).permutation(len(black))
    for content in (onnx_bytes(OURS["stages"], None), gemm(), planes()):
        evaluator = OnnxEvaluator(OnnxNetwork(content))
        values = evaluator.values(black, white)
        assert np.array_equal(evaluator.values(black[order], white[order]), values[order])
        assert np.array_equal(evaluator.values(black[7:8], white[7:8]), values[7:8])
    assert evaluator.values(black[:0], white[:0]).shape == (0,)


@pytest.mark.parametrize("batch", [1, 7, 0, -1], ids=str)
def test_batches_that_a_file_fixes(batch: int, board_arrays: tuple[Bits, Bits]) -> None:
    """Some exporters write 0 or -1 for any batch."""
    content = gemm(board=(batch, 64), outputs={"value": (batch, 1)})
    found = OnnxEvaluator(OnnxNetwork(content)).values(*board_arrays)
    assert np.allclose(found, OnnxEvaluator(OnnxNetwork(gemm())).values(*board_arrays), rtol=1e-4, atol=1e-4)


def test_games_are_those_of_the_original(tmp_path: Path) -> None:
    save_player(StoredPlayer(OURS["mlp"], "inversion"), tmp_path / "net.onnx")
    original = GreedyPlayer(OURS["mlp"], "inversion")
    exported = named_player(f"{tmp_path}/net.onnx")
    assert isinstance(exported, GreedyPlayer)
    assert (exported.view, exported.notes) == ("inversion", ())
    games = [[g.transcript for g in Match(p, "all-2", double_games=10, epsilon=0.1).games()]
             for p in (original, exported)]  # fmt: skip
    assert games[0] == games[1]
    deep = named_player(f"{tmp_path}/net.onnx,depth=2,solve=6")
    assert isinstance(deep, SearchPlayer)
    values = dict(deep.judge(Board()))
    twin = SearchPlayer(original, deep.limits)
    assert values == pytest.approx(dict(twin.judge(Board())), abs=1e-9)


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ONNX export is for"):
        save_player(StoredPlayer(Iago(np.ones(72)), "inversion"), tmp_path / "iago.onnx")
    save_player(StoredPlayer(OURS["all-2"]), tmp_path / "net.onnx")
    with pytest.raises(ValueError, match="named_player"):
        load_player(tmp_path / "net.onnx")
    player = named_player(f"{tmp_path}/net.onnx")
    assert "does not say its view" in player.notes[0]  # type: ignore[union-attr]


# Networks of others, made by onnx's own helper.


def floats(*shape: int) -> npt.NDArray[np.float32]:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def model(
    nodes: list[Any],
    constants: dict[str, npt.NDArray[Any]],
    *,
    board: tuple[Any, ...] = ("batch", 64),
    outputs: dict[str, tuple[Any, ...]] | None = None,
    opset: int = 17,
    metadata: dict[str, str] | None = None,
    number: int = TensorProto.FLOAT,
) -> Any:
    shapes = {"value": ("batch", 1)} if outputs is None else outputs
    graph = helper.make_graph(
        nodes, "network", [helper.make_tensor_value_info("board", number, board)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    helper.set_model_props(made, metadata or {})
    return made


def node(operator: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    return helper.make_node(operator, inputs.split(), outputs.split(), **attributes)


def gemm(**how: Any) -> bytes:
    nodes = [node("Gemm", "board w1 b1", "h"), node("Relu", "h", "r"), node("Gemm", "r w2 b2", "value")]
    constants = {"w1": floats(64, 33), "b1": floats(33), "w2": floats(33, 1), "b2": floats(1)}
    return bytes(model(nodes, constants, **how).SerializeToString())


def planes(**how: Any) -> bytes:
    """As PyTorch exports a convolution and view(size(0), -1); a value and a policy."""
    nodes = [
        node("Conv", "board w1 b1", "h", pads=[1, 1, 1, 1]), node("Relu", "h", "r"),
        node("Shape", "r", "s"), node("Gather", "s zero", "n"), node("Unsqueeze", "n first", "n1"),
        node("Concat", "n1 rest", "to", axis=0), node("Reshape", "r to", "f"),
        node("Gemm", "f w2 b2", "v"), node("Tanh", "v", "value"), node("Gemm", "f w3 b3", "policy"),
    ]  # fmt: skip
    constants = {
        "w1": floats(4, 2, 3, 3), "b1": floats(4), "w2": floats(256, 1), "b2": floats(1),
        "w3": floats(256, 65), "b3": floats(65), "zero": np.array(0), "first": np.array([0]),
        "rest": np.array([-1]),
    }  # fmt: skip
    outputs = {"value": ("batch", 1), "policy": ("batch", 65)}
    made = model(nodes, constants, board=("batch", 2, 8, 8), outputs=outputs, **how)
    return bytes(made.SerializeToString())


def test_planes_and_policies(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(planes())
    board = Board.from_transcript("f5d6c3d3")
    policy = named_player(f"{path},output=policy")
    assert isinstance(policy, PolicyPlayer)
    numbers = policy.network.run(
        np.array([board.mover_discs], dtype=np.uint64), np.array([board.opponent_discs], dtype=np.uint64),
        policy.output,
    )[0]  # fmt: skip
    assert policy.judge(board) == [(square, numbers[square]) for square in board.legal_moves]
    assert policy.choose(board) == max(board.legal_moves, key=lambda square: numbers[square])
    games = list(Match(named_player(f"{path},output=policy,solve=6"), "all-2", double_games=3).games())
    assert all(game.final.is_over for game in games)
    for wrong, message in (
        ("output=policy,depth=2", "takes no depth"),
        ("output=policy,view=negation", "a policy sees the board as the mover does"),
        ("output=values", "'values' is not an output of .*did you mean value"),
        ("perspective=mine", "is not a perspective"),
        ("perspective=next,view=negation", "goes with view=inversion"),
        ("nodes=100", "fixed depth only"),
    ):
        with pytest.raises(ValueError, match=message):
            named_player(f"{path},{wrong}")


def test_a_value_for_the_side_to_move(board_arrays: tuple[Bits, Bits]) -> None:
    """Seen by the other side, and negated."""
    black, white = board_arrays
    usual, other = (OnnxEvaluator(OnnxNetwork(gemm()), perspective=p) for p in ("last", "next"))
    assert np.array_equal(other.values(black, white), -usual.values(white, black))
    stated = OnnxNetwork(gemm(metadata={"outflank.perspective": "next", "outflank.view": "inversion"}))
    assert np.array_equal(OnnxEvaluator(stated).values(black, white), other.values(black, white))


@pytest.mark.parametrize("how", [{"board": (3, 64)}, {"board": ("n", "squares")}, {"opset": 13}])
def test_other_ways_to_export(how: dict[str, Any], board_arrays: tuple[Bits, Bits]) -> None:
    found = OnnxEvaluator(OnnxNetwork(gemm(**how))).values(*board_arrays)
    assert found == pytest.approx(OnnxEvaluator(OnnxNetwork(gemm())).values(*board_arrays), abs=1e-5)


def changed(change: Callable[[Any], None], content: bytes | None = None) -> bytes:
    made = onnx.ModelProto.FromString(content or gemm())
    change(made)
    return bytes(made.SerializeToString())


def external(made: Any) -> None:
    tensor = made.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/etc/passwd")


def looping(made: Any) -> None:
    body = helper.make_graph([], "body", [], [])
    made.graph.node.insert(0, helper.make_node("Loop", ["n", "c", "board"], ["x"], body=body))


def growing(count: int) -> bytes:
    """Every Tile makes the tensor 64 times as large, from a file of a few hundred bytes."""
    names = ["board", *(f"t{i}" for i in range(count))]
    nodes = [node("Tile", f"{a} times", b) for a, b in pairwise(names)]
    nodes.append(node("ReduceSum", f"{names[-1]} axis", "value", keepdims=1))
    made = model(nodes, {"times": np.array([1, 64]), "axis": np.array([1])})
    return bytes(made.SerializeToString())


def sizes_by_value() -> bytes:
    """The size of a tensor depends on the board."""
    nodes = [
        node("Cast", "board", "whole", to=TensorProto.INT64), node("ReduceMax", "whole", "m", keepdims=0),
        node("Mul", "m huge", "size"), node("Reshape", "size one", "shape"),
        node("ConstantOfShape", "shape", "much"), node("ReduceSum", "much", "s", keepdims=0),
        node("ReduceSum", "board axis", "sum", keepdims=1), node("Add", "sum s", "value"),
    ]  # fmt: skip
    constants = {"huge": np.array(1 << 40), "one": np.array([1]), "axis": np.array([1])}
    return bytes(model(nodes, constants).SerializeToString())


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "damaged, or not an ONNX file"),
    "cut off": (lambda: gemm()[:-100], "damaged, or not an ONNX file"),
    "text": (lambda: b"\x08hello", "damaged, or not an ONNX file"),
    "another file": (lambda: changed(external), "keeps 'w1' in another file"),
    "a loop": (lambda: changed(looping), "loops or branches"),
    "chance": (lambda: changed(lambda m: m.graph.node.insert(0, node("Bernoulli", "board", "x"))), "random"),
    "training mode": (
        lambda: bytes(model([node("BatchNormalization", "board s s s s", "value a b", training_mode=1)],
                            {"s": np.ones(64, np.float32)}).SerializeToString()), "normalises over"),
    "own operators": (
        lambda: changed(lambda m: m.opset_import.add(domain="evil", version=1)), "operators of 'evil'"),
    "own operator": (lambda: changed(lambda m: setattr(m.graph.node[0], "domain", "evil")), "of 'evil'"),
    "functions": (
        lambda: changed(lambda m: m.functions.add(name="f", domain="d")), "functions of its own"),
    "the future": (
        lambda: changed(lambda m: setattr(m.opset_import[0], "version", 999)), "opset 999"),
    "two inputs": (
        lambda: changed(lambda m: m.graph.input.append(
            helper.make_tensor_value_info("x", TensorProto.FLOAT, ("batch", 1)))), "2 inputs"),
    "whole numbers": (lambda: gemm(number=TensorProto.INT64), "not floats|not a valid ONNX"),
    "another board": (lambda: gemm(board=("batch", 100)), r"takes an input of \(\?, 100\)"),
    "a huge batch": (lambda: gemm(board=(1 << 40, 64)), "a batch of"),
    "another output": (
        lambda: bytes(model([node("Relu", "board", "x"), node("Concat", "x x", "o", axis=1)], {},
                            outputs={"o": ("batch", 128)}).SerializeToString()), "neither a value"),
    "a bomb": (lambda: growing(4), "computes too much"),
    "a larger bomb": (lambda: growing(12), "computes too much|not a valid ONNX"),
    "sizes by value": (sizes_by_value, "does not follow from the file"),
    "wrong sizes": (
        lambda: changed(lambda m: m.graph.initializer[2].CopyFrom(
            numpy_helper.from_array(floats(5, 1), "w2"))),
        "not a valid ONNX network|cannot be run"),
    "unknown operator": (
        lambda: changed(lambda m: setattr(m.graph.node[1], "op_type", "Teleport")), "not a valid ONNX"),
    "a cycle": (
        lambda: changed(lambda m: m.graph.node[0].input.__setitem__(0, "r")), "not a valid ONNX|cannot"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_files_that_are_refused(kind: str, tmp_path: Path) -> None:
    make, message = HOSTILE[kind]
    path = tmp_path / "net.onnx"
    path.write_bytes(make())
    with pytest.raises(ValueError, match=message) as caught:
        named_player(f"{path},view=inversion")
    assert str(caught.value).startswith(f"{path}")
    assert "\n" not in str(caught.value)


def test_wrong_metadata_and_numbers(tmp_path: Path, board_arrays: tuple[Bits, Bits]) -> None:
    (tmp_path / "net.onnx").write_bytes(gemm(metadata={"outflank.view": "inverted"}))
    with pytest.raises(
        ValueError, match=r"metadata outflank.view: 'inverted' is not known; did you mean inversion"
    ):
        named_player(f"{tmp_path}/net.onnx")
    nodes = [
        node("ReduceSum", "board axis", "s", keepdims=1),
        node("Div", "zero zero", "nan"),
        node("Add", "s nan", "value"),
    ]
    broken = model(nodes, {"axis": np.array([1]), "zero": np.zeros(1, dtype=np.float32)})
    with pytest.raises(ValueError, match="gave NaN for board 0"):
        OnnxEvaluator(OnnxNetwork(broken.SerializeToString())).values(*board_arrays)
