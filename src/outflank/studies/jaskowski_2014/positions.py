"""Positions that the paper draws: Figure 1, legal moves; Figure 2, one tuple in eight placements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from outflank.board import Board, Square
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.tuple_shapes import Table, distinct_expansions
from outflank.plots.boards import Sheet, draw_position, draw_tuple
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Measured, Outcome

SIDE, TOP = 3.5, 0.8
DIGITS = {"white": 0, None: 1, "black": 2}


def figure_1(lab: Laboratory) -> Outcome:
    """A position with the moves and flips that the caption describes."""
    s = lab.settings
    board = Board.from_transcript(s["position"])
    after = board.play(Square(s["move"]))
    flipped = [str(Square(q)) for q in range(64) if board.disc(q) not in (None, after.disc(q))]
    return Outcome(
        {
            "moves": Measured.exactly(len(board.legal_moves)),
            "flips": Claim(flipped == s["reversed"], f"{s['move']} reverses {', '.join(flipped)}"),
        },
        [
            lab.draw("figure-1", f"The position after {s['position']}, and the move of the caption.",
                     draw_move, s["position"], s["move"]),
        ],
    )  # fmt: skip


def draw_move(position: str, move: str) -> Figure:
    """A position, by the moves that lead there, with its legal moves; and the same after one of them.

    >>> [axes.get_label() for axes in draw_move("f5", "d6").axes]
    ['white to move; dashed: its moves', 'after d6']
    """
    board = Board.from_transcript(position)
    sheet = Sheet(Figure(figsize=(8, TOP + SIDE + 0.3)))
    for left, one, circled, text in (
        (0.4, board, board.legal_moves, f"{board.mover} to move; dashed: its moves"),
        (4.2, board.play(Square(move)), (), f"after {move}"),
    ):
        sheet.write(text, left=left, top=0.2, size=11)
        axes = sheet.panel(text, left=left, top=TOP, width=SIDE, height=SIDE)
        draw_position(axes, one, map(int, circled))
    return sheet.figure


def figure_2(lab: Laboratory) -> Outcome:
    """A tuple in its eight placements, with a table of three values: the sum of the caption."""
    s = lab.settings
    board = Board.from_transcript(s["position"])
    table = distinct_expansions([int(Square(name)) for name in s["tuple"]])
    seen = Counter(pattern_of(board, squares) for squares in table)
    patterns = [pattern for pattern, _ in seen.most_common()]
    values = dict(zip(patterns, s["values"], strict=True))
    weights = np.zeros(3 ** len(s["tuple"]))
    for pattern, value in values.items():
        weights[int("".join(map(str, pattern)), 3)] = value
    network = NTupleNetwork([table], weights)
    total = float(
        network.values(np.array([board.black], dtype=np.uint64), np.array([board.white], dtype=np.uint64))[0]
    )
    counts = [seen[pattern] for pattern in patterns]
    returned = " + ".join(f"{count} x {values[pattern]:g}" for pattern, count in seen.most_common())
    return Outcome(
        {
            "placements": Measured.exactly(len(table)),
            "counts": Claim(counts == s["counts"], returned),
            "sum": Measured.exactly(round(total, 6)),
        },
        [lab.draw("figure-2", "The board, the tuple with its symmetric expansions, and what each of the eight"
                  " returns.", draw_tuple_on_board, s["position"], table,
                  [values[pattern_of(board, squares)] for squares in table])],
    )  # fmt: skip


def pattern_of(board: Board, squares: Sequence[int]) -> tuple[int, ...]:
    """White 0, empty 1, black 2 on each square.

    >>> pattern_of(Board(), [0, 27, 28])
    (1, 0, 2)
    """
    return tuple(DIGITS[board.disc(square)] for square in squares)


def draw_tuple_on_board(position: str, table: Table, returned: Sequence[float]) -> Figure:
    """A position, by the moves that lead there; a tuple, and what each of its placements returns.

    >>> [axes.get_label() for axes in draw_tuple_on_board("f5", ((0, 1), (7, 6)), [0.5, 1.0]).axes]
    ['board', 'tuple']
    """
    sheet = Sheet(Figure(figsize=(8, TOP + SIDE + 0.8)))
    axes = sheet.panel("board", left=0.4, top=TOP, width=SIDE, height=SIDE)
    draw_position(axes, Board.from_transcript(position))
    axes = sheet.panel("tuple", left=4.2, top=TOP, width=SIDE, height=SIDE)
    draw_tuple(axes, table, SIDE)
    sheet.write("the board", left=0.4, top=0.2, size=11)
    sheet.write("the tuple (red) and its expansions (grey)", left=4.2, top=0.2, size=11)
    listed = ", ".join(f"{value:g}" for value in returned)
    sheet.write(f"returned by the eight: {listed}", left=0.4, top=TOP + SIDE + 0.3, size=10)
    return sheet.figure
