"""Visitors' computations (moves, searches, short matches) run in processes outside the server's own.

There are two kinds: one process for quick tasks, so that people who play do not wait for those who search,
and two for the rest. A task over its time limit ends with its process, which is replaced; the client gets 503
with Retry-After. Each address has its share of either kind, and no more.

Pools of libraries (concurrent.futures, pebble, loky) pickle results: a process that handles strangers' files
must not hand pickles to the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache
from fastapi import HTTPException
from fastapi.concurrency import run_in_threadpool

from outflank.interfaces.web.compute.process import TaskName
from outflank.interfaces.web.limits.fair_queue import FairQueue, QueueLimits
from outflank.league.league import League
from outflank.league.schema import Player

START_SECONDS = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 30.0  # before a process that died while starting is started again
LARGEST_RESPONSE = 1 << 20
QUICK_SECONDS = 2.0  # on a machine that is not idle; most take some milliseconds
LONG_SECONDS = 10.0
QUICK_FILE = 256 << 10  # bytes of a file that any player can be read and compiled from in an instant
QUICK_CPU_SECONDS = 0.3  # of a task, with the loading of its player
MOST_KNOWN = 10_000  # players known to be quick or not
MOST_PLAYERS = 256  # remembered for each process
BUSY = "too many requests for moves and matches; try again in a moment"
QUICK = QueueLimits(
    running=1, running_each=1, waiting=200, waiting_each=40, wait_seconds=10.0, retry_seconds=2
)
LONG = QueueLimits(
    running=2, running_each=1, waiting=100, waiting_each=20, wait_seconds=20.0, retry_seconds=10
)
log = logging.getLogger("outflank.web")


@dataclass(frozen=True)
class Task:
    """A computation and its players. A search or a match is long, whoever plays it."""

    name: TaskName
    arguments: dict[str, Any]
    players: Sequence[Player] = ()
    is_long: bool = False


class ComputePool:
    """Processes for quick tasks and for long ones, started by start() or by their first task."""

    def __init__(self, league: League) -> None:
        self._league = league
        self.quick = _Lane(QUICK, QUICK_SECONDS, niceness=5)
        self.long = _Lane(LONG, LONG_SECONDS, niceness=19)
        self._known: LRUCache[str, bool] = LRUCache(MOST_KNOWN)  # by digest: whether a player is quick

    async def run(self, task: Task, address: str) -> bytes:
        """The task's result. HTTPException: 503 if it waits or takes too long, 422 with a sentence if the
        request is wrong."""
        is_quick = not task.is_long and all([await self._is_quick(player) for player in task.players])
        lane = self.quick if is_quick else self.long
        try:
            result, seconds = await lane.run(task, address, self._league)
        except HTTPException as error:
            if is_quick and error.status_code == 503 and isinstance(error.__cause__, TimeoutError):
                self._note(task, False)
            raise
        if not task.is_long:
            self._note(task, seconds <= QUICK_CPU_SECONDS)
        return result

    async def start(self) -> None:
        """Start all; one that fails is started by its first task, which then reports why."""
        await asyncio.gather(*(process.start() for process in self.processes), return_exceptions=True)

    async def close(self) -> None:
        await asyncio.gather(*(process.close() for process in self.processes))

    @property
    def processes(self) -> list[_Process]:
        return [*self.quick.processes, *self.long.processes]

    async def _is_quick(self, player: Player) -> bool:
        known = self._known.get(player.digest)
        if known is not None:
            return known
        return await run_in_threadpool(self._league.file_size, player.id) <= QUICK_FILE

    def _note(self, task: Task, is_quick: bool) -> None:
        for player in task.players:
            self._known[player.digest] = is_quick


class _Lane:
    """Processes of one kind, and their queue."""

    def __init__(self, limits: QueueLimits, seconds: float, niceness: int) -> None:
        self._queue = FairQueue(limits, BUSY)
        self._seconds = seconds
        self.processes = [_Process(niceness) for _ in range(limits.running)]
        self._idle = list(self.processes)

    async def run(self, task: Task, address: str, league: League) -> tuple[bytes, float]:
        async with self._queue.turn(address):
            process = self._chosen(task)
            self._idle.remove(process)
            try:
                return await process.run(task, league, self._seconds)
            except (TimeoutError, OSError, EOFError) as error:
                text = f"this took more than {self._seconds:g} s or too much memory, and was ended"
                raise HTTPException(
                    503, text, {"Retry-After": str(self._queue.limits.retry_seconds)}
                ) from error
            finally:
                self._idle.append(process)

    def _chosen(self, task: Task) -> _Process:
        """An idle process, preferably one that has the players."""
        digests = {player.digest for player in task.players}
        return max(self._idle, key=lambda process: len(digests & process.has_loaded.keys()))


class _Process:
    """One compute process, restarted whenever it ends."""

    def __init__(self, niceness: int) -> None:
        self._command = [sys.executable, "-m", "outflank.interfaces.web.compute.process"]
        self._niceness = niceness
        self._process: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()
        self._supervisor: asyncio.Task[None] | None = None
        self._closed = asyncio.Event()
        self.has_loaded: LRUCache[str, None] = LRUCache(MOST_PLAYERS)  # digests of players it was sent

    @property
    def id(self) -> int | None:
        return self._process.pid if self._process is not None else None

    async def start(self) -> asyncio.subprocess.Process:
        """The process, ready for a task."""
        async with self._starting:
            if self._closed.is_set():
                raise OSError("the server is stopping")
            if self._supervisor is None:
                self._supervisor = asyncio.create_task(self._supervise())
            if self._process is not None and self._process.returncode is None:
                return self._process
            self.has_loaded.clear()
            process = await asyncio.create_subprocess_exec(
                *self._command, str(os.getpid()), str(self._niceness), stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )  # fmt: skip
            self._process = process
            try:
                if self._closed.is_set():
                    raise OSError("the server is stopping")
                async with asyncio.timeout(START_SECONDS):
                    await _received(process)
            except BaseException:
                await _ended(process)
                raise
            return process

    async def run(self, task: Task, league: League, seconds: float) -> tuple[bytes, float]:
        """The task's bytes, and the CPU seconds it takes. Whatever goes wrong, the process is ended: the rest
        of its response would be taken for the next one."""
        process = await self.start()
        try:
            async with asyncio.timeout(seconds):
                response = await self._exchange(process, task, league)
                result = await _received(process) if "result" in response else b""
        except BaseException:
            await _ended(process)
            raise
        self.has_loaded.update(dict.fromkeys(player.digest for player in task.players))
        if "refused" in response:
            raise HTTPException(422, str(response["refused"])[:500])
        if "error" in response:
            fields = {"traceback": str(response["error"])[:10_000]}
            log.error("error in a compute process", extra={"fields": fields})
            raise RuntimeError(f"a compute process could not do {task.name}")
        return result, float(response["result"])

    async def close(self) -> None:
        self._closed.set()
        if self._process is not None:
            _kill(self._process)  # one that is starting then fails to
        if self._supervisor is not None:
            await self._supervisor
        async with self._starting:
            if self._process is not None:
                await _ended(self._process)

    async def _exchange(
        self, process: asyncio.subprocess.Process, task: Task, league: League
    ) -> dict[str, Any]:
        players = [(player.digest, player.view) for player in task.players]
        request = {"task": task.name, "arguments": task.arguments, "players": players}
        await _send(process, json.dumps(request).encode())
        response: dict[str, Any] = json.loads(await _received(process))
        if "wants" in response:
            for number in response["wants"]:
                await _send(process, await run_in_threadpool(league.content, task.players[number].id))
            response = json.loads(await _received(process))
        return response

    async def _supervise(self) -> None:
        """Restart the process whenever it ends, with exponential back-off while it dies as it starts. The
        event ends this, not cancellation: create_subprocess_exec would leave a process behind."""
        pause = FIRST_PAUSE
        while not self._closed.is_set():
            try:
                process = await self.start()
            except Exception as error:
                if not self._closed.is_set():
                    fields = {"reason": repr(error)}
                    log.warning("a compute process did not start", extra={"fields": fields})
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._closed.wait(), pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            pause = FIRST_PAUSE
            code = await process.wait()
            if not self._closed.is_set():
                log.warning("a compute process ended and is restarted", extra={"fields": {"code": code}})


async def _send(process: asyncio.subprocess.Process, message: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(len(message).to_bytes(4, "big"))
        process.stdin.write(message)
        await process.stdin.drain()
    except RuntimeError as error:  # what uvloop raises for a pipe whose process has just ended
        raise BrokenPipeError(str(error)) from None


async def _received(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    length = int.from_bytes(await process.stdout.readexactly(4), "big")
    if length > LARGEST_RESPONSE:
        raise EOFError("a compute process responded with too much")
    return await process.stdout.readexactly(length)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Kill a process and wait until its pipes are closed: the event loop must not end before them."""
    _kill(process)
    with contextlib.suppress(RuntimeError):  # another task still reads from it
        await process.communicate()
    await process.wait()


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
