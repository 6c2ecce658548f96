"""`outflank learn` and `outflank resume`, with one progress bar per run; presets listed and described."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.learning.event_files import EventFiles, check_event_files
from outflank.interfaces.cli.options import Json, complete_presets
from outflank.interfaces.cli.progress import err, out, print_json, say, tell

if TYPE_CHECKING:
    from rich.progress import Progress

    from outflank.learners.execution.executor import Executor
    from outflank.learners.runs.run import Run, RunProgress
    from outflank.learners.runs.settings import Preset, Settings

BLOCKS = "▁▂▃▄▅▆▇█"
SPARKLINE = 24


def sparkline(scores: list[float], width: int = SPARKLINE) -> str:
    """Scores 0..1 as block characters, the latest on the right; long series are sampled evenly.

    >>> sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    if len(scores) > width:
        scores = [scores[round(i * (len(scores) - 1) / (width - 1))] for i in range(width)]
    return "".join(BLOCKS[min(int(score * len(BLOCKS)), len(BLOCKS) - 1)] for score in scores)


class LearningProgress:
    """One bar per run, with rate, ETA and a sparkline of the score; none without a terminal."""

    def __init__(self, runs: list[Run], event_files: list[EventFiles]) -> None:
        self._event_files = event_files  # one per run, or none
        self._scores = [[entry["score"] for entry in run.folder.log() if "score" in entry] for run in runs]
        self.bars = _bars()
        self._tasks = [
            self.bars.add_task(f"seed {run.seed}", total=run.total, completed=run.done, unit=run.unit,
                               spark="", score="")
            for run in runs
        ]  # fmt: skip

    def __enter__(self) -> LearningProgress:
        self.bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bars.stop()
        for files in self._event_files:
            files.close()

    def show(self, number: int, progress: RunProgress) -> None:
        if progress.entry is not None and self._event_files:
            self._event_files[number].add(progress.entry)
        scores = self._scores[number]
        if progress.entry is not None and "score" in progress.entry:
            scores.append(progress.entry["score"])
        score = f"{scores[-1]:.4f}" if scores else ""
        self.bars.update(self._tasks[number], completed=progress.done, spark=sparkline(scores), score=score)


def _bars() -> Progress:
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.speed or 0
            return Text(f"{speed:{',.0f' if speed >= 10 or not speed else '.2g'}} {task.fields['unit']}/s")

    return Progress(
        TextColumn("{task.description}"), BarColumn(bar_width=20), TextColumn("{task.percentage:>3.0f} %"),
        Rate(), TimeRemainingColumn(), TextColumn("{task.fields[spark]} {task.fields[score]}"),
        console=err, transient=True, disable=not sys.stderr.isatty(),
    )  # fmt: skip


RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, or of several.")]

Tensorboard = Annotated[
    bool, typer.Option("--tensorboard", help="Write TensorBoard event files beside the log.")
]

Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Learn on a Dask cluster: tcp://HOST:8786, or local:2."),
]


def add_to(app: typer.Typer) -> None:
    app.command()(learn)
    app.command()(resume)


def learn(
    preset: Annotated[
        str | None,
        typer.Argument(
            metavar="PRESET_OR_TOML", help="league-champion, lucas-2007, ...", autocompletion=complete_presets
        ),
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a setting.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed learns the same player.")] = None,
    seeds: Annotated[int, typer.Option(help="Number of runs to learn, one per core.", min=1, max=1000)] = 1,
    folder: Annotated[Path | None, typer.Option("--out", help="Folder; runs/NAME by default.")] = None,
    cluster: Cluster = None,
    tensorboard: Tensorboard = False,
    list_all: Annotated[bool, typer.Option("--list", help="List the presets.")] = False,
    describe: Annotated[bool, typer.Option("--describe", help="Print all settings of the preset.")] = False,
    as_json: Json = False,
) -> None:
    """Learn a player: by temporal differences, by evolution, or from a teacher."""
    from outflank.learners.runs.parallel_runs import create_run
    from outflank.learners.runs.settings import load_preset, parse_changes

    if list_all:
        _list_presets(as_json)
        return
    if preset is None:
        raise ValueError("name a preset or a TOML file; outflank learn --list shows the presets")
    chosen = load_preset(preset, parse_changes(changes or []))
    if describe:
        _describe(chosen, as_json)
        return
    settings = chosen.settings
    first = seed if seed is not None else 1 if chosen.seed is None else chosen.seed
    path = folder or Path("runs") / Path(preset).stem
    if seeds > 1 and path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ValueError(f"{path} already exists; continue it with outflank resume, or choose another --out")
    paths = [path] if seeds == 1 else [path / f"seed-{first + i}" for i in range(seeds)]
    with _executor(cluster, [settings] * seeds) as executor:
        if tensorboard:
            check_event_files()
        runs = [create_run(at, settings, first + i, executor) for i, at in enumerate(paths)]
        with _alone_in(paths):
            _finish(path, runs, as_json, tensorboard)


def resume(
    path: RunPath, cluster: Cluster = None, tensorboard: Tensorboard = False, as_json: Json = False
) -> None:
    """Resume a run or a tournament that was interrupted or killed; it ends as if it never had been."""
    if (path / "tournament.json").is_file():
        from outflank.interfaces.cli.measuring.tournament import tournament

        if cluster is not None or tensorboard:
            option = "--tensorboard" if tensorboard else "--cluster"
            raise ValueError(f"a tournament is played on this machine and learns nothing; leave out {option}")
        tournament(folder=path, as_json=as_json)
        return
    from outflank.learners.runs.folder import RunFolder
    from outflank.learners.runs.parallel_runs import open_run

    folders = run_folders(path)
    settings = [RunFolder.open(folder).settings()[0] for folder in folders]
    with _alone_in(folders), _executor(cluster, settings) as executor:
        _finish(path, [open_run(folder, executor) for folder in folders], as_json, tensorboard)


def _list_presets(as_json: bool) -> None:
    from rich.table import Table

    from outflank.learners.runs.settings import load_preset, preset_names

    presets = [load_preset(name) for name in preset_names()]
    if as_json:
        print_json(
            [{"name": one.name, "method": one.method, "description": one.description} for one in presets]
        )
        return
    table = Table("preset", "description", box=None)
    for one in presets:
        table.add_row(one.name, one.description)
    out.print(table)


def _describe(preset: Preset, as_json: bool) -> None:
    from rich.table import Table

    from outflank.learners.runs.settings import describe

    rows = describe(preset.settings)
    if as_json:
        settings = {
            row.name: {"value": row.value, "default": row.default, "meaning": row.meaning} for row in rows
        }
        print_json({"name": preset.name, "method": preset.method, "description": preset.description,
                    "settings": settings})  # fmt: skip
        return
    if preset.description:
        tell(preset.description)
    table = Table("setting", "value", "meaning", box=None)
    for row in rows:
        value, default = _as_text(row.value), _as_text(row.default)
        is_default = value == default or default == "-"
        table.add_row(row.name, value if is_default else f"[bold]{value}[/bold] ({default})", row.meaning)
    out.print(table)
    out.print("In parentheses: the default, where the value is another.")


def _as_text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(value) or "-"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) else str(value) if value not in (None, "") else "-"


@contextmanager
def _alone_in(folders: list[Path]) -> Iterator[None]:
    """Two processes that go on with one run would write over each other."""
    from outflank.files import alone_in

    with ExitStack() as locks:
        for folder in folders:
            locks.enter_context(alone_in(folder, f"another process is learning in {folder}"))
        yield


def _executor(cluster: str | None, settings: list[Settings]) -> Executor:
    """Where runs play: on a cluster, or on this machine with all cores for one run and one core for each of
    several."""
    from outflank.learners.execution.executor import executor_for
    from outflank.learners.td import TdSettings

    if cluster is None:
        return executor_for(None, 1 if len(settings) > 1 else None)
    if any(isinstance(one, TdSettings) and one.batch is None for one in settings):
        raise ValueError(
            "without batches temporal differences learn game after game on one core; leave out --cluster, or "
            "--set batch=1024"
        )
    return executor_for(cluster)


def run_folders(path: Path) -> list[Path]:
    """The folder itself, or the seed-* folders in it, ordered by seed."""
    within = [folder for folder in path.glob("seed-*") if folder.is_dir()]
    return sorted(within, key=lambda folder: (len(folder.name), folder.name)) or [path]


def _finish(path: Path, runs: list[Run], as_json: bool, tensorboard: bool) -> None:
    from outflank.learners.runs.parallel_runs import learn_in_parallel

    progress = LearningProgress(runs, [EventFiles(run.folder) for run in runs] if tensorboard else [])
    with progress:
        interrupted = not learn_in_parallel(runs, progress.show)
    reports = [_report(run) for run in runs]
    if as_json:
        print_json({"run": str(path), "interrupted": interrupted, "runs": reports} | _spread(reports))
    else:
        _print_reports(path, runs, reports, interrupted)
    if interrupted:
        raise typer.Exit(130)


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
        # Evolution measures its best so far anew each time; a TD run saves its best measurement.
        "best_score": last.get("best_score", max((entry["score"] for entry in log), default=None)),
        "games_per_second": last.get("games_per_second"),
        "seconds": last.get("seconds"),
    }


def _spread(reports: list[dict[str, Any]]) -> dict[str, Any]:
    scores = [report["score"] for report in reports if report["score"] is not None]
    if len(scores) < 2:
        return {}
    return {"mean_score": statistics.mean(scores), "standard_deviation": statistics.stdev(scores)}


def _print_reports(path: Path, runs: list[Run], reports: list[dict[str, Any]], interrupted: bool) -> None:
    from rich.table import Table

    from outflank.games.statistics import score_text
    from outflank.learners.runs.own_learners import weights_of_plugin

    table = Table()
    for name in ("seed", "games", "score, 95 % interval", "best", "games/s", "seconds"):
        table.add_column(name, justify="right")
    for report in reports:
        if report["score"] is None:
            continue
        rate = report["games_per_second"]
        table.add_row(
            str(report["seed"]), f"{report['games']:,}",
            f"[bold]{score_text(report['score'], report['ci95'])}[/bold]", f"{report['best_score']:.4f}",
            f"{rate:,.0f}" if rate else "-", f"{report['seconds']:.1f}",
        )  # fmt: skip
    out.print(table)
    if spread := _spread(reports):
        out.print(f"mean {spread['mean_score']:.4f}, standard deviation {spread['standard_deviation']:.4f}")
    if interrupted:
        say(f"Interrupted; nothing is lost. Continue: outflank resume {path}")
        return
    best = Path(reports[0]["folder"]) / "best.safetensors"
    plugin = weights_of_plugin(runs[0].folder.settings()[0], best)
    say(f"Run: {path}   Score it: outflank score {f'{plugin},weights={best}' if plugin else best}")
    say(f"Plot it: outflank plot {path}")
    if plugin is None:
        say(f"Draw it: outflank show {best} --out picture.png")
