"""Fitness and time by generation: Kim 2007, Figures 4 and 5.

>>> figure = draw_fitness([[630.0, 640.0]], [[620.0, 635.0]], over=20, title="two generations")
>>> [text.get_text() for text in figure.legends[0].get_texts()]
['the fittest', 'mean of the generation']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from outflank.evaluators.protocol import FloatArray
from outflank.plots.curves import Curve, draw_curve, draw_single_runs, explain
from outflank.plots.style import COLOURS, DASHES, INK, legend_below, new_figure


def smoothed(values: Sequence[float], over: int) -> FloatArray:
    """The moving average of the last `over` values, or of as many as there are.

    >>> smoothed([1, 3, 5, 7], over=2).tolist()
    [1.0, 2.0, 4.0, 6.0]
    """
    sums = np.concatenate([[0.0], np.cumsum(np.asarray(values, dtype=np.float64))])
    ends = np.arange(1, len(sums))
    starts = np.maximum(0, ends - over)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))


def draw_fitness(
    best: Sequence[Sequence[float]],
    mean: Sequence[Sequence[float]],
    over: int,
    title: str,
    paper: tuple[float, float] | None = None,
) -> Figure:
    """The fittest and the mean of each generation, one list per run; points of a thousand games. `paper`: its
    fitness at the start and at the end."""
    figure, axes = _panel(title)
    for number, (label, runs) in enumerate({"the fittest": best, "mean of the generation": mean}.items()):
        curves = np.array([smoothed(run, over) for run in runs])
        generations = np.arange(1, curves.shape[1] + 1)
        line: dict[str, Any] = {"color": COLOURS[number], "linestyle": DASHES[number]}
        if len(curves) > 1:
            axes.plot(generations, curves.T, linewidth=0.8, alpha=0.5, **line)
        axes.plot(generations, curves.mean(axis=0), linewidth=2.4, label=label, **line)
    if paper is not None:
        axes.plot([1, len(best[0])], paper, "s", color=INK, markersize=7, markerfacecolor="white",
                  label="the paper, at the start and at the end")  # fmt: skip
    if len(best) > 1:
        explain(axes, "thick lines: means of the runs; thin lines: single runs")
    axes.margins(y=0.12)  # room for what the lines mean
    axes.set_ylabel(f"fitness, points of 1,000 games\n(average of {over} generations)")
    legend_below(figure)
    return figure


def draw_evolution_time(seconds: Mapping[str, Sequence[Sequence[float]]], title: str) -> Figure:
    """The seconds up to each generation, one list per run, of several versions by name.

    >>> figure = draw_evolution_time({"EV": [[1.0, 2.0]], "EV_O": [[0.5, 1.0]]}, "two generations")
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['EV: 1.000 s per generation', 'EV_O: 0.500 s per generation']
    """
    figure, axes = _panel(title)
    for number, (name, runs) in enumerate(seconds.items()):
        curves = np.array([[0.0, *run] for run in runs])
        middle, generations = curves.mean(axis=0), np.arange(float(curves.shape[1]))
        label = f"{name}: {middle[-1] / generations[-1]:.3f} s per generation"
        curve = Curve(generations, curves.min(axis=0), middle, curves.max(axis=0))
        draw_curve(axes, curve, label, number, linewidth=2)
        if len(curves) > 1:
            draw_single_runs(axes, generations, curves, number)
    explain(axes, "bands: from the fastest run to the slowest; thin lines: single runs")
    axes.set_ylabel("seconds on one core")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    legend_below(figure)
    return figure


def _panel(title: str) -> tuple[Figure, Axes]:
    figure, (axes,) = new_figure(5, title=title)
    axes.set_xlabel("generation")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure, axes
