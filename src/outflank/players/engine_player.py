"""Engine processes as players: `gtp:COMMAND` and `nboard:COMMAND`.

>>> player = external_player("gtp,timeout=5:python3 my_engine.py --level 2,3")
>>> player.command, player.timeout
(('python3', 'my_engine.py', '--level', '2,3'), 5.0)

Options come before the colon; everything after it is the command, commas included, split as a shell
would (no shell runs it), with `~` as the home folder. The path of a program may hold spaces without being
quoted. A match plays one game at a time on a process, several processes at once.
"""

from __future__ import annotations

import contextlib
import os
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
from outflank.players.engine_process import Deadline, EngineFault, EngineProcess, EngineStartError
from outflank.players.gtp_client import GtpClient, as_period
from outflank.players.nboard_client import NBoardClient

EngineProtocol = Literal["gtp", "nboard"]
_EXTERNAL = re.compile(r"(gtp|nboard)((?:,[^:]*)?):(.*)", re.DOTALL)
_OPTIONS = {"gtp": ("timeout", "startup", "time"), "nboard": ("timeout", "startup", "depth")}
TIMEOUT = 30.0
LONGEST_TIME = 1e6  # seconds: eleven days
NBOARD_DEPTH = 8  # an NBoard engine must be told one


@dataclass(frozen=True)
class ExternalPlayer:
    """A program that speaks GTP or NBoard.

    timeout: seconds within which it must have made a move; startup: within which it must be ready for the
    first one. time: seconds per move that a GTP engine is told to take; depth: what an NBoard engine is told
    to search to.
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

    @property
    def period(self) -> tuple[int, int] | None:
        """`time` as a GTP engine is told it."""
        return None if self.time is None else as_period(self.time)

    def launch(self) -> Engine:
        """A new process of this engine, which has not yet been asked whether it is there."""
        return Engine(self)

    def start(self) -> Engine:
        """A new process of this engine, ready to play; EngineStartError if it does not come to that."""
        engine = self.launch()
        try:
            engine.get_ready(self)
        except BaseException:
            engine.kill()
            engine.close()
            raise
        return engine

    def open(self) -> None:
        """Starts the process of `choose`, where one wants to know at once whether it can be started."""
        with self._lock:
            self._opened()

    def _opened(self) -> Engine:
        if not self._open:
            engine = self.launch()
            self._open.append(engine)
            weakref.finalize(self, engine.close)
            try:
                engine.get_ready(self)
            except BaseException:
                engine.kill()
                self._open.pop().close()
                raise
        return self._open[0]

    def choose(self, board: Board) -> Square:
        """Its move on a board, by a process that runs as long as this player lives."""
        with self._lock:
            engine = self._opened()
            try:
                return engine.choose(*_as_continued(engine, board))
            except EngineFault as fault:
                self._open.pop().close()
                raise EngineFault(f"{self.name} {fault}") from None

    def kill(self) -> None:
        """Ends the process that `choose` started at once, from any thread."""
        for engine in tuple(self._open):
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
            reason = (error.strerror or str(error)).lower()
            raise EngineStartError(f"{player.name} cannot be started: {reason}") from None
        self.game: tuple[Board, tuple[Square, ...]] = (Board(), ())  # the last one it was asked about
        self._closed = False
        self._client: GtpClient | NBoardClient | None = None

    def get_ready(self, player: ExternalPlayer) -> None:
        """Waits until it answers as its protocol asks, within one limit for all of it."""
        deadline = Deadline(player.startup)
        try:
            self._client = (
                GtpClient(self._process, deadline, player.timeout, player.period)
                if player.protocol == "gtp"
                else NBoardClient(self._process, deadline, player.timeout, player.depth)
            )
        except EngineFault as fault:
            advice = (
                ""
                if deadline.left > 0
                else (f"; does it speak {player.protocol.upper()}? A slow one needs a longer startup=S")
            )
            raise EngineStartError(f"{player.name} cannot be started: it {fault}{advice}") from None

    @property
    def pid(self) -> int:
        return self._process.pid

    def can_start_from(self, start: Board) -> bool:
        return self._ready.can_start_from(start)

    def choose(self, start: Board, moves: Sequence[Square]) -> Square:
        """Its move after the moves of a game (passes left out), checked against our own rules."""
        board = start
        for played in moves:
            board = board.settled().play(played)
        board = board.settled()
        move = self._ready.choose(start, moves)
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
            self._process.close("quit")

    @property
    def _ready(self) -> GtpClient | NBoardClient:
        assert self._client is not None
        return self._client


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
    command = _command(match[3], protocol)
    player = ExternalPlayer(
        protocol,
        command,
        text,
        timeout=options.get("timeout", TIMEOUT),
        startup=options.get("startup", options.get("timeout", TIMEOUT)),
        time=options.get("time"),
        depth=round(options.get("depth", NBOARD_DEPTH)),
    )
    _ = player.period  # a time that cannot be told is refused now
    return player


def _command(text: str, protocol: EngineProtocol) -> tuple[str, ...]:
    """The words of a command. If its first word is no program, its path may hold spaces."""
    try:
        words = [_at_home(word) for word in shlex.split(text)]
        problem = f"{protocol}: has no command after the colon; write {protocol}:COMMAND" if not words else ""
    except ValueError as error:
        words, problem = [], f"the command {text!r} cannot be split: {str(error).lower()}"
    if words and shutil.which(words[0]) is not None:
        return tuple(words)
    if (found := _unquoted_path(text)) is not None:
        return found
    raise ValueError(problem or _no_program(words[0]))


def _unquoted_path(text: str) -> tuple[str, ...] | None:
    """A command that opens with the path of a program as it is, spaces and backslashes included."""
    for space in re.finditer(r"\s+|$", text := text.strip()):
        program = _at_home(text[: space.start()])
        if Path(program).is_file() and os.access(program, os.X_OK):
            with contextlib.suppress(ValueError):  # the rest may hold the other half of a quotation
                return (program, *(_at_home(word) for word in shlex.split(text[space.end() :])))
    return None


def _at_home(word: str) -> str:
    if not word.startswith("~"):
        return word
    with contextlib.suppress(RuntimeError):  # nobody of that name has a home
        return str(Path(word).expanduser())
    return word


def _no_program(program: str) -> str:
    if Path(program).is_file():
        return f"{program!r} is not a program that may be run; make it executable, or name what runs it"
    return f"there is no program {program!r} to start; give its full path or put it on the PATH"


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
        if not (0 < numbers[key] <= LONGEST_TIME) or (key == "depth" and numbers[key] != round(numbers[key])):
            kind = "a whole number" if key == "depth" else "a number of seconds"
            kind += f" above 0, {LONGEST_TIME:,.0f} at most"
            raise ValueError(f"{key} must be {kind}, got {value!r}")
    return numbers
