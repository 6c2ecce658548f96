"""The opening board: Lucas 2007, Figure 1; Kim 2007, Figure 1."""

from __future__ import annotations

from matplotlib.figure import Figure

from outflank.board import Board, Square
from outflank.plots.boards import Sheet, draw_position
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Measured, Outcome

CENTRE = tuple(Square(name) for name in ("d4", "e4", "d5", "e5"))


def draw_opening_board() -> Figure:
    """
    >>> [axes.get_label() for axes in draw_opening_board().axes]
    ['board']
    """
    board = Board()
    sheet = Sheet(Figure(figsize=(8, 5.6)))
    sheet.write("The start; dashed circles: Black's moves", left=1.6, top=0.15, size=11)
    axes = sheet.panel("board", left=1.6, top=0.75, width=4.6, height=4.6)
    draw_position(axes, board, map(int, board.legal_moves))
    return sheet.figure


def figure_1(lab: Laboratory) -> Outcome:
    """Where the four discs lie and who begins."""
    board = Board()
    black, white = (
        [str(square) for square in CENTRE if board.disc(square) == colour] for colour in ("black", "white")
    )
    return Outcome(
        {
            "discs": Measured.exactly(board.discs),
            "centre": Claim(
                len(black) == len(white) == 2, f"Black on {', '.join(black)}, White on {', '.join(white)}"
            ),
            "Black begins": Claim(
                board.mover == "black", f"{board.mover} to move, {len(board.legal_moves)} moves"
            ),
        },
        [lab.draw("figure-1", "The start of the game.", draw_opening_board)],
    )
