"""Games: a start and moves; and records of games, with players, date and result.

>>> Game.from_transcript("f5d6c3d3c4").disc_differences
(0, 3, 0, 3, 0, 3)
>>> record = GameRecord(Game.from_transcript("f5d6c3"), black="Tamenori", white="Rose", date="1997.03.02")
>>> record.year, record.result is None
(1997, True)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.arguments import check_type
from outflank.board import Board, Square, checked_board, transcript_squares

START = Board()


@dataclass(frozen=True)
class Game:
    """A start position and the moves played from it; passes are implied."""

    moves: tuple[Square, ...] = ()
    start: Board = START

    def __post_init__(self) -> None:
        if isinstance(self.moves, str):
            raise TypeError(f"moves are squares; of a text: Game.from_transcript({self.moves[:20]!r})")

        check_type("moves are a tuple of squares; of a text: Game.from_transcript('f5d6')", self.moves, tuple)
        checked_board(self.start)

    @classmethod
    def from_transcript(cls, transcript: str, start: Board | None = None) -> Game:
        """The game of a transcript such as `f5d6c3`; a ValueError names the first illegal move."""
        game = cls(transcript_squares(transcript), START if start is None else start)
        _ = game.boards  # an illegal move raises here
        return game

    @property
    def transcript(self) -> str:
        """The moves in one string: `f5d6c3`."""
        return "".join(map(str, self.moves))

    @cached_property
    def boards(self) -> tuple[Board, ...]:
        """The board before the first move and after each move."""
        boards = [self.start]
        for number, move in enumerate(self.moves, start=1):
            board = boards[-1].settled()
            if move not in board.legal_moves:
                raise ValueError(f"move {number} ({move}) is not legal for {board.mover}")
            boards.append(board.play(move))
        return tuple(boards)

    @property
    def final(self) -> Board:
        return self.boards[-1]

    @property
    def disc_differences(self) -> tuple[int, ...]:
        """Black discs minus white discs before the first move and after each move."""
        return tuple(board.disc_difference for board in self.boards)


Ending = Literal["", "resigned", "time", "agreed", "forfeit"]
LONGEST_GAME: int = _core.LONGEST_GAME
LONGEST_RECORD = 128  # moves and written passes: a pass may lie before every move


@dataclass(frozen=True)
class GameRecord:
    """A game, who played it, where and when, and the scores stored in its file.

    Scores are Black's discs minus White's, as stored: formats differ in whether empty squares go to the
    winner, and the score of a resigned game is not that of its last board. Records that differ only in their
    source are equal.
    """

    game: Game
    black: str = ""
    white: str = ""
    event: str = ""
    date: str = ""  # as written in the file; WTHOR has the year alone
    result: float | None = None
    ending: Ending = ""  # how the game was cut short, if stored
    theoretical: int | None = None  # the score with perfect play ...
    theoretical_empties: int | None = None  # ... from the position with this many empty squares
    source: str = field(default="", compare=False)
    number: int = field(default=0, compare=False)  # in its file, from 1

    def __post_init__(self) -> None:
        check_type("a record is of a Game", self.game, Game)

    @property
    def year(self) -> int | None:
        """The year of the date: a year, year.month.day, or seconds since 1970."""
        if match := re.match(r"(\d{4})(?!\d)", self.date):
            return int(match[1])
        if re.fullmatch(r"\d{9,11}", self.date):
            return datetime.fromtimestamp(int(self.date), UTC).year
        return None


@dataclass(frozen=True, slots=True)
class ParsedGame:
    """A game as written in its file, its moves not yet checked."""

    number: int  # in its file, from 1
    where: str  # "game 3" or "line 12"
    entries: bytes  # squares, and _core.WRITTEN_PASS for a written pass
    start: Board
    details: dict[str, object]  # the other fields of a GameRecord
    movers: str | None = None  # B or W for each entry, if the file has them


@dataclass(frozen=True, slots=True)
class Problem:
    """A game that could not be read, or (number 0) another part of a file."""

    number: int
    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}" if self.where else self.reason


@dataclass(frozen=True)
class Encoded:
    """Games as the bytes of a file and of companion files, by suffix, and what the format could not hold."""

    content: bytes
    companions: dict[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def moves_matrix(records: Sequence[GameRecord]) -> npt.NDArray[np.uint8]:
    """The moves as [games, 60] squares, 255 (`_core.NO_MOVE`) after the last move.

    >>> moves_matrix([GameRecord(Game.from_transcript("f5d6"))])[0, :3].tolist()
    [37, 43, 255]
    """
    return matrix_of([bytes(record.game.moves) for record in records], LONGEST_GAME)


def matrix_of(rows: Sequence[bytes], width: int) -> npt.NDArray[np.uint8]:
    """Rows of squares, padded with 255 to one width."""
    longest = max(map(len, rows), default=0)
    if longest > width:
        raise ValueError(f"a game of {longest} moves does not fit into {width}")
    filler = bytes([_core.NO_MOVE])
    joined = b"".join([row.ljust(width, filler) for row in rows])
    return np.frombuffer(joined, dtype=np.uint8).reshape(len(rows), width)
