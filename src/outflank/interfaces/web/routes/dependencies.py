"""What routes share: the league and its caches, numbers in paths, and how errors are documented."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import Field

from outflank.interfaces.response_models import ErrorResponse
from outflank.interfaces.web.caching.table_cache import TableCache
from outflank.league.league import League, NotFound
from outflank.league.schema import Player

ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": ErrorResponse} for code in (400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503)
}
PlayerId = Annotated[int, Field(ge=1, le=2**31 - 1)]


def _league(request: Request) -> League:
    league = request.app.state.league
    assert isinstance(league, League)
    return league


def _table(request: Request) -> TableCache:
    cache = request.app.state.table_cache
    assert isinstance(cache, TableCache)
    return cache


LeagueDep = Annotated[League, Depends(_league)]
TableDep = Annotated[TableCache, Depends(_table)]


def player_of(league: League, text: str) -> Player:
    """The player that a page's address names."""
    return league.player(number_of(text, "player"))


def number_of(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise NotFound(f"there is no {what} {text}")
    return int(text)
