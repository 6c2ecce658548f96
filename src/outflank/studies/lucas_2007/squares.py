"""The board's squares: the heuristic's weights and which squares are equivalent. Figures 3 and 4.

>>> groups = equivalent_squares()
>>> len(groups), groups[0]
(10, (0, 7, 56, 63))
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from outflank.board import Square, symmetric_square
from outflank.evaluators.piece_counter import PieceCounter
from outflank.evaluators.protocol import FloatArray
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player
from outflank.plots.boards import ColourScale, Sheet, draw_heat_map, prepare_board
from outflank.plots.style import INK
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Measured, Outcome

SIDE = 5.2  # inches of the board
LEFT, TOP = 0.55, 0.85


def draw_shaded_weights(weights: FloatArray, title: str) -> Figure:
    """The squares in grey, lighter for higher weights, with their numbers.

    >>> [axes.get_label() for axes in draw_shaded_weights(np.arange(64.0), "one weight per square").axes]
    ['weights', 'scale']
    """
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


CORNERS = (0, 7, 56, 63)
BESIDE_CORNERS = (1, 6, 8, 9, 14, 15, 48, 49, 54, 55, 57, 62)


def figure_3(lab: Laboratory) -> Outcome:
    """The weights of the player that outflank calls the standard heuristic, against the printed ones."""
    weights = heuristic_weights(lab.settings["player"])
    printed = np.array(lab.settings["printed"], dtype=np.float64).ravel()
    equal = int(np.sum(weights == printed))
    moved = [np.sum(weights != weights[[symmetric_square(s, k) for s in range(64)]]) for k in range(8)]
    values = np.unique(weights)
    highest, lowest = np.flatnonzero(weights == values[-1]), np.flatnonzero(weights == values[0])
    return Outcome(
        {
            "equal weights": Measured.exactly(equal),
            "highest": Measured.exactly(float(values[-1]), f"on {len(highest)} squares"),
            "lowest": Measured.exactly(float(values[0]), f"on {len(lowest)} squares"),
            "corners": Claim(
                set(highest.tolist()) == set(CORNERS) and set(lowest.tolist()) == set(BESIDE_CORNERS),
                f"the highest weight lies on {len(highest)} squares, the lowest on {len(lowest)}",
            ),
            "symmetric": Claim(
                not any(moved), f"{sum(m == 0 for m in moved)} of 8 symmetries leave all weights as they are"
            ),
            "distinct values": Measured.exactly(len(values)),
        },
        [lab.draw("figure-3", "The weights, as the paper prints them.", draw_shaded_weights, weights,
                  "The standard heuristic's weights; lighter shades are more positive numbers")],
    )  # fmt: skip


def figure_4(lab: Laboratory) -> Outcome:
    """Groups of squares, from the eight symmetries alone."""
    groups = equivalent_squares()
    sizes = [len(group) for group in groups]
    counted = ", ".join(f"{sizes.count(size)} groups of {size}" for size in sorted(set(sizes)))
    return Outcome(
        {
            "groups": Measured.exactly(len(groups)),
            "sizes": Claim(set(sizes) == {4, 8} and sum(sizes) == 64, counted),
        },
        [lab.draw("figure-4", "A shade and a number for each group.", draw_square_groups, groups,
                  "Squares that are equivalent under reflection and rotation")],
    )  # fmt: skip


def heuristic_weights(name: str) -> FloatArray:
    """The weight of each square, a1 first."""
    player = named_player(name)
    assert isinstance(player, GreedyPlayer)
    assert isinstance(player.evaluator, PieceCounter)
    return np.asarray(player.evaluator.square_weights)


def equivalent_squares() -> tuple[tuple[int, ...], ...]:
    """The 64 squares in groups, each the images of any of its squares under the eight symmetries."""
    groups = {
        tuple(sorted({int(symmetric_square(square, k)) for k in range(8)})): None for square in range(64)
    }
    return tuple(groups)
