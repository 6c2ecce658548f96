"""Players as files: the League's text format, and outflank's own in safetensors.

Our own file holds one tensor, `weights` (32-bit floats where they lose nothing, else 64-bit), and in its
metadata the architecture, the view, and the provenance. Players are data, never code; a round trip is exact.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.league_text import (
    PlayerFileError,
    SizeLimits,
    read_league_text,
    write_league_text,
)
from outflank.evaluators.protocol import CoreEvaluator, Evaluator, FloatArray, WeightedEvaluator
from outflank.files import as_path, write_whole
from outflank.machine import version
from outflank.suggestions import shown

if TYPE_CHECKING:
    from outflank.evaluators.player_schema import PlayerMetadata

View = Literal["inversion", "negation", "doubled"]
VIEWS: tuple[View, ...] = ("inversion", "negation", "doubled")
FORMAT = "outflank-player-1"
LARGEST_FILE = 256 << 20
LARGEST_TEXT = 64 << 20


def check_view(view: object) -> None:
    if not isinstance(view, str) or view not in VIEWS:
        raise ValueError(f"view must be {', '.join(VIEWS[:-1])} or {VIEWS[-1]}, got {shown(view)}")


@dataclass(frozen=True)
class StoredPlayer:
    """The contents of a player file: an evaluator, the view it was made for (if known), its provenance, and
    the version of outflank that wrote it (if it says so)."""

    evaluator: CoreEvaluator | DoubledFunction
    view: View | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    written_by: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.evaluator, Evaluator | DoubledFunction):
            raise TypeError(f"what is stored is an evaluator and its view, got {shown(self.evaluator)}")
        if self.view is not None:
            check_view(self.view)


def load_player(path: str | Path, limits: SizeLimits | None = None) -> StoredPlayer:
    """Reads a player file of either format. An ONNX network is a player by its name: see named_player."""
    if as_path(path).suffix == ".onnx":
        raise PlayerFileError(
            f"{path} is an ONNX network, which has no weights here; use named_player({str(path)!r})"
        )
    return read_player(file_content(as_path(path)), str(path), limits)


def file_content(path: Path) -> bytes:
    """The bytes of a file that is not too large."""
    if path.is_dir():
        raise PlayerFileError(f"{path} is a folder, not a player file")
    size = path.stat().st_size
    if size > LARGEST_FILE:
        raise PlayerFileError(f"{path} has {size >> 20} MB; a player file has at most {LARGEST_FILE >> 20}")
    with path.open("rb") as file:
        return file.read(LARGEST_FILE + 1)  # it may have grown since


def read_player(content: bytes, source: str = "player", limits: SizeLimits | None = None) -> StoredPlayer:
    """The player in a file of either format; `source` is its name in error messages."""
    if _looks_like_safetensors(content):
        return _read_safetensors(content, source, limits)
    if len(content) > LARGEST_TEXT:
        most = LARGEST_TEXT >> 20
        raise PlayerFileError(f"{source} has {len(content) >> 20} MB; a text player file has at most {most}")
    if b"\0" in content[:64]:
        raise PlayerFileError(f"{source} is neither a League text file nor a safetensors file")
    return StoredPlayer(read_league_text(content.removeprefix(codecs.BOM_UTF8), source, limits))


@dataclass(frozen=True)
class StoredWeights:
    """The weights in a file of a plug-in: evaluator, and the view they were learned for."""

    evaluator: str  # the plug-in's name
    weights: FloatArray
    view: View | None


def load_weights(path: str | Path) -> StoredWeights:
    """The weights in a file that a run of a plug-in wrote; no code is imported."""
    content, source = file_content(as_path(path)), str(path)
    if not _looks_like_safetensors(content):
        raise PlayerFileError(f"{source} is not a safetensors file")
    described, weights = _safetensors_parts(content, source)
    architecture = described.architecture
    if architecture.kind != "plug-in":
        raise PlayerFileError(f"{source} is a player, not the weights of a plug-in; name it alone")
    return StoredWeights(architecture.evaluator, weights, described.view)


def save_weights(
    evaluator: WeightedEvaluator, view: View | None, made: Mapping[str, Any], path: Path
) -> None:
    """Writes the weights of a plug-in, with its name."""
    write_whole(path, safetensors_bytes(evaluator, view, made))


def save_player(player: StoredPlayer, path: str | Path) -> None:
    """Writes a player file whole or not at all: `.safetensors` in our format, `.onnx` as an ONNX network,
    other names as League text."""
    path = as_path(path)
    if not isinstance(player, StoredPlayer):
        raise TypeError(f"what is saved is StoredPlayer(evaluator, view), got {shown(player)}")
    if not isinstance(player.evaluator, CoreEvaluator | DoubledFunction):
        what = getattr(player.evaluator, "description", repr(player.evaluator))
        raise ValueError(
            f"{what} is written in Python, and player files hold data, never code; keep it in a module and "
            "name it module:name"
        )
    if path.suffix == ".onnx":
        from outflank.evaluators.onnx.export import onnx_bytes

        content = onnx_bytes(player.evaluator, player.view)
    elif path.suffix == ".safetensors":
        content = safetensors_bytes(player.evaluator, player.view, player.provenance)
    elif player.view == "doubled":
        raise ValueError("the League's text format holds one evaluator; save to .safetensors instead")
    else:
        content = write_league_text(player.evaluator).encode()
    write_whole(path, content)


def _looks_like_safetensors(content: bytes) -> bool:
    """A safetensors file starts with the header's length (8 bytes) and a JSON object."""
    return content[8:9] == b"{" and int.from_bytes(content[:8], "little") < LARGEST_FILE


def _read_safetensors(content: bytes, source: str, limits: SizeLimits | None) -> StoredPlayer:
    described, weights = _safetensors_parts(content, source)
    if limits is not None:
        limits.check(weights.size, described.architecture.placements, source)
    try:
        evaluator = described.architecture.build(weights)
    except PlayerFileError:
        raise
    except ValueError as error:
        raise PlayerFileError(f"{source}: {error}") from None
    return StoredPlayer(evaluator, described.view, described.provenance, described.outflank)


def _safetensors_parts(content: bytes, source: str) -> tuple[PlayerMetadata, FloatArray]:
    """The metadata and the weights, checked each for itself."""
    from pydantic import ValidationError
    from safetensors import SafetensorError
    from safetensors.numpy import load

    from outflank.evaluators.player_schema import PlayerMetadata

    try:
        metadata = _checked_metadata(content)
        weights = load(content)["weights"].astype(np.float64)
        described = PlayerMetadata.model_validate(json.loads(metadata, object_pairs_hook=_each_key_once))
    except SafetensorError as error:
        raise PlayerFileError(f"{source} is damaged or cut off: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise PlayerFileError(f"{source}: its metadata is wrong at {where}: {first['msg']}") from None
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise PlayerFileError(f"{source} is damaged or cut off: its header is not JSON") from None
    except (ValueError, RecursionError) as error:
        raise PlayerFileError(f"{source}: {error}") from None
    return described, weights


def _checked_metadata(content: bytes) -> str:
    """Our entry in the header, whose keys must be unique (of duplicates, readers may keep either) and whose
    numbers must be of a type that NumPy has; the library checks the rest."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length], object_pairs_hook=_each_key_once)
    described, tensor = header.pop("__metadata__", None), header.get("weights")
    metadata = described.get(FORMAT) if isinstance(described, dict) else None
    if not isinstance(metadata, str) or not isinstance(tensor, dict) or len(header) > 1:
        raise ValueError(f"this is a safetensors file, but not an {FORMAT} file")
    dtype, shape = tensor.get("dtype"), tensor.get("shape")
    if dtype not in ("F32", "F64") or not isinstance(shape, list) or len(shape) != 1:
        raise ValueError(f"its weights are {dtype} of shape {shape}, not a list of 32-bit or 64-bit floats")
    return metadata


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuses duplicate keys, of which JSON readers may keep either: such a file is ambiguous."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"its header names {twice[:40]!r} twice")
    return found


def safetensors_bytes(
    evaluator: WeightedEvaluator | DoubledFunction, view: View | None, provenance: Mapping[str, Any]
) -> bytes:
    from safetensors.numpy import save

    described = {
        "architecture": evaluator.architecture,
        "view": view,
        "provenance": dict(provenance),
        "outflank": version(),
    }
    # One entry: safetensors writes several in an order that changes from process to process.
    metadata = {FORMAT: json.dumps(described)}
    weights = evaluator.weights
    with np.errstate(over="ignore"):
        short = weights.astype(np.float32)
    exact = short if np.array_equal(short, weights) else np.ascontiguousarray(weights)
    return save({"weights": exact}, metadata=metadata)
