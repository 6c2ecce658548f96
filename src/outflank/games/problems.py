"""Positions to solve: one given as text or as a transcript, or a file of them with their scores.

>>> problem, = read_problems("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X")
>>> 64 - problem.board.discs, problem.score
(6, None)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from outflank.board import Board
from outflank.games.start_positions import read_positions


@dataclass(frozen=True)
class Problem:
    """A position, with the score for its mover where the source gives one."""

    board: Board
    score: int | None = None


def read_problems(source: str, allow_impossible: bool = False) -> list[Problem]:
    """The problems that a position, a transcript or a file name stands for."""
    if _is_file(source):
        problems = [
            _problem(board, rest, f"{source}, position {number}")
            for number, (board, rest) in enumerate(read_positions(source), start=1)
        ]
    elif len(source.split()[0] if source.split() else "") >= 60:
        problems = [Problem(Board(source))]
    elif re.fullmatch(r"(?:[a-hA-H][1-8]\s*)+", source.strip()):
        problems = [Problem(Board.from_transcript(source))]
    else:
        raise ValueError(
            f"{source!r} is neither a file nor a position; a position is 64 of X, O and -, then the side to "
            "move, or a transcript such as f5d6c3"
        )
    for number, problem in enumerate(problems, start=1):
        reason = problem.board.why_impossible()
        if reason and not allow_impossible:
            where = f"position {number} of {source}" if len(problems) > 1 else "the position"
            raise ValueError(
                f"{where} cannot come from a game: {reason}; add --impossible to solve it anyway"
            )
    return problems


def _is_file(source: str) -> bool:
    try:
        return Path(source).is_file()
    except (OSError, ValueError):  # a text too long for a name
        return False


def _problem(board: Board, rest: str, where: str) -> Problem:
    """An FFO line: after the position come moves with their scores, such as `G8:+18; H1:+12;`."""
    try:
        scores = [int(move.split(":")[1]) for move in rest.split(";") if ":" in move]
    except ValueError:
        raise ValueError(f"{where}: {rest.strip()!r} should be moves with scores, such as G8:+18") from None
    return Problem(board, max(scores) if scores else None)
