"""A run's folder: settings, log, checkpoint and players; and the state of a run as its files show it.

settings.toml           what was asked for, and the seed
log.jsonl               one line per measurement; of evolution, one line per generation
checkpoint.safetensors  the state of learning after the last saved game or generation
best.safetensors        the player with the best measured score
last.safetensors        the player of the last measurement

>>> runs_in(Path("no such folder"))
{}
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy.typing as npt

from outflank.files import write_whole
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.settings import Settings, method_of, parse_settings, read_toml, settings_toml

SETTINGS, LOG, CHECKPOINT = "settings.toml", "log.jsonl", "checkpoint.safetensors"
PLAYERS = ("best.safetensors", "last.safetensors")
HALF_WRITTEN = f".{SETTINGS}.part"  # all that is left of a run killed before it started
Tensors = Mapping[str, npt.NDArray[Any]]


class RunFolder:
    """One learning process on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path, settings: Settings, seed: int) -> RunFolder:
        if path.exists() and (not path.is_dir() or any(p.name != HALF_WRITTEN for p in path.iterdir())):
            raise ValueError(
                f"{path} already exists; continue it with outflank resume, or choose another --out"
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
        """The entries so far, without a last line that a crash cut short."""
        path = self.path / LOG
        if not path.exists():
            return []
        return list(_whole_lines(path.read_bytes()))

    def rewrite_log(self, entries: Sequence[Mapping[str, Any]]) -> None:
        write_whole(self.path / LOG, b"".join(_line(entry) for entry in entries))

    def truncate_log(self, counter: str, done: int) -> float:
        """Drop the entries after a checkpoint, which will be made again; the seconds up to there."""
        entries = [entry for entry in self.log() if entry[counter] <= done]
        self.rewrite_log(entries)
        return float(entries[-1]["seconds"]) if entries else 0.0

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


State = Literal["learning", "stopped", "finished"]
MOST_RUNS = 1000
QUIET_SECONDS = 60.0  # a run that writes nothing for this long counts as stopped,
QUIET_FACTOR = 4.0  # unless this many times the interval between two log entries is longer


@dataclass(frozen=True)
class Measurement:
    """A point of a learning curve."""

    games: int
    generation: int | None
    seconds: float  # of learning
    score: float
    ci95: tuple[float, float]


@dataclass(frozen=True)
class RunState:
    """The state of a run."""

    name: str
    method: str
    settings: dict[str, Any]
    seed: int
    state: State
    unit: Literal["games", "generations"]
    done: int  # games or generations when it was last logged
    total: int
    last: Measurement | None
    changed: float  # when it last wrote a file
    has_player: bool  # one that can be played


@dataclass(frozen=True)
class _Logged:
    measurements: tuple[Measurement, ...]
    done: int
    pace: float  # seconds between the last two lines


def runs_in(folder: Path) -> dict[str, Path]:
    """The runs in a folder by name: those directly in it, and seed-* runs one level below."""
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not path.is_dir() or not path.name.isprintable():
            continue
        for run in (path, *sorted(path.glob("seed-*"), key=_seed_of)):
            if (run / SETTINGS).is_file() and run.name.isprintable() and len(found) < MOST_RUNS:
                found[run.relative_to(folder).as_posix()] = run
    return found


def measurements_of(path: Path) -> tuple[Measurement, ...]:
    """The scores in a run's log."""
    return _logged(path).measurements


def run_state(name: str, path: Path) -> RunState:
    """The state of a run. ValueError if its settings cannot be read."""
    settings, seed = _settings(path, *_stamp(path / SETTINGS))
    logged = _logged(path)
    total = settings.generations if isinstance(settings, EvolutionSettings) else settings.games
    changed = max(_stamp(path / file)[0] for file in (SETTINGS, LOG, CHECKPOINT)) / 1e9
    return RunState(
        name=name,
        method=method_of(settings),
        settings={
            key: value for key, value in settings.model_dump().items() if value not in (None, "", (), {})
        },
        seed=seed,
        state=_state(logged, total, time.time() - changed),
        unit="generations" if isinstance(settings, EvolutionSettings) else "games",
        done=logged.done,
        total=total,
        last=logged.measurements[-1] if logged.measurements else None,
        changed=changed,
        has_player=player_file(path) is not None,
    )


def player_file(path: Path) -> Path | None:
    """The best player of a run so far, or its last one; None before the first measurement."""
    return next((file for name in PLAYERS if (file := path / name).is_file()), None)


def _state(logged: _Logged, total: int, quiet: float) -> State:
    """A killed run leaves no mark, so a long silence counts as stopped."""
    if logged.done >= total:
        return "finished"
    return "learning" if quiet < max(QUIET_SECONDS, QUIET_FACTOR * logged.pace) else "stopped"


def _stamp(path: Path) -> tuple[int, int]:
    """Modification time and length of a file: they change with its content."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=MOST_RUNS)
def _settings(path: Path, _written: int, _length: int) -> tuple[Settings, int]:
    return RunFolder.open(path).settings()


def _logged(path: Path) -> _Logged:
    return _read_log(path, *_stamp(path / LOG))


@lru_cache(maxsize=256)
def _read_log(path: Path, _written: int, _length: int) -> _Logged:
    entries = [entry for entry in RunFolder(path).log() if isinstance(entry, dict)]
    done = _number(entries[-1].get("generation", entries[-1].get("games"))) if entries else 0
    times = [seconds for entry in entries[-2:] if (seconds := _number(entry.get("seconds"))) is not None]
    return _Logged(tuple(_measurements(entries)), int(done or 0), times[-1] - times[0] if times else 0.0)


def _measurements(entries: list[dict[str, Any]]) -> Iterator[Measurement]:
    """The entries that have a score; others are skipped."""
    for entry in entries:
        games, seconds, score = (_number(entry.get(key)) for key in ("games", "seconds", "score"))
        edges = entry.get("ci95")
        ends = [_number(edge) for edge in edges] if isinstance(edges, list) else []
        if games is None or seconds is None or score is None or len(ends) != 2 or None in ends:
            continue
        generation = _number(entry.get("generation"))
        yield Measurement(
            int(games), None if generation is None else int(generation), seconds, score,
            (ends[0] or 0.0, ends[1] or 0.0),
        )  # fmt: skip


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and math.isfinite(value) else None


def _seed_of(path: Path) -> tuple[bool, int, str]:
    """Sorts seeds by number."""
    number = path.name.removeprefix("seed-")
    return not number.isdecimal(), int(number) if number.isdecimal() else 0, path.name
