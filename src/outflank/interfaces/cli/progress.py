"""Output that all commands share: progress bars, JSON, notes; and how they end when interrupted."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID
    from rich.table import Table

# Without emoji: `mine:factory:` in a sentence is a plug-in's name, not a picture of a factory.
out = Console(highlight=False, emoji=False)
err = Console(stderr=True, highlight=False, emoji=False)


def print_json(report: Any) -> None:
    print(json.dumps(report, indent=2))


def note(text: str) -> None:
    """Something worth knowing that is not a result: to stderr."""
    err.print(f"note: {text}", style="yellow", markup=False, soft_wrap=True)


def note_all(player: object) -> None:
    """What a user should know about how a player was read."""
    for text in getattr(player, "notes", ()):
        note(text)


def say(text: str) -> None:
    """A line that can be copied whole, however narrow the terminal is."""
    out.print(text, markup=False, soft_wrap=True)


def tell(text: str) -> None:
    """Sentences to read, wrapped to the width of the terminal."""
    out.print(text, markup=False)


def new_table(columns: Iterable[str], left: Container[str] = (), title: str | None = None) -> Table:
    """A table of numbers; the columns in `left` are text."""
    from rich.table import Table

    table = Table(title=title)
    for name in columns:
        table.add_column(name, justify="left" if name in left else "right", overflow="fold")
    return table


@dataclass
class Meter:
    """Counts what is done and how fast."""

    began: float = field(default_factory=time.perf_counter)
    done: int = 0
    _bar: tuple[Progress, TaskID] | None = None

    def advance(self, count: int, described: str | None = None) -> None:
        self.done += count
        if self._bar is not None:
            progress, task = self._bar
            progress.update(task, completed=self.done, rate=f"{self.rate:,.0f}", described=described or "")

    def reach(self, done: int, total: int, described: str | None = None) -> None:
        """As advance, for work whose total changes as it goes."""
        if self._bar is not None:
            progress, task = self._bar
            progress.update(task, total=total)
        self.advance(done - self.done, described)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    @property
    def rate(self) -> float:
        return self.done / max(self.seconds, 1e-9)


@contextmanager
def meter(what: str, total: int, unit: str) -> Iterator[Meter]:
    """A bar with rate and ETA on a terminal; silent elsewhere."""
    if not sys.stderr.isatty():
        yield Meter()
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[rate]} " + unit + "/s"),
        TextColumn("{task.fields[described]}", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task(what, total=total, rate="0", described="")
        yield Meter(_bar=(progress, task))


@contextmanager
def ended_like_interrupted() -> Iterator[None]:
    """SIGTERM and SIGHUP (which Windows lacks) as Ctrl-C: results so far are saved, and no engine is left
    running."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ending = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = [signal.signal(number, signal.default_int_handler) for number in ending]
    try:
        yield
    finally:
        for number, handler in zip(ending, before, strict=True):
            signal.signal(number, handler)
