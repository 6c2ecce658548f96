"""Neural networks in ONNX files, run by onnxruntime: the extra `onnx`.

A network takes a batch of boards, as squares (batch, 64) with black +1, white -1 and empty 0, or as planes
(batch, 2, 8, 8), black discs and white discs. It gives a value per board, larger if Black is better, or a
policy: a number per square, and perhaps one more for a pass. What shapes do not say, the file's metadata
does, or the options of the player's name: METADATA.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.cores import available_cores
from outflank.evaluators.league_text import PlayerFileError
from outflank.evaluators.onnx.file import MISSING, CheckedModel, OnnxOutput, check_model
from outflank.evaluators.protocol import BitArray, Evaluator, FloatArray
from outflank.evaluators.storage import VIEWS, View, file_content
from outflank.files import as_path
from outflank.suggestions import unknown

Perspective = Literal["last", "next"]
PERSPECTIVES: tuple[Perspective, ...] = ("last", "next")
# In a file's metadata. view: inversion or negation. output: value, policy, or the name of an output.
# perspective: whose value it is, that of the side that moved last (as in outflank) or that moves next.
METADATA = ("outflank.view", "outflank.output", "outflank.perspective")


def looks_like_onnx(content: bytes) -> bool:
    """An ONNX file starts with the tag of its version, which no text does; a safetensors file, whose first
    bytes are the length of its header, may."""
    return content[:1] == b"\x08" and content[8:9] != b"{"


class OnnxNetwork:
    """A network that was checked; it runs on the CPU, on all cores if there are many boards."""

    def __init__(self, content: bytes, source: str = "network") -> None:
        self.model: CheckedModel = check_model(content, source)
        self.source = source
        self._session = _session(self.model.content, source)

    @classmethod
    def load(cls, path: str | Path) -> OnnxNetwork:
        return cls(file_content(as_path(path)), str(path))

    def output(self, wanted: str | None = None) -> OnnxOutput:
        """The output of that kind or name; by default what the metadata names, else a value."""
        wanted = wanted or self.model.metadata.get("outflank.output")
        outputs = self.model.outputs
        if wanted is None:
            return next((one for one in outputs if one.kind == "value"), outputs[0])
        for one in outputs:
            if wanted in (one.kind, one.name):
                return one
        raise ValueError(unknown(wanted, tuple(one.name for one in outputs), f"an output of {self.source}"))

    @property
    def view(self) -> View | None:
        """As the metadata says."""
        stated = self._stated("outflank.view", VIEWS[:2])
        return next((one for one in VIEWS if one == stated), None)

    @property
    def perspective(self) -> Perspective | None:
        stated = self._stated("outflank.perspective", PERSPECTIVES)
        return next((one for one in PERSPECTIVES if one == stated), None)

    def _stated(self, key: str, known: tuple[str, ...]) -> str | None:
        stated = self.model.metadata.get(key)
        if stated is not None and stated not in known:
            raise PlayerFileError(f"{self.source}, metadata {key}: {unknown(stated, known, 'known')}")
        return stated

    def run(self, black: BitArray, white: BitArray, output: OnnxOutput) -> FloatArray:
        """[boards, numbers]; batches are padded, so that all have the same size."""
        at_once = self.model.boards
        count = len(black)
        padded = np.zeros((2, -(-count // at_once) * at_once), dtype=np.uint64)
        padded[0, :count], padded[1, :count] = black, white
        boards = self._encoded(padded[0], padded[1])
        parts = [boards[at : at + at_once] for at in range(0, len(boards), at_once)]

        def run_part(part: npt.NDArray[Any]) -> FloatArray:
            try:
                (found,) = self._session.run([output.name], {self.model.input_name: part})
            except Exception as error:  # onnxruntime's own types derive from Exception alone
                raise ValueError(f"{self.source} failed: {' '.join(str(error).split())[:200]}") from None
            return np.asarray(found, dtype=np.float64).reshape(at_once, output.numbers)

        results = list(self._pool.map(run_part, parts)) if len(parts) > 1 else [run_part(p) for p in parts]
        found = np.concatenate(results)[:count] if results else np.empty((0, output.numbers))
        if np.isnan(found).any():
            raise ValueError(f"{self.source} gave NaN for board {int(np.isnan(found).any(axis=1).argmax())}")
        return found

    def _encoded(self, black: BitArray, white: BitArray) -> npt.NDArray[Any]:
        squares = _core.squares(black, white)
        if self.model.input_form == "squares":
            return squares.astype(self.model.input_type, copy=False)
        planes = np.stack([squares > 0, squares < 0], axis=1).reshape(-1, 2, 8, 8)
        return planes.astype(self.model.input_type)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(available_cores(), thread_name_prefix="onnx")


class OnnxEvaluator(Evaluator):
    """A network's value as an evaluator."""

    def __init__(
        self, network: OnnxNetwork, output: OnnxOutput | None = None, perspective: Perspective | None = None
    ) -> None:
        self.network = network
        self._output = output or network.output("value")
        if self._output.kind != "value":
            raise ValueError(f"{network.source}: {self._output.name} is a policy, not a value")
        self.is_for_next = (perspective or network.perspective) == "next"

    @property
    def description(self) -> str:
        return f"ONNX network, {self.network.model.weights:,} weights"

    @property
    def bytes_held(self) -> int:
        """Roughly: its weights, in the file and in onnxruntime."""
        return 2 * len(self.network.model.content)

    def values(self, black: BitArray, white: BitArray) -> FloatArray:
        if self.is_for_next:  # who sees the board as Black is to move next: the opponent of the last mover
            return -self.network.run(white, black, self._output)[:, 0]
        return self.network.run(black, white, self._output)[:, 0]


def _session(content: bytes, source: str) -> Any:
    try:
        import onnxruntime
    except ModuleNotFoundError:
        raise ValueError(MISSING) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # batches share the cores, see run
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own types derive from Exception alone
        text = " ".join(str(error).split())[:200]
        raise PlayerFileError(f"{source} cannot be run by onnxruntime: {text}") from None
