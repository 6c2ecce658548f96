"""The parents of each generation against benchmark opponents, who do not learn (Chong 2003).

>>> watch = {"watchers": ["disc-difference", "positional"], "most_points": 4,
...          "plies_beaten": [[4, 0], [2, 2]],
...          "best_discs": [[[2, 2], [4, 1]], [[2, 2], [4, 1], [3, 3]]]}
>>> log = [{"generation": 1, "watch": watch},
...        {"generation": 2, "watch": watch | {"plies_beaten": [[6, 4], [2, 4]]}}]
>>> benchmark_points(log).percent
array([25., 75.])
>>> [axes.get_title() for axes in draw_benchmark_games(log[0]).axes]
['(a) disc-difference at depth 4', '(b) positional at depth 4']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator, MultipleLocator
from numpy.polynomial import Polynomial

from outflank.evaluators.protocol import FloatArray
from outflank.learners.fitness.benchmark_opponents import DEPTH_OF_A_POINT, ladder_points
from outflank.plots.curves import Curve, draw_curve, draw_single_runs, explain
from outflank.plots.learning_curves import Entry
from outflank.plots.style import (
    COLOURS,
    INK,
    TEXT,
    legend_above,
    legend_inside,
    new_figure,
    shortened,
    signed,
)

IntArray = npt.NDArray[np.int_]
POINTS, FIT = "#111111", "#8a8a8a"  # black and grey, as in the paper
STEPS = (1, 2, 5, 10)  # between ticks
DEGREE = 2  # of the least-squares polynomial


@dataclass(frozen=True)
class BenchmarkPoints:
    """The points of the parents of each generation: one for each opponent that a parent beats at depth 4,
    after a win at depth 2."""

    generations: FloatArray
    percent: FloatArray  # of the most possible points
    differences: FloatArray | None  # points against the second opponent less those against the first
    opponents: tuple[str, ...]
    most_points: int

    def until(self, generations: int) -> BenchmarkPoints:
        """The first generations."""
        differences = None if self.differences is None else self.differences[:generations]
        return BenchmarkPoints(
            self.generations[:generations], self.percent[:generations], differences, self.opponents,
            self.most_points,
        )  # fmt: skip


def benchmarked_generations(log: Sequence[Entry]) -> list[Entry]:
    """The entries of a log with benchmark games; an error if there are none."""
    if found := [entry for entry in log if "watch" in entry]:
        return found
    raise ValueError(
        "no generation of this run played benchmark opponents; evolve one with "
        '--set "watch=disc-difference;positional", or with the preset chong-2003'
    )


def benchmark_points(log: Sequence[Entry]) -> BenchmarkPoints:
    """The points of each generation in a run's log."""
    entries = benchmarked_generations(log)
    watches: list[Mapping[str, Any]] = [entry["watch"] for entry in entries]
    points = np.array([ladder_points(watch) for watch in watches], dtype=np.float64)
    percent = 100 * points.sum(axis=1) / np.array([watch["most_points"] for watch in watches])
    return BenchmarkPoints(
        np.array([entry["generation"] for entry in entries], dtype=np.float64),
        np.asarray(percent),
        points[:, 1] - points[:, 0] if points.shape[1] == 2 else None,
        tuple(watches[0]["watchers"]),
        watches[0]["most_points"],
    )


def draw_benchmark_points(
    logs: Sequence[Sequence[Entry]],
    title: str | None = None,
    parts: Literal["a", "b", "ab"] = "ab",
    printed: Mapping[int, tuple[float, float]] | None = None,
) -> Figure:
    """As draw_points, from the logs of runs."""
    return draw_points([benchmark_points(log) for log in logs], title, parts, printed)


def draw_points(
    runs: Sequence[BenchmarkPoints],
    title: str | None = None,
    parts: Literal["a", "b", "ab"] = "ab",
    printed: Mapping[int, tuple[float, float]] | None = None,
) -> Figure:
    """Chong 2003, Figure 2: (a) points of the parents as a share of the maximum, with a least-squares
    polynomial of second order; (b) points against the second opponent less those against the first.

    Several runs are averaged over the generations that all have. Their polynomials have a mean too, which
    is the polynomial of the mean, with its 95 % interval. Part (b) needs two opponents. `printed`: a paper's
    percentage and difference of points, by generation.
    """
    if len({(run.opponents, run.most_points) for run in runs}) != 1:
        raise ValueError(
            "the runs differ in their benchmark opponents or numbers of parents; draw each by itself"
        )
    shortest = min(len(run.generations) for run in runs)
    runs = [run.until(shortest) for run in runs]
    differences = [run.differences for run in runs if run.differences is not None]
    drawn = parts if differences else "a"
    height = 6.4 if len(drawn) == 2 else 4.2
    figure, axes_of_parts = new_figure(height, rows=len(drawn), title=title, sharex=True)
    panels = dict(zip(drawn, axes_of_parts, strict=True))
    if "a" in panels:
        _draw_percent(panels["a"], runs[0].generations, np.array([run.percent for run in runs]))
        _draw_printed(panels["a"], {number: both[0] for number, both in (printed or {}).items()})
    if "b" in panels:
        _draw_differences(panels["b"], runs[0], np.mean(differences, axis=0), len(runs))
        _draw_printed(panels["b"], {number: both[1] for number, both in (printed or {}).items()})
    for letter, axes in panels.items():
        legend_above(axes, columns=1 if letter == "b" else 2)  # its labels are long
        axes.set_title(f"({letter})" if len(panels) > 1 else "", loc="right", fontsize=TEXT)
    lowest = panels[drawn[-1]]
    lowest.set(xlim=(0, max(runs[0].generations[-1], 2)), xlabel="generation")
    lowest.xaxis.set_major_locator(MaxNLocator(nbins=10, steps=STEPS, integer=True))
    lowest.xaxis.set_major_formatter("{x:,.0f}")
    return figure


def draw_benchmark_games(entry: Entry, title: str | None = None) -> Figure:
    """Chong 2003, Figures 3 to 6: discs of a generation's fittest parent and of each opponent, move by move.

    `entry` is the generation's line of the log.
    """
    watch = benchmarked_generations([entry])[0]["watch"]
    games = list(zip(watch["watchers"], watch["best_discs"], strict=True))
    rows, columns = -(-len(games) // 2), min(len(games), 2)
    figure, panels = new_figure(0.8 + 3.4 * rows, rows, columns, title=title, sharey=True)
    for letter, axes, (opponent, discs) in zip(ascii_lowercase, panels, games, strict=False):
        name = shortened(opponent, 24)
        _draw_discs(axes, np.array(discs), name)
        order = f"({letter}) " if len(games) > 1 else ""
        axes.set_title(f"{order}{name} at depth {DEPTH_OF_A_POINT}", fontsize=TEXT, parse_math=False)
    for axes in panels[len(games) :]:
        figure.delaxes(axes)
    return figure


def _draw_percent(axes: Axes, generations: FloatArray, percent: FloatArray) -> None:
    """`percent`: one row per run."""
    runs = len(percent)
    label = "points of the parents" + (f", mean of {runs} runs" if runs > 1 else "")
    _draw_points(axes, generations, percent.mean(axis=0), label)
    if len(generations) > DEGREE:
        fits = np.array([Polynomial.fit(generations, run, DEGREE)(generations) for run in percent])
        if runs > 1:
            draw_single_runs(axes, generations, fits, color=COLOURS[0], linewidth=0.7)
            explain(axes, "thin lines: the fits of single runs")
        draw_curve(
            axes, Curve.mean_of(generations, fits), "second-order least-squares fit",
            band_label="95 % interval of the fit" if runs > 1 else None, color=FIT, linewidth=3,
            path_effects=[withStroke(linewidth=4.4, foreground="white")],
        )  # fmt: skip
    axes.set(ylim=(-2, 102), ylabel=f"points at depth {DEPTH_OF_A_POINT},\n% of the most possible")


def _draw_differences(axes: Axes, run: BenchmarkPoints, differences: FloatArray, runs: int) -> None:
    """`differences`: the mean of the runs."""
    first, second = (shortened(opponent, 24) for opponent in run.opponents)
    label = f"points against {second} less those against {first}"
    axes.axhline(0, color=INK, linewidth=0.9, zorder=1.5)
    _draw_points(axes, run.generations, differences, label + (f", mean of {runs} runs" if runs > 1 else ""))
    reach = 1.05 * run.most_points / 2
    axes.set(ylim=(-reach, reach), ylabel="difference of points")
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=STEPS, integer=True))
    axes.yaxis.set_major_formatter(signed)


def _draw_printed(axes: Axes, values: Mapping[int, float]) -> None:
    if values:
        axes.plot(list(values), list(values.values()), "s", color=COLOURS[1], markersize=6, zorder=4,
                  label="generations that the paper prints, one run")  # fmt: skip


def _draw_points(axes: Axes, generations: FloatArray, points: FloatArray, label: str) -> None:
    marker = "o" if len(generations) == 1 else None  # a line needs two points
    axes.plot(generations, points, color=POINTS, linewidth=0.6, marker=marker, label=label)


def _draw_discs(axes: Axes, discs: IntArray, opponent: str) -> None:
    """`discs`: of the parent and of the opponent, before the first move and after each."""
    for side, name in enumerate(("fittest parent", opponent)):
        axes.plot(discs[:, side], ("-", "--")[side], color=COLOURS[side], linewidth=1.8,
                  label=f"{name}: {discs[-1, side]}")  # fmt: skip
    axes.set(xlim=(0, 60), ylim=(0, 64), xlabel="moves made", ylabel="discs")
    axes.xaxis.set_major_locator(MultipleLocator(10))
    axes.yaxis.set_major_locator(MultipleLocator(16))
    axes.yaxis.set_tick_params(labelleft=True)
    legend_inside(axes)
