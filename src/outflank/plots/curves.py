"""Curves with bands, and the scale on which scores near 0 and 1 differ visibly.

>>> curve = Curve.mean_of(np.arange(2.0), np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]))
>>> curve.low.round(2), curve.middle, curve.high.round(2)
(array([-0.48,  5.  ]), array([2., 5.]), array([4.48, 5.  ]))
"""

from __future__ import annotations

from textwrap import fill
from typing import Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from scipy import special

from outflank.evaluators.protocol import FloatArray
from outflank.plots.style import COLOURS, DASHES, INK, TEXT

SCORE_TICKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 0.94, 0.96, 0.97, 0.98,
               0.99, 0.995, 0.998, 0.999, 0.9995)  # fmt: skip
SOLID_RUNS = 10  # as many thin lines have their full strength
EDGE = 1e-5  # from 0 and 1, which a logit scale does not have


class Curve(NamedTuple):
    """A curve between the edges of its band."""

    x: FloatArray
    low: FloatArray
    middle: FloatArray
    high: FloatArray

    @classmethod
    def mean_of(cls, x: FloatArray, samples: FloatArray) -> Curve:
        """The mean of the rows with its 95 % interval by Student's t; one row has no band."""
        runs, middle = len(samples), samples.mean(axis=0)
        if runs == 1:
            return cls(x, middle, middle, middle)
        errors = samples.std(axis=0, ddof=1) / np.sqrt(runs)
        reach = special.stdtrit(runs - 1, 0.975) * errors
        return cls(x, middle - reach, middle, middle + reach)

    @classmethod
    def range_of(cls, x: FloatArray, samples: FloatArray) -> Curve:
        """The mean of the rows, between the lowest and the highest."""
        return cls(x, samples.min(axis=0), samples.mean(axis=0), samples.max(axis=0))

    def of_scores(self) -> Curve:
        """Without 0 and 1."""
        x, *edges = self
        return Curve(x, *(np.clip(edge, EDGE, 1 - EDGE) for edge in edges))


def draw_curve(
    axes: Axes, curve: Curve, label: str, number: int = 0, band_label: str | None = None, **line: Any
) -> Line2D:
    """The curve with this number, in its colour and dashes, with its band; `line`: matplotlib's options."""
    colour = line.pop("color", COLOURS[number % len(COLOURS)])
    marker = "o" if len(curve.x) == 1 else None  # a line needs two points
    looks: dict[str, Any] = {
        "linestyle": DASHES[number % len(DASHES)],
        "linewidth": 1.6,
        "marker": marker,
    } | line
    (drawn,) = axes.plot(curve.x, curve.middle, label=label, color=colour, **looks)
    axes.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.2, linewidth=0, label=band_label)
    return drawn


def draw_single_runs(
    axes: Axes, x: FloatArray, rows: FloatArray, number: int = 0, runs: int | None = None, **line: Any
) -> None:
    """Thin lines behind a mean, one per run; the more runs there are, the fainter, so that the mean stays in
    sight. `runs`: how many, if not all are drawn by this call."""
    faint = min(1.0, (SOLID_RUNS / (runs or len(rows))) ** 0.75)
    looks: dict[str, Any] = {"color": COLOURS[number % len(COLOURS)], "linewidth": 0.6, "alpha": 0.35 * faint}
    axes.plot(x, rows.T, zorder=1.2, **(looks | line))


def explain(axes: Axes, text: str, letters: int = 100) -> None:
    """What bands and thin lines mean, in the upper left corner of the picture; this many letters a line."""
    axes.text(0.01, 0.99, fill(text, letters), transform=axes.transAxes, va="top", fontsize=TEXT - 1.5,
              color=INK, zorder=5,
              bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.5})  # fmt: skip


def set_score_scale(
    axes: Axes, lowest: float, highest: float, which: Literal["x", "y"] = "y", gap: float = 0.0
) -> None:
    """A logit scale with ticks around these scores, no two nearer than the gap on that scale."""
    first = max((tick for tick in SCORE_TICKS if tick < lowest), default=SCORE_TICKS[0])
    last = min((tick for tick in SCORE_TICKS if tick > highest), default=SCORE_TICKS[-1])
    ticks = [first]
    for tick in SCORE_TICKS:
        if ticks[-1] < tick <= last and special.logit(tick) - special.logit(ticks[-1]) > gap:
            ticks.append(tick)
    axes.set(**{f"{which}scale": "logit", f"{which}lim": (0.9 * first, (1 + last) / 2)})
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.set_ticks([], minor=True)


def short_count(number: float, _: float = 0) -> str:
    """A tick label of an axis over several powers of ten.

    >>> [short_count(number) for number in (0.1, 10, 1000, 10_000_000)]
    ['0.1', '10', '1,000', '10 M']
    """
    return f"{number / 1e6:g} M" if number >= 1e6 else f"{number:,.0f}" if number >= 10 else f"{number:g}"
