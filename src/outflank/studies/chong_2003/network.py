"""The spatial network, drawn and counted: Figure 1.

>>> axes = draw_spatial_network().axes[0]
>>> [text.get_text() for text in axes.texts if "nodes see" in text.get_text()][:2]
['36 nodes see 3x3', '25 nodes see 4x4']
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import isqrt

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle

from outflank.evaluators.mlp import PARTS, SpatialMlp
from outflank.learners.optimisers.evolution_strategies import adaptation_rate
from outflank.plots.boards import BOARD
from outflank.plots.style import COLOURS, GRID, INK, TEXT
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Measured, Outcome, ResultTable

LINE = "#777777"
WIDTH, HEIGHT = 8.0, 6.5  # inches, and the units of the drawing
BOARD_SIDE = 0.72
LAYER_X = (4.15, 5.55, 6.55, 7.5)  # of the first layer and of the later ones


def draw_spatial_network() -> Figure:
    """Chong 2003, Figure 1."""
    figure = Figure(figsize=(WIDTH, HEIGHT))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(0, HEIGHT))
    axes.set_axis_off()
    nodes = [len(layer[1]) for layer in SpatialMlp().layers()]
    _title(axes, "64 inputs: +1 own disc,\n-1 other disc, 0 empty", 1.0)
    for x, count, name in zip(LAYER_X, nodes, ("spatial layer", "hidden", "hidden", "output"), strict=True):
        _title(axes, f"{name}\n{count} node{'s' if count > 1 else ''}", x)
    counts = Counter(round(len(part) ** 0.5) for part in PARTS)
    rows = [HEIGHT - 1.25 - 0.88 * row for row in range(len(counts))]
    for number, ((side, count), y) in enumerate(zip(counts.items(), rows, strict=True)):
        _draw_part(axes, side, count, y, COLOURS[number])
    middle = (rows[0] + rows[-1]) / 2
    for x in LAYER_X[1:]:
        _draw_column(axes, x, middle, 5 if x != LAYER_X[-1] else 1)
    for y in rows:
        _arrow(axes, (LAYER_X[0] + 0.3, y), (LAYER_X[1] - 0.18, middle + 0.25 * (y - middle)))
    for left, right in pairwise(LAYER_X[1:]):
        for shift in (-0.5, 0.0, 0.5):
            _arrow(axes, (left + 0.18, middle + shift), (right - 0.18, middle + 0.4 * shift))
    boards_end, below = rows[-1] - BOARD_SIDE / 2, 0.24
    axes.plot([1.0, 1.0, LAYER_X[-1]], [boards_end, below, below], color=LINE, linewidth=0.9)
    _arrow(axes, (LAYER_X[-1], below), (LAYER_X[-1], middle - 0.12))
    axes.text(2.62, below + 0.07, "disc difference, added at the output", fontsize=TEXT, color=INK)
    return figure


def _title(axes: Axes, text: str, x: float) -> None:
    axes.text(x, HEIGHT - 0.12, text, ha="center", va="top", fontsize=TEXT, color=INK)


def _draw_part(axes: Axes, side: int, count: int, y: float, colour: str) -> None:
    """A board with one part of this size, and the nodes that see the parts of this size."""
    left, top, square = 1.0 - BOARD_SIDE / 2, y + BOARD_SIDE / 2, BOARD_SIDE / 8
    axes.add_patch(
        Rectangle((left, y - BOARD_SIDE / 2), BOARD_SIDE, BOARD_SIDE, facecolor=BOARD, edgecolor=INK)
    )
    for line in range(1, 8):
        axes.plot([left, left + BOARD_SIDE], [top - line * square] * 2, color=GRID, linewidth=0.6)
        axes.plot([left + line * square] * 2, [top, top - BOARD_SIDE], color=GRID, linewidth=0.6)
    reach = side * square
    axes.add_patch(
        Rectangle(
            (left, top - reach), reach, reach, facecolor=colour, edgecolor=colour, alpha=0.55, linewidth=1.5
        )
    )
    verb = "nodes see" if count > 1 else "node sees"
    axes.text(2.62, y + 0.12, f"{count} {verb} {side}x{side}", ha="center", fontsize=TEXT, color=INK)
    _arrow(axes, (1.0 + BOARD_SIDE / 2 + 0.05, y), (LAYER_X[0] - 0.3, y))
    for shift in (-0.2, 0.0, 0.2) if count > 1 else (0.0,):
        axes.add_patch(Circle((LAYER_X[0] + shift, y), 0.085, facecolor=colour, edgecolor=INK, linewidth=0.8))


def _draw_column(axes: Axes, x: float, middle: float, drawn: int) -> None:
    """A layer whose nodes are connected with all of the last one; not all are drawn."""
    for number in range(drawn):
        y = middle + 0.3 * (number - (drawn - 1) / 2)
        axes.add_patch(Circle((x, y), 0.085, facecolor="white", edgecolor=INK, linewidth=1.2))


def _arrow(axes: Axes, begin: tuple[float, float], end: tuple[float, float]) -> None:
    arrow = FancyArrowPatch(
        begin, end, arrowstyle="-|>", mutation_scale=9, color=LINE, linewidth=0.9, shrinkA=0, shrinkB=0
    )
    axes.add_patch(arrow)


def figure_1(lab: Laboratory) -> Outcome:
    """Counted on the network as it is evolved."""
    network = SpatialMlp()
    (_, spatial), (_, second), (_, third), (_, output) = network.layers()
    sides = [isqrt(len(part)) for part in PARTS]
    counted = {
        "weights": network.weights.size,
        "spatial nodes": spatial.size,
        "second layer": second.size,
        "third layer": third.size,
        "outputs": output.size,
        "nodes of 3x3": sides.count(3),
        "node types": len(set(sides)),
        "tau": adaptation_rate(network.weights.size),
    }
    rows = [
        (f"{side} x {side}", str(sides.count(side)), str(sides.count(side) * (side**2 + 1)))
        for side in sorted(set(sides))
    ]
    later = [("second layer", second.size, spatial.size), ("third layer", third.size, second.size),
             ("output", output.size, third.size)]  # fmt: skip
    rows += [(name, str(nodes), str(nodes * (inputs + 1))) for name, nodes, inputs in later]
    rows.append(("together", str(spatial.size + second.size + third.size + output.size),
                 str(network.weights.size)))  # fmt: skip
    return Outcome(
        {key: Measured.exactly(float(value)) for key, value in counted.items()},
        [lab.draw("figure-1", "The network; one part of each size is shown.", draw_spatial_network)],
        [ResultTable("Where the 5,900 weights are", ("", "nodes", "weights and biases"), rows)],
    )
