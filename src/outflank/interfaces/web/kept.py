"""Answers made from the league table, kept as long as the table is what it was.

A table of a thousand players takes tens of milliseconds to read and write out; it changes when a player comes
or is scored. So an answer is made once for each query and each version of the table, and while it is made
anew everybody gets the one before, which is a second old at most.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from outflank.league.league import League, TableRow

LOOK_SECONDS = 0.1  # between looks at whether another process, such as a worker, has changed the table
OLDEST_SECONDS = 1.0  # of an answer from before a change
MOST_ANSWERS = 256  # of the table as it is, and as many of the one before
MOST_BYTES = 16 << 20  # of either
Make = Callable[[Sequence[TableRow]], bytes]


@dataclass
class _Version:
    """The table at one time, what was made from it, and when it was last seen to be the present one."""

    number: tuple[float, ...] = ()
    rows: tuple[TableRow, ...] = ()
    answers: dict[Hashable, bytes] = field(default_factory=dict)
    seen: float = float("-inf")


class KeptTable:
    """The league table and what was made from it. What this server itself writes shows at once."""

    def __init__(self, league: League) -> None:
        self._league = league
        self._one_looks = threading.Lock()
        self._one_makes = asyncio.Lock()  # the others wait here, and not in the pool of threads
        self._now = _Version()
        self._before = _Version()
        self._changed = float("-inf")
        self._made_anew: dict[Hashable, asyncio.Task[bytes]] = {}

    async def answer(self, query: Hashable, make: Make) -> bytes:
        """What `make` makes of the table for this query."""
        now = time.monotonic()
        if (found := self._at_hand(query, now, LOOK_SECONDS, self._now)) is not None:
            return found
        found = self._at_hand(query, now, OLDEST_SECONDS, self._now, self._before)
        if found is not None:
            if query not in self._made_anew:
                task = self._made_anew[query] = asyncio.create_task(self._made(query, make))
                task.add_done_callback(lambda done: self._is_made(query, done))
            return found
        return await self._made(query, make)

    def rows(self) -> Sequence[TableRow]:
        """The table, the best first. Blocks: for threads."""
        return self._latest().rows

    def changed(self) -> None:
        """This server has just changed the table."""
        self._changed = time.monotonic()

    def _at_hand(self, query: Hashable, now: float, oldest: float, *versions: _Version) -> bytes | None:
        for version in versions:
            if version.seen > max(self._changed, now - oldest) and query in version.answers:
                return version.answers[query]
        return None

    async def _made(self, query: Hashable, make: Make) -> bytes:
        async with self._one_makes:
            found = self._at_hand(query, time.monotonic(), LOOK_SECONDS, self._now)
            return found if found is not None else await run_in_threadpool(self._make, query, make)

    def _is_made(self, query: Hashable, task: asyncio.Task[bytes]) -> None:
        del self._made_anew[query]
        if not task.cancelled():
            task.exception()  # whoever asks when the old answer is too old is told

    def _make(self, query: Hashable, make: Make) -> bytes:
        version = self._latest()
        if query not in version.answers:
            answer = make(version.rows)
            held = sum(map(len, version.answers.values()))
            if len(version.answers) >= MOST_ANSWERS or held + len(answer) > MOST_BYTES:
                version.answers = {}
            version.answers[query] = answer
        return version.answers[query]

    def _latest(self) -> _Version:
        with self._one_looks:
            began = time.monotonic()
            if self._now.seen <= max(self._changed, began - LOOK_SECONDS):
                number = self._league.version()
                if number != self._now.number:
                    self._before, self._now = self._now, _Version(number, tuple(self._league.table()))
                self._now.seen = began
            return self._now


def kept_table(request: Request) -> KeptTable:
    kept = request.app.state.kept
    assert isinstance(kept, KeptTable)
    return kept
