"""Methods compared: mean scores with bands, against games and against time, side by side.

>>> import numpy as np
>>> band = Band(np.array([10.0, 100.0]), np.array([0.4, 0.6]), np.array([0.5, 0.7]), np.array([0.6, 0.8]))
>>> figure = draw_compared({"TD": band}, {"TD": band}, "standard-heuristic")
>>> [axes.get_xlabel() for axes in figure.axes]
['games learned from', 'seconds of learning']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from outflank.evaluators.protocol import FloatArray
from outflank.plots.board_drawing import GRID
from outflank.plots.learning_curves import COLOURS, EDGE, SCORE_TICKS

SIZE = 9.5  # points of text; 8 inches at 800 pixels make it 13 pixels high
MARKERS = ("o", "s", "^", "D", "v", "P")
MARKED = 6  # marks a curve, so that curves can be told apart without their colours


@dataclass(frozen=True)
class Band:
    """A mean curve between the edges of its band, at places above zero. `like` names another method whose
    colour it shares; it is dashed then."""

    places: FloatArray
    low: FloatArray
    mean: FloatArray
    high: FloatArray
    like: str | None = None


def draw_compared(by_games: Mapping[str, Band], by_seconds: Mapping[str, Band], against: str) -> Figure:
    """A curve a method in each panel; both axes of places are logarithmic, scores are on a logit scale."""
    figure = Figure(figsize=(8, 5.2), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, curves, label in (
        (left, by_games, "games learned from"),
        (right, by_seconds, "seconds of learning"),
    ):
        for name, band in curves.items():
            _draw_band(axes, list(curves).index(band.like or name), name, band)
        _prepare(axes, label)
    left.set_ylabel(f"score against {against}", fontsize=SIZE, parse_math=False)
    bands = [*by_games.values(), *by_seconds.values()]
    _set_scores(left, min(float(b.low.min()) for b in bands), max(float(b.high.max()) for b in bands))
    handles, labels = left.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(3, len(labels)), frameon=False, fontsize=SIZE
    )
    return figure


def _draw_band(axes: Axes, number: int, name: str, band: Band) -> None:
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    low, mean, high = (np.clip(edge, EDGE, 1 - EDGE) for edge in (band.low, band.mean, band.high))
    every = (number, max(1, len(mean) // MARKED))
    dashes, face = ("--", "white") if band.like else ("-", colour)
    axes.plot(band.places, mean, dashes, color=colour, marker=marker, markevery=every, markersize=5,
              markerfacecolor=face, linewidth=1.6, label=name)  # fmt: skip
    axes.fill_between(band.places, low, high, color=colour, alpha=0.18, linewidth=0)


def _prepare(axes: Axes, label: str) -> None:
    axes.set_xscale("log")
    axes.set_xlabel(label, fontsize=SIZE)
    axes.xaxis.set_major_formatter(_short)
    axes.tick_params(labelsize=SIZE)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _short(place: float, _: float) -> str:
    """
    >>> [_short(place, 0) for place in (0.1, 10, 1000, 10_000_000)]
    ['0.1', '10', '1,000', '10 M']
    """
    return f"{place / 1e6:g} M" if place >= 1e6 else f"{place:,.0f}" if place >= 10 else f"{place:g}"


def _set_scores(axes: Axes, lowest: float, highest: float) -> None:
    below = [tick for tick in SCORE_TICKS if tick < lowest] or [SCORE_TICKS[0]]
    above = [tick for tick in SCORE_TICKS if tick > highest] or [SCORE_TICKS[-1]]
    ticks = [tick for tick in SCORE_TICKS if below[-1] <= tick <= above[0]]
    axes.set_yscale("logit")
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks([], minor=True)
    axes.set_ylim(below[-1], above[0])
