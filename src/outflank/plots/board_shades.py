"""Boards in shades: the weights of squares, light for high (Lucas 2007, Figure 3), and groups of squares
that a symmetry maps onto each other (Figure 4).

>>> import numpy as np
>>> figure = draw_shaded_weights(np.arange(64.0), "a weight a square")
>>> [axes.get_label() for axes in figure.axes]
['weights', 'scale']
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from outflank.board import Square
from outflank.evaluators.protocol import FloatArray
from outflank.plots.board_drawing import INK, ColourScale, Sheet, draw_heat_map, prepare_board

SIDE = 5.2  # inches of the board
LEFT, TOP = 0.55, 0.85


def draw_shaded_weights(weights: FloatArray, title: str) -> Figure:
    """The squares in grey, lighter for more positive weights, with their numbers."""
    sheet = Sheet(Figure(figsize=(8, TOP + SIDE + 0.3)))
    sheet.write(title, left=LEFT, top=0.2, size=11)
    scale = ColourScale(
        colormaps["gray"], Normalize(weights.min(), weights.max()), float(np.abs(weights).max())
    )
    axes = sheet.panel("weights", left=LEFT, top=TOP, width=SIDE, height=SIDE)
    draw_heat_map(axes, weights, scale, numbers_size=11)
    bar = sheet.panel("scale", left=LEFT + SIDE + 0.45, top=TOP, width=0.22, height=SIDE)
    scale.draw_bar(bar)
    bar.set_ylabel("weight of a black disc; of a white one, minus the weight", fontsize=10, color=INK)
    bar.tick_params(labelsize=9.5)
    return sheet.figure


def draw_square_groups(groups: Sequence[Sequence[int]], title: str) -> Figure:
    """Each group in a shade of its own, with its number on its squares.

    >>> figure = draw_square_groups([[0, 7, 56, 63], [27, 28, 35, 36]], "corners and centre")
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['1: a1, 4 squares', '2: d4, 4 squares']
    """
    sheet = Sheet(Figure(figsize=(8, TOP + SIDE + 0.3)))
    sheet.write(title, left=LEFT, top=0.2, size=11)
    axes = sheet.panel("groups", left=LEFT, top=TOP, width=SIDE, height=SIDE)
    prepare_board(axes, names_size=10)
    numbers = np.full(64, np.nan)
    for number, squares in enumerate(groups):
        numbers[list(squares)] = number
    shades = _spread(len(groups))
    colours = colormaps["viridis"].resampled(max(2, len(groups)))
    scale = ColourScale(colours, Normalize(0, max(1, len(groups) - 1)), 1.0)
    shaded = np.array([np.nan if np.isnan(number) else shades[int(number)] for number in numbers])
    edges = np.arange(9.0)
    axes.pcolormesh(edges, edges, np.ma.masked_invalid(shaded).reshape(8, 8), cmap=colours, norm=scale.norm,
                    edgecolors="white", linewidth=1.0)  # fmt: skip
    for square in np.flatnonzero(~np.isnan(numbers)).tolist():
        axes.text(square % 8 + 0.5, square // 8 + 0.5, f"{numbers[square] + 1:.0f}", ha="center", va="center",
                  fontsize=12, color=scale.ink(shaded[square]))  # fmt: skip
    keys = [
        Patch(facecolor=colours(scale.norm(shades[number])), edgecolor=INK, linewidth=0.5,
              label=f"{number + 1}: {Square(squares[0])}, {len(squares)} squares")
        for number, squares in enumerate(groups)
    ]  # fmt: skip
    right = (LEFT + SIDE + 0.2) / 8
    sheet.figure.legend(handles=keys, loc="center left", bbox_to_anchor=(right, 0.5), frameon=False,
                        fontsize=10, labelspacing=0.9)  # fmt: skip
    return sheet.figure


def _spread(count: int) -> list[int]:
    """Shades of neighbouring numbers far from each other: 0 5 1 6 ... of ten."""
    half = -(-count // 2)
    return [number // 2 + (number % 2) * half for number in range(count)]
