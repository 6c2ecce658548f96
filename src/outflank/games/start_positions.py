"""Start positions from a file: boards as FFO text, or as grids of numbers (0 white, 1 empty, 2 black)."""

from __future__ import annotations

import re
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
