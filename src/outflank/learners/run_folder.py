"""A run's folder: settings, log, checkpoint and players, written so that nothing is ever half there.

settings.toml        what was asked for, and the seed
log.jsonl            a line a measurement; of evolution, a line a generation
checkpoint.safetensors  the state of learning after the last saved game or generation
best.safetensors     the player with the best measured score
last.safetensors     the player of the last measurement
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from outflank.evaluators.whole_files import write_whole
from outflank.learners.settings import Settings, parse_settings, read_toml, settings_toml

SETTINGS, LOG, CHECKPOINT = "settings.toml", "log.jsonl", "checkpoint.safetensors"
HALF_WRITTEN = f".{SETTINGS}.part"  # all that a run leaves that was killed before it began
Tensors = Mapping[str, npt.NDArray[Any]]


class RunFolder:
    """One learning process on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path, settings: Settings, seed: int) -> RunFolder:
        if path.exists() and (not path.is_dir() or any(p.name != HALF_WRITTEN for p in path.iterdir())):
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

    def settings(self) -> tuple[Settings, int]:
        values = read_toml(self.path / SETTINGS)
        seed = values.pop("seed", 1)
        return parse_settings(values, str(self.path / SETTINGS)), seed

    def save_checkpoint(self, tensors: Tensors, state: Mapping[str, Any]) -> None:
        from safetensors.numpy import save

        write_whole(
            self.path / CHECKPOINT, save(dict(tensors), metadata={"state": json.dumps(state, sort_keys=True)})
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
