"""A GTP engine as our player: the Go Text Protocol 2 as Othello programs speak it.

Commands are sent without ids, one at a time: simple engines understand no more. An answer is a line that
starts with = or ?, and ends with an empty line; other lines before it are skipped.

A time per move is sent as Canadian byo-yomi (GTP 2, section 4.2): 0.2 s per move is 1 s for 5 stones, because
the protocol has whole seconds only. Before each move, `time_left` starts such a period: Edax obeys
`time_left` alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from outflank.board import Board, Square
from outflank.players.engines.process import LONGEST_LINE, Deadline, EngineError, EngineProcess

# Commands that set up any position, given as 64 characters and the side to move.
SETUP_COMMANDS = ("outflank-setup_position", "grhino-setup_board")
SEARCHED_BOARDS = 5_000
MOST_STONES = 60  # of a period: a game has no more moves
_ANSWER = re.compile(r"[=?](\d*)(.*)", re.DOTALL)


class GtpClient:
    """Keeps a GTP engine's board in sync with the referee's."""

    def __init__(
        self, process: EngineProcess, startup: Deadline, timeout: float, period: tuple[int, int] | None
    ) -> None:
        """period: whole seconds and number of moves; `startup` is the deadline for all opening commands."""
        self._process = process
        self._timeout = timeout
        self._period = period
        self._sent: tuple[Board, tuple[Square, ...]] | None = None  # the game on the engine's board
        known = self._ask("list_commands", startup)
        self._commands = frozenset(known[1].split()) if known[0] else frozenset()
        if "set_game" in self._commands:
            self._command("set_game Othello", startup)
        if not self._commands or "boardsize" in self._commands:
            self._command("boardsize 8", startup)
        if period is not None:
            self._command(f"time_settings 0 {period[0]} {period[1]}", startup)
        self._command("clear_board", startup)

    def can_start_from(self, start: Board) -> bool:
        return self._setup_command is not None or moves_to(start) is not None

    def choose(self, start: Board, moves: Sequence[Square]) -> Square | None:
        """The engine's move after the moves of a game; None if it passes. All commands share one deadline."""
        deadline = Deadline(self._timeout)
        board = self._send_moves(start, tuple(moves), deadline)
        if self._period is not None and "time_left" in self._commands:
            self._command(f"time_left {board.mover} {self._period[0]} {self._period[1]}", deadline)
        answer = self._command(f"genmove {board.mover}", deadline).strip().lower()
        if re.fullmatch(r"[a-h][1-8]", answer):
            move = Square(answer)
            self._sent = (start, (*moves, move))
            return move
        self._sent = None
        if answer in ("pass", "pa", "ps"):
            return None
        if answer == "resign":
            raise EngineError("resigned")
        raise EngineError(f"answered genmove with {answer[:40]!r}, which is not a move")

    def _send_moves(self, start: Board, moves: tuple[Square, ...], deadline: Deadline) -> Board:
        """Sends the engine the moves it does not know: the opponent's, and forced random moves."""
        sent = self._sent
        if sent is None or sent[0] != start or sent[1] != moves[: len(sent[1])]:
            self._set_up(start, deadline)
            sent = (start, ())
        board = start
        for number, move in enumerate(moves):
            if number < len(sent[1]):
                board = board.settled().play(move)
            else:
                board = self._send_move(board, move, deadline)
        self._sent = (start, moves)
        return self._settled(board, deadline)

    def _send_move(self, board: Board, move: Square, deadline: Deadline) -> Board:
        board = self._settled(board, deadline)
        self._command(f"play {board.mover} {move}", deadline)
        return board.play(move)

    def _settled(self, board: Board, deadline: Deadline) -> Board:
        """The board after a pass, if one is due; engines that pass by themselves may refuse the command."""
        after = board.settled()
        if after is not board:
            self._ask(f"play {board.mover} pass", deadline)
        return after

    def _set_up(self, start: Board, deadline: Deadline) -> None:
        self._command("clear_board", deadline)
        if start != Board() and self._setup_command is not None:
            self._command(f"{self._setup_command} {start.text}", deadline)
            return
        if (path := moves_to(start)) is None:
            raise EngineError("has no command to set up a position")
        board = Board()
        for move in path:
            board = self._send_move(board, move, deadline)
        if board.mover != start.mover:
            self._settled(board, deadline)

    @property
    def _setup_command(self) -> str | None:
        return next((command for command in SETUP_COMMANDS if command in self._commands), None)

    def _command(self, command: str, deadline: Deadline) -> str:
        fine, text = self._ask(command, deadline)
        if not fine:
            raise EngineError(f"refused {command!r}: {text[:80]!r}")
        return text

    def _ask(self, command: str, deadline: Deadline) -> tuple[bool, str]:
        for line in self._process.buffered_lines():
            if line.startswith(("=", "?")):
                raise EngineError(f"answered without being asked: {line[:40]!r}")
        self._process.send(command, deadline)
        seen = 0
        while (answer := _ANSWER.fullmatch(line := self._process.read_line(deadline))) is None:
            seen += len(line) + 1
            if seen > LONGEST_LINE:
                raise EngineError(f"printed more than {LONGEST_LINE} bytes without an answer")
        if answer[1]:
            raise EngineError(f"answered command {answer[1][:40]}, which was not sent")
        text = [answer[2].strip()]
        while more := self._process.read_line(deadline).strip():
            text.append(more)
            seen += len(more) + 1
            if seen > LONGEST_LINE:
                raise EngineError(f"gave an answer of more than {LONGEST_LINE} bytes")
        return line[0] == "=", "\n".join(text)


def as_period(seconds: float) -> tuple[int, int]:
    """A time per move as whole seconds for a number of moves.

    >>> as_period(2), as_period(0.2), as_period(1.5)
    ((2, 1), (1, 5), (3, 2))
    """
    period = Fraction(seconds).limit_denominator(MOST_STONES)
    if not math.isclose(period, seconds, rel_tol=1e-9):
        raise ValueError(
            f"time={seconds:g} cannot be sent by GTP, which has whole seconds for up to {MOST_STONES} moves; "
            "use a time such as 0.1, 0.25 or 1.5, or an option of the engine itself"
        )
    return period.numerator, period.denominator


@lru_cache(maxsize=4096)
def moves_to(target: Board) -> tuple[Square, ...] | None:
    """Moves from the standard start to a board, passes left out; None if none are found quickly.

    >>> [str(move) for move in moves_to(Board().play("f5").play("d6"))]
    ['f5', 'd6']

    Discs are never removed, so only moves onto the target's squares are tried.
    """
    taken = target.black | target.white
    seen: set[Board] = set()

    def search(board: Board, moves: tuple[Square, ...]) -> tuple[Square, ...] | None:
        if target in (board, board.settled()):
            return moves
        board = board.settled()
        if board in seen or len(seen) >= SEARCHED_BOARDS or board.discs >= target.discs:
            return None
        seen.add(board)
        for move in board.legal_moves:
            if taken >> move & 1 and (found := search(board.play(move), (*moves, move))) is not None:
                return found
        return None

    return search(Board(), ())
