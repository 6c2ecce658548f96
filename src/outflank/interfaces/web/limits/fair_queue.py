"""Turns at something scarce, shared fairly between clients: a client is an address, an API key, or both.

Whoever was served longest ago is next (round robin that remembers those who come and go), so a client with
fifty requests waiting holds another up by no more than the request that is running.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fastapi import HTTPException

MOST_REMEMBERED = 10_000  # clients whose last turn is known; those served longest ago are forgotten first


@dataclass(frozen=True)
class QueueLimits:
    """How many requests may run and wait, of all clients and of each."""

    running: int
    running_each: int
    waiting: int
    waiting_each: int
    wait_seconds: float
    retry_seconds: int  # what whoever is refused is told to wait


@dataclass(eq=False)
class _Waiting:
    clients: tuple[str, ...]
    number: int
    started: asyncio.Event = field(default_factory=asyncio.Event)


class FairQueue:
    """`async with queue.turn(address):` waits for its turn; 503 with Retry-After if the queue is full or the
    wait too long. `busy` is the sentence that whoever is refused reads."""

    def __init__(self, limits: QueueLimits, busy: str) -> None:
        self.limits = limits
        self._busy = busy
        self._waiting: list[_Waiting] = []
        self._running: Counter[str] = Counter()
        self._free = limits.running
        self._served: OrderedDict[str, int] = OrderedDict()
        self._numbers = itertools.count(1)

    @asynccontextmanager
    async def turn(self, *clients: str) -> AsyncIterator[None]:
        """A turn for one request, which counts for each of the clients that it comes from."""
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
        """Raise the refusal now if turn() would; for requests with a body that need not be read then."""
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
        self._running += Counter()  # drops those at zero
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
            self._remember(request.clients)
            request.started.set()

    def _order(self, request: _Waiting) -> tuple[list[int], int]:
        """By the latest turn of any of its clients, so that new keys from an old address gain nothing; then
        by the others', so that keys that share an address take turns; then as they came."""
        return sorted((self._served.get(one, 0) for one in request.clients), reverse=True), request.number

    def _remember(self, clients: tuple[str, ...]) -> None:
        turn = next(self._numbers)
        for client in clients:
            self._served[client] = turn
            self._served.move_to_end(client)
        while len(self._served) > MOST_REMEMBERED:
            self._served.popitem(last=False)
