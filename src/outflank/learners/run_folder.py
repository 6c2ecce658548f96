"""A run's folder: settings, log, checkpoint and players, written so that nothing is ever half there.

settings.toml        what was asked for, and the seed
log.jsonl            a line a measurement
checkpoint.safetensors  the state of learning after the last saved game
best.safetensors     the player with the best measured score
last.safetensors     the player of the last measurement
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.evaluators.whole_files import write_whole
from outflank.learners.td import TdSettings
from outflank.players.names import unknown

SETTINGS, LOG, CHECKPOINT = "settings.toml", "log.jsonl", "checkpoint.safetensors"
Tensors = dict[str, npt.NDArray[np.float32]]


def parse_settings(values: Mapping[str, Any], source: str) -> TdSettings:
    """Settings from the values of a TOML file or of --set."""
    known = {field.name: field for field in fields(TdSettings)}
    for key in values:
        if key not in known:
            raise ValueError(f"{source}: {unknown(key, tuple(known), 'a setting')}")
    try:
        return TdSettings(**{key: _typed(key, value) for key, value in values.items()})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{source}: {error}") from None


def _typed(key: str, value: Any) -> Any:
    """A value as the setting's type has it: numbers may be written as 5_000 or 1e6, lists as lists."""
    default = getattr(TdSettings, key)
    if key == "final_alpha":
        default = 0.0
    if isinstance(default, bool) != isinstance(value, bool):
        raise ValueError(
            f"{key} must be {'true or false' if isinstance(default, bool) else 'no truth value'}"
        )
    if isinstance(default, bool):
        return value
    if isinstance(default, tuple):
        if isinstance(value, str):
            value = [value] if value else []
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"{key} must be a list of players")
        return tuple(value)
    if isinstance(default, int):
        if isinstance(value, str) or value != int(value):
            raise ValueError(f"{key} must be a whole number, got {value!r}")
        return int(value)
    if isinstance(default, float):
        if isinstance(value, str):
            raise ValueError(f"{key} must be a number, got {value!r}")
        return float(value)
    if not isinstance(value, str):
        raise ValueError(f"{key} must be text, got {value!r}")
    return value


def settings_toml(settings: TdSettings, seed: int) -> str:
    lines = [f"seed = {seed}"]
    for key, value in asdict(settings).items():
        if value is not None:
            lines.append(f"{key} = {json.dumps(list(value) if isinstance(value, tuple) else value)}")
    return "\n".join(lines) + "\n"


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a TOML file: {error}") from None


class RunFolder:
    """One learning process on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path, settings: TdSettings, seed: int) -> RunFolder:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ValueError(
                f"{path} is already there; continue it with outflank resume, or choose another --out"
            )
        path.mkdir(parents=True, exist_ok=True)
        write_whole(path / SETTINGS, settings_toml(settings, seed).encode())
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        if not (path / SETTINGS).is_file():
            raise ValueError(f"{path} is not a run: it has no {SETTINGS}")
        return cls(path)

    def settings(self) -> tuple[TdSettings, int]:
        values = read_toml(self.path / SETTINGS)
        seed = values.pop("seed", 1)
        return parse_settings(values, str(self.path / SETTINGS)), seed

    def save_checkpoint(self, tensors: Tensors, state: Mapping[str, Any]) -> None:
        from safetensors.numpy import save

        write_whole(
            self.path / CHECKPOINT, save(tensors, metadata={"state": json.dumps(state, sort_keys=True)})
        )

    def load_checkpoint(self) -> tuple[Tensors, dict[str, Any]] | None:
        from safetensors import SafetensorError, safe_open

        path = self.path / CHECKPOINT
        if not path.exists():
            return None
        try:
            with safe_open(path, framework="numpy") as file:
                tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
                return tensors, json.loads((file.metadata() or {})["state"])
        except (SafetensorError, KeyError, ValueError) as error:
            raise ValueError(f"{path} is damaged: {error}") from None

    def log(self) -> list[dict[str, Any]]:
        """The measurements so far; a line that a crash cut short is left out."""
        path = self.path / LOG
        if not path.exists():
            return []
        return list(_whole_lines(path.read_bytes()))

    def rewrite_log(self, entries: Sequence[Mapping[str, Any]]) -> None:
        write_whole(self.path / LOG, b"".join(_line(entry) for entry in entries))

    def append_to_log(self, entry: Mapping[str, Any]) -> None:
        with (self.path / LOG).open("ab") as file:
            file.write(_line(entry))


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry).encode() + b"\n"


def _whole_lines(content: bytes) -> Iterator[dict[str, Any]]:
    for line in content.split(b"\n")[:-1]:
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            return
