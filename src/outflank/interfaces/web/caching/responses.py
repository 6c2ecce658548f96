"""Responses made from the league table: compressed once, with ETags; the usual ones bypass the framework.

Routing, dependencies and middlewares take milliseconds of CPU per request, most of a busy league's load. So
the plain table, its API and /healthz are served by a middleware outside all others, with the same rates,
logs, metrics and headers. (Starlette's GZipMiddleware, which compresses everything else, would compress the
table anew for every request.)
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Hashable
from dataclasses import dataclass

from fastapi import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from outflank.interfaces.web.caching.table_cache import Body, Make, Snapshot, TableCache
from outflank.interfaces.web.limits.rates import seconds_to_wait
from outflank.interfaces.web.limits.security import HEADERS
from outflank.interfaces.web.monitoring import health_response, note

BODY_HEADERS = {"content-length", "transfer-encoding"}


@dataclass(frozen=True)
class TableResponder:
    """Makes one kind of response from the table: its cache key, its body, its media type."""

    key: Hashable
    make: Make
    media_type: str

    async def respond(self, request: Request, cache: TableCache) -> Response:
        key, make = self._variant(request)
        return self._response(request, await cache.body(key, make))

    def cached(self, request: Request, cache: TableCache) -> Response | None:
        """The response, if its body is cached."""
        body = cache.cached_body(*self._variant(request))
        return None if body is None else self._response(request, body)

    def keep_ready(self, cache: TableCache) -> None:
        for is_gzipped in (True, False):
            cache.keep_ready(*self._encoded(is_gzipped))

    def _variant(self, request: Request) -> tuple[Hashable, Make]:
        return self._encoded(_accepts_gzip(request))

    def _encoded(self, is_gzipped: bool) -> tuple[Hashable, Make]:
        def make(snapshot: Snapshot) -> bytes:
            content = self.make(snapshot)
            return gzip.compress(content, mtime=0) if is_gzipped else content

        return (self.key, self.media_type, is_gzipped), make

    def _response(self, request: Request, body: Body) -> Response:
        headers = {"ETag": body.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if body.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        headers["Content-Type"] = self.media_type
        if _accepts_gzip(request):
            headers["Content-Encoding"] = "gzip"
        return Response(body.content, headers=headers)


class ServeCached:
    """Serves cached responses itself, and leaves everything else to the application."""

    def __init__(self, app: ASGIApp, responders: dict[str, TableResponder]) -> None:
        self.app = app
        self._responders = responders

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        app = self.app
        if scope["type"] == "http" and scope["method"] == "GET" and not scope["query_string"]:
            request = Request(scope)
            response = await self._response(request) if BODY_HEADERS.isdisjoint(request.headers) else None
            if response is not None and seconds_to_wait(request) == 0:
                response.headers.update(HEADERS)
                note(request, scope["path"], response.status_code, time.perf_counter() - began)
                app = response
        await app(scope, receive, send)

    async def _response(self, request: Request) -> Response | None:
        path, state = request.scope["path"], request.app.state
        if path == "/healthz":
            return await health_response(request)
        responder = self._responders.get(path)
        return None if responder is None else responder.cached(request, state.table_cache)


def _accepts_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")
