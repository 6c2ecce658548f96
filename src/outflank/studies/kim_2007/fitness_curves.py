"""Fitness and time along generations: Kim 2007, Figures 4 and 5.

>>> figure = draw_fitness([[630.0, 640.0]], [[620.0, 635.0]], over=20, title="two generations")
>>> [text.get_text() for text in figure.legends[0].get_texts()]
['the fittest', 'mean of the generation']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from outflank.evaluators.protocol import FloatArray
from outflank.plots.boards import GRID
from outflank.plots.learning_curves import COLOURS

SIZE = 10  # points of text
DASHES = ("-", "--", "-.", ":")


def smoothed(values: Sequence[float], over: int) -> FloatArray:
    """Each value averaged with those before it, `over` of them in all or as many as there are.

    >>> smoothed([1, 3, 5, 7], over=2).tolist()
    [1.0, 2.0, 4.0, 6.0]
    """
    sums = np.concatenate([[0.0], np.cumsum(np.asarray(values, dtype=np.float64))])
    ends = np.arange(1, len(sums))
    starts = np.maximum(0, ends - over)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))


def draw_fitness(
    best: Sequence[Sequence[float]], mean: Sequence[Sequence[float]], over: int, title: str
) -> Figure:
    """The fittest and the mean of each generation, a list a run; points of a thousand games."""
    figure, axes = _panel(title)
    for number, (label, runs) in enumerate({"the fittest": best, "mean of the generation": mean}.items()):
        curves = np.array([smoothed(run, over) for run in runs])
        generations = np.arange(1, curves.shape[1] + 1)
        colour, dashes = COLOURS[number], DASHES[number]
        if len(curves) > 1:
            axes.plot(generations, curves.T, dashes, color=colour, linewidth=0.8, alpha=0.5)
        axes.plot(generations, curves.mean(axis=0), dashes, color=colour, linewidth=2.4, label=label)
    axes.set_xlabel("generation", fontsize=SIZE)
    axes.set_ylabel(f"fitness, points of 1,000 games\n(average of {over} generations)", fontsize=SIZE)
    _key(figure, axes)
    return figure


def draw_evolution_time(seconds: Mapping[str, Sequence[Sequence[float]]], title: str) -> Figure:
    """The seconds up to each generation, a list a run, of several versions by name.

    >>> figure = draw_evolution_time({"EV": [[1.0, 2.0]], "EV_O": [[0.5, 1.0]]}, "two generations")
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['EV: 1.000 s a generation', 'EV_O: 0.500 s a generation']
    """
    figure, axes = _panel(title)
    for number, (name, runs) in enumerate(seconds.items()):
        curves = np.array([[0.0, *run] for run in runs])
        middle = curves.mean(axis=0)
        generations = np.arange(curves.shape[1])
        each = middle[-1] / generations[-1]
        colour = COLOURS[number % len(COLOURS)]
        axes.fill_between(generations, curves.min(axis=0), curves.max(axis=0), color=colour, alpha=0.12,
                          linewidth=0)  # fmt: skip
        axes.plot(generations, middle, DASHES[number % len(DASHES)], color=colour, linewidth=2,
                  label=f"{name}: {each:.3f} s a generation")  # fmt: skip
    axes.set_xlabel("generation", fontsize=SIZE)
    axes.set_ylabel("seconds on one core", fontsize=SIZE)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    _key(figure, axes)
    return figure


def _panel(title: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=11, parse_math=False)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=SIZE)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _key(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    key = figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=SIZE,
                        handlelength=3.2)  # fmt: skip
    for text in key.get_texts():
        text.set_parse_math(False)
