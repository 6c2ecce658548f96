"""Engine processes as players: `gtp:COMMAND` and `nboard:COMMAND`.

>>> player = external_player("gtp,timeout=5:python3 my_engine.py --level 2,3")
>>> player.command, player.timeout
(('python3', 'my_engine.py', '--level', '2,3'), 5.0)

Options come before the colon; everything after it is the command, commas included, split as by a shell
(though no shell runs it), with `~` as the home folder. The path of a program may contain unquoted spaces. A
match plays one game at a time per process, on several processes at once.
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
from outflank.players.engines.gtp import GtpClient, as_period
from outflank.players.engines.nboard import NBoardClient
from outflank.players.engines.process import Deadline, EngineError, EngineProcess, EngineStartError

EngineProtocol = Literal["gtp", "nboard"]
_EXTERNAL = re.compile(r"(gtp|nboard)((?:,[^:]*)?):(.*)", re.DOTALL)
_OPTIONS = {"gtp": ("timeout", "startup", "time"), "nboard": ("timeout", "startup", "depth")}
TIMEOUT = 30.0
LONGEST_TIME = 1e6  # seconds
NBOARD_DEPTH = 8  # NBoard requires one


@dataclass(frozen=True)
class ExternalPlayer:
    """A program that speaks GTP or NBoard.

    timeout: seconds within which it must make a move; startup: seconds within which it must be ready for the
    first one. time: seconds per move sent to a GTP engine; depth: the search depth sent to an NBoard engine.
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
        """None: an engine does not play in the core."""
        return None

    @property
    def period(self) -> tuple[int, int] | None:
        """`time` in the form that GTP has for it."""
        return None if self.time is None else as_period(self.time)

    def launch(self) -> Engine:
        """A new process of this engine, not yet known to be ready."""
        return Engine(self)

    def start(self) -> Engine:
        """A new process of this engine, ready to play, or an EngineStartError."""
        engine = self.launch()
        try:
            engine.get_ready(self)
        except BaseException:
            engine.kill()
            engine.close()
            raise
        return engine

    def open(self) -> None:
        """Starts the process for `choose` now, to find out whether it can be started."""
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
        """Its move on a board, by a process that lives as long as this object."""
        with self._lock:
            engine = self._opened()
            try:
                return engine.choose(*_as_continued(engine, board))
            except EngineError as error:
                self._open.pop().close()
                raise EngineError(f"{self.name} {error}") from None

    def kill(self) -> None:
        """Kills the process that `choose` started, from any thread."""
        for engine in tuple(self._open):
            engine.kill()

    def close(self) -> None:
        """Ends the process that `choose` started."""
        with self._lock:
            while self._open:
                self._open.pop().close()


class Engine:
    """One running process of an external player; EngineError says what went wrong."""

    def __init__(self, player: ExternalPlayer) -> None:
        try:
            self._process = EngineProcess(player.command)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise EngineStartError(f"{player.name} cannot be started: {reason}") from None
        self.game: tuple[Board, tuple[Square, ...]] = (Board(), ())  # its last game
        self._closed = False
        self._client: GtpClient | NBoardClient | None = None

    def get_ready(self, player: ExternalPlayer) -> None:
        """Waits until it has answered the protocol's opening commands, within one time limit for all."""
        deadline = Deadline(player.startup)
        try:
            self._client = (
                GtpClient(self._process, deadline, player.timeout, player.period)
                if player.protocol == "gtp"
                else NBoardClient(self._process, deadline, player.timeout, player.depth)
            )
        except EngineError as error:
            reason = f"{player.name} cannot be started: it {error}"
            if deadline.left <= 0:
                reason += f"; does it speak {player.protocol.upper()}? A slow one needs a longer startup=S"
            raise EngineStartError(reason) from None

    @property
    def pid(self) -> int:
        return self._process.pid

    def can_start_from(self, start: Board) -> bool:
        return self._ready.can_start_from(start)

    def choose(self, start: Board, moves: Sequence[Square]) -> Square:
        """Its move after the moves of a game (passes left out), checked by our own rules."""
        board = start
        for played in moves:
            board = board.settled().play(played)
        board = board.settled()
        move = self._ready.choose(start, moves)
        if move is None:
            raise EngineError(f"passed on {board.text}, where it has a move")
        if move not in board.legal_moves:
            raise EngineError(f"played {move}, which is not a legal move on {board.text}")
        self.game = (start, (*moves, move))
        return move

    def kill(self) -> None:
        """Kills it, from any thread; a caller that waits for it gets an EngineError."""
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
    """A board as its last game continued by at most one move, if possible; otherwise as a new start."""
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
    _ = player.period  # refuses a time that GTP cannot express
    return player


def _command(text: str, protocol: EngineProtocol) -> tuple[str, ...]:
    """The words of a command. If the first word is not a program, the program's path may contain spaces."""
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
    """A command that starts with the unquoted path of a program, spaces and backslashes included."""
    for space in re.finditer(r"\s+|$", text := text.strip()):
        program = _at_home(text[: space.start()])
        if Path(program).is_file() and os.access(program, os.X_OK):
            with contextlib.suppress(ValueError):  # the rest may contain an unmatched quotation mark
                return (program, *(_at_home(word) for word in shlex.split(text[space.end() :])))
    return None


def _at_home(word: str) -> str:
    if not word.startswith("~"):
        return word
    with contextlib.suppress(RuntimeError):  # no such user
        return str(Path(word).expanduser())
    return word


def _no_program(program: str) -> str:
    if Path(program).is_file():
        return f"{program!r} is not executable; make it executable, or name the program that runs it"
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
