"""`outflank reproduce`: the tables and figures of the papers."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.learning.learn import Cluster
from outflank.interfaces.cli.options import Json
from outflank.interfaces.cli.progress import err, note, out, print_json, say

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from outflank.league.published import PublishedFiles
    from outflank.learners.execution.executor import Executor
    from outflank.studies.experiment import Experiment, Scale
    from outflank.studies.laboratory import Activity
    from outflank.studies.results import Result

SCALE_HELP = "quick: seconds each. standard: minutes each. paper: the paper's budget."


def add_to(app: typer.Typer) -> None:
    app.command()(reproduce)


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="lucas-2007/figure-9, lucas-2007, all, or a TOML file."),
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Print the experiment's TOML file, to change a copy of it.")
    ] = False,
    scale: Annotated[str, typer.Option(help=SCALE_HELP)] = "standard",
    seeds: Annotated[int | None, typer.Option(help="Runs of each method.", min=1, max=1000)] = None,
    cluster: Cluster = None,
    share: Annotated[
        float,
        typer.Option(help="Learn this share of each run and report it; a later command goes on from there."),
    ] = 1.0,
    folder: Annotated[
        Path,
        typer.Option("--out", help="Where parts and reports are stored; finished parts are not run again."),
    ] = Path("out/reproduce"),
    report: Annotated[
        Path | None, typer.Option(help="Write the reports here too, with their figures and results.")
    ] = None,
    published: Annotated[
        Path | None,
        typer.Option(help="A folder with published players/ and positions/; ./published if it exists."),
    ] = None,
    render: Annotated[
        Path | None,
        typer.Option(
            help="Instead: draw the figures of this folder again, all or of these experiments, and write"
            " its reports from its result files."
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(help="Instead: work out every verdict of this folder's reports again, and compare."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Reproduce tables and figures of the papers, and compare their numbers with ours.

    Killed or interrupted, the same command continues where it stopped.
    """
    from outflank.league.published import PublishedFiles
    from outflank.studies.experiment import find_experiments

    if render is not None or check is not None:
        _reports_again(find_experiments(names or []), render, check, as_json)
        return
    if list_all or not names:
        _list(find_experiments(names or ["all"]), as_json)
        return
    chosen = find_experiments(names)
    if show:
        for experiment in chosen:
            print(experiment.file.read_text(encoding="utf-8").rstrip())
        return
    asked = _Asked(_scale(scale), seeds, share, PublishedFiles.found(published), folder)
    results = _reproduce_all(chosen, asked, cluster, as_json)
    reports = _report(chosen, results, folder, report)
    if as_json:
        print_json({"results": list(map(_as_json, results)), "reports": [str(path) for path in reports]})
        return
    for path in reports:
        say(f"Report: {path}")


def _list(experiments: list[Experiment], as_json: bool) -> None:
    from outflank.studies.experiment import SCALES

    if as_json:
        print_json([
            {"name": one.name, "title": one.title, "source": one.source, "rows": len(one.rows),
             "seeds": {scale: one.seeds(scale) for scale in SCALES},
             "hours": one.budget.hours if one.budget is not None else None}
            for one in experiments
        ])  # fmt: skip
        return
    from rich.table import Table

    table = Table()
    for name in ("experiment", "what", "rows", "hours"):
        table.add_column(name, justify="right" if name in ("rows", "hours") else "left", overflow="fold")
    for one in experiments:
        hours = one.budget.hours if one.budget is not None else None
        table.add_row(one.name, one.title, str(len(one.rows)), "" if hours is None else f"{hours:g}")
    out.print(table)
    out.print("Hours: of the paper's budget on two cores. Experiments with the same runs share them.")
    out.print("Reproduce one: outflank reproduce lucas-2007/figure-9   All of them: outflank reproduce all")


def _scale(name: str) -> Scale:
    from outflank.studies.experiment import SCALES
    from outflank.suggestions import unknown

    for scale in SCALES:
        if scale == name:
            return scale
    raise ValueError(unknown(name, SCALES, "a scale"))


@dataclass(frozen=True)
class _Asked:
    """How the experiments are to be run."""

    scale: Scale
    seeds: int | None
    share: float
    published: PublishedFiles
    folder: Path


def _reproduce_all(
    chosen: list[Experiment], asked: _Asked, cluster: str | None, as_json: bool
) -> list[Result]:
    """One after another, each printed when it is finished."""
    from outflank.files import alone_in
    from outflank.learners.execution.executor import executor_for
    from outflank.studies.laboratory import Interrupted

    folder = asked.folder
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; choose another --out")
    if asked.published.folder is None and not all(one.is_own for one in chosen):
        note("some rows need the published files (--published) and are not measured")
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    executor = executor_for(cluster) if cluster is not None else None
    try:
        with alone_in(folder, f"another process is reproducing in {folder}; choose another --out"):
            for number, experiment in enumerate(chosen, start=1):
                where = f"{number} of {len(chosen)}: {experiment.name}"
                result = _one(experiment, asked, executor, where)
                results.append(result)
                if not as_json:
                    _print_result(result)
    except (Interrupted, KeyboardInterrupt):
        err.print("Interrupted; finished parts are cached. The same command continues from there.")
        raise KeyboardInterrupt from None
    finally:
        if executor is not None:
            executor.close()
    return results


def _one(experiment: Experiment, asked: _Asked, executor: Executor | None, where: str) -> Result:
    from outflank.studies.laboratory import Laboratory
    from outflank.studies.results import reproduce

    with _ProgressBar(where) as bar:
        return reproduce(
            Laboratory(
                experiment, asked.scale, asked.folder, seeds=asked.seeds, published=asked.published,
                cluster=executor, share=asked.share, show=bar,
            )
        )  # fmt: skip


def _reports_again(chosen: list[Experiment], render: Path | None, check: Path | None, as_json: bool) -> None:
    """Reports from their result files; a difference found by the check is an error."""
    from outflank.studies.report import Rendered, differences, render_reports, untested_claims

    made = Rendered([], [], [])
    if render is not None:
        made = render_reports(render, chosen, note if sys.stderr.isatty() else lambda _: None)
    found = differences(check) if check is not None else []
    if as_json:
        print_json({"reports": [str(path) for path in made.pages], "figures": made.figures,
                    "left": made.left, "differences": found})  # fmt: skip
    else:
        if made.left:
            say(_left(made.left))
        for line in (*(f"Report: {path}" for path in made.pages), *found):
            say(line)
        if check is not None and not found:
            untested = untested_claims(check)
            rest = f" {untested} claims are stored without samples and are as they were." if untested else ""
            say(f"Every verdict in {check} follows from its result file.{rest}")
    if found:
        raise typer.Exit(1)


def _left(figures: list[str]) -> str:
    """
    >>> _left(["a/b.png"])
    '1 figure has no data stored beside it and stays as it is: a/b.png'
    """
    several = "1 figure has no data stored beside it and stays as it is"
    if len(figures) > 1:
        several = f"{len(figures)} figures have no data stored beside them and stay as they are"
    return f"{several}: {', '.join(figures)}"


def _print_result(result: Result) -> None:
    from outflank.studies.report import counted_verdicts

    words = [counted_verdicts([result])] if result.rows("measured") else []
    if result.rows("definition"):
        words.append(f"definitions: {counted_verdicts([result], 'definition')}")
    if result.rows("own"):
        words.append(f"our own: {counted_verdicts([result], 'own')}")
    line = f"{result.experiment.name:32} {'; '.join(words)} ({result.made.seconds:,.1f} s)"
    say(line)


def _as_json(result: Result) -> dict[str, Any]:
    return {
        "experiment": result.experiment.name,
        "scale": result.scale,
        "verdicts": dict(zip((row.key for row in result.experiment.rows), result.verdicts, strict=True)),
        **result.made.model_dump(),
        **asdict(result.outcome),
    }


def _report(chosen: list[Experiment], results: list[Result], folder: Path, report: Path | None) -> list[Path]:
    """The reports of these papers, with their other finished experiments."""
    from outflank.studies.experiment import find_experiments
    from outflank.studies.report import write_reports
    from outflank.studies.results import cached_result

    scale = results[0].scale
    by_name = {result.experiment.name: result for result in results}
    known = {one.name: one for one in [*find_experiments(["all"]), *chosen]}
    finished = [by_name.get(name) or cached_result(one, scale, folder) for name, one in known.items()]
    complete = [result for result in finished if result is not None]
    made = write_reports(complete, folder / scale)
    if report is not None:
        made = write_reports(complete, report)
    papers = {result.experiment.paper for result in results}
    return [path for path in made if path.stem in papers]


class _ProgressBar:
    """The activity of an experiment, with rate and remaining time on a terminal; silent elsewhere."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._what = ""
        self._began = (time.perf_counter(), 0.0)

    def __enter__(self) -> _ProgressBar:
        if sys.stderr.isatty():
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._progress = Progress(
                TextColumn("{task.description}"), BarColumn(bar_width=20),
                TextColumn("{task.percentage:>3.0f} % {task.fields[rate]}"), TimeRemainingColumn(),
                console=err, transient=True,
            )  # fmt: skip
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, activity: Activity) -> None:
        if self._progress is None:
            return
        if activity.what != self._what or self._task is None:
            if self._task is not None:
                self._progress.remove_task(self._task)
            self._what, self._began = activity.what, (time.perf_counter(), activity.done)
            self._task = self._progress.add_task("", total=activity.total, rate="")
        seconds = time.perf_counter() - self._began[0]
        rate = (activity.done - self._began[1]) / max(seconds, 1e-9)
        self._progress.update(
            self._task,
            description=f"{self._where}: {activity.what}",
            completed=activity.done,
            rate=f"{rate:,.0f} {activity.unit}/s",
        )
