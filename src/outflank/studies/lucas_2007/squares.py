"""The board's squares: the heuristic's weights and which squares are equivalent. Figures 3 and 4.

>>> groups = equivalent_squares()
>>> len(groups), groups[0]
(10, (0, 7, 56, 63))
"""

from __future__ import annotations

import numpy as np

from outflank.board import symmetric_square
from outflank.evaluators.piece_counter import PieceCounter
from outflank.evaluators.protocol import FloatArray
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player
from outflank.plots.board_shades import draw_shaded_weights, draw_square_groups
from outflank.studies.laboratory import Laboratory
from outflank.studies.outcome import Judged, Measured, Outcome

CORNERS = (0, 7, 56, 63)
BESIDE_CORNERS = (1, 6, 8, 9, 14, 15, 48, 49, 54, 55, 57, 62)


def figure_3(laboratory: Laboratory) -> Outcome:
    """The weights of the player that outflank calls the standard heuristic, against the printed ones."""
    weights = heuristic_weights(laboratory.settings["player"])
    printed = np.array(laboratory.settings["printed"], dtype=np.float64).ravel()
    equal = int(np.sum(weights == printed))
    moved = [np.sum(weights != weights[[symmetric_square(s, k) for s in range(64)]]) for k in range(8)]
    values = np.unique(weights)
    highest, lowest = np.flatnonzero(weights == values[-1]), np.flatnonzero(weights == values[0])
    figure = draw_shaded_weights(
        weights, "The standard heuristic's weights; lighter shades are more positive numbers"
    )
    return Outcome(
        {
            "equal weights": Measured.exactly(equal),
            "highest": Measured.exactly(float(values[-1]), f"on {len(highest)} squares"),
            "lowest": Measured.exactly(float(values[0]), f"on {len(lowest)} squares"),
            "corners": Judged(
                set(highest.tolist()) == set(CORNERS) and set(lowest.tolist()) == set(BESIDE_CORNERS),
                f"the highest weight lies on {len(highest)} squares, the lowest on {len(lowest)}",
            ),
            "symmetric": Judged(
                not any(moved), f"{sum(m == 0 for m in moved)} of 8 symmetries leave all weights as they are"
            ),
            "distinct values": Measured.exactly(len(values)),
        },
        [laboratory.draw("figure-3", figure, "The weights; the paper prints them in its Figure 2.")],
    )  # fmt: skip


def figure_4(laboratory: Laboratory) -> Outcome:
    """Groups of squares, from the eight symmetries alone."""
    groups = equivalent_squares()
    sizes = [len(group) for group in groups]
    figure = draw_square_groups(groups, "Squares that are equivalent under reflection and rotation")
    counted = ", ".join(f"{sizes.count(size)} groups of {size}" for size in sorted(set(sizes)))
    return Outcome(
        {
            "groups": Measured.exactly(len(groups)),
            "sizes": Judged(set(sizes) == {4, 8} and sum(sizes) == 64, counted),
        },
        [laboratory.draw("figure-4", figure, "A shade and a number for each group.")],
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
