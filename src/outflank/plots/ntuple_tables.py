"""A look-up table after learning: what each entry stands for and how much it is worth (Lucas 2007, Figure 6).

>>> import numpy as np
>>> figure = draw_table(((0, 1, 2), (7, 6, 5)), np.zeros((5, 27)), "five runs")
>>> [axes.get_label() for axes in figure.axes]
['tuple', 'weights', 'entries']
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from outflank.board import Square
from outflank.evaluators.protocol import FloatArray
from outflank.evaluators.tuple_shapes import Table
from outflank.plots.board_drawing import GRID, INK, NEGATIVE, POSITIVE, Sheet, draw_entries, draw_tuple

BOARD_SIDE = 1.75  # inches
LEFT, WIDTH = 0.95, 6.85
NOTE = """\
red: the tuple, with a ring on its first square, the most significant digit
grey: its other placements, which read the same table
bars: the mean weight of {runs}, purple above 0, orange below
whiskers: from the lowest to the highest of the runs"""


def draw_table(table: Table, weights: FloatArray, title: str) -> Figure:
    """The mean weights of the runs [runs, entries], with whiskers from their lowest to their highest."""
    length = len(table[0])
    sheet = Sheet(Figure(figsize=(8, 6.1 + 0.2 * length)))
    sheet.write(title, left=0.25, top=0.15, size=11)
    board = sheet.panel("tuple", left=LEFT, top=0.55, width=BOARD_SIDE, height=BOARD_SIDE)
    draw_tuple(board, table, BOARD_SIDE)
    runs = "one run" if len(weights) == 1 else f"{len(weights)} runs"
    sheet.write(NOTE.format(runs=runs), left=LEFT + BOARD_SIDE + 0.3, top=0.85, size=9.5)
    _draw_bars(sheet.panel("weights", left=LEFT, top=2.55, width=WIDTH, height=2.7), weights)
    strip = sheet.panel("entries", left=LEFT, top=5.55, width=WIDTH, height=0.2 * length)
    draw_entries(strip, length)
    strip.set_yticks(np.arange(length) + 0.5, [str(Square(s)) for s in table[0]], fontsize=9)
    strip.tick_params(length=0)
    strip.set_xlabel(
        "index, and below it what lies on the squares: white, green (empty) or black", fontsize=10
    )
    return sheet.figure


def _draw_bars(axes: Axes, weights: FloatArray) -> None:
    mean = weights.mean(axis=0)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.bar(range(mean.size), mean, color=[POSITIVE if weight > 0 else NEGATIVE for weight in mean])
    reach = np.abs(np.array([weights.min(axis=0), weights.max(axis=0)]) - mean)
    axes.errorbar(range(mean.size), mean, reach, fmt="none", ecolor=INK, elinewidth=0.9, capsize=2)
    axes.set_xlim(-0.5, mean.size - 0.5)
    axes.set_xticks(range(0, mean.size, max(1, mean.size // 27)))
    axes.tick_params(labelsize=9)
    axes.set_ylabel("weight", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
