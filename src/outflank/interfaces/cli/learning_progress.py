"""Live progress of learning: a bar a run, with games/s, ETA and a sparkline of the score."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from outflank.interfaces.cli.progress import err

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from outflank.learners.training import Run, Step

BLOCKS = "▁▂▃▄▅▆▇█"
SPARKLINE = 24


def sparkline(scores: list[float], width: int = SPARKLINE) -> str:
    """Scores 0..1 as block characters, the latest at the right; many are thinned out evenly.

    >>> sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    if len(scores) > width:
        scores = [scores[round(i * (len(scores) - 1) / (width - 1))] for i in range(width)]
    return "".join(BLOCKS[min(int(score * len(BLOCKS)), len(BLOCKS) - 1)] for score in scores)


class LearningProgress:
    """Shows steps of several runs; silent where there is no terminal."""

    def __init__(self, runs: list[Run]) -> None:
        self._runs = runs
        self._scores = [[entry["score"] for entry in run.folder.log() if "score" in entry] for run in runs]
        self._progress: Progress | None = None
        self._tasks: list[TaskID] = []
        if sys.stderr.isatty():
            self._progress = _bars()
            self._tasks = [
                self._progress.add_task(f"seed {run.seed}", total=run.total, completed=run.done,
                                        unit=run.unit, spark="", score="")
                for run in runs
            ]  # fmt: skip

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def show(self, number: int, step: Step) -> None:
        scores = self._scores[number]
        if step.entry is not None and "score" in step.entry:
            scores.append(step.entry["score"])
        if self._progress is not None:
            self._progress.update(
                self._tasks[number],
                completed=step.done,
                spark=sparkline(scores),
                score=f"{scores[-1]:.4f}" if scores else "",
            )


def _bars() -> Progress:
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.speed or 0
            return Text(f"{speed:,.0f} {task.fields['unit']}/s" if speed >= 10 or not speed
                        else f"{speed:.2g} {task.fields['unit']}/s")  # fmt: skip

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.percentage:>3.0f} %"),
        Rate(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[spark]} {task.fields[score]}"),
    )
    return Progress(*columns, console=err, transient=True)
