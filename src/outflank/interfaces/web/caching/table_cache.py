"""The league table as pages show it: worked out once for each state of the league.

Answers made from the league table, kept as long as the table is what it was (stale-while-revalidate).

A table of a thousand players takes tens of milliseconds to read and write out; it changes when a player comes
or is scored. So an answer is made once for each query and each version of the table, and while it is made
anew everybody gets the one before, which is a second old at most. What this server itself has written is in
every answer that is asked for after the writer was answered (see renew).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from markupsafe import Markup

from outflank.interfaces.web.rendering import Interval, Scale, rendered
from outflank.league.league import League, TableRow

LOOK_SECONDS = 0.1  # between looks at whether another process, such as a worker, has changed the table
OLDEST_SECONDS = 1.0  # of an answer from before a change
MOST_ANSWERS = 256
MOST_BYTES = 16 << 20  # of the answers of a version; the one before is kept too
Make = Callable[[Sequence[TableRow]], bytes]


@dataclass
class _Version:
    """The table at one time, what was made from it, and when it was last seen to be the present one."""

    number: tuple[float, ...] = ()
    rows: tuple[TableRow, ...] = ()
    answers: dict[Hashable, bytes] = field(default_factory=dict)
    seen: float = float("-inf")

    def made(self, query: Hashable, make: Make) -> bytes:
        """The answer to a query, made once."""
        if query not in self.answers:
            answer = make(self.rows)
            held = sum(map(len, self.answers.values()))
            if len(self.answers) >= MOST_ANSWERS or held + len(answer) > MOST_BYTES:
                self.answers = {}
            self.answers[query] = answer
        return self.answers[query]


@dataclass(frozen=True)
class CachedAnswer:
    """An answer made from the table: what it is kept by, how it is made, its own headers."""

    query: Hashable
    make: Make
    headers: dict[str, str]


class TableCache:
    """The league table and what was made from it."""

    def __init__(self, league: League) -> None:
        self._league = league
        self._one_looks = threading.Lock()
        self._one_makes = asyncio.Lock()  # the others wait here, and not in the pool of threads
        self._now = _Version()
        self._before = _Version()
        self._always: dict[Hashable, Make] = {}  # what nearly everybody asks for
        self._made_anew: dict[Hashable, asyncio.Task[bytes]] = {}

    def keep_ready(self, query: Hashable, make: Make) -> None:
        """Make the answer to this query whenever the table has changed, before anybody asks."""
        self._always[query] = make

    def present(self, query: Hashable, make: Make) -> bytes | None:
        """The answer if it is at hand, at most a second old: then a new one is begun."""
        now = time.monotonic()
        if self._now.seen > now - LOOK_SECONDS and query in self._now.answers:
            return self._now.answers[query]
        for version in (self._now, self._before):
            if version.seen > now - OLDEST_SECONDS and query in version.answers:
                if query not in self._made_anew:
                    task = self._made_anew[query] = asyncio.create_task(self._made(query, make))
                    task.add_done_callback(lambda done: self._is_made(query, done))
                return version.answers[query]
        return None

    async def answer(self, query: Hashable, make: Make) -> bytes:
        """What `make` makes of the table for this query."""
        found = self.present(query, make)
        return found if found is not None else await self._made(query, make)

    def rows(self) -> Sequence[TableRow]:
        """The table, the best first. Blocks: for threads."""
        return self._latest().rows

    def renew(self) -> None:
        """This server has changed the table. When this returns, no answer is from before the change; until
        then nobody waits. Blocks: for threads."""
        with self._one_looks:
            version = self._read(time.monotonic())
            for query, make in self._always.items():
                version.made(query, make)
            self._now, self._before = version, _Version()

    async def _made(self, query: Hashable, make: Make) -> bytes:
        async with self._one_makes:
            if self._now.seen > time.monotonic() - LOOK_SECONDS and query in self._now.answers:
                return self._now.answers[query]
            return await run_in_threadpool(lambda: self._latest().made(query, make))

    def _is_made(self, query: Hashable, task: asyncio.Task[bytes]) -> None:
        del self._made_anew[query]
        if not task.cancelled():
            task.exception()  # whoever asks when the old answer is too old is told

    def _latest(self) -> _Version:
        with self._one_looks:
            began = time.monotonic()
            if self._now.seen <= began - LOOK_SECONDS:
                version = self._read(began)
                if version is not self._now:
                    self._before, self._now = self._now, version
            return self._now

    def _read(self, began: float) -> _Version:
        """The present one, if the table has not changed."""
        number = self._league.version()
        if number != self._now.number:
            return _Version(number, tuple(self._league.table()), seen=began)
        self._now.seen = began
        return self._now


def table_cache(request: Request) -> TableCache:
    cache = request.app.state.table_cache
    assert isinstance(cache, TableCache)
    return cache


@dataclass(frozen=True)
class Snapshot:
    """The table at one moment, and what follows from it."""

    rows: Sequence[TableRow]

    @cached_property
    def by_id(self) -> dict[int, TableRow]:
        return {row.id: row for row in self.rows}

    @cached_property
    def by_name(self) -> dict[str, TableRow]:
        return {row.name: row for row in self.rows}

    @cached_property
    def intervals(self) -> dict[int, Interval]:
        """Of the scores, by player."""
        return {row.id: interval for row in self.rows if (interval := row.ci95) is not None}

    @cached_property
    def scale(self) -> Scale:
        """On which all intervals of the table are drawn."""
        return Scale.of(self.intervals.values())

    def options(self, chosen: int | None) -> Markup:
        """All players as options of a selection: written out once, for there may be a thousand."""
        return Markup(self._options.replace(f'value="{chosen}"', f'value="{chosen}" selected', 1))

    @cached_property
    def _options(self) -> str:
        return rendered("options.html", rows=self.rows)


class Snapshots:
    """The snapshot of the table that is kept."""

    def __init__(self, table: TableCache) -> None:
        self._table = table
        self._latest = Snapshot(())

    def now(self) -> Snapshot:
        return self.of(self._table.rows())

    def of(self, rows: Sequence[TableRow]) -> Snapshot:
        latest = self._latest
        if latest.rows is not rows:  # the table is kept as one object for as long as it is the same
            self._latest = latest = Snapshot(rows)
        return latest
