"""An NBoard engine as our player (Welty's protocol, versions 1 and 2).

Every request for a move sends the whole game (`set game`, in GGF), so that any start position will do and the
engine's board cannot get out of sync with the referee's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from outflank.board import Board, Square
from outflank.players.engines.process import LONGEST_LINE, Deadline, EngineError, EngineProcess

MOST_OUTPUT = 64 * LONGEST_LINE  # bytes of search lines while an engine thinks
# Edax separates the move from its value by a space, NTest by a slash.
_MOVE = re.compile(r"===\s*([a-h][1-8]|pa)", re.IGNORECASE)


class NBoardClient:
    """Asks an NBoard engine for moves."""

    def __init__(self, process: EngineProcess, startup: Deadline, timeout: float, depth: int) -> None:
        self._process = process
        self._timeout = timeout
        self._pings = 0
        self._process.send("nboard 2", startup)
        # "GUIs must also send set depth and set game before issuing hint and go."
        self._process.send(f"set depth {depth}", startup)
        self._synchronize(startup)

    def can_start_from(self, _start: Board) -> bool:
        return True

    def choose(self, start: Board, moves: Sequence[Square]) -> Square | None:
        """The engine's move after the moves of a game; None if it passes."""
        deadline = Deadline(self._timeout)
        self._process.send(f"set game {game_as_ggf(start, moves)}", deadline)
        self._synchronize(deadline)
        self._process.send("go", deadline)
        answer = self._line_starting_with("===", deadline)
        if (match := _MOVE.match(answer)) is None:
            raise EngineError(f"answered go with {answer[:40]!r}, which has no move")
        return None if match[1].lower() == "pa" else Square(match[1])

    def _synchronize(self, deadline: Deadline) -> None:
        """Waits until the engine has processed all commands: what it says after pong refers to them."""
        self._pings += 1
        self._process.send(f"ping {self._pings}", deadline)
        answer = self._line_starting_with(("pong", "==="), deadline)
        if answer.startswith("==="):
            raise EngineError(f"gave a move without being asked: {answer[:40]!r}")
        if answer.split() != ["pong", str(self._pings)]:
            raise EngineError(f"answered ping {self._pings} with {answer[:40]!r}")

    def _line_starting_with(self, words: str | tuple[str, ...], deadline: Deadline) -> str:
        """Skips all other lines: status, search, book, nodestats, set myname ..."""
        seen = 0
        while not (line := self._process.read_line(deadline).strip()).startswith(words):
            seen += len(line) + 1
            if seen > MOST_OUTPUT:
                raise EngineError(f"printed more than {MOST_OUTPUT} bytes without an answer")
        return line


def game_as_ggf(start: Board, moves: Sequence[Square]) -> str:
    """A game as one line of GGF, with passes.

    >>> game_as_ggf(Board(), [Square("f5"), Square("d6")])[-19:]
    '---- *]B[F5]W[D6];)'
    """
    letters = start.text.replace("X", "*")
    played = []
    board = start
    for move in moves:
        if (settled := board.settled()) is not board:
            played.append(f"{board.mover[0].upper()}[PA]")
        played.append(f"{settled.mover[0].upper()}[{str(move).upper()}]")
        board = settled.play(move)
    if board.settled() is not board:
        played.append(f"{board.mover[0].upper()}[PA]")
    tags = "GM[Othello]PC[outflank]PB[black]PW[white]RE[?]TI[0]TY[8]"
    return f"(;{tags}BO[8 {letters}]{''.join(played)};)"
