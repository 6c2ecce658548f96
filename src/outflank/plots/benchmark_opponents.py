"""How the parents of each generation fared against the watchers, who do not learn (Chong 2003).

>>> watch = {"watchers": ["disc-difference", "positional"], "points": [1, 0], "most_points": 20,
...          "points_difference": -1, "best_discs": [[[2, 2], [4, 1]], [[2, 2], [4, 1], [3, 3]]]}
>>> log = [{"generation": 1, "watch": watch}, {"generation": 2, "watch": watch | {"points": [3, 2]}}]
>>> points_of_parents(log).percent
array([ 5., 25.])
>>> [axes.get_title() for axes in draw_watched_game(log[0]).axes]
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
from outflank.learners.fitness.benchmark_opponents import DEPTH_OF_A_POINT
from outflank.plots.boards import GRID, INK
from outflank.plots.learning_curves import COLOURS, Entry, mean_and_band
from outflank.plots.tournaments import shortened

IntArray = npt.NDArray[np.int_]
PARENT, WATCHER = COLOURS[0], COLOURS[1]
POINTS, FIT = "#111111", "#8a8a8a"  # black and grey, as in the paper
SIZE = 9.5  # points of text; 8 inches at 800 pixels make it 13 pixels high
STEPS = (1, 2, 5, 10)  # between ticks
DEGREE = 2  # of the least-squares polynomial


@dataclass(frozen=True)
class PointsOfParents:
    """A point is a watcher at depth 4 beaten by a parent."""

    generations: FloatArray
    percent: FloatArray  # of the points that all parents could have made
    differences: FloatArray | None  # points against the second watcher less those against the first
    watchers: tuple[str, ...]
    most_points: int

    def until(self, generations: int) -> PointsOfParents:
        """Of the first so many generations."""
        differences = None if self.differences is None else self.differences[:generations]
        return PointsOfParents(
            self.generations[:generations], self.percent[:generations], differences, self.watchers,
            self.most_points,
        )  # fmt: skip


def watched_generations(log: Sequence[Entry]) -> list[Entry]:
    """The entries of a log that tell of watchers; an error if there are none."""
    watched = [entry for entry in log if "watch" in entry]
    if watched:
        return watched
    raise ValueError(
        "no generation of this run was watched; evolve one with "
        '--set "watch=disc-difference;positional", or with the preset chong-2003'
    )


def points_of_parents(log: Sequence[Entry]) -> PointsOfParents:
    """The points of each generation in a run's log."""
    entries = watched_generations(log)
    watches: list[Mapping[str, Any]] = [entry["watch"] for entry in entries]
    differences = [watch["points_difference"] for watch in watches]
    percent = [100 * sum(watch["points"]) / watch["most_points"] for watch in watches]
    return PointsOfParents(
        np.array([entry["generation"] for entry in entries], dtype=np.float64),
        np.array(percent, dtype=np.float64),
        None if None in differences else np.array(differences, dtype=np.float64),
        tuple(watches[0]["watchers"]),
        watches[0]["most_points"],
    )


def draw_points_of_parents(
    logs: Sequence[Sequence[Entry]], title: str | None = None, parts: Literal["a", "b", "ab"] = "ab"
) -> Figure:
    """Chong 2003, Figure 2: (a) points of the parents as a share of the maximum, with a least-squares
    polynomial of second order; (b) points against the second watcher less those against the first.

    Of several runs the mean, as far as all have come. The polynomials of the runs have a mean too, which
    is the polynomial of the mean, and a 95 % interval of it. Part (b) is of two watchers only.
    """
    runs = [points_of_parents(log) for log in logs]
    if len({(run.watchers, run.most_points) for run in runs}) != 1:
        raise ValueError("the runs had other watchers or other numbers of parents; draw each by itself")
    shortest = min(len(run.generations) for run in runs)
    runs = [run.until(shortest) for run in runs]
    differences = [run.differences for run in runs if run.differences is not None]
    drawn = parts if differences else "a"
    figure = Figure(figsize=(8, 6.4 if len(drawn) == 2 else 4.2), layout="constrained")
    panels = dict(zip(drawn, figure.subplots(len(drawn), 1, sharex=True, squeeze=False)[:, 0], strict=True))
    if "a" in panels:
        _draw_percent(panels["a"], runs[0].generations, np.array([run.percent for run in runs]))
        panels["a"].set_ylabel(f"points at depth {DEPTH_OF_A_POINT},\n% of the most possible", fontsize=SIZE)
    if "b" in panels:
        _draw_differences(panels["b"], runs[0], np.mean(differences, axis=0), len(runs))
    for letter, axes in panels.items():
        _prepare(axes)
        axes.set_title(f"({letter})" if len(panels) > 1 else "", loc="right", fontsize=SIZE)
    lowest = panels[drawn[-1]]
    lowest.set_xlim(0, max(runs[0].generations[-1], 2))
    lowest.xaxis.set_major_locator(MaxNLocator(nbins=10, steps=STEPS, integer=True))
    lowest.xaxis.set_major_formatter("{x:,.0f}")
    lowest.set_xlabel("generation", fontsize=SIZE)
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure


def draw_watched_game(entry: Entry, title: str | None = None) -> Figure:
    """Chong 2003, Figures 3 to 6: discs of a generation's fittest parent and of each watcher, move by move.

    `entry` is the generation's line of the log.
    """
    watch = watched_generations([entry])[0]["watch"]
    games = list(zip(watch["watchers"], watch["best_discs"], strict=True))
    rows, columns = -(-len(games) // 2), min(len(games), 2)
    figure = Figure(figsize=(8, 0.8 + 3.4 * rows), layout="constrained")
    panels = list(figure.subplots(rows, columns, sharey=True, squeeze=False).flat)
    for letter, axes, (watcher, discs) in zip(ascii_lowercase, panels, games, strict=False):
        name = shortened(watcher, 24)
        _draw_discs(axes, np.array(discs), name)
        order = f"({letter}) " if len(games) > 1 else ""
        axes.set_title(f"{order}{name} at depth {DEPTH_OF_A_POINT}", fontsize=SIZE, parse_math=False)
    for axes in panels[len(games) :]:
        figure.delaxes(axes)
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure


def _draw_percent(axes: Axes, generations: FloatArray, percent: FloatArray) -> None:
    """`percent`: a row a run."""
    runs = len(percent)
    label = "points of the parents" + (f", mean of {runs} runs" if runs > 1 else "")
    marker = "o" if len(generations) == 1 else None  # a line needs two points
    axes.plot(generations, percent.mean(axis=0), color=POINTS, linewidth=0.6, marker=marker, label=label)
    if len(generations) > DEGREE:
        fits = np.array([Polynomial.fit(generations, run, DEGREE)(generations) for run in percent])
        axes.plot(
            generations, fits.mean(axis=0), color=FIT, linewidth=3, label="second-order least-squares fit",
            path_effects=[withStroke(linewidth=4.4, foreground="white")],
        )  # fmt: skip
        if runs > 1:
            low, _, high = mean_and_band(fits)
            axes.fill_between(generations, low, high, color=FIT, alpha=0.35, linewidth=0,
                              label="95 % interval of the fit")  # fmt: skip
    axes.set_ylim(-2, 102)
    _draw_key(axes)


def _draw_differences(axes: Axes, run: PointsOfParents, differences: FloatArray, runs: int) -> None:
    """`differences`: the mean of so many runs."""
    first, second = (shortened(watcher, 24) for watcher in run.watchers)
    marker = "o" if len(differences) == 1 else None
    label = f"points against {second} less those against {first}"
    label += f", mean of {runs} runs" if runs > 1 else ""
    axes.axhline(0, color=INK, linewidth=0.9, zorder=1.5)
    axes.plot(run.generations, differences, color=POINTS, linewidth=0.6, marker=marker, label=label)
    reach = 1.05 * run.most_points / 2
    axes.set_ylim(-reach, reach)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=STEPS, integer=True))
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:+.0f}" if round(y) else "0")
    axes.set_ylabel("difference of points", fontsize=SIZE)
    _draw_key(axes)


def _draw_discs(axes: Axes, discs: IntArray, watcher: str) -> None:
    """`discs`: of the parent and of the watcher, before the first move and after each."""
    for own, name, colour, dashes in ((0, "fittest parent", PARENT, "-"), (1, watcher, WATCHER, "--")):
        axes.plot(discs[:, own], dashes, color=colour, linewidth=1.8, label=f"{name}: {discs[-1, own]}")
    axes.set(xlim=(0, 60), ylim=(0, 64))
    axes.set_xlabel("moves made", fontsize=SIZE)
    axes.xaxis.set_major_locator(MultipleLocator(10))
    axes.yaxis.set_major_locator(MultipleLocator(16))
    axes.set_ylabel("discs", fontsize=SIZE)
    axes.yaxis.set_tick_params(labelleft=True)
    _prepare(axes)
    key = axes.legend(loc="upper left", frameon=False, fontsize=SIZE)
    for text in key.get_texts():
        text.set_parse_math(False)


def _draw_key(axes: Axes) -> None:
    """Above the panel, where no curve goes."""
    key = axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.1, frameon=False, fontsize=SIZE, ncols=2
    )
    for text in key.get_texts():
        text.set_parse_math(False)


def _prepare(axes: Axes) -> None:
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=SIZE)
    axes.spines[["top", "right"]].set_visible(False)
