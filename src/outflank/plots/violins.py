"""Violins: how the scores of several methods' runs are spread (Jaskowski 2014, Figures 4 and 5).

>>> runs = {"all-2": [0.92, 0.93, 0.94, 0.95], "rand-8x4": [0.80, 0.84, 0.85, 0.86, 0.50]}
>>> figure = draw_violins({"ten runs": runs}, "score against standard-heuristic")
>>> [text.get_text() for text in figure.axes[0].get_xticklabels()]
['all-2', 'rand-8x4']
>>> whiskers(np.array(runs["rand-8x4"]))
(0.8, 0.86, array([0.5]))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from scipy import stats

from outflank.evaluators.protocol import FloatArray
from outflank.plots.board_drawing import GRID
from outflank.plots.learning_curves import COLOURS

SIZE = 9.5  # points of text; 8 inches at 800 pixels make it 13 pixels high
HATCHES = ("", "....", "////")
FADED = "#b9b9b9"
WIDTH = 0.84  # of a method, of which each group takes its share


def draw_violins(groups: Mapping[str, Mapping[str, Sequence[float]]], score: str) -> Figure:
    """A violin a method, for each group beside each other: {"paper": {"all-2": [...]}, "here": {...}}.

    As the caption of Figure 4 says: the white dot is the median, the black box reaches from the lower to the
    upper quartile, thin lines go as far as runs lie within 1.5 interquartile ranges, runs beyond are black
    dots, and the outer shape is the density of the runs.
    """
    methods = list(dict.fromkeys(name for group in groups.values() for name in group))
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    width = WIDTH / len(groups)
    colours = [*([FADED] * (len(groups) - 1)), COLOURS[0]]  # the last is ours
    for number, (group, colour) in enumerate(zip(groups.values(), colours, strict=True)):
        for place, method in enumerate(methods):
            if method in group:
                middle = place + (number - (len(groups) - 1) / 2) * width
                _draw_violin(axes, middle, width, np.asarray(group[method], dtype=np.float64), colour, number)
    axes.set_xticks(range(len(methods)), methods, fontsize=SIZE, parse_math=False)
    axes.set_xlim(-0.6, len(methods) - 0.4)
    axes.set_ylabel(score, fontsize=SIZE, parse_math=False)
    axes.tick_params(labelsize=SIZE)
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    _draw_key(figure, list(groups), colours)
    return figure


def whiskers(values: FloatArray) -> tuple[float, float, FloatArray]:
    """The lowest and the highest value within 1.5 interquartile ranges of the quartiles, and those beyond."""
    low, high = np.quantile(values, (0.25, 0.75))
    inside = (values >= low - 1.5 * (high - low)) & (values <= high + 1.5 * (high - low))
    return float(values[inside].min()), float(values[inside].max()), values[~inside]


def density(values: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Places and the density there, of the greatest 1; None if all values are the same."""
    if np.unique(values).size < 2:
        return None
    kernel = stats.gaussian_kde(values)
    reach = 2 * float(np.sqrt(kernel.covariance[0, 0]))
    places = np.linspace(values.min() - reach, values.max() + reach, 200)
    heights = kernel(places)
    return places, heights / heights.max()


def _draw_violin(
    axes: Axes, middle: float, width: float, values: FloatArray, colour: str, number: int
) -> None:
    if (shape := density(values)) is not None:
        places, heights = shape
        half = 0.46 * width * heights
        axes.fill_betweenx(
            places, middle - half, middle + half, facecolor=colour, alpha=0.6, edgecolor=colour,
            linewidth=1.0, hatch=HATCHES[number % len(HATCHES)],
        )  # fmt: skip
    lowest, highest, beyond = whiskers(values)
    low, median, high = np.quantile(values, (0.25, 0.5, 0.75))
    axes.plot([middle, middle], [lowest, highest], color="black", linewidth=1.0)
    axes.plot([middle, middle], [low, high], color="black", linewidth=7, solid_capstyle="butt")
    axes.plot([middle] * len(beyond), beyond, "o", color="black", markersize=4)
    axes.plot([middle], [median], "o", color="black", markerfacecolor="white", markersize=6)


def _draw_key(figure: Figure, names: Sequence[str], colours: Sequence[str]) -> None:
    keys: list[Patch | Line2D] = [
        Patch(facecolor=colour, alpha=0.6, edgecolor=colour, hatch=HATCHES[n % len(HATCHES)], label=name)
        for n, (name, colour) in enumerate(zip(names, colours, strict=True))
    ]
    keys += [
        Line2D([], [], color="black", marker="o", markerfacecolor="white", markersize=6, linestyle="",
               label="median"),
        Line2D([], [], color="black", linewidth=7, label="quartiles"),
        Line2D([], [], color="black", linewidth=1, label="within 1.5 interquartile ranges"),
        Line2D([], [], color="black", marker="o", markersize=4, linestyle="", label="beyond"),
    ]  # fmt: skip
    key = figure.legend(handles=keys, loc="outside lower center", ncols=3, frameon=False, fontsize=SIZE)
    for text in key.get_texts():
        text.set_parse_math(False)
