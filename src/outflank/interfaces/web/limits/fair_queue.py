"""Fair turns at a scarce resource. A client is an address, an API key, or both.

The client served longest ago is next (round robin with a memory), so a client with fifty waiting requests
delays another by no more than the request that is running.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from cachetools import LRUCache
from fastapi import HTTPException

MOST_REMEMBERED = 10_000  # clients whose last turn is known


@dataclass(frozen=True)
class QueueLimits:
    """How many requests may run and wait, of all clients and of each."""

    running: int
    running_each: int
    waiting: int
    waiting_each: int
    wait_seconds: float
    retry_seconds: int  # the Retry-After of a refusal


@dataclass(eq=False)
class _Waiting:
    clients: tuple[str, ...]
    number: int
    started: asyncio.Event = field(default_factory=asyncio.Event)


class FairQueue:
    """`async with queue.turn(address):` waits for its turn; 503 with Retry-After if the queue is full or the
    wait too long. `busy` is the sentence of the refusal."""

    def __init__(self, limits: QueueLimits, busy: str) -> None:
        self.limits = limits
        self._busy = busy
        self._waiting: list[_Waiting] = []
        self._running: Counter[str] = Counter()
        self._free = limits.running
        self._served: LRUCache[str, int] = LRUCache(MOST_REMEMBERED)
        self._numbers = itertools.count(1)

    @asynccontextmanager
    async def turn(self, *clients: str) -> AsyncIterator[None]:
        """A turn for one request, counted for each of its clients."""
        self.refuse_if_full(*clients)
        request = _Waiting(clients, next(self._numbers))
        self._waiting.append(request)
        self._start_next()
        try:
            async with asyncio.timeout(self.limits.wait_seconds):
                await request.started.wait()
        except TimeoutError:
            self._leave(request)
            raise self.refusal() from None
        except BaseException:
            self._leave(request)
            raise
        try:
            yield
        finally:
            self._leave(request)

    def refuse_if_full(self, *clients: str) -> None:
        """Refuse now if turn() would: before a body is read."""
        waiting = Counter(client for request in self._waiting for client in request.clients)
        if len(self._waiting) >= self.limits.waiting or any(
            waiting[client] >= self.limits.waiting_each for client in clients
        ):
            raise self.refusal()

    def refusal(self) -> HTTPException:
        return HTTPException(503, self._busy, {"Retry-After": str(self.limits.retry_seconds)})

    def _leave(self, request: _Waiting) -> None:
        if request in self._waiting:
            self._waiting.remove(request)
            return
        self._free += 1
        self._running.subtract(request.clients)
        self._running += Counter()  # drops zeros
        self._start_next()

    def _start_next(self) -> None:
        while self._free:
            allowed = [
                request for request in self._waiting
                if all(self._running[client] < self.limits.running_each for client in request.clients)
            ]  # fmt: skip
            if not allowed:
                return
            request = min(allowed, key=self._order)
            self._waiting.remove(request)
            self._free -= 1
            self._running.update(request.clients)
            self._served.update(dict.fromkeys(request.clients, next(self._numbers)))
            request.started.set()

    def _order(self, request: _Waiting) -> tuple[list[int], int]:
        """By the latest turn of any of its clients, so that new keys from an old address gain nothing; then
        by the others', so that keys sharing an address take turns; then by arrival."""
        return sorted((self._served.get(one, 0) for one in request.clients), reverse=True), request.number
