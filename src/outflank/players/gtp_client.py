"""A GTP engine as our player: the Go Text Protocol 2 as Othello programs speak it.

Commands go without ids, one at a time: the simplest engines understand no more. An answer is a line that
opens with = or ?, and ends with an empty line; other lines before it are chatter and are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from outflank.board import Board, Square
from outflank.players.engine_process import LONGEST_LINE, Deadline, EngineFault, EngineProcess

# Commands by which an engine takes any position, as 64 characters and the side to move.
SETUP_COMMANDS = ("outflank-setup_position", "grhino-setup_board")
SEARCHED_BOARDS = 5_000


class GtpClient:
    """Keeps a GTP engine's board in step with the referee's."""

    farewell = "quit"

    def __init__(
        self, process: EngineProcess, startup: float, timeout: float, seconds_a_move: float | None
    ) -> None:
        self._process = process
        self._timeout = timeout
        self._told: tuple[Board, tuple[Square, ...]] | None = None  # what the engine has on its board
        known = self._ask("list_commands", startup)
        self._commands = frozenset(known[1].split()) if known[0] else frozenset()
        if "set_game" in self._commands:
            self._must("set_game Othello")
        if not self._commands or "boardsize" in self._commands:
            self._must("boardsize 8")
        if seconds_a_move is not None:
            # No main time; one period of so many whole seconds for each stone (GTP 2, section 4.2).
            self._must(f"time_settings 0 {max(1, round(seconds_a_move))} 1")
        self._must("clear_board")

    def can_start_from(self, start: Board) -> bool:
        return self._setup_command is not None or moves_to(start) is not None

    def choose(self, start: Board, moves: Sequence[Square]) -> Square | None:
        """The engine's move after the moves of a game; None if it passes."""
        board = self._follow(start, tuple(moves))
        answer = self._must(f"genmove {board.mover}").strip().lower()
        if re.fullmatch(r"[a-h][1-8]", answer):
            move = Square(answer)
            self._told = (start, (*moves, move))
            return move
        self._told = None
        if answer in ("pass", "pa", "ps"):
            return None
        if answer == "resign":
            raise EngineFault("resigned")
        raise EngineFault(f"answered genmove with {answer[:40]!r}, which is no move")

    def _follow(self, start: Board, moves: tuple[Square, ...]) -> Board:
        """Tells the engine the moves it has not heard of: the other player's, and forced random moves."""
        told = self._told
        if told is None or told[0] != start or told[1] != moves[: len(told[1])]:
            self._begin(start)
            told = (start, ())
        board = start
        for number, move in enumerate(moves):
            board = self._settled(board, silent=number < len(told[1]))
            if number >= len(told[1]):
                self._must(f"play {board.mover} {move}")
            board = board.play(move)
        self._told = (start, moves)
        return self._settled(board, silent=False)

    def _settled(self, board: Board, *, silent: bool) -> Board:
        """The board after a pass where the mover has to; engines that pass by themselves may refuse it."""
        after = board.settled()
        if after is not board and not silent:
            self._ask(f"play {board.mover} pass", self._timeout)
        return after

    def _begin(self, start: Board) -> None:
        self._must("clear_board")
        if start != Board() and self._setup_command is not None:
            self._must(f"{self._setup_command} {start.text}")
            return
        if (path := moves_to(start)) is None:
            raise EngineFault("has no command to set up a position")
        board = Board()
        for move in path:
            board = self._settled(board, silent=False)
            self._must(f"play {board.mover} {move}")
            board = board.play(move)
        if board.mover != start.mover:
            self._settled(board, silent=False)

    @property
    def _setup_command(self) -> str | None:
        return next((command for command in SETUP_COMMANDS if command in self._commands), None)

    def _must(self, command: str) -> str:
        fine, text = self._ask(command, self._timeout)
        if not fine:
            raise EngineFault(f"refused {command!r}: {text[:80]!r}")
        return text

    def _ask(self, command: str, seconds: float) -> tuple[bool, str]:
        for line in self._process.lines_at_hand():
            if line.startswith(("=", "?")):
                raise EngineFault(f"answered without being asked: {line[:40]!r}")
        deadline = Deadline(seconds)
        self._process.send(command, deadline)
        seen = 0
        while not (line := self._process.read_line(deadline)).startswith(("=", "?")):
            seen += len(line) + 1
            if seen > LONGEST_LINE:
                raise EngineFault(f"printed more than {LONGEST_LINE} bytes that are no answer")
        text = [line[1:].strip()]
        while more := self._process.read_line(deadline).strip():
            text.append(more)
            if sum(map(len, text)) > LONGEST_LINE:
                raise EngineFault(f"gave an answer of more than {LONGEST_LINE} bytes")
        return line[0] == "=", "\n".join(text)


@lru_cache(maxsize=4096)
def moves_to(target: Board) -> tuple[Square, ...] | None:
    """Moves from the usual start to a board, passes left out; None if none are found soon.

    >>> [str(move) for move in moves_to(Board().play("f5").play("d6"))]
    ['f5', 'd6']

    Squares once taken stay taken, so only moves onto the target's squares are tried.
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
