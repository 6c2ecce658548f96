"""What visitors have computed (moves, searches, short matches) runs in processes outside the server's own.

Two kinds: one process for what is quick, so that people who play do not wait for those who search; two for
the rest. A task that takes longer than its limit ends with its process, which is replaced; whoever asked is
told to come back (503 with Retry-After). Every address has its share of either kind, and no more.

Pools of libraries (concurrent.futures, pebble, loky) pickle results: what handles strangers' files may not
hand pickles to the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import HTTPException
from fastapi.concurrency import run_in_threadpool

from outflank.interfaces.web.caching.player_cache import MOST_PLAYERS
from outflank.interfaces.web.compute.process import TaskName
from outflank.interfaces.web.limits.fair_queue import FairQueue, QueueLimits
from outflank.league.league import League
from outflank.league.schema import Player

START_SECONDS = 60.0
LARGEST_ANSWER = 1 << 20
QUICK_SECONDS = 2.0  # on a machine that is not idle; most take some milliseconds
LONG_SECONDS = 10.0
QUICK_FILE = 256 << 10  # bytes of a file that is read and compiled in an instant, whatever it holds
QUICK_CPU_SECONDS = 0.3  # of a task whose player has to be loaded first
MOST_KNOWN = 10_000  # players of which it is known whether they are quick
BUSY = "too many people ask for moves and matches; try again in a moment"
QUICK = QueueLimits(
    running=1, running_each=1, waiting=200, waiting_each=40, wait_seconds=10.0, retry_seconds=2
)
LONG = QueueLimits(
    running=2, running_each=1, waiting=100, waiting_each=20, wait_seconds=20.0, retry_seconds=10
)
log = logging.getLogger("outflank.web")


@dataclass(frozen=True)
class Task:
    """What to compute, with which players; a search or a match is long, whoever plays it."""

    name: TaskName
    arguments: dict[str, Any]
    players: Sequence[Player] = ()
    is_long: bool = False


class ComputePool:
    """Processes for quick tasks and for long ones; started by the first task, or beforehand by start()."""

    def __init__(self, league: League) -> None:
        self._league = league
        self.quick = _Lane(QUICK, QUICK_SECONDS, niceness=5)
        self.long = _Lane(LONG, LONG_SECONDS, niceness=19)
        self._known: OrderedDict[str, bool] = OrderedDict()  # by digest: whether a player is quick

    async def run(self, task: Task, address: str) -> bytes:
        """The bytes that the task gives. HTTPException: 503 if it must wait too long or takes too long, 422
        with a sentence if what was asked for is wrong."""
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
        """One that does not start is started by the first task for it, which then tells why not."""
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
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)


class _Lane:
    """Processes of one kind, and the queue before them."""

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
        """An idle process that has the players, if there is one."""
        digests = {player.digest for player in task.players}
        return max(self._idle, key=lambda process: len(digests & process.has_had.keys()))


class _Process:
    """One compute process, supervised: it is started again whenever it ends."""

    def __init__(self, niceness: int) -> None:
        self._command = [sys.executable, "-m", "outflank.interfaces.web.compute.process"]
        self._niceness = niceness
        self._process: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None
        self._is_closed = False
        self.has_had: OrderedDict[str, None] = OrderedDict()  # digests of players that it was asked about

    @property
    def id(self) -> int | None:
        return self._process.pid if self._process is not None else None

    async def start(self) -> asyncio.subprocess.Process:
        """The process, ready to be asked."""
        async with self._starting:
            if self._is_closed:
                raise OSError("the server is stopping")
            if self._process is not None and self._process.returncode is None:
                return self._process
            self.has_had.clear()
            process = await asyncio.create_subprocess_exec(
                *self._command, str(os.getpid()), str(self._niceness), stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )  # fmt: skip
            self._process = process
            try:
                if self._is_closed:
                    raise OSError("the server is stopping")
                async with asyncio.timeout(START_SECONDS):
                    await _received(process)
            except BaseException:
                await _ended(process)
                raise
            self._watching = asyncio.create_task(self._watch(process))
            return process

    async def run(self, task: Task, league: League, seconds: float) -> tuple[bytes, float]:
        """The task's bytes, and the seconds of a processor that it takes. Whatever goes wrong, the process
        goes with it: what is left of its answer would be taken for the next one's."""
        process = await self.start()
        try:
            async with asyncio.timeout(seconds):
                answer = await self._exchange(process, task, league)
                result = await _received(process) if "result" in answer else b""
        except BaseException:
            await _ended(process)
            raise
        self.has_had |= dict.fromkeys(player.digest for player in task.players)
        while len(self.has_had) > MOST_PLAYERS:
            self.has_had.popitem(last=False)
        if "refused" in answer:
            raise HTTPException(422, str(answer["refused"])[:500])
        if "fault" in answer:
            log.error(
                "fault in a compute process", extra={"fields": {"fault": str(answer["fault"])[:10_000]}}
            )
            raise RuntimeError(f"a compute process could not do {task.name}")
        return result, float(answer["result"])

    async def close(self) -> None:
        self._is_closed = True
        if self._watching is not None:
            self._watching.cancel()
        if self._process is not None:
            _kill(self._process)  # one that is starting then fails to
        async with self._starting:
            if self._process is not None:
                await _ended(self._process)

    async def _exchange(
        self, process: asyncio.subprocess.Process, task: Task, league: League
    ) -> dict[str, Any]:
        players = [(player.digest, player.view) for player in task.players]
        request = {"task": task.name, "arguments": task.arguments, "players": players}
        await _send(process, json.dumps(request).encode())
        answer: dict[str, Any] = json.loads(await _received(process))
        if "wants" in answer:
            for number in answer["wants"]:
                await _send(process, await run_in_threadpool(league.content, task.players[number].id))
            answer = json.loads(await _received(process))
        return answer

    async def _watch(self, process: asyncio.subprocess.Process) -> None:
        code = await process.wait()
        if self._is_closed:
            return
        log.warning("a compute process ended; it is started again", extra={"fields": {"code": code}})
        with contextlib.suppress(OSError, EOFError, TimeoutError):  # then the next task starts it
            await self.start()


async def _send(process: asyncio.subprocess.Process, message: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(len(message).to_bytes(4, "big"))
        process.stdin.write(message)
        await process.stdin.drain()
    except RuntimeError as error:  # uvloop's word for a pipe whose process has just ended
        raise BrokenPipeError(str(error)) from None


async def _received(process: asyncio.subprocess.Process) -> bytes:
    assert process.stdout is not None
    length = int.from_bytes(await process.stdout.readexactly(4), "big")
    if length > LARGEST_ANSWER:
        raise EOFError("a compute process answered too much")
    return await process.stdout.readexactly(length)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Kill a process and wait until its pipes are closed too: the event loop must not end before them."""
    _kill(process)
    with contextlib.suppress(RuntimeError):  # a task that still reads from it meets its end
        await process.communicate()
    await process.wait()


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
