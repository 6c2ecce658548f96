"""Books from and to the text of Edax's `book export`: a line per position.

>>> line = "---------------------------OX------XO--------------------------- X,16,F5,0"
>>> read_edax(line).positions[0].move
Square('f5')

A line is the board as the side to move sees it (X), the level of Edax's search, the best move that leads out
of the book with its score in discs, or `--` (position_export in Edax's book.c). That is our deviation: values
of positions follow from them by negamax, here as in Edax. Its binary `.dat` files are not documented; Edax
turns them into text and back by `book export` and `book import`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from outflank import _core
from outflank.board import Board, Square
from outflank.learners.opening_book import BookLearner
from outflank.players.opening_book import OpeningBook

_LINE = re.compile(r"([-XOxo*.]{64})\s*([XOxo*])\s*,\s*(\d{1,3})\s*(?:,\s*(\S{2})\s*,\s*([+-]?\d{1,4})\s*)?")
FEWEST_DISCS = 4
LONGEST_LINE = 200


@dataclass(frozen=True)
class EdaxPosition:
    """A line of the text."""

    board: Board
    level: int
    move: Square | None  # out of the book
    score_for_mover: int


@dataclass(frozen=True)
class EdaxBook:
    """What was read, and what was refused: a sentence for each such line."""

    positions: tuple[EdaxPosition, ...]
    problems: tuple[str, ...]


def read_edax(text: str) -> EdaxBook:
    """The positions of a text, in order."""
    positions: list[EdaxPosition] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            positions.append(_position(line.strip()))
        except ValueError as error:
            problems.append(f"line {number}: {error}")
    return EdaxBook(tuple(positions), tuple(problems))


def _position(line: str) -> EdaxPosition:
    match = _LINE.fullmatch(line[:LONGEST_LINE])
    if match is None:
        raise ValueError(
            f"{line[:20]!r}... is not a board, a level, a move and a score, such as ... X,16,F5,-1"
        )
    board = Board(f"{match[1]} {match[2]}")
    if board.discs < FEWEST_DISCS:
        raise ValueError(f"its board has {board.discs} discs, and a game starts with {FEWEST_DISCS}")
    name = (match[4] or "--").lower()
    if name in ("--", "pa", "ps"):  # none, or a pass, which our books do not store
        return EdaxPosition(board, int(match[3]), None, 0)
    move, score = Square(name), int(match[5])
    if move not in board.legal_moves:
        raise ValueError(f"{move} is not a legal move on its board")
    if abs(score) > 64:
        raise ValueError(f"a score of {score} is outside -64..64")
    return EdaxPosition(board, int(match[3]), move, score)


def add_edax(learner: BookLearner, positions: Sequence[EdaxPosition]) -> int:
    """Adds positions, each counted as one game; deviations keep Edax's scores, and positions without one are
    judged later. Returns the number of new positions."""
    before = len(learner.core)
    boards = [position.board for position in positions]
    learner.core.add_games(
        np.array([board.black for board in boards], dtype=np.uint64),
        np.array([board.white for board in boards], dtype=np.uint64),
        np.array([board.mover == "black" for board in boards], dtype=bool),
        np.full((len(boards), _core.LONGEST_GAME), _core.NO_MOVE, dtype=np.uint8),
    )
    for position in positions:
        board = position.board
        out = learner.core.moves_out(board.mover_discs, board.opponent_discs) if board.has_moves else 0
        if position.move is not None and out >> position.move & 1:
            learner.core.set_deviation(
                board.mover_discs, board.opponent_discs, position.move, float(position.score_for_mover)
            )
    learner.core.propagate()
    return len(learner.core) - before


def deepest(positions: Sequence[EdaxPosition]) -> int:
    """How many moves deep a book of these positions is, at least 1."""
    return max([position.board.discs - FEWEST_DISCS for position in positions], default=1) or 1


def edax_lines(book: OpeningBook, level: int) -> Iterator[str]:
    """The lines of a book; scores are rounded to whole discs."""
    if not 0 <= level <= 60:
        raise ValueError(f"a level of Edax is within 0..60, got {level}")
    mover, opponent, values, squares, scores, _ = (column.tolist() for column in book.core.entries())
    for own, theirs, value, square, score in zip(mover, opponent, values, squares, scores, strict=True):
        if value == _core.NO_BOOK_VALUE:
            continue
        leaf = f"{str(Square(square)).upper()},{round(score / 100)}" if square < 64 else "--,0"
        yield f"{Board.from_discs(own, theirs).text},{level},{leaf}\n"
