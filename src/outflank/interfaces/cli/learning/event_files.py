"""A run's log as TensorBoard event files, beside log.jsonl: `learn --tensorboard`, the extra `tensorboard`.

The files say what the log says: those of an earlier part of the run are written anew from it, so that a run
that was killed, or began without them, shows one whole curve.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.learners.runs.folder import RunFolder

FOLDER = "tensorboard"  # in the run's folder
MISSING = "--tensorboard needs TensorBoard: pip install 'outflank[tensorboard]'"
STEPS = ("generation", "games")  # the first that an entry has is its step


def check_event_files() -> None:
    """Fails before a run is made, not after it."""
    if find_spec("tensorboard") is None:
        raise ValueError(MISSING)


class EventFiles:
    """The event files of one run."""

    def __init__(self, folder: RunFolder) -> None:
        check_event_files()
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        path = folder.path / FOLDER
        shutil.rmtree(path, ignore_errors=True)
        self._writer = EventFileWriter(str(path))
        entries = folder.log()
        learned = float(entries[-1].get("seconds") or 0.0) if entries else 0.0
        began = time.time() - learned
        for entry in entries:
            self.add(entry, began + float(entry.get("seconds") or 0.0))

    def add(self, entry: Mapping[str, Any], when: float | None = None) -> None:
        """A log entry, whose numbers become points of curves."""
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        step = next(int(entry[key]) for key in STEPS if key in entry)
        values = [Summary.Value(tag=tag, simple_value=number) for tag, number in scalars(entry)]
        self._writer.add_event(Event(wall_time=when or time.time(), step=step, summary=Summary(value=values)))
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()


def scalars(entry: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The numbers of a log entry by their tags; an interval is two of them.

    >>> list(scalars({"games": 500, "score": 0.25, "ci95": [0.2, 0.3], "loss": None, "kept": [1, 2, 3]}))
    [('games', 500.0), ('score', 0.25), ('ci95/low', 0.2), ('ci95/high', 0.3)]
    """
    for key, value in entry.items():
        if isinstance(value, int | float):
            yield key, float(value)
        elif isinstance(value, list) and key.endswith("ci95") and len(value) == 2:
            yield f"{key}/low", float(value[0])
            yield f"{key}/high", float(value[1])
