"""One game: a start, its moves, and what follows from them.

>>> Game.from_transcript("f5d6c3d3c4").disc_differences
(0, 3, 0, 3, 0, 3)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from outflank.board import Board, Square, transcript_squares

START = Board()


@dataclass(frozen=True)
class Game:
    """A start position and the moves played from it; passes follow from the rules."""

    moves: tuple[Square, ...] = ()
    start: Board = START

    @classmethod
    def from_transcript(cls, transcript: str, start: Board | None = None) -> Game:
        game = cls(transcript_squares(transcript), START if start is None else start)
        _ = game.boards  # an illegal move raises here
        return game

    @property
    def transcript(self) -> str:
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
