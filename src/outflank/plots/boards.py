"""Drawn boards: heat maps of the 64 squares, a1 top left; tuples and the weights of their tables.

>>> import numpy as np
>>> axes = Sheet(Figure(figsize=(4, 4))).panel("corners", left=0.5, top=0.5, width=3, height=3)
>>> draw_heat_map(axes, np.arange(64.0), ColourScale.from_zero(np.arange(64.0)), numbers_size=7)
>>> [text.get_text() for text in axes.texts][-2:]
['62.0', '63.0']
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, ListedColormap, Normalize, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle

from outflank.board import Board
from outflank.evaluators.protocol import FloatArray
from outflank.evaluators.tuple_shapes import Table
from outflank.plots.style import BLANK, FRAME, GRID, INK

MAIN = "#d7191c"
SYMMETRIC = "#b4b4b4"
BOARD = "#f3f7f3"
POSITIVE, NEGATIVE = "#5e3c99", "#e08214"  # as ColourScale.around_zero
SEQUENCE = "#41ab5d"  # as ColourScale.from_zero
STAGE_COLOURS = ("#f0a030", "#1b9e77", "#40106b")
LONGEST_BARS = 3  # squares of a tuple with one bar per weight; the weights of longer ones are a curve


@dataclass(frozen=True)
class Sheet:
    """A figure, or a part of one, measured in inches from its top left corner."""

    figure: Figure
    left: float = 0.0
    top: float = 0.0

    def moved(self, left: float, top: float) -> Sheet:
        """The part that starts further right and further down."""
        return replace(self, left=self.left + left, top=self.top + top)

    def panel(self, label: str, *, left: float, top: float, width: float, height: float) -> Axes:
        """New axes; the label names them and is not printed."""
        across, down = self.figure.get_size_inches()
        bottom = down - self.top - top - height
        box = ((self.left + left) / across, bottom / down, width / across, height / down)
        return self.figure.add_axes(box, label=label)

    def write(self, text: str, *, left: float, top: float, size: float, bold: bool = False) -> None:
        """Text whose first line starts here, printed as is."""
        across, down = self.figure.get_size_inches()
        self.figure.text(
            (self.left + left) / across, 1 - (self.top + top) / down, text,
            ha="left", va="top", fontsize=size, fontweight="bold" if bold else "normal",
            linespacing=1.35, color=INK, parse_math=False,
        )  # fmt: skip


@dataclass(frozen=True)
class ColourScale:
    """The colours of numbers; `largest` is the limit on both sides of 0."""

    colours: Colormap
    norm: Normalize
    largest: float

    @classmethod
    def around_zero(cls, values: FloatArray) -> ColourScale:
        """White at 0, orange below and purple above, the same limit on both sides."""
        largest = largest_size(values)
        return cls(colormaps["PuOr"], Normalize(-largest, largest), largest)

    @classmethod
    def from_zero(cls, values: FloatArray) -> ColourScale:
        """White at 0, green for the largest."""
        largest = largest_size(values)
        return cls(colormaps["Greens"], Normalize(0, largest), largest)

    def ink(self, value: float) -> str:
        """Black or white, whichever is legible on this value's colour."""
        if not math.isfinite(value):
            return "black"
        linear = np.power(to_rgb(self.colours(self.norm(value))), 2.2)
        luminance = np.array([0.2126, 0.7152, 0.0722]) @ linear
        return "black" if luminance > 0.21 else "white"  # either has a contrast above 4 (WCAG 2)

    def draw_bar(self, axes: Axes) -> None:
        """The scale itself, vertical, in its own axes."""
        axes.figure.colorbar(ScalarMappable(self.norm, self.colours), cax=axes, format="{x:g}")
        axes.tick_params(labelsize=8)


def largest_size(values: FloatArray) -> float:
    """The largest finite absolute value, or 1 if all are 0: the limit of a scale."""
    sizes = np.abs(values[np.isfinite(values)])
    return float(sizes.max(initial=0.0)) or 1.0


def short_number(value: float, largest: float, digits: int = 3) -> str:
    """A number with as many decimals as give the largest one three digits.

    >>> short_number(-0.25, 1.0), short_number(-0.0123, 40.0), short_number(2e-7, 3e-6)
    ('-0.25', '0.0', '2.0e-07')
    """
    if not 1e-3 <= largest < 1e5:
        return f"{value:.1e}"
    return f"{value:z.{max(0, digits - 1 - math.floor(math.log10(largest)))}f}"


def prepare_board(axes: Axes, names_size: float | None = None) -> None:
    """Squares of size 1, a1 top left; with a size, a to h on top and 1 to 8 at the left."""
    axes.set(xlim=(0, 8), ylim=(8, 0), aspect="equal")
    axes.tick_params(length=0, pad=2, top=False, labeltop=True, labelbottom=False, labelcolor=INK)
    if names_size is None:
        axes.set(xticks=[], yticks=[])
    else:
        centres = np.arange(8) + 0.5
        axes.set_xticks(centres, list("abcdefgh"), fontsize=names_size)
        axes.set_yticks(centres, list("12345678"), fontsize=names_size)
    draw_frame(axes)


def draw_frame(axes: Axes, colour: str = FRAME, width: float = 0.8) -> None:
    for spine in axes.spines.values():
        spine.set(color=colour, linewidth=width)


def draw_heat_map(
    axes: Axes, values: FloatArray, scale: ColourScale, *, numbers_size: float | None = None, digits: int = 3
) -> None:
    """The squares coloured by their values; with a size, the numbers too. NaN is blank."""
    prepare_board(axes, names_size=None if numbers_size is None else numbers_size + 1)
    axes.set_facecolor(BLANK)
    edges = np.arange(9.0)
    axes.pcolormesh(
        edges, edges, np.ma.masked_invalid(values).reshape(8, 8),
        cmap=scale.colours, norm=scale.norm, edgecolors=GRID, linewidth=0.4,
    )  # fmt: skip
    if numbers_size is not None:
        _print_numbers(axes, values, scale, numbers_size, digits)


def _print_numbers(axes: Axes, values: FloatArray, scale: ColourScale, size: float, digits: int) -> None:
    """The number of each square, smaller if the longest would not fit."""
    texts = [short_number(value, scale.largest, digits) for value in values.tolist()]
    square_points = 72 * axes.get_window_extent().width / axes.figure.dpi / 8
    fitting = min(size, 0.85 * square_points / (0.62 * max(map(len, texts))))
    for square, (text, value) in enumerate(zip(texts, values.tolist(), strict=True)):
        if not math.isnan(value):
            column, row = _centre(square)
            axes.text(column, row, text, ha="center", va="center", fontsize=fitting, color=scale.ink(value))


def draw_discs(axes: Axes, board: Board) -> None:
    """The discs of a board."""
    for square in range(64):
        if (disc := board.disc(square)) is not None:
            axes.add_patch(Circle(_centre(square), 0.4, facecolor=disc, edgecolor=INK, linewidth=0.8))


def draw_position(axes: Axes, board: Board, circled: Iterable[int] = ()) -> None:
    """A board with its discs, and dashed circles on some squares, such as the legal moves."""
    prepare_board(axes, names_size=10)
    axes.set_facecolor(BOARD)
    axes.hlines(range(1, 8), 0, 8, colors=GRID, linewidth=0.7, zorder=0.5)
    axes.vlines(range(1, 8), 0, 8, colors=GRID, linewidth=0.7, zorder=0.5)
    draw_discs(axes, board)
    for square in circled:
        axes.add_patch(
            Circle(_centre(square), 0.32, fill=False, edgecolor=INK, linewidth=1.2, linestyle="--")
        )


def draw_tuple(axes: Axes, table: Table, side: float) -> None:
    """A table's placements: the first in red with a ring on its first square, the others in grey.

    `side` is the size of the board in inches; dots and lines scale with it.
    """
    prepare_board(axes)
    axes.set_facecolor(BOARD)
    axes.hlines(range(1, 8), 0, 8, colors=GRID, linewidth=0.5, zorder=1)
    axes.vlines(range(1, 8), 0, 8, colors=GRID, linewidth=0.5, zorder=1)
    points = 72 * side / 8  # of a square
    _draw_placements(axes, table[1:], SYMMETRIC, points * 0.3, zorder=2)
    _draw_placements(axes, table[:1], MAIN, points * 0.45, zorder=4)
    axes.plot(
        *_centre(table[0][0]), "o", markersize=points * 0.75, markerfacecolor="white",
        markeredgecolor=MAIN, markeredgewidth=points * 0.14, zorder=5,
    )  # fmt: skip


def draw_table_weights(axes: Axes, of_stages: list[FloatArray]) -> None:
    """A table's weights as bars, or sorted as a curve if there are many.

    Bars and areas are coloured by sign; several stages are overlaid lines, one colour each.
    """
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.spines[["left", "top", "right", "bottom"]].set_visible(False)
    axes.tick_params(length=2)
    size = of_stages[0].size
    is_short = size <= 3**LONGEST_BARS
    axes.set_xlim((-0.5, size - 0.5) if is_short else (0, size - 1))
    if len(of_stages) > 1:
        for weights, colour in zip(of_stages, STAGE_COLOURS, strict=False):
            if is_short:
                axes.stairs(weights, np.arange(size + 1) - 0.5, baseline=None, color=colour, linewidth=1.1)
            else:
                axes.plot(*_sorted_curve(weights), color=colour, linewidth=1.1)
    elif is_short:
        axes.bar(range(size), of_stages[0], color=[POSITIVE if w > 0 else NEGATIVE for w in of_stages[0]])
    else:
        ranks, curve = _sorted_curve(of_stages[0])
        axes.fill_between(ranks, curve.clip(min=0), color=POSITIVE, linewidth=0)
        axes.fill_between(ranks, curve.clip(max=0), color=NEGATIVE, linewidth=0)


def _sorted_curve(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Ranks and sorted weights, thinned to what a figure can show."""
    ranks = np.linspace(0, weights.size - 1, min(weights.size, 400)).round()
    return ranks, np.sort(weights)[ranks.astype(np.int64)]


def draw_entries(axes: Axes, length: int) -> None:
    """What each entry of a table stands for, in the order of its weights: one column of squares per entry."""
    digits = np.array(list(product(range(3), repeat=length))).T
    colours = ListedColormap(["white", "#8fc79f", "black"])  # digits: white 0, empty 1, black 2
    axes.pcolormesh(digits, cmap=colours, vmin=0, vmax=2, edgecolors="#9a9a9a", linewidth=0.3)
    axes.set(ylim=(length, 0), xticks=[], yticks=[])
    draw_frame(axes, "#9a9a9a", 0.5)


def draw_tuple_key(axes: Axes, stages: list[str], notes: list[str]) -> None:
    """The colours of placements, and of weights or stages; then notes."""
    axes.set_axis_off()
    key = partial(Line2D, [], [])
    keys = [
        key(color=MAIN, marker="o", label="a table's first placement; ring: its first square"),
        key(color=SYMMETRIC, marker="o", label="its other placements, which share its weights"),
    ]
    if len(stages) > 1:
        names = zip(stages, STAGE_COLOURS, strict=False)
        keys += [key(color=colour, label=f"weights in {stage}") for stage, colour in names]
    else:
        keys.append(key(color=POSITIVE, marker="s", linestyle="", label="positive weights"))
        keys.append(key(color=NEGATIVE, marker="s", linestyle="", label="negative weights"))
    keys += [key(linestyle="", label=note) for note in notes]
    axes.legend(handles=keys, loc="upper left", frameon=False, fontsize=9, borderaxespad=0, labelspacing=0.6)


def has_bars(table: Table) -> bool:
    """Whether a table is small enough to show each weight."""
    return len(table[0]) <= LONGEST_BARS


def _draw_placements(axes: Axes, table: Table, colour: str, size: float, zorder: int) -> None:
    gap = (math.nan, math.nan)  # between placements, where the line breaks
    points = [point for placement in table for point in (*map(_centre, placement), gap)][:-1]
    columns, rows = [column for column, _ in points], [row for _, row in points]
    axes.plot(columns, rows, "o-", color=colour, markersize=size, linewidth=size / 3.5, zorder=zorder)


def _centre(square: int) -> tuple[float, float]:
    return square % 8 + 0.5, square // 8 + 0.5
