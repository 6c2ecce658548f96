"""The application: routers, middlewares, and what they share.

>>> from outflank.interfaces.web.settings import WebSettings
>>> create_app(WebSettings(database="sqlite://")).title
'outflank league'
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from outflank.interfaces.web import errors, monitoring
from outflank.interfaces.web.caching.competition_cache import KeptCompetitions
from outflank.interfaces.web.caching.ready_answers import ReadyAnswers
from outflank.interfaces.web.caching.table_cache import CachedAnswer, Snapshots, TableCache
from outflank.interfaces.web.compute.pool import ComputePool
from outflank.interfaces.web.limits.downloads import Downloads
from outflank.interfaces.web.limits.inspections import Inspections
from outflank.interfaces.web.limits.security import AddHeaders, LimitRates, Rates, RelativeRedirects
from outflank.interfaces.web.limits.streams import Streams
from outflank.interfaces.web.limits.uploads import LimitBodies
from outflank.interfaces.web.routes import api, lab, pages, play
from outflank.interfaces.web.routes.comparison import ShortMatches
from outflank.interfaces.web.routes.league_page import TableQuery
from outflank.interfaces.web.settings import WebSettings
from outflank.league.league import League
from outflank.league.store import Store
from outflank.machine import version

STATIC = Path(__file__).parent / "static"


class CheckedFiles(StaticFiles):
    """Scripts import each other by plain names, so browsers ask each time whether a file has changed."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "no-cache"
        return response


def create_app(settings: WebSettings) -> FastAPI:
    """The server's application on a database that is brought up to date."""
    app = FastAPI(
        title="outflank league", version=version(), docs_url=None, redoc_url=None,
        openapi_url="/api/v1/openapi.json", lifespan=_lifespan,
    )  # fmt: skip
    app.state.settings = settings
    app.state.league = League(Store(settings.database))
    app.state.table_cache = TableCache(app.state.league)
    app.state.snapshots = Snapshots(app.state.table_cache)
    app.state.kept_competitions = KeptCompetitions(app.state.league)
    app.state.compute_pool = ComputePool(app.state.league)
    app.state.short_matches = ShortMatches(app.state.compute_pool)
    app.state.streams = Streams()
    app.state.metrics = monitoring.Metrics()
    app.state.health = monitoring.Health(app.state.league.store)
    app.state.inspections = Inspections()
    app.state.downloads = Downloads()
    app.state.rates = Rates(
        {"read": settings.reads_a_minute, "play": settings.plays_a_minute, "write": settings.writes_a_minute}
    )
    app.state.ready_answers = _ready_answers(app.state.table_cache, app.state.snapshots)
    for module in (api, monitoring, play, lab, pages):
        app.include_router(module.router)
    app.mount("/static", CheckedFiles(directory=STATIC), name="static")
    for middleware in (
        RelativeRedirects, LimitRates, LimitBodies, monitoring.Measure, AddHeaders, ReadyAnswers,
    ):  # fmt: skip
        app.add_middleware(middleware)  # the last is the outermost
    errors.add_to(app)
    return app


def _ready_answers(cache: TableCache, snapshots: Snapshots) -> dict[tuple[str, bool], CachedAnswer]:
    """What nearly everybody asks for, by path and whether it may be compressed."""
    part = api.TablePart()
    ready = {}
    for is_compressed in (True, False):
        ready["/api/v1/players", is_compressed] = CachedAnswer(
            part, part.made, {"Content-Type": "application/json"}
        )
        ready["/", is_compressed] = pages.table_page_answer(snapshots, TableQuery(), is_compressed)
    for answer in ready.values():
        cache.keep_ready(answer.query, answer.make)
    return ready


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    pool: ComputePool = app.state.compute_pool
    starting = asyncio.create_task(pool.start())  # pages need not wait for it
    with app.state.streams.ended_by_signals():
        yield
    await pool.close()
    await starting
    app.state.league.store.close()
