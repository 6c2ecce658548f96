"""The league table, and response bodies made from it, cached per version of the table.

A table of a thousand players takes tens of milliseconds to read and render; it changes when a player is added
or scored. So a body is made once per query and version. While it is made anew, clients get the previous one,
which is at most a second old (stale-while-revalidate). This server's own writes are in every response that
is requested after the writer was answered (see renew).
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode

from cachetools import FIFOCache
from fastapi.concurrency import run_in_threadpool
from markupsafe import Markup

from outflank.interfaces.web.rendering import Interval, Scale, rendered
from outflank.league.league import League, TableRow

FRESH_SECONDS = 0.1  # then the version is checked again: workers change the table too
STALE_SECONDS = 1.0  # for which a body from before a change may be served
MOST_BYTES = 16 << 20  # of the bodies of one version; the previous version's are cached too
ROWS_PER_PAGE = 50
Sort = Literal["rank", "name", "entrant", "kind", "weights", "created"]
Order = Literal["ascending", "descending"]
SORT_KEYS: dict[Sort, Callable[[TableRow], Any]] = {
    "rank": lambda row: (row.rank is None, row.rank or 0, row.id),
    "name": lambda row: (row.name.casefold(), row.id),
    "entrant": lambda row: (row.entrant.casefold(), row.rank or 0, row.id),
    "kind": lambda row: (row.kind, row.rank or 0, row.id),
    "weights": lambda row: (row.weights, row.id),
    "created": lambda row: (row.created, row.id),
}


@dataclass(frozen=True)
class TableQuery:
    """Which part of the table, in which order."""

    sort: Sort = "rank"
    order: Order = "ascending"
    text: str = ""
    limit: int = ROWS_PER_PAGE
    offset: int = 0

    def matching(self, rows: Sequence[TableRow]) -> list[TableRow]:
        """The rows whose name, entrant, kind or view contains the text, sorted; before limit and offset."""
        text = self.text.casefold().strip()
        found = [
            row for row in rows if text in f"{row.name}\n{row.entrant}\n{row.kind}\n{row.view}".casefold()
        ]
        return sorted(found, key=SORT_KEYS[self.sort], reverse=self.order == "descending")

    @property
    def page(self) -> int:
        return self.offset // self.limit + 1

    def at_page(self, page: int) -> TableQuery:
        return replace(self, offset=(page - 1) * self.limit)

    @property
    def address(self) -> str:
        """Of the league page.

        >>> TableQuery(text="all 2").at_page(3).address, TableQuery().address
        ('/?filter=all+2&page=3', '/')
        """
        asked = {"sort": self.sort, "order": self.order, "filter": self.text, "page": self.page}
        default = {"sort": "rank", "order": "ascending", "filter": "", "page": 1}
        named = {name: value for name, value in asked.items() if value != default[name]}
        return f"/?{urlencode(named)}" if named else "/"

    def by(self, sort: Sort) -> TableQuery:
        """Sorted by a column; reversed if it is sorted by it already."""
        order: Order = "descending" if (sort, "ascending") == (self.sort, self.order) else "ascending"
        return replace(self, sort=sort, order=order, offset=0)


@dataclass(frozen=True)
class Snapshot:
    """The table at one moment, and what follows from it."""

    rows: Sequence[TableRow] = ()

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
        """The common scale of all intervals."""
        return Scale.of(self.intervals.values())

    def options(self, chosen: int | None) -> Markup:
        """All players as options of a selection: rendered once, for there may be a thousand."""
        return Markup(self._options.replace(f'value="{chosen}"', f'value="{chosen}" selected', 1))

    @cached_property
    def _options(self) -> str:
        return rendered("options.html", rows=self.rows)


Make = Callable[[Snapshot], bytes]


class Body(NamedTuple):
    """A response body, and the ETag that names it."""

    content: bytes
    etag: str


@dataclass
class _Version:
    """The table at one time, the bodies made from it, and when it was last seen to be current."""

    number: tuple[float, ...] = ()
    snapshot: Snapshot = field(default_factory=Snapshot)
    # FIFO: reading changes nothing, so that the event loop reads while a thread writes.
    bodies: FIFOCache[Hashable, Body] = field(
        default_factory=lambda: FIFOCache(MOST_BYTES, lambda body: len(body.content))
    )
    checked: float = float("-inf")
    lock: threading.Lock = field(default_factory=threading.Lock)

    def body(self, key: Hashable, make: Make) -> Body:
        """The body of this key, made once."""
        with self.lock:
            body = self.bodies.get(key)
            if body is None:
                content = make(self.snapshot)
                body = Body(content, f'"{hashlib.sha256(content).hexdigest()[:16]}"')
                self.bodies[key] = body
            return body


class TableCache:
    """The current and the previous version of the table."""

    def __init__(self, league: League) -> None:
        self._league = league
        self._checking = threading.Lock()
        self._making = asyncio.Lock()  # the others wait here, not in the thread pool
        self._current = _Version()
        self._previous = _Version()
        self._ready: dict[Hashable, Make] = {}
        self._revalidating: dict[Hashable, asyncio.Task[Body]] = {}

    def keep_ready(self, key: Hashable, make: Make) -> None:
        """Make this body whenever the table has changed, before anyone asks."""
        self._ready[key] = make

    def cached_body(self, key: Hashable, make: Make) -> Body | None:
        """The body if it is cached, at most a second old; then it is revalidated in the background."""
        now = time.monotonic()
        if (
            self._current.checked > now - FRESH_SECONDS
            and (body := self._current.bodies.get(key)) is not None
        ):
            return body
        for version in (self._current, self._previous):
            body = version.bodies.get(key)
            if version.checked > now - STALE_SECONDS and body is not None:
                if key not in self._revalidating:
                    task = self._revalidating[key] = asyncio.create_task(self._made(key, make))
                    task.add_done_callback(lambda done: self._revalidated(key, done))
                return body
        return None

    async def body(self, key: Hashable, make: Make) -> Body:
        found = self.cached_body(key, make)
        return found if found is not None else await self._made(key, make)

    def snapshot(self) -> Snapshot:
        """The table, best first. Blocks: for threads."""
        return self._latest().snapshot

    def renew(self) -> None:
        """After this server has changed the table: when this returns, no response is from before the change;
        until then nobody waits. Blocks: for threads."""
        with self._checking:
            version = self._read(time.monotonic())
            for key, make in self._ready.items():
                version.body(key, make)
            self._current, self._previous = version, _Version()

    async def _made(self, key: Hashable, make: Make) -> Body:
        async with self._making:
            current = self._current
            if current.checked > time.monotonic() - FRESH_SECONDS and key in current.bodies:
                return current.bodies[key]
            return await run_in_threadpool(lambda: self._latest().body(key, make))

    def _revalidated(self, key: Hashable, task: asyncio.Task[Body]) -> None:
        del self._revalidating[key]
        if not task.cancelled():
            task.exception()  # reported to the client that asks when the stale body is too old

    def _latest(self) -> _Version:
        with self._checking:
            began = time.monotonic()
            if self._current.checked <= began - FRESH_SECONDS:
                version = self._read(began)
                if version is not self._current:
                    self._previous, self._current = self._current, version
            return self._current

    def _read(self, began: float) -> _Version:
        """The current version, if the table has not changed."""
        number = self._league.version()
        if number != self._current.number:
            return _Version(number, Snapshot(tuple(self._league.table())), checked=began)
        self._current.checked = began
        return self._current
