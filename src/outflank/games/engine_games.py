"""Games of players that play one game at a time: engine processes, timed searches, players that need a game's
moves. Several games run at once, each at a table of its own.

The referee's board and the forced random moves are the same as in every other game (`_core.GamesInStep`), so
engines play by the same rules and draw from the same random streams. An engine that violates the protocol
loses that game, its process is replaced before the next one, and the match goes on. An engine that cannot be
started raises EngineStartError: before the first game at once, later after a few tries.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board
from outflank.games.batch import (
    FORFEIT_DIFFERENCE,
    Batch,
    BothTimes,
    Forfeit,
    MoveTimes,
    answer_in_game,
    squares_of,
)
from outflank.players.engines.player import Engine, ExternalPlayer
from outflank.players.engines.process import EngineError, EngineStartError
from outflank.players.greedy import HistoryPlayer, Player
from outflank.players.search import SearchPlayer

if TYPE_CHECKING:
    from outflank.games.match import Match

MOST_STARTS = 3  # tries to restart an engine that has played before
FEWEST_DISCS = 4  # a game from fewer discs may have more moves than a record holds


class _Stopped(Exception):
    """The match is being cancelled; games need not be finished."""


class _ProcessPool:
    """All processes of one engine in a match."""

    def __init__(self, player: ExternalPlayer) -> None:
        self.player = player
        self._lock = threading.Lock()
        self._running: set[Engine] = set()
        self._has_started = False
        self._stopped = False
        self._given_up = ""  # why no further start is tried

    def start(self) -> Engine:
        """A process that is ready to play; the very first gets one try."""
        if self._given_up:
            raise EngineStartError(self._given_up)
        tries = MOST_STARTS if self._has_started else 1
        for left in reversed(range(tries)):
            engine = self._launched()
            try:
                engine.get_ready(self.player)
            except EngineStartError as error:
                self._kill(engine)
                if not left or self._stopped:
                    often = f", {tries} times in a row" if tries > 1 else ""
                    self._given_up = f"{error}{often}"
                    raise EngineStartError(self._given_up) from None
            except BaseException:
                self._kill(engine)
                raise
            else:
                self._has_started = True
                return engine
        raise AssertionError("the last try returns or raises")

    def _launched(self) -> Engine:
        engine = self.player.launch()
        with self._lock:
            self._running.add(engine)
            if self._stopped:
                engine.kill()
        return engine

    def _kill(self, engine: Engine) -> None:
        engine.kill()
        self.end(engine)

    def end(self, engine: Engine) -> None:
        with self._lock:
            self._running.discard(engine)
        engine.close()

    def kill_all(self) -> None:
        with self._lock:
            self._stopped = True
            for engine in self._running:
                engine.kill()


class _Seat:
    """One player at one table: an engine process of its own, or a player in this process."""

    def __init__(self, player: Player, processes: _ProcessPool | None, lock: threading.Lock) -> None:
        self.player, self._processes, self._lock = player, processes, lock
        self._engine: Engine | None = None

    def move(self, games: _core.GamesInStep, start: Board) -> float:
        """Lets the player move; returns the seconds it took, without the start of a process."""
        if self._processes is None:
            # The core is thread-safe; a player in Python need not be.
            with contextlib.nullcontext() if getattr(self.player, "core", None) else self._lock:
                began = time.perf_counter()
                answer_in_game(games, self.player, start)
                return time.perf_counter() - began
        engine = self.engine()
        began = time.perf_counter()
        try:
            square = engine.choose(start, squares_of(games.moves()[0]))
        except EngineError:
            engine.kill()  # it may not answer a polite request
            self.clear()
            raise
        seconds = time.perf_counter() - began
        games.answer_squares(np.array([square], dtype=np.uint8))
        return seconds

    def engine(self) -> Engine:
        assert self._processes is not None
        if self._engine is None:
            self._engine = self._processes.start()
        return self._engine

    def clear(self) -> None:
        if self._engine is not None and self._processes is not None:
            self._processes.end(self._engine)
        self._engine = None


@dataclass(frozen=True)
class _Played:
    """A finished game."""

    difference: int  # for the first player
    moves: npt.NDArray[np.uint8]
    times: BothTimes
    forfeit: Forfeit | None = None


def needs_a_table(player: Player) -> bool:
    """Whether a player plays one game at a time, rather than thousands in step."""
    return isinstance(player, ExternalPlayer | HistoryPlayer) or _has_clock(player)


def _has_clock(player: Player) -> bool:
    return isinstance(player, SearchPlayer) and player.limits.seconds is not None


class EngineGames:
    """The games of a match with at least one player that needs a table."""

    def __init__(self, match: Match, rules: _core.MatchRules) -> None:
        self._match, self._rules = match, rules
        self._players = (match.first, match.second)
        self._processes = [_ProcessPool(p) if isinstance(p, ExternalPlayer) else None for p in self._players]
        locks = [threading.Lock(), threading.Lock()]
        tables = max(1, min(match.threads, match.double_games))
        self._tables = [
            tuple(_seat(*seat) for seat in zip(self._players, self._processes, locks, strict=True))
            for _ in range(tables)
        ]
        self._free: SimpleQueue[tuple[_Seat, ...]] = SimpleQueue()
        for table in self._tables:
            self._free.put(table)
        self._stop = threading.Event()

    def batches(self, record: bool, first_game: int) -> Iterator[Batch]:
        """Double games in order, each as soon as it and those before it are finished."""
        if first_game >= 2 * self._match.double_games:
            return
        under_way: deque[Future[Batch]] = deque()
        over = False
        pool = ThreadPoolExecutor(len(self._tables), thread_name_prefix="engine games")
        try:
            self._check_starts()
            for game in range(first_game, 2 * self._match.double_games, 2):
                under_way.append(pool.submit(self._double_game, game, record))
                if len(under_way) > 2 * len(self._tables):
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
            over = True
        finally:
            self._end(pool, over)

    def _end(self, pool: ThreadPoolExecutor, over: bool) -> None:
        """Leaves no thread or process behind, whether the match is finished, interrupted or abandoned."""
        if not over:
            self._stop.set()
            for engines in filter(None, self._processes):
                engines.kill_all()
        pool.shutdown(wait=True, cancel_futures=True)
        with ThreadPoolExecutor(len(self._tables)) as closing:  # engines may take a while to quit
            list(closing.map(_Seat.clear, (seat for table in self._tables for seat in table)))

    def _check_starts(self) -> None:
        """Refuses the match if an engine cannot be started, or cannot play from its starts."""
        for player, processes, seat in zip(self._players, self._processes, self._tables[0], strict=True):
            if processes is None:
                continue
            engine = seat.engine()
            for start in set(self._match.starts):
                if not engine.can_start_from(start):
                    raise ValueError(
                        f"{player.name} cannot play from {start.text}: no moves that lead there were "
                        "found, and the engine has no command to set it up; remove such starts"
                    )

    def _double_game(self, first_game: int, record: bool) -> Batch:
        table = self._free.get()
        try:
            played = [self._game(table, number) for number in (first_game, first_game + 1)]
        finally:
            self._free.put(table)
        one, other = (game.times for game in played)
        return Batch(
            first_game,
            np.array([game.difference for game in played], dtype=np.int8),
            np.array([game.moves for game in played], dtype=np.uint8) if record else None,
            tuple(game.forfeit for game in played if game.forfeit is not None),
            (one[0] + other[0], one[1] + other[1]),
            (one, other),
        )

    def _game(self, table: tuple[_Seat, ...], number: int) -> _Played:
        """A game to its end, or until a player forfeits it."""
        start = self._match.starts[number // 2 % len(self._match.starts)]
        games = _core.GamesInStep(self._rules, number, 1, True)
        times = [MoveTimes(), MoveTimes()]
        while not games.over:
            for turn, seat in enumerate(table):
                if not games.gather(turn):
                    continue
                try:
                    times[turn] += MoveTimes.of(seat.move(games, start))
                except EngineError as error:
                    if self._stop.is_set():
                        raise _Stopped from None
                    if isinstance(error, EngineStartError):
                        raise
                    lost = FORFEIT_DIFFERENCE if turn == 1 else -FORFEIT_DIFFERENCE
                    forfeit = Forfeit(number, seat.player.name, str(error), by_first=turn == 0)
                    return _Played(lost, games.moves()[0], (times[0], times[1]), forfeit)
                if self._stop.is_set():
                    raise _Stopped
        return _Played(int(games.disc_differences()[0]), games.moves()[0], (times[0], times[1]))


def _seat(player: Player, processes: _ProcessPool | None, lock: threading.Lock) -> _Seat:
    if isinstance(player, SearchPlayer) and _has_clock(player):
        return _Seat(replace(player), None, threading.Lock())  # a search per table
    return _Seat(player, processes, lock)
