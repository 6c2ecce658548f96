"""The application: routers, middlewares, and what they share.

>>> from outflank.interfaces.web.settings import WebSettings
>>> create_app(WebSettings(database="sqlite://")).title
'outflank league'
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from outflank.interfaces.web import errors, monitoring
from outflank.interfaces.web.caching.competition_cache import CompetitionCache
from outflank.interfaces.web.caching.responses import ServeCached
from outflank.interfaces.web.caching.table_cache import TableCache, TableQuery
from outflank.interfaces.web.compute.pool import ComputePool
from outflank.interfaces.web.limits.fair_queue import FairQueue
from outflank.interfaces.web.limits.rates import LimitRates, Rates
from outflank.interfaces.web.limits.security import SecureHeaders
from outflank.interfaces.web.limits.uploads import Inspections, LimitBodies
from outflank.interfaces.web.rendering import STATIC
from outflank.interfaces.web.routes import api, comparison, help, lab, pages, play
from outflank.interfaces.web.settings import WebSettings
from outflank.league.league import League
from outflank.league.store import Store
from outflank.machine import version

NOT_GZIPPED = (*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/octet-stream")  # players' files: up to 16 MB
GZIP_LEVEL = 5


class RevalidatedFiles(StaticFiles):
    """Scripts import each other by plain names, so browsers must revalidate them each time. Addresses that
    change with the content (rendering.static_address) are kept: a page goes on without the server."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        is_versioned = bool(scope.get("query_string"))
        kept = "public, max-age=31536000, immutable" if is_versioned else "no-cache"
        response.headers["Cache-Control"] = kept
        return response


def create_app(settings: WebSettings) -> FastAPI:
    """The server's application, on a database that is migrated first."""
    app = FastAPI(
        title="outflank league", version=version(), docs_url=None, redoc_url=None,
        openapi_url="/api/v1/openapi.json", lifespan=_lifespan,
    )  # fmt: skip
    state = app.state
    state.settings = settings
    state.league = League(Store(settings.database))
    state.table_cache = TableCache(state.league)
    state.competition_cache = CompetitionCache(state.league)
    state.compute_pool = ComputePool(state.league)
    state.short_matches = comparison.ShortMatches(state.compute_pool)
    state.streams = lab.Streams()
    state.metrics = monitoring.Metrics()
    state.health = monitoring.Health(state.league.store)
    state.inspections = Inspections()
    state.downloads = FairQueue(api.DOWNLOADS, api.TOO_MANY_DOWNLOADS)
    state.rates = Rates({
        "read": settings.reads_per_minute, "play": settings.plays_per_minute,
        "write": settings.writes_per_minute,
    })  # fmt: skip
    for module in (api, monitoring, play, lab, comparison, pages, help):
        app.include_router(module.router)
    app.mount("/static", RevalidatedFiles(directory=STATIC), name="static")
    _add_middlewares(app)
    errors.add_to(app)
    return app


def _add_middlewares(app: FastAPI) -> None:
    """The last is the outermost."""
    responders = {
        "/": pages.table_page_responder(TableQuery()),
        "/api/v1/players": api.table_responder(TableQuery(limit=100)),
    }
    for responder in responders.values():
        responder.keep_ready(app.state.table_cache)
    app.add_middleware(GZipMiddleware, compresslevel=GZIP_LEVEL, exclude_content_types=NOT_GZIPPED)
    for middleware in (LimitRates, LimitBodies, monitoring.Measure, SecureHeaders):
        app.add_middleware(middleware)
    app.add_middleware(ServeCached, responders=responders)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    pool: ComputePool = app.state.compute_pool
    starting = asyncio.create_task(pool.start())  # pages need not wait for it
    with app.state.streams.ended_by_signals():
        yield
    await pool.close()
    await starting
    app.state.league.store.close()
