"""Engine processes as players: `gtp:COMMAND` and `nboard:COMMAND`.

>>> player = external_player("gtp,timeout=5:python3 my_engine.py --level 2,3")
>>> player.command, player.timeout
(('python3', 'my_engine.py', '--level', '2,3'), 5.0)

Options come before the colon; everything after it is the command, commas included, split as a shell
would (no shell runs it). A match plays one game at a time on a process, several processes at once.
"""

from __future__ import annotations

import math
import re
import shlex
import shutil
import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from outflank.board import Board, Square
from outflank.players.engine_process import EngineFault, EngineProcess
from outflank.players.gtp_client import GtpClient
from outflank.players.nboard_client import NBoardClient

EngineProtocol = Literal["gtp", "nboard"]
_EXTERNAL = re.compile(r"(gtp|nboard)((?:,[^:]*)?):(.*)", re.DOTALL)
_OPTIONS = {"gtp": ("timeout", "startup", "time"), "nboard": ("timeout", "startup", "depth")}
TIMEOUT = 30.0
NBOARD_DEPTH = 8  # an NBoard engine must be told one


@dataclass(frozen=True)
class ExternalPlayer:
    """A program that speaks GTP or NBoard.

    timeout: seconds within which it must answer each command; startup: the first one. time: seconds a
    move that a GTP engine is told to take; depth: what an NBoard engine is told to search to.
    """

    protocol: EngineProtocol
    command: tuple[str, ...]
    name: str
    timeout: float = TIMEOUT
    startup: float = TIMEOUT
    time: float | None = None
    depth: int = NBOARD_DEPTH
    _open: list[Engine] = field(default_factory=list, init=False, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    @property
    def core(self) -> None:
        """An engine does not play in the core."""
        return None

    def start(self) -> Engine:
        """A new process of this engine, ready to play."""
        return Engine(self)

    def choose(self, board: Board) -> Square:
        """Its move on a board, by a process that runs as long as this player lives."""
        with self._lock:
            if not self._open:
                engine = self.start()
                self._open.append(engine)
                weakref.finalize(self, engine.close)
            try:
                return self._open[0].choose(*_as_continued(self._open[0], board))
            except EngineFault as fault:
                self._open.pop().close()
                raise EngineFault(f"{self.name} {fault}") from None

    def kill(self) -> None:
        """Ends the process that `choose` started at once, from any thread."""
        for engine in self._open:
            engine.kill()

    def close(self) -> None:
        """Ends the process that `choose` started."""
        with self._lock:
            while self._open:
                self._open.pop().close()


class Engine:
    """One running process of an external player. EngineFault says what it did wrong."""

    def __init__(self, player: ExternalPlayer) -> None:
        try:
            self._process = EngineProcess(player.command)
        except OSError as error:
            program = player.command[0]
            raise ValueError(
                f"{program!r} cannot be started: {(error.strerror or str(error)).lower()}"
            ) from None
        self.game: tuple[Board, tuple[Square, ...]] = (Board(), ())  # the last one it was asked about
        self._closed = False
        try:
            self._client: GtpClient | NBoardClient = (
                GtpClient(self._process, player.startup, player.timeout, player.time)
                if player.protocol == "gtp"
                else NBoardClient(self._process, player.startup, player.timeout, player.depth)
            )
        except BaseException:
            self._process.kill()
            self._process.close("quit")
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def can_start_from(self, start: Board) -> bool:
        return self._client.can_start_from(start)

    def choose(self, start: Board, moves: Sequence[Square]) -> Square:
        """Its move after the moves of a game (passes left out), checked against our own rules."""
        board = start
        for played in moves:
            board = board.settled().play(played)
        board = board.settled()
        move = self._client.choose(start, moves)
        if move is None:
            raise EngineFault(f"passed on {board.text}, where it has a move")
        if move not in board.legal_moves:
            raise EngineFault(f"played {move}, which is not a legal move on {board.text}")
        self.game = (start, (*moves, move))
        return move

    def kill(self) -> None:
        """Ends it at once, from any thread; whoever waits for it gets an EngineFault."""
        self._process.kill()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._process.close(self._client.farewell)


def _as_continued(engine: Engine, board: Board) -> tuple[Board, tuple[Square, ...]]:
    """A board as the continuation of the engine's game by one move, if it is that; else as a start."""
    start, moves = engine.game
    now = start
    for move in moves:
        now = now.settled().play(move)
    for further in ((), *((move,) for move in now.settled().legal_moves)):
        after = now
        for move in further:
            after = after.settled().play(move)
        if board in (after, after.settled()):
            return start, (*moves, *further)
    return board, ()


def is_external(text: str) -> bool:
    return _EXTERNAL.fullmatch(text.strip()) is not None


def external_player(text: str) -> ExternalPlayer:
    """The player that `gtp[,key=value...]:COMMAND` or `nboard[,key=value...]:COMMAND` names."""
    match = _EXTERNAL.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not an engine; engines are named like gtp:COMMAND or nboard:COMMAND")
    protocol: EngineProtocol = "gtp" if match[1] == "gtp" else "nboard"
    options = _numbers(protocol, match[2])
    try:
        command = tuple(shlex.split(match[3]))
    except ValueError as error:
        raise ValueError(f"the command {match[3]!r} cannot be split: {str(error).lower()}") from None
    if not command:
        raise ValueError(f"{text!r} has no command after the colon; write {protocol}:COMMAND")
    _check_program(command[0])
    return ExternalPlayer(
        protocol,
        command,
        text,
        timeout=options.get("timeout", TIMEOUT),
        startup=options.get("startup", TIMEOUT),
        time=options.get("time"),
        depth=round(options.get("depth", NBOARD_DEPTH)),
    )


def _check_program(program: str) -> None:
    if shutil.which(program) is not None:
        return
    if Path(program).is_file():
        raise ValueError(
            f"{program!r} is not a program that may be run; make it executable, or name what runs it"
        )
    raise ValueError(f"there is no program {program!r} to start; give its full path or put it on the PATH")


def _numbers(protocol: EngineProtocol, text: str) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for option in filter(None, text.split(",")):
        key, _, value = (part.strip() for part in option.partition("="))
        if key not in _OPTIONS[protocol]:
            raise ValueError(
                f"{key!r} is not an option of {protocol}:; known: {', '.join(_OPTIONS[protocol])}"
            )
        if key in numbers:
            raise ValueError(f"{key} is given twice")
        try:
            numbers[key] = float(value)
        except ValueError:
            raise ValueError(f"{key} must be a number, got {value!r}") from None
        if not (0 < numbers[key] < math.inf) or (key == "depth" and numbers[key] != round(numbers[key])):
            kind = "a whole number above 0" if key == "depth" else "a number of seconds above 0"
            raise ValueError(f"{key} must be {kind}, got {value!r}")
    return numbers
