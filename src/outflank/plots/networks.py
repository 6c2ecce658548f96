"""What an evaluator looks like: its weights drawn on boards.

>>> from outflank import PieceCounter
>>> figure = draw_evaluator(PieceCounter.symmetric([1, -0.25, 0.1, 0.05, -0.25, 0, 0, 0.05, 0.02, 0.01]))
>>> [axes.get_label() for axes in figure.axes]
['weights', 'scale']
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from matplotlib.figure import Figure

from outflank.board import Board
from outflank.evaluators.counted_network import CountedNetwork
from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.iago import Iago
from outflank.evaluators.mlp import PARTS, Mlp, SpatialMlp, dense_layers
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.piece_counter import PieceCounter
from outflank.evaluators.protocol import Evaluator, FloatArray, board_bits
from outflank.plots.boards import (
    SEQUENCE,
    ColourScale,
    Sheet,
    draw_discs,
    draw_entries,
    draw_heat_map,
    draw_table_weights,
    draw_tuple,
    draw_tuple_key,
    has_bars,
    short_number,
)
from outflank.plots.style import INK

MOST_CELLS = 36
WIDEST = 13.5  # inches; two pictures that are wider together are stacked
_LINE = 0.27  # inches per line of the title
_MLP_NOTE = """\
Weights from the squares (a1 top left) to each hidden node;
above them the node and its output weight, largest first."""
_SPATIAL_NOTE = """\
First layer: the sum of the absolute weights of each square over all parts of a size; each board
on its own scale. Below: the distribution of the weights of the later layers."""


@dataclass(frozen=True)
class _Picture:
    """A size in inches and what to draw there."""

    width: float
    height: float
    draw: Callable[[Sheet], None]


def draw_evaluator(evaluator: Evaluator | DoubledFunction, title: str | None = None) -> Figure:
    """An evaluator's weights; titled by its description unless a title is given."""
    picture = _picture(evaluator)
    heading = evaluator.description if title is None else title
    lines = textwrap.wrap(heading, width=int(8.3 * (picture.width - 0.5)))
    top = 0.2 + _LINE * len(lines)
    figure = Figure(figsize=(picture.width, picture.height + top))
    sheet = Sheet(figure)
    sheet.write("\n".join(lines), left=0.25, top=0.15, size=13, bold=True)
    picture.draw(sheet.moved(0, top))
    return figure


def _picture(evaluator: Evaluator | DoubledFunction) -> _Picture:
    match evaluator:
        case PieceCounter():
            return _squares(evaluator.square_weights, "Weight of a black disc on each square")
        case Iago():
            return _squares(
                evaluator.square_weights,
                f"{evaluator.formula}\nPositional: the weight of a black disc on each square",
            )
        case NTupleNetwork():
            return _ntuple_network(evaluator)
        case CountedNetwork():
            return _ntuple_network(evaluator.tuples)
        case Mlp():
            return _mlp(evaluator)
        case SpatialMlp():
            return _Picture(10.0, 9.2, partial(_draw_spatial_mlp, evaluator))
        case DoubledFunction():
            return _doubled(_picture(evaluator.for_black), _picture(evaluator.for_white))
        case _:
            return _any_evaluator(evaluator)


def _doubled(black: _Picture, white: _Picture) -> _Picture:
    """Black's picture and White's side by side, or stacked where that is too wide."""
    heading = 0.4
    if black.width + white.width <= WIDEST:
        left, top = black.width, 0.0
        width, height = left + white.width, max(black.height, white.height) + heading
    else:
        left, top = 0.0, black.height + heading
        width, height = max(black.width, white.width), top + white.height + heading

    def draw(sheet: Sheet) -> None:
        for name, picture, part in (("Black", black, sheet), ("White", white, sheet.moved(left, top))):
            part.write(f"{name}'s evaluator", left=0.25, top=0.1, size=12, bold=True)
            picture.draw(part.moved(0, heading))

    return _Picture(width, height, draw)


def _squares(values: FloatArray, meaning: str, board: Board | None = None) -> _Picture:
    """One number per square, as the weights in Lucas 2007, Figures 2 and 3."""
    scale = ColourScale.around_zero(values)
    top = 0.55 + 0.17 * meaning.count("\n")

    def draw(sheet: Sheet) -> None:
        sheet.write(meaning, left=0.25, top=0.08, size=9)
        axes = sheet.panel("weights", left=0.5, top=top, width=5.0, height=5.0)
        draw_heat_map(axes, values, scale, numbers_size=9)
        if board is not None:
            draw_discs(axes, board)
        scale.draw_bar(sheet.panel("scale", left=5.65, top=top, width=0.16, height=5.0))

    return _Picture(6.6, top + 5.2, draw)


def _any_evaluator(evaluator: Evaluator) -> _Picture:
    """What one more black disc is worth on each empty square of the start board."""
    start = Board()
    empty = [square for square in range(64) if start.disc(square) is None]
    boards = [start, *(Board.from_discs(start.black | 1 << square, start.white) for square in empty)]
    of_boards = evaluator.values(*board_bits(boards))
    values = np.full(64, np.nan)
    with np.errstate(invalid="ignore"):
        values[empty] = of_boards[1:] - of_boards[0]
    return _squares(values, "How one more black disc on the start board changes the value", start)


def _ntuple_network(network: NTupleNetwork) -> _Picture:
    """How often each square is read; then one cell per table: its placements, and its weights below them."""
    count = len(network.tables)
    columns = 8 if count > 18 else 6 if count > 8 else min(count, 4)
    cell = _Cell(network, _limits(network), {8: 1.2, 6: 1.58}.get(columns, 2.3))
    cells = min(count, MOST_CELLS)
    shown = count if count <= MOST_CELLS else MOST_CELLS - 1

    def draw(sheet: Sheet) -> None:
        _draw_coverage(network, sheet)
        for number in range(cells):
            row, column = divmod(number, columns)
            place = sheet.moved(0.55 + column * cell.width, 2.85 + row * cell.height)
            if number < shown:
                cell.draw(place, number, has_scale=column == 0)
            else:
                place.write(f"... and {count - shown} more", left=0.0, top=0.6, size=9)

    width = max(7.6, 0.6 + columns * cell.width)
    return _Picture(width, 2.9 + math.ceil(cells / columns) * cell.height, draw)


@dataclass(frozen=True)
class _Cell:
    """A table of a network: its tuple on a board, its weights on the scale that all tables share."""

    network: NTupleNetwork
    limits: tuple[float, float]
    width: float

    @property
    def side(self) -> float:
        return self.width - 0.14

    @property
    def weights_height(self) -> float:
        return 0.25 + 0.35 * self.side

    @property
    def entries_height(self) -> float:
        """The strip below bars; curves have none."""
        return 0.09 * max((len(table[0]) for table in self.network.tables if has_bars(table)), default=0)

    @property
    def height(self) -> float:
        return 0.25 + self.side + 0.08 + self.weights_height + 0.03 + self.entries_height + 0.2

    def draw(self, place: Sheet, number: int, *, has_scale: bool) -> None:
        table = self.network.tables[number]
        name = f"table {number + 1}"
        board = place.panel(f"{name} board", left=0, top=0.25, width=self.side, height=self.side)
        draw_tuple(board, table, self.side)
        plural = "placement" if len(table) == 1 else "placements"
        board.set_title(f"{number + 1}: {len(table)} {plural}", fontsize=7.5, pad=3, color=INK)
        top = 0.25 + self.side + 0.08
        axes = place.panel(f"{name} weights", left=0, top=top, width=self.side, height=self.weights_height)
        of_stages = [list(self.network.table_weights(s))[number][1] for s in _stages_shown(self.network)]
        reach = self.limits[1] - self.limits[0]
        ticks = [0.0, *(limit for limit in self.limits if abs(limit) > 0.2 * reach)] if has_scale else []
        axes.set(ylim=self.limits, xticks=[])
        axes.set_yticks(ticks, [short_number(tick, reach) for tick in ticks], fontsize=7)
        draw_table_weights(axes, of_stages)
        if has_bars(table):
            height = 0.09 * len(table[0])
            top += self.weights_height + 0.03
            strip = place.panel(f"{name} entries", left=0, top=top, width=self.side, height=height)
            draw_entries(strip, len(table[0]))


def _limits(network: NTupleNetwork) -> tuple[float, float]:
    """The range of all weights of the stages shown, with 0."""
    stages = [network.weights.reshape(network.stages, -1)[stage] for stage in _stages_shown(network)]
    low = min(0.0, *(float(stage.min()) for stage in stages))
    high = max(0.0, *(float(stage.max()) for stage in stages))
    return (low, high) if low < high else (-1.0, 1.0)


def _stages_shown(network: NTupleNetwork) -> list[int]:
    """The first, the middle and the last stage."""
    return sorted({0, (network.stages - 1) // 2, network.stages - 1})


def _draw_coverage(network: NTupleNetwork, sheet: Sheet) -> None:
    """How many placements read each square, and the legend of the cells."""
    squares = [square for table in network.tables for placement in table for square in placement]
    reads = np.bincount(squares, minlength=64).astype(np.float64)
    sheet.write("How many placements read each square", left=0.25, top=0.08, size=9)
    axes = sheet.panel("coverage", left=0.55, top=0.5, width=2.1, height=2.1)
    draw_heat_map(axes, reads, ColourScale.from_zero(reads), numbers_size=7, digits=1)
    axes = sheet.panel("key", left=3.0, top=0.45, width=4.5, height=2.2)
    stages = [f"stage {stage + 1} of {network.stages}" for stage in _stages_shown(network)]
    draw_tuple_key(axes, stages, _notes(network))


def _notes(network: NTupleNetwork) -> list[str]:
    notes = [f"{network.weights.size:,} weights in all; every table on the same scale"]
    if any(map(has_bars, network.tables)):
        notes.append(
            "strips: what lies on the squares for each weight (white,\n"
            "green = empty, black), the first square on top"
        )
    if not all(map(has_bars, network.tables)):
        notes.append("curves: a table's weights from lowest to highest")
    return notes


def _mlp(network: Mlp) -> _Picture:
    """The input weights of each hidden node, those with the largest output weights first."""
    (inputs, _), (outputs, _) = dense_layers(network.weights, network.nodes)
    count = network.hidden
    columns, cells = min(count, 8), min(count, MOST_CELLS)
    rows = math.ceil(cells / columns)
    shown = count if count <= MOST_CELLS else MOST_CELLS - 1
    order = np.argsort(-np.abs(outputs[:, 0]), kind="stable")[:shown]
    scale = ColourScale.around_zero(inputs[:, order].ravel())

    def draw(sheet: Sheet) -> None:
        sheet.write(_MLP_NOTE, left=0.25, top=0.08, size=9)
        for number, node in enumerate(order):
            top, left = 0.75 + number // columns * 1.36, 0.25 + number % columns * 1.17
            axes = sheet.panel(f"node {node + 1}", left=left, top=top, width=1.07, height=1.07)
            draw_heat_map(axes, inputs[:, node], scale)
            axes.set_title(f"{node + 1}: {outputs[node, 0]:+.3g}", fontsize=8.5, pad=3, color=INK)
        if shown < count:
            place = sheet.moved(0.25 + shown % columns * 1.17, 0.75 + shown // columns * 1.36)
            place.write(f"... and {count - shown} more", left=0.0, top=0.4, size=9)
        bar = sheet.panel("scale", left=0.3 + columns * 1.17, top=0.75, width=0.14, height=rows * 1.36 - 0.29)
        scale.draw_bar(bar)

    return _Picture(max(5.2, 1.2 + columns * 1.17), 0.65 + rows * 1.36, draw)


def _draw_spatial_mlp(network: SpatialMlp, sheet: Sheet) -> None:
    """First-layer weights by size of the part; below, the distributions of the later layers' weights."""
    (first, _), *later = network.layers()
    sheet.write(_SPATIAL_NOTE, left=0.25, top=0.08, size=9)
    for place, size in enumerate(range(3, 9)):
        nodes = [node for node, part in enumerate(PARTS) if len(part) == size * size]
        sums = np.abs(first[:, nodes]).sum(axis=1)
        left, top = 0.45 + place % 3 * 3.2, 0.95 + place // 3 * 3.25
        axes = sheet.panel(f"parts of {size}x{size}", left=left, top=top, width=2.7, height=2.7)
        draw_heat_map(axes, sums, ColourScale.from_zero(sums), numbers_size=7, digits=2)
        plural = "node" if len(nodes) == 1 else "nodes"
        axes.set_title(f"{size}x{size} parts, {len(nodes)} {plural}", fontsize=9, color=INK)
    for place, (weights, biases) in enumerate(later):
        name = f"layer {weights.shape[0]} to {weights.shape[1]}"
        axes = sheet.panel(name, left=0.45 + place * 3.2, top=7.5, width=2.7, height=1.35)
        both = np.concatenate([weights.ravel(), biases])
        axes.hist(both, bins=min(40, both.size), color=SEQUENCE)
        axes.set_title(f"{name}: {both.size:,} weights and biases", fontsize=9, color=INK)
        axes.tick_params(labelsize=8)
        axes.locator_params(axis="x", nbins=5)
        axes.locator_params(axis="y", nbins=4, integer=True)
        axes.spines[["top", "right"]].set_visible(False)
