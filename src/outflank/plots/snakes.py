"""A snake with its expansions, and how many weights networks of snakes have (Lucas 2007, Figure 7).

>>> from outflank.evaluators.tuple_shapes import expansions
>>> import numpy as np
>>> counts = {"one reading": (np.array([9, 18]), np.array([0.5, 0.5]))}
>>> figure = draw_snake(expansions([2, 11, 20]), counts, {"the paper's": 18})
>>> [axes.get_label() for axes in figure.axes]
['snake', 'weights']
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from outflank.evaluators.protocol import FloatArray
from outflank.evaluators.tuple_shapes import Table
from outflank.plots.board_drawing import GRID, INK, Sheet, draw_tuple
from outflank.plots.learning_curves import COLOURS

SIDE = 3.3  # inches of the board
BINS = 50
DASHES = ("-", "--", "-.", ":")


def draw_snake(
    table: Table, counts: Mapping[str, tuple[FloatArray, FloatArray]], marked: Mapping[str, float]
) -> Figure:
    """Left the tuple in red and its expansions in grey, with the squares' numbers; right, for each reading
    of the text, how probable which number of weights is, and the numbers that the paper names."""
    sheet = Sheet(Figure(figsize=(8, 5.1)))
    board = sheet.panel("snake", left=0.25, top=0.55, width=SIDE, height=SIDE)
    draw_tuple(board, table, SIDE)
    board.set_title("a snake (red) and its expansions (grey)", fontsize=10, color=INK)
    for square in range(64):
        board.text(square % 8 + 0.05, square // 8 + 0.3, f"{square}", fontsize=9, color=INK, zorder=6)
    axes = sheet.panel("weights", left=SIDE + 1.2, top=0.55, width=8 - SIDE - 1.4, height=SIDE)
    _draw_counts(axes, counts, marked)
    handles, labels = axes.get_legend_handles_labels()
    sheet.figure.legend(handles, labels, loc="lower right", bbox_to_anchor=(0.985, 0.005), frameon=False,
                        fontsize=9, ncols=1)  # fmt: skip
    return sheet.figure


def _draw_counts(
    axes: Axes, counts: Mapping[str, tuple[FloatArray, FloatArray]], marked: Mapping[str, float]
) -> None:
    last = max(float(np.max(weights)) for weights, _ in counts.values())
    edges = np.linspace(0, last * 1.001, BINS + 1)
    for number, (name, (weights, probability)) in enumerate(counts.items()):
        share, _ = np.histogram(weights, edges, weights=probability)
        axes.stairs(100 * share, edges, color=COLOURS[number], linewidth=1.6, label=name,
                    linestyle=DASHES[number % len(DASHES)])  # fmt: skip
    for number, (name, count) in enumerate(marked.items()):
        axes.axvline(count, color=INK, linewidth=1.3, linestyle=(":", "-")[number % 2], label=name)
    axes.set_xlabel("weights of a network of thirty snakes", fontsize=10)
    axes.set_ylabel(f"networks, % within {edges[1]:,.0f} weights", fontsize=10)
    axes.xaxis.set_major_formatter(lambda weights, _: f"{weights:,.0f}")
    axes.locator_params(axis="x", nbins=5)
    axes.tick_params(labelsize=9)
    axes.grid(color=GRID, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
