"""Monitoring of a league: logs as JSON lines, /healthz and /metrics."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import prometheus_client as prometheus
from fastapi import APIRouter, Request, Response
from sqlalchemy import text
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outflank.interfaces.web.errors import failed
from outflank.interfaces.web.limits.rates import address_of
from outflank.league.jobs import Jobs
from outflank.league.store import Store

router = APIRouter()
log = logging.getLogger("outflank.web")
CHECK_SECONDS = 5.0  # between checks whether the database can be written
WAIT_SECONDS = 0.05  # for a check to end; then the previous one counts
FIRST_SECONDS = 3.0
REASONS = {
    "locked|lock timeout": "another process holds the write lock",
    "full|No space|could not extend": "the disk is full",
    "(?i)read-?only|permission": "the database is not writable",
}
METHODS = ("GET", "HEAD", "POST", "DELETE")  # any other word is counted as "other"


class JsonLines(logging.Formatter):
    """One record per line."""

    def format(self, record: logging.LogRecord) -> str:
        fields = getattr(record, "fields", {})
        line = {"time": round(record.created, 3), "level": record.levelname.lower(),
                "event": record.getMessage(), **fields}  # fmt: skip
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)


def set_up_logs() -> None:
    """To standard error, as JSON lines: our own and uvicorn's, and warnings of other libraries. On a terminal
    warnings alone, as text: a line per request would drown the league's address."""
    handler = logging.StreamHandler(sys.stderr)
    is_terminal = sys.stderr.isatty()
    handler.setFormatter(logging.Formatter("%(levelname)s: %(message)s") if is_terminal else JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for name in ("outflank", "uvicorn"):
        logging.getLogger(name).setLevel(logging.WARNING if is_terminal else logging.INFO)


class Metrics:
    """Metrics of one application; its own registry, so that tests can have several."""

    def __init__(self) -> None:
        self.registry = registry = prometheus.CollectorRegistry()
        labels = ("method", "route", "status")
        self.requests = prometheus.Counter("outflank_requests", "Requests.", labels, registry=registry)
        self.seconds = prometheus.Histogram(
            "outflank_request_seconds", "Time until the response began.", ["route"], registry=registry
        )
        self.jobs = prometheus.Gauge("outflank_jobs", "Jobs by state.", ["state"], registry=registry)
        self.players = prometheus.Gauge("outflank_players", "Players in the league.", registry=registry)


class Measure:
    """Logs and counts every request when its response begins: a stream may go on for hours. Unexpected errors
    are logged, and never shown to the client."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()
        has_begun = False

        async def measured(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                request = Request(scope)
                route = getattr(scope.get("route"), "path", "none")
                note(request, route, message["status"], time.perf_counter() - began)
            await send(message)

        try:
            await self.app(scope, receive, measured)
        except Exception as error:
            response = await failed(Request(scope), error)
            if has_begun:
                raise ConnectionAbortedError("a response was broken off") from None
            await response(scope, receive, measured)


def note(request: Request, route: str, status: int, seconds: float) -> None:
    """Count and log a response that begins."""
    metrics: Metrics = request.app.state.metrics
    method = request.method if request.method in METHODS else "other"
    metrics.requests.labels(method, route, status).inc()
    metrics.seconds.labels(route).observe(seconds)
    if not request.url.path.startswith("/static/"):
        fields: dict[str, Any] = {"method": request.method, "path": request.url.path, "status": status,
                                  "address": address_of(request),
                                  "milliseconds": round(1000 * seconds, 1)}  # fmt: skip
        log.info("request", extra={"fields": fields})


class Health:
    """Whether the database can be read and written. A thread of its own checks, and meanwhile the previous
    result counts: so /healthz responds at once even if the database does not."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ThreadPoolExecutor(1, "health")
        self._lock = threading.Lock()
        self._check: Future[dict[str, str]] | None = None
        self._began = float("-inf")
        self._found: dict[str, str] = {}

    async def state(self) -> dict[str, str]:
        with self._lock:
            is_first = not self._found
            if self._check is not None and self._check.done():
                self._found, self._check = self._check.result(), None
            if self._check is None and time.monotonic() > self._began + CHECK_SECONDS:
                self._check, self._began = self._thread.submit(self._checked), time.monotonic()
            check = self._check
        if check is None:
            return self._found
        await asyncio.wait({asyncio.wrap_future(check)}, timeout=FIRST_SECONDS if is_first else WAIT_SECONDS)
        unknown = {"status": "unavailable", "reason": "the database does not respond"}
        return check.result() if check.done() else self._found or unknown

    def _checked(self) -> dict[str, str]:
        """Reasons in our own words: the database's may name hosts and users."""
        try:
            self._store.check_writing()
            return {"status": "ok"}
        except Exception as error:
            reason = str(getattr(error, "orig", error))
            log.warning("the database cannot be written: %s", " ".join(reason.split()))
        try:
            with self._store.reading() as session:
                session.execute(text("SELECT 1"))
        except Exception:
            return {"status": "unavailable", "reason": "the database does not respond"}
        return {"status": "read-only", "reason": next(
            (words for pattern, words in REASONS.items() if re.search(pattern, reason)),
            "the database cannot be written",
        )}  # fmt: skip


@router.get("/healthz", include_in_schema=False)
async def health_response(request: Request) -> JSONResponse:
    """200 if the database can be read and written; 503 and the reason otherwise."""
    found = await request.app.state.health.state()
    return JSONResponse(found, 200 if found["status"] == "ok" else 503, {"Cache-Control": "no-store"})


@router.get("/metrics", include_in_schema=False)
def metrics(request: Request) -> Response:
    """For Prometheus."""
    found: Metrics = request.app.state.metrics
    for state, count in Jobs(request.app.state.league.store, "metrics").counts().items():
        found.jobs.labels(state).set(count)
    found.players.set(len(request.app.state.table_cache.snapshot().rows))
    return Response(prometheus.generate_latest(found.registry), media_type=prometheus.CONTENT_TYPE_LATEST)
