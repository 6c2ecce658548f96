"""Two players side by side: their scores, whether these differ, and a short match between them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Annotated, Any

from cachetools import LRUCache
from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from outflank.games.statistics import Tally
from outflank.games.tournaments.standings import PairResult
from outflank.games.tournaments.tournament import pair_seed
from outflank.interfaces.web.caching.table_cache import Snapshot
from outflank.interfaces.web.compute.pool import ComputePool, Task
from outflank.interfaces.web.limits.rates import client_of
from outflank.interfaces.web.rendering import Interval, Scale, page
from outflank.interfaces.web.routes.dependencies import LeagueDep, TableDep, player_of
from outflank.league.competitions import Competitions
from outflank.league.league import League
from outflank.league.schema import Player

EPSILON = 0.1  # as in the league's scoring
DOUBLE_GAMES = 200
MOST_CACHED = 1000
Pair = tuple[str, str]
NumberText = Annotated[str, Query(max_length=20)]
router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class Difference:
    """The first score minus the second, with its 95 % interval.

    >>> clear = Difference.of(Tally(90, 0, 10, (0, 0, 10, 0, 40)), Tally(60, 0, 40, (0, 0, 40, 0, 10)))
    >>> round(clear.value, 2), clear.is_significant
    (0.3, True)
    """

    value: float
    ci95: Interval

    @classmethod
    def of(cls, first: Tally, second: Tally) -> Difference:
        """Limits from those of the two independent scores (Newcombe 1998, method 10)."""
        a, (a_low, a_high) = first.score, first.ci95
        b, (b_low, b_high) = second.score, second.ci95
        below, above = math.hypot(a - a_low, b_high - b), math.hypot(a_high - a, b - b_low)
        return cls(a - b, (a - b - below, a - b + above))

    @property
    def is_significant(self) -> bool:
        return not self.ci95[0] <= 0 <= self.ci95[1]


class ShortMatches:
    """Matches that visitors ask for; the latest results are cached."""

    def __init__(self, pool: ComputePool) -> None:
        self._pool = pool
        self._cached: LRUCache[Pair, Tally] = LRUCache(MOST_CACHED)

    def cached(self, first: Player, second: Player) -> Tally | None:
        """The first player's results, if the two have played."""
        pair, is_turned = _pair(first, second)
        tally = self._cached.get(pair)
        return PairResult("", "", tally).turned().tally if tally is not None and is_turned else tally

    async def play(self, first: Player, second: Player, client: str) -> None:
        """Play the match unless it is cached. The same two always play the same games."""
        pair, is_turned = _pair(first, second)
        if pair in self._cached:
            return
        players = (second, first) if is_turned else (first, second)
        seed = pair_seed(round(1000 * EPSILON), *(player.digest for player in players))
        arguments = {"double_games": DOUBLE_GAMES, "epsilon": EPSILON, "seed": seed}
        counted = json.loads(await self._pool.run(Task("match", arguments, players, is_long=True), client))
        self._cached[pair] = Tally(**counted | {"double_games": tuple(counted["double_games"])})


def _pair(first: Player, second: Player) -> tuple[Pair, bool]:
    """The two in an order that does not depend on who is named first; whether it was turned."""
    a, b = (f"{one.digest} {one.view}" for one in (first, second))
    return ((b, a), True) if b < a else ((a, b), False)


@router.api_route("/compare", methods=["GET", "HEAD"])
def compare(
    request: Request, league: LeagueDep, table: TableDep, a: NumberText = "", b: NumberText = ""
) -> Response:
    chosen = [player_of(league, text) if text.strip() else None for text in (a, b)]
    snapshot = table.snapshot()
    content: dict[str, Any] = {"pair": None, "same": False}
    if chosen[0] is not None and chosen[1] is not None:
        content["same"] = chosen[0].id == chosen[1].id
        if not content["same"]:
            matches: ShortMatches = request.app.state.short_matches
            content |= _compared(league, snapshot, matches, chosen[0], chosen[1])
    return page(
        "compare.html", active="/compare", title="Compare two players", chosen=chosen, snapshot=snapshot,
        **content,
    )  # fmt: skip


@router.post("/compare")
async def play_short_match(request: Request, league: LeagueDep, a: NumberText, b: NumberText) -> Response:
    """Play the short match of two players, then show them again."""
    first, second = [await run_in_threadpool(player_of, league, text) for text in (a, b)]
    await request.app.state.short_matches.play(first, second, client_of(request))
    return RedirectResponse(f"/compare?a={first.id}&b={second.id}#match", 303)


def _compared(
    league: League, snapshot: Snapshot, matches: ShortMatches, first: Player, second: Player
) -> dict[str, Any]:
    rows = [snapshot.by_id.get(one.id) for one in (first, second)]
    tallies = [row.tally for row in rows if row is not None and row.tally is not None]
    return {
        "pair": list(zip((first, second), rows, strict=True)),
        "scale": Scale.of(tally.ci95 for tally in tallies),
        "difference": Difference.of(*tallies) if len(tallies) == 2 else None,
        "meetings": [m for m in Competitions(league).meetings_of(first.id) if m[2].second == second.name],
        "match": matches.cached(first, second),
        "double_games": DOUBLE_GAMES,
        "epsilon": EPSILON,
    }
