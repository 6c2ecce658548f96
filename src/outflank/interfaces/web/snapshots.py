"""The league table as it is now, and pages made of it: worked out once for each state of the league."""

from __future__ import annotations

import gzip
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property

from fastapi import Request
from starlette.responses import Response

from outflank.interfaces.web.scales import Interval, Scale
from outflank.league.league import League, TableRow

MOST_PAGES = 100  # kept at once: what people filter by has no end


@dataclass(frozen=True)
class Snapshot:
    """The table at one version of the league."""

    version: tuple[float, ...]
    rows: tuple[TableRow, ...]

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


class Snapshots:
    """The latest snapshot of a league, and the pages that show it."""

    def __init__(self, league: League) -> None:
        self._league = league
        self._lock = threading.Lock()
        self._latest: Snapshot | None = None
        self._pages: OrderedDict[Hashable, _Page] = OrderedDict()

    def now(self) -> Snapshot:
        version = self._league.version()
        latest = self._latest
        if latest is not None and latest.version == version:
            return latest
        with self._lock:  # one request reads the table, the others wait for it
            if self._latest is None or self._latest.version != version:
                self._latest = Snapshot(version, tuple(self._league.table()))
            return self._latest

    def page(self, request: Request, query: Hashable, make: Callable[[Snapshot], str]) -> Response:
        """The page for a query, made unless it was made since the league last changed."""
        snapshot = self.now()
        key = (snapshot.version, query)
        with self._lock:
            kept = self._pages.get(key)
            if kept is not None:
                self._pages.move_to_end(key)
        if kept is None:
            kept = _Page(make(snapshot))
            with self._lock:
                self._pages[key] = kept
                while len(self._pages) > MOST_PAGES:
                    self._pages.popitem(last=False)
        return kept.response(request)


class _Page:
    def __init__(self, text: str) -> None:
        self._plain = text.encode()
        self._compressed = gzip.compress(self._plain, mtime=0)

    def response(self, request: Request) -> Response:
        headers = {"Vary": "Accept-Encoding", "Cache-Control": "no-cache"}
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(self._plain, media_type="text/html", headers=headers)
        headers["Content-Encoding"] = "gzip"
        return Response(self._compressed, media_type="text/html", headers=headers)
