"""Positions to solve: one given as text or as a transcript, or a file of them with their scores.

>>> problem, = read_problems("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X")
>>> 64 - problem.board.discs, problem.score
(6, None)

Start positions from a file: boards as FFO text, or as grids of numbers (0 white, 1 empty, 2 black).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from outflank.board import Board

LARGEST_FILE = 64 << 20


def read_start_positions(path: str | Path) -> tuple[Board, ...]:
    """The boards of a file, in order.

    FFO text: a line a board, 64 characters and the side to move, then anything after `;` or `%`; empty
    lines and lines that open with `%` or `#` are skipped. Number grid: 64 numbers a board, Black moves.
    """
    return tuple(board for board, _ in read_positions(path))


def read_positions(path: str | Path) -> list[tuple[Board, str]]:
    """As read_start_positions, each board with what its line says after it."""
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"{path} is a folder, not a file of positions")
    if (size := path.stat().st_size) > LARGEST_FILE:
        raise ValueError(f"{path} has {size >> 20} MB; a file of positions has at most {LARGEST_FILE >> 20}")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}, byte {error.start}: this is not text; is it a file of positions?"
        ) from None
    boards = _number_grids(text, path) if re.match(r"\s*[0-9]", text) else _ffo_lines(text, path)
    if not boards:
        raise ValueError(f"{path} holds no positions")
    return boards


def _ffo_lines(text: str, path: Path) -> list[tuple[Board, str]]:
    boards = []
    for number, line in enumerate(text.splitlines(), start=1):
        position, _, rest = line.partition("%")[0].partition(";")
        if not position.strip() or line.lstrip().startswith(("#", "%")):
            continue
        try:
            boards.append((Board(position), rest))
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
    return boards


def _number_grids(text: str, path: Path) -> list[tuple[Board, str]]:
    tokens = [(match[0], match.start()) for match in re.finditer(r"\S+", text)]
    if len(tokens) % 64:
        raise ValueError(f"{path} holds {len(tokens)} numbers, which is not a multiple of 64; is it cut off?")
    boards = []
    for first in range(0, len(tokens), 64):
        black = white = 0
        for square, (token, start) in enumerate(tokens[first : first + 64]):
            if token not in ("0", "1", "2"):
                line = text.count("\n", 0, start) + 1
                raise ValueError(f"{path}, line {line}: {token[:20]!r} is none of 0 (white), 1 and 2 (black)")
            black |= (token == "2") << square
            white |= (token == "0") << square
        boards.append((Board.from_discs(black, white), ""))
    return boards


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
