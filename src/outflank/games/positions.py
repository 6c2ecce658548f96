"""Positions to start games from and to solve: files of them, the FFO endgame tests, random openings.

>>> len(read_endgames("ffo-1-19")), read_endgames("ffo-1-19")[0].score_for_mover
(19, 18)
>>> [board.discs for board in random_openings(plies=6, count=3, seed=1)]
[10, 10, 10]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from pathlib import Path

import numpy as np

from outflank import _core
from outflank.board import Board, Square
from outflank.files import as_path
from outflank.games.formats.transcripts import entries_of
from outflank.suggestions import unknown

LARGEST_FILE = 64 << 20
OPENING_PLIES = 8
MOST_OPENINGS = 10_000
LARGEST_PASTE = 1 << 20
MOST_FAILURES = 10_000  # random games in a row that reach no new position, before giving up
_FOLDER = Path(str(files("outflank") / "data" / "positions"))
BUILT_IN = ("ffo-1-19", "ffo-20-39", "ffo-40-59")  # the FFO endgame test suite


@dataclass(frozen=True)
class Endgame:
    """A position to solve, with the score for its mover where the source gives one."""

    board: Board
    score_for_mover: int | None = None


def random_openings(plies: int, count: int, seed: int = 1) -> list[Board]:
    """Different positions that random games reach after a number of plies, in the order found.

    Lucas's 1,000 start boards are of this kind (six plies).
    """
    return list(islice(new_random_openings(plies, seed, count), count))


def new_random_openings(plies: int, seed: int = 1, count: int | None = None) -> Iterator[Board]:
    """The same, one after another, until no new one is found; `count`: how many are wanted."""
    if not 0 <= plies <= 60:
        raise ValueError(f"an opening has 0 to 60 plies, got {plies}")
    random = np.random.default_rng(seed)
    found: set[Board] = set()
    failures = 0
    while True:
        board = Board()
        for _ in range(plies):
            if moves := board.legal_moves:
                board = board.play(moves[random.integers(len(moves))]).settled()
        is_new = board not in found and not board.is_over
        failures = 0 if is_new else failures + 1
        if failures > MOST_FAILURES:
            wanted = "" if count is None else f", not {count:,}"
            raise ValueError(
                f"random games of {plies} plies reach {len(found):,} different positions{wanted}; "
                "ask for more plies or fewer positions"
            )
        if is_new:
            found.add(board)
            yield board


@lru_cache(maxsize=4)
def openings_for(double_games: int) -> tuple[Board, ...]:
    """Starts for a match in which nothing is random, so that its games differ: an opening for each double
    game, up to MOST_OPENINGS.

    >>> len(openings_for(3)), openings_for(3) == openings_for(5)[:3]
    (3, True)
    """
    return tuple(random_openings(OPENING_PLIES, min(double_games, MOST_OPENINGS)))


def positions_text(boards: Iterable[Board]) -> str:
    """Boards as FFO text, one per line, as `read_start_positions` reads them."""
    return "".join(f"{board.text}\n" for board in boards)


def read_start_positions(path: str | Path) -> tuple[Board, ...]:
    """The boards of a file, in order.

    FFO text: one board per line, 64 characters and the side to move, then anything after `;` or `%`; empty
    lines and lines that start with `%` or `#` are skipped. Opening lists, such as those of XOT: the moves of
    one opening per line, which leads to the board after them. Number grids: 64 numbers per board, Black
    moves.
    """
    return tuple(board for board, _ in _read(as_path(path)))


def read_endgames(source: str, allow_impossible: bool = False) -> list[Endgame]:
    """The endgames in a file or in a test suite that comes with outflank, or a position or transcript."""
    endgames = _endgames(source)
    for number, endgame in enumerate(endgames, start=1):
        reason = endgame.board.why_impossible()
        if reason and not allow_impossible:
            where = f"position {number} of {source}" if len(endgames) > 1 else "the position"
            raise ValueError(
                f"{where} cannot come from a game: {reason}; add --impossible to solve it anyway"
            )
    return endgames


def _endgames(source: str) -> list[Endgame]:
    if source in BUILT_IN or is_file(source):
        path = _FOLDER / f"{source}.obf" if source in BUILT_IN else Path(source)
        return [
            Endgame(board, _best_score(rest, f"{source}, position {number}"))
            for number, (board, rest) in enumerate(_read(path), start=1)
        ]
    if len(source) > LARGEST_PASTE:
        raise ValueError(f"a pasted position has at most {LARGEST_PASTE:,} characters; put it into a file")
    if len("".join(source.split()[:1])) >= 60:
        lines = _lines(source, "the text")
        return [
            Endgame(board, _best_score(rest, f"position {number}"))
            for number, (board, rest) in enumerate(lines, start=1)
        ]
    if re.match(r"\s*(?:1\s*[.):]?\s*)?[a-hA-H][1-8]", source):
        return [Endgame(_board_after(" ".join(source.split())))]
    if source.startswith("ffo"):
        raise ValueError(f"{unknown(source, BUILT_IN, 'a test suite or a file')}")
    raise ValueError(
        f"{source!r} is neither a file nor a position; a position is 64 of X, O and -, then the side to "
        f"move, or a transcript such as f5d6c3; test suites: {', '.join(BUILT_IN)}"
    )


def is_file(source: str) -> bool:
    """Whether a text is the name of a file, rather than a position or a game itself."""
    try:
        return Path(source).is_file()
    except (OSError, ValueError):  # too long for a file name
        return False


def _read(path: Path) -> list[tuple[Board, str]]:
    """The boards of a file, each with the rest of its line."""
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
    is_grid = re.match(r"\s*[0-2]\s+[0-2]\s", text)
    boards = _number_grids(text, path) if is_grid else _lines(text, str(path))
    if not boards:
        raise ValueError(f"{path} holds no positions")
    return boards


def _lines(text: str, source: str) -> list[tuple[Board, str]]:
    """FFO lines and openings, each with what follows the first semicolon."""
    boards = []
    for number, line in enumerate(text.splitlines(), start=1):
        position, _, rest = line.partition("%")[0].partition(";")
        if not position.strip() or line.lstrip().startswith("#"):
            continue
        try:
            is_opening = re.match(r"\s*(?:1\s*[.):]?\s*)?[a-hA-H][1-8]", position)
            boards.append((_board_after(position) if is_opening else Board(position), rest))
        except ValueError as error:
            raise ValueError(f"{source}, line {number}: {error}") from None
    return boards


def _board_after(moves: str) -> Board:
    """The board after the moves of an opening or a game."""
    entries, rest = entries_of(moves.strip())
    if rest:
        raise ValueError(f"{rest[:20]!r} after the moves is not a move")
    board = Board()
    for number, entry in enumerate(entries, start=1):
        if entry == _core.WRITTEN_PASS:
            board = board.pass_turn()
            continue
        board = board.settled()
        if entry not in board.legal_moves:
            raise ValueError(f"move {number} ({Square(entry)}) is not legal for {board.mover}")
        board = board.play(entry)
    return board


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
                raise ValueError(
                    f"{path}, line {line}: {token[:20]!r} is not 0 (white), 1 (empty) or 2 (black)"
                )
            black |= (token == "2") << square
            white |= (token == "0") << square
        boards.append((Board.from_discs(black, white), ""))
    return boards


def _best_score(rest: str, where: str) -> int | None:
    """The score of an FFO line: the best of its moves, such as `G8:+18; H1:+12;`."""
    try:
        scores = [int(move.split(":")[1]) for move in rest.split(";") if ":" in move]
    except ValueError:
        raise ValueError(f"{where}: {rest.strip()!r} should be moves with scores, such as G8:+18") from None
    return max(scores, default=None)
