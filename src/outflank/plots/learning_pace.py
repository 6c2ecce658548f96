"""The pace of learning: mean scores of several methods against games, each with a band (Jaskowski 2014,
Figure 6).

>>> import numpy as np
>>> band = Pace(np.array([1e6, 2e6]), np.array([0.5, 0.6]), np.array([0.6, 0.7]), np.array([0.7, 0.8]))
>>> figure = draw_learning_pace({"all-2": band}, "standard-heuristic")
>>> [text.get_text() for text in figure.legends[0].get_texts()]
['all-2: 0.700']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from outflank.evaluators.protocol import FloatArray
from outflank.plots.board_drawing import GRID
from outflank.plots.learning_curves import COLOURS

SIZE = 9.5  # points of text; 8 inches at 800 pixels make it 13 pixels high
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
MARKED = 8  # marks a curve, so that curves can be told apart without their colours


@dataclass(frozen=True)
class Pace:
    """A mean curve between the edges of its band."""

    games: FloatArray
    low: FloatArray
    mean: FloatArray
    high: FloatArray


def draw_learning_pace(
    curves: Mapping[str, Pace], against: str, published: tuple[float, Mapping[str, float]] | None = None
) -> Figure:
    """A curve a method. With published scores after so many games, games are logarithmic, and a dotted line
    leads to each of them."""
    figure = Figure(figsize=(8, 5.4), layout="constrained")
    axes = figure.add_subplot()
    for number, (name, curve) in enumerate(curves.items()):
        end = None if published is None else (published[0], published[1][name])
        _draw_curve(axes, number, name, curve, end)
    axes.set_xlabel("games learned from" if published else "million games learned from", fontsize=SIZE)
    axes.set_ylabel(f"score against {against}", fontsize=SIZE, parse_math=False)
    if published:
        axes.set_xscale("log")
    else:
        axes.xaxis.set_major_formatter(lambda games, _: f"{games / 1e6:g}")
        axes.set_xlim(left=0)
    axes.tick_params(labelsize=SIZE)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    key = figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=SIZE,
                        handlelength=1.6, handletextpad=0.5, columnspacing=1.2)  # fmt: skip
    for text in key.get_texts():
        text.set_parse_math(False)
    return figure


def _draw_curve(axes: Axes, number: int, name: str, curve: Pace, end: tuple[float, float] | None) -> None:
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    label = f"{name}: {curve.mean[-1]:.3f}" + (f" (paper {end[1]:.3f})" if end else "")
    every = (number % 3, max(1, len(curve.games) // MARKED))  # not all at the same games
    axes.plot(curve.games, curve.mean, color=colour, marker=marker, markevery=every, markersize=5,
              linewidth=1.6, label=label)  # fmt: skip
    axes.fill_between(curve.games, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0)
    if end is not None:
        axes.plot(
            [curve.games[-1], end[0]], [curve.mean[-1], end[1]], ":", color=colour, linewidth=1.2,
            marker=marker, markevery=[1], markersize=7, markerfacecolor="white", clip_on=False,
        )  # fmt: skip
