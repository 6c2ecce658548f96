"""What nearly everybody asks for, answered before the framework begins: the table, its API and the health.

Routing, dependencies and seven middlewares take some milliseconds of a processor for each request, which is
most of what a league under load does. Rates, logs, counts and headers are the same here as there.
"""

from __future__ import annotations

import json
import time

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from outflank.interfaces.web.caching.table_cache import CachedAnswer, TableCache
from outflank.interfaces.web.limits.security import HEADERS, is_within_rates
from outflank.interfaces.web.monitoring import note

BODY = {"content-length", "transfer-encoding"}
ALWAYS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


class ReadyAnswers:
    """Answers at once what is at hand, and leaves everything else to the application."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        request = Request(scope) if scope["type"] == "http" and scope["method"] == "GET" else None
        found = await _at_hand(request) if request is not None and _is_plain(request) else None
        if request is None or found is None or not is_within_rates(request):
            await self.app(scope, receive, send)
            return
        status, headers, content = found
        encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        length = (b"content-length", str(len(content)).encode())
        note(request, scope["path"], status, time.perf_counter() - began)
        await send({"type": "http.response.start", "status": status, "headers": [*encoded, length, *ALWAYS]})
        await send({"type": "http.response.body", "body": content})


def _is_plain(request: Request) -> bool:
    """Without a query, and without a body that would have to be read."""
    return not request.scope["query_string"] and BODY.isdisjoint(request.headers.keys())


async def _at_hand(request: Request) -> tuple[int, dict[str, str], bytes] | None:
    path = request.scope["path"]
    if path == "/healthz":
        state = await request.app.state.health.answer()
        headers = {"Content-Type": "application/json", "Cache-Control": "no-store"}
        return 200 if state["status"] == "ok" else 503, headers, json.dumps(state).encode()
    ready: dict[tuple[str, bool], CachedAnswer] = request.app.state.ready_answers
    answer = ready.get((path, "gzip" in request.headers.get("accept-encoding", "")))
    if answer is None:
        return None
    cache: TableCache = request.app.state.table_cache
    content = cache.present(answer.query, answer.make)
    return None if content is None else (200, answer.headers, content)
