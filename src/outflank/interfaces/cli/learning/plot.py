"""`outflank plot`: learning curves, and games of a run against its benchmark opponents."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from outflank.interfaces.cli.learning.learn import run_folders
from outflank.interfaces.cli.progress import say

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from outflank.learners.runs.folder import RunFolder
    from outflank.plots.learning_curves import By


class Drawing(NamedTuple):
    """A figure, its default file, and a hint at more to see."""

    figure: Figure
    file: str
    hint: str = ""


def add_to(app: typer.Typer) -> None:
    app.command()(plot)


def plot(
    paths: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs, or folders of runs.")],
    by: Annotated[
        Literal["games", "seconds", "generations"] | None,
        typer.Option(help="The x axis; games by default."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Draw the points against the benchmark opponents (Chong 2003).")
    ] = False,
    generation: Annotated[
        int | None,
        typer.Option(metavar="N", help="With --watch: the discs in the games of this generation."),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--out", help=".png, .svg or .pdf; learning-curves.png or benchmark-opponents.png by default."
        ),
    ] = None,
    dark: Annotated[bool, typer.Option("--dark", help="Light on dark, for a dark page.")] = False,
) -> None:
    """Draw learning curves with their confidence bands, or games against benchmark opponents."""
    from outflank.plots.style import darken, save_figure

    if generation is not None and not watch:
        raise ValueError("--generation draws games against benchmark opponents; add --watch")
    if by is not None and watch:
        raise ValueError("--watch always draws by generation; leave out --by")
    if watch and len(paths) > 1:
        raise ValueError("--watch draws one run, or the mean of one folder of runs; give one RUN")
    if not watch:
        drawing = _learning_curves(paths, by or "games")
    elif generation is None:
        drawing = _benchmark_points(paths[0])
    else:
        drawing = _benchmark_games(paths[0], generation)
    picture = picture or Path(drawing.file)
    save_figure(darken(drawing.figure) if dark else drawing.figure, picture)
    say(f"Picture: {picture}")
    if drawing.hint:
        say(drawing.hint)


def _learning_curves(paths: list[Path], by: By) -> Drawing:
    from outflank.plots.learning_curves import draw_learning_curves

    runs = [_opened(path) for path in paths]
    logs = [[run.log() for run in folders] for folders in runs]
    figure = draw_learning_curves(
        dict(zip(_labels(paths), logs, strict=True)), _measured_against(runs), by=by
    )
    benchmarked = [path for path, of in zip(paths, logs, strict=True) if of[0] and "watch" in of[0][-1]]
    hint = f"Against its benchmark opponents: {_command(benchmarked[0], '--watch')}" if benchmarked else ""
    return Drawing(figure, "learning-curves.png", hint)


def _benchmark_points(path: Path) -> Drawing:
    from outflank.plots.benchmark_opponents import draw_benchmark_points

    logs = {run.path: run.log() for run in _opened(path)}
    begun = {at: log for at, log in logs.items() if log} or logs
    (name,) = _labels([path])
    title = f"{name}: {len(begun)} runs" if len(begun) > 1 else name
    figure = draw_benchmark_points(list(begun.values()), title)
    at, log = next(iter(begun.items()))
    games = _command(at, "--watch", "--generation", str(log[-1]["generation"]))
    return Drawing(figure, "benchmark-opponents.png", f"See its games: {games}")


def _benchmark_games(path: Path, generation: int) -> Drawing:
    from outflank.plots.benchmark_opponents import benchmarked_generations, draw_benchmark_games

    runs = _opened(path)
    if len(runs) > 1:
        names = f"{runs[0].path.name} to {runs[-1].path.name}"
        raise ValueError(f"{path} holds {len(runs)} runs, {names}; name one of them to see its games")
    entries = {entry["generation"]: entry for entry in benchmarked_generations(runs[0].log())}
    if generation not in entries:
        raise ValueError(f"{path} has generations {min(entries)} to {max(entries)}, got {generation}")
    (name,) = _labels([path])
    title = f"{name}, generation {generation}: the fittest parent, Black, against the benchmark opponents"
    return Drawing(
        draw_benchmark_games(entries[generation], title), f"benchmark-opponents-generation-{generation}.png"
    )


def _opened(path: Path) -> list[RunFolder]:
    from outflank.learners.runs.folder import RunFolder

    return [RunFolder.open(folder) for folder in run_folders(path)]


def _measured_against(runs: list[list[RunFolder]]) -> str:
    """The opponent and epsilon of all measurements; scores of different measurements are not comparable."""
    from outflank.plots.style import shortened

    measured: dict[tuple[str, float], Path] = {}
    for run in (run for folders in runs for run in folders):
        settings, _ = run.settings()
        measured.setdefault((settings.measure_against, settings.measure_epsilon), run.path)
    if len(measured) > 1:
        (one, first), (other, second), *_ = measured.items()
        raise ValueError(
            f"{first} was measured against {one[0]}, epsilon {one[1]:g}, but {second} against {other[0]}, "
            f"epsilon {other[1]:g}; draw them apart, or learn with one measure_against and measure_epsilon"
        )
    (opponent, epsilon), *_ = measured
    return f"{shortened(opponent, 40)}, epsilon {epsilon:g}"


def _labels(paths: list[Path]) -> list[str]:
    """The names of the folders, each with as many parent folders as make them distinct."""
    from outflank.plots.style import shortened

    places = [path.resolve().parts for path in paths]
    for count in range(1, max(map(len, places)) + 1):
        ends = [place[-count:] for place in places]
        if len(set(ends)) == len(set(places)):
            break
    return ["/".join(shortened(part, 30) for part in end) for end in ends]


def _command(path: Path, *options: str) -> str:
    return shlex.join(["outflank", "plot", str(path), *options])
