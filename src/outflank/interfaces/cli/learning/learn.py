"""`outflank learn` and `outflank resume`.

Live progress of learning: a bar a run, with games/s, ETA and a sparkline of the score.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from outflank.interfaces.cli.options import Json, complete_presets
from outflank.interfaces.cli.progress import err, out, print_json

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from outflank.learners.execution.executor import Executor
    from outflank.learners.runs.settings import Settings
    from outflank.learners.runs.td_run import Run, Step


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


RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder, or one that holds runs.")]


Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Evolve on a Dask cluster: tcp://HOST:8786, or local:2."),
]


def add_to(app: typer.Typer) -> None:
    app.command()(learn)
    app.command()(resume)


def learn(
    preset: Annotated[
        str,
        typer.Argument(
            metavar="PRESET_OR_TOML", help="league-champion, lucas-2007, ...", autocompletion=complete_presets
        ),
    ],
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a setting.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed learns the same player.")] = None,
    seeds: Annotated[int, typer.Option(help="Learn so many runs, one a core.", min=1, max=1000)] = 1,
    folder: Annotated[Path | None, typer.Option("--out", help="Where to; runs/NAME by default.")] = None,
    cluster: Cluster = None,
    as_json: Json = False,
) -> None:
    """Learn a player: by temporal differences, or by evolution."""
    from outflank.learners.runs.parallel_runs import create_run
    from outflank.learners.runs.settings import preset_or_file

    settings, seed_of_file = preset_or_file(preset, changes or [])
    first = seed if seed is not None else 1 if seed_of_file is None else seed_of_file
    path = folder or Path("runs") / Path(preset).stem
    if seeds > 1 and path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ValueError(
            f"{path} is already there; continue it with outflank resume, or choose another --out"
        )
    paths = [path] if seeds == 1 else [path / f"seed-{first + i}" for i in range(seeds)]
    with _executor(cluster, [settings] * seeds) as executor:
        runs = [create_run(at, settings, first + i, executor) for i, at in enumerate(paths)]
        _finish(path, runs, as_json)


def resume(path: RunPath, cluster: Cluster = None, as_json: Json = False) -> None:
    """Take up a run or a tournament that was interrupted or killed; it ends as if it never had been."""
    if (path / "tournament.json").is_file():
        from outflank.interfaces.cli.measuring.tournament import tournament

        if cluster is not None:
            raise ValueError("a tournament is played on this machine; leave out --cluster")
        tournament(folder=path, as_json=as_json)
        return
    from outflank.learners.runs.folder import RunFolder
    from outflank.learners.runs.parallel_runs import open_run

    folders = run_folders(path)
    with _executor(cluster, [RunFolder.open(folder).settings()[0] for folder in folders]) as executor:
        _finish(path, [open_run(folder, executor) for folder in folders], as_json)


def _executor(cluster: str | None, settings: list[Settings]) -> Executor:
    """Where evolutionary runs play: a cluster; or this machine's cores, all for one run, one for each of
    several."""
    from outflank.learners.execution.executor import executor_for
    from outflank.learners.runs.evolution_settings import EvolutionSettings

    if cluster is None:
        return executor_for(None, 1 if len(settings) > 1 else None)
    if not all(isinstance(one, EvolutionSettings) for one in settings):
        raise ValueError("temporal differences learn game after game on one core; leave out --cluster")
    return executor_for(cluster)


def run_folders(path: Path) -> list[Path]:
    """The folder itself, or the seed-* folders within it in the order of their seeds."""
    within = [folder for folder in path.glob("seed-*") if folder.is_dir()]
    return sorted(within, key=lambda folder: (len(folder.name), folder.name)) or [path]


def _finish(path: Path, runs: list[Run], as_json: bool) -> None:
    interrupted = not _learn_all(runs)
    reports = [_report(run) for run in runs]
    if as_json:
        print_json({"run": str(path), "interrupted": interrupted, "runs": reports} | _spread(reports))
    else:
        _print_reports(path, reports, interrupted)
    if interrupted:
        raise typer.Exit(130)


def _learn_all(runs: list[Run]) -> bool:
    """Every run on a thread of its own, as many at once as there are cores. False if interrupted."""
    from outflank.learners.runs.parallel_runs import learn_together

    with LearningProgress(runs) as progress:
        return learn_together(runs, progress.show)


def _report(run: Run) -> dict[str, Any]:
    log = [entry for entry in run.folder.log() if "score" in entry]
    last = log[-1] if log else {}
    return {
        "folder": str(run.folder.path),
        "seed": run.seed,
        **({"generations": run.done} if run.unit == "generations" else {}),
        "games": run.games,
        "score": last.get("score"),
        "ci95": last.get("ci95"),
        # Evolution measures its best so far anew each time; of temporal differences the best was kept.
        "best_score": last.get("best_score", max((entry["score"] for entry in log), default=None)),
        "games_per_second": last.get("games_per_second"),
        "seconds": last.get("seconds"),
    }


def _spread(reports: list[dict[str, Any]]) -> dict[str, Any]:
    scores = [report["score"] for report in reports if report["score"] is not None]
    if len(scores) < 2:
        return {}
    return {"mean_score": statistics.mean(scores), "standard_deviation": statistics.stdev(scores)}


def _print_reports(path: Path, reports: list[dict[str, Any]], interrupted: bool) -> None:
    from rich.table import Table

    table = Table()
    for name in ("seed", "games", "score, 95 % interval", "best", "games/s", "seconds"):
        table.add_column(name, justify="right")
    for report in reports:
        if report["score"] is None:
            continue
        low, high = report["ci95"]
        rate = report["games_per_second"]
        table.add_row(
            str(report["seed"]), f"{report['games']:,}",
            f"[bold]{report['score']:.4f}[/bold] ± {(high - low) / 2:.4f}", f"{report['best_score']:.4f}",
            f"{rate:,.0f}" if rate else "-", f"{report['seconds']:.1f}",
        )  # fmt: skip
    out.print(table)
    if spread := _spread(reports):
        out.print(f"mean {spread['mean_score']:.4f}, standard deviation {spread['standard_deviation']:.4f}")
    if interrupted:
        out.print(f"Interrupted; nothing is lost. Go on: outflank resume {path}", markup=False)
        return
    best = Path(reports[0]["folder"]) / "best.safetensors"
    out.print(f"Run: {path}   Score it: outflank score {best}", markup=False)
    out.print(
        f"See it learn: outflank plot {path}   Look at it: outflank show {best} --out picture.png",
        markup=False,
    )
