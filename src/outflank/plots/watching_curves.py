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
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, MultipleLocator
from numpy.polynomial import Polynomial

from outflank.evaluators.protocol import FloatArray
from outflank.learners.watching import DEPTH_OF_A_POINT
from outflank.plots.board_drawing import GRID, INK
from outflank.plots.learning_curves import COLOURS, Entry, mean_and_band

PARENT, WATCHER = COLOURS[0], COLOURS[1]
POINTS, FIT = "#111111", "#8a8a8a"  # black and grey, as in the paper
SIZE = 9.5  # points of text; 8 inches at 800 pixels make it 13 pixels high
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
        "it has no games against watchers to draw; learn by evolution with "
        '--set "watch=disc-difference;positional", as the preset chong-2003 does'
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


def draw_points_of_parents(logs: Sequence[Sequence[Entry]], title: str | None = None) -> Figure:
    """Chong 2003, Figure 2: (a) points of the parents as a share of the maximum, with a least-squares
    polynomial of second order; (b) points against the second watcher less those against the first.

    Of several runs the mean, as far as all have come. The polynomials of the runs have a mean too, which
    is the polynomial of the mean, and a 95 % interval of it.
    """
    runs = [points_of_parents(log) for log in logs]
    if len({(run.watchers, run.most_points) for run in runs}) != 1:
        raise ValueError("the runs had other watchers or other numbers of parents; draw each by itself")
    shortest = min(len(run.generations) for run in runs)
    runs = [run.until(shortest) for run in runs]
    differences = [run.differences for run in runs if run.differences is not None]
    figure = Figure(figsize=(8, 6.4 if differences else 4.2), layout="constrained")
    panels = figure.subplots(2 if differences else 1, 1, sharex=True, squeeze=False)[:, 0]
    _draw_percent(panels[0], runs[0].generations, np.array([run.percent for run in runs]))
    panels[0].set_ylabel(f"points at depth {DEPTH_OF_A_POINT},\n% of the most possible", fontsize=SIZE)
    if differences:
        _draw_differences(panels[1], runs[0], np.mean(differences, axis=0))
    for letter, axes in zip("ab", panels, strict=False):
        _prepare(axes)
        axes.set_title(f"({letter})" if len(panels) > 1 else "", loc="right", fontsize=SIZE)
    panels[-1].set_xlim(0, max(runs[0].generations[-1], 2))
    panels[-1].xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))
    panels[-1].set_xlabel("generation", fontsize=SIZE)
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure


def draw_watched_game(entry: Entry, title: str | None = None) -> Figure:
    """Chong 2003, Figures 3 to 6: discs of a generation's fittest parent and of each watcher, move by move.

    `entry` is the generation's line of the log.
    """
    watch = watched_generations([entry])[0]["watch"]
    games = list(zip(watch["watchers"], watch["best_discs"], strict=True))
    rows = -(-len(games) // 2)
    figure = Figure(figsize=(8, 0.8 + 3.4 * rows), layout="constrained")
    panels = figure.subplots(rows, min(len(games), 2), sharex=True, sharey=True, squeeze=False).flat
    for number, ((watcher, discs), axes) in enumerate(zip(games, panels, strict=False)):
        letter = f"({'abcdefghijklmnopqrstuvwxyz'[number % 26]}) " if len(games) > 1 else ""
        axes.set_title(f"{letter}{watcher} at depth {DEPTH_OF_A_POINT}", fontsize=SIZE, parse_math=False)
        _draw_discs(axes, np.array(discs), watcher)
    for axes in list(panels)[len(games) :]:
        axes.set_visible(False)
    if title:
        figure.suptitle(title, fontsize=11, parse_math=False)
    return figure
