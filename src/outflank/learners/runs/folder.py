"""How far runs are, read from their folders alone: for whoever watches, wherever they are learned.

>>> runs_in(Path("no such folder"))
{}

A run's folder: settings, log, checkpoint and players, written so that nothing is ever half there.

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
from outflank.files import write_whole
from outflank.learners.runs.settings import Settings, parse_settings, read_toml, settings_toml
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Literal
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.settings import Settings


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


State = Literal["learning", "stopped", "finished"]
MOST_RUNS = 1000
QUIET_SECONDS = 60.0  # without a word from a run before it is taken for stopped,
QUIET_FACTOR = 4.0  # or so many times as long as from one measurement to the next


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
    """A run as it stands."""

    name: str
    method: str
    settings: dict[str, Any]
    seed: int
    state: State
    unit: Literal["games", "generations"]
    done: int  # games or generations when it was last logged
    total: int
    last: Measurement | None
    changed: float  # when it last wrote anything


@dataclass(frozen=True)
class _Logged:
    measurements: tuple[Measurement, ...]
    done: int
    pace: float  # seconds from one line to the next


def runs_in(folder: Path) -> dict[str, Path]:
    """The runs of a folder by name: those in it, and the seed-* runs one level below."""
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if not path.is_dir() or not path.name.isprintable():
            continue
        for run in (path, *sorted(path.glob("seed-*"), key=_seed_of)):
            if (run / SETTINGS).is_file() and run.name.isprintable() and len(found) < MOST_RUNS:
                found[run.relative_to(folder).as_posix()] = run
    return found


def measurements_of(path: Path) -> tuple[Measurement, ...]:
    """What a run's log says of its scores."""
    return _logged(path).measurements


def run_state(name: str, path: Path) -> RunState:
    """How far a run is. ValueError if its settings cannot be read."""
    settings, seed = _settings(path, *_stamp(path / SETTINGS))
    logged = _logged(path)
    evolves = isinstance(settings, EvolutionSettings)
    total = settings.generations if isinstance(settings, EvolutionSettings) else settings.games
    changed = max(_stamp(path / file)[0] for file in (SETTINGS, LOG, CHECKPOINT)) / 1e9
    return RunState(
        name=name,
        method=settings.method if isinstance(settings, EvolutionSettings) else "temporal differences",
        settings={key: value for key, value in asdict(settings).items() if value not in (None, "", ())},
        seed=seed,
        state=_state(logged, total, time.time() - changed),
        unit="generations" if evolves else "games",
        done=logged.done,
        total=total,
        last=logged.measurements[-1] if logged.measurements else None,
        changed=changed,
    )


def _state(logged: _Logged, total: int, quiet: float) -> State:
    """A run leaves no sign that it was killed: a long silence must do."""
    if logged.done >= total:
        return "finished"
    return "learning" if quiet < max(QUIET_SECONDS, QUIET_FACTOR * logged.pace) else "stopped"


def _stamp(path: Path) -> tuple[int, int]:
    """When a file was written, and its length: they change with its content."""
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
    """Those lines that have a score; what is no measurement is passed over."""
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
    """Seeds in the order of their numbers."""
    number = path.name.removeprefix("seed-")
    return not number.isdecimal(), int(number) if number.isdecimal() else 0, path.name

