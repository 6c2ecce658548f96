"""A board on a terminal: the last move in brackets, legal moves as dots or with their values.

>>> board = Board().play("f5")
>>> print(terminal_board(board, last=Square("f5"), with_colours=False).plain)
  a b c d e f g h
1 - - - - - - - -
2 - - - - - - - -
3 - - - - - - - -
4 - - - O X . - -
5 - - - X X[X]- -
6 - - - . - . - -
7 - - - - - - - -
8 - - - - - - - -
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from outflank.board import Board, Square

if TYPE_CHECKING:
    from rich.text import Text

BOARD = "on green4"
STYLES = {"black": f"black {BOARD}", "white": f"bright_white {BOARD}", None: f"grey85 {BOARD}"}
BEST = f"bold bright_white {BOARD}"
VALUES_WIDTH = 4  # of a square that shows a value such as -12


def terminal_board(
    board: Board,
    *,
    last: Square | None = None,
    values: Mapping[Square, float] | None = None,
    with_colours: bool = True,
) -> Text:
    """The board; without colours, discs are X and O. Values of legal moves are shown as whole numbers."""
    from rich.text import Text

    width = VALUES_WIDTH if values else 2
    best = max(values.values()) if values else None
    moves = board.legal_moves
    text = Text(" " + "".join(f"{letter:>{width}}" for letter in "abcdefgh"))
    for square in map(Square, range(64)):
        if square.column == 0:
            text.append(f"\n{square.row + 1}")
        disc = board.disc(square)
        is_best = values is not None and square in values and values[square] == best
        if values is not None and square in values:
            mark = f"{values[square]:+z.0f}"
        elif disc is not None:
            mark = "●" if with_colours else "X" if disc == "black" else "O"
        else:
            mark = _empty(square in moves, with_colours)
        cell = f"{'[' if square == last else ''}{mark}".rjust(width)
        if square.column and square == _after(last):
            cell = "]" + cell[1:]
        text.append(cell, style=(BEST if is_best else STYLES[disc]) if with_colours else "")
        if square.column == 7:
            ending = "]" if square == last else " "
            text.append(
                ending if with_colours else ending.strip(), style=STYLES[disc] if with_colours else ""
            )
    return text


def _empty(is_legal: bool, with_colours: bool) -> str:
    if with_colours:
        return "·" if is_legal else " "
    return "." if is_legal else "-"


def _after(square: Square | None) -> int | None:
    return None if square is None else square + 1
