"""The pages: the league table, players, competitions, comparisons, submission. All of it works without
scripts but submission, for which there is a command too."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse, Response

from outflank.games.standings import Standings
from outflank.interfaces.web.caching.competition_cache import KeptCompetitions
from outflank.interfaces.web.caching.table_cache import CachedAnswer, Snapshots
from outflank.interfaces.web.limits.security import address_of, network_of
from outflank.interfaces.web.rendering import Scale, page, rendered
from outflank.interfaces.web.routes.api import Order, Sort, TheLeague, TheTable
from outflank.interfaces.web.routes.comparison import DOUBLE_GAMES, EPSILON, Difference, ShortMatches
from outflank.interfaces.web.routes.competition_page import CompetitionPage
from outflank.interfaces.web.routes.league_page import TableQuery, league_page
from outflank.league.competitions import Competitions
from outflank.league.league import HOUSE, League, NotFound, TableRow
from outflank.league.schema import Player
from outflank.league.scoring import DOUBLE_GAMES as FINAL
from outflank.league.text_fields import LONGEST_LINK, LONGEST_NOTE, folded

router = APIRouter(include_in_schema=False)
SHOWN = ["GET", "HEAD"]
FAULTS = {404: "Not found", 429: "Too many requests", 500: "Our fault", 503: "Busy"}


@router.api_route("/", methods=SHOWN)
async def league_table(
    request: Request,
    table: TheTable,
    sort: Sort = "rank",
    order: Order = "ascending",
    filter: Annotated[str, Query(max_length=80)] = "",
    page: Annotated[int, Query(ge=1, le=10**6)] = 1,
) -> Response:
    query = TableQuery(sort, order, filter.strip(), page)
    is_compressed = "gzip" in request.headers.get("accept-encoding", "")
    answer = table_page_answer(_snapshots(request), query, is_compressed)
    return Response(await table.answer(answer.query, answer.make), headers=answer.headers)


def table_page_answer(snapshots: Snapshots, query: TableQuery, is_compressed: bool) -> CachedAnswer:
    def make(rows: Sequence[TableRow]) -> bytes:
        content = league_page(snapshots.of(rows), query).encode()
        return gzip.compress(content) if is_compressed else content

    headers = {
        "Content-Type": "text/html; charset=utf-8", "Vary": "Accept-Encoding", "Cache-Control": "no-cache",
    }  # fmt: skip
    if is_compressed:
        headers["Content-Encoding"] = "gzip"
    return CachedAnswer(("page", query, is_compressed), make, headers)


@router.api_route("/players/{player_id}", methods=SHOWN)
def player(request: Request, league: TheLeague, player_id: str) -> Response:
    found = _player(league, player_id)
    snapshot = _snapshots(request).now()
    competitions = Competitions(league)
    return page(
        "player.html", active="/", title=found.name, player=found, row=snapshot.by_id.get(found.id),
        ranked=sum(row.rank is not None for row in snapshot.rows),
        has_picture=league.picture(found.id) is not None,
        scale=Scale.of(score.tally.ci95 for score in found.scores), final=FINAL, players=snapshot.by_name,
        matches=competitions.meetings_of(found.id),
        competitions={state.name: state.id for state in competitions.all()},
    )  # fmt: skip


@router.api_route("/competitions", methods=SHOWN)
def competitions(league: TheLeague) -> Response:
    found = Competitions(league).all()
    return page("competitions.html", active="/competitions", title="Competitions", competitions=found)


@router.api_route("/competitions/{competition_id}", methods=SHOWN)
def competition(request: Request, league: TheLeague, competition_id: str) -> Response:
    state = Competitions(league).state(_number(competition_id, "competition"))
    kept: KeptCompetitions = request.app.state.kept_competitions

    def make(standings: Mapping[float, Standings]) -> str:
        rows = _snapshots(request).now().rows if state.state == "open" else ()
        nominable = [row for row in rows if folded(row.entrant) not in HOUSE]
        shown = CompetitionPage(state, standings)
        return rendered("competition.html", active="/competitions", title=state.name, competition=state,
                        page=shown, nominable=nominable)  # fmt: skip

    return HTMLResponse(make({}) if state.state == "open" else kept.page(state, make))


@router.api_route("/compare", methods=SHOWN)
def compare(
    request: Request,
    league: TheLeague,
    a: Annotated[str, Query(max_length=20)] = "",
    b: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    chosen = [_player(league, text) if text.strip() else None for text in (a, b)]
    content: dict[str, Any] = {"pair": None, "same": False}
    if chosen[0] is not None and chosen[1] is not None:
        content["same"] = chosen[0].id == chosen[1].id
        if not content["same"]:
            content |= _compared(request, league, chosen[0], chosen[1])
    return page(
        "compare.html", active="/compare", title="Compare two players", chosen=chosen,
        snapshot=_snapshots(request).now(), **content,
    )  # fmt: skip


@router.post("/compare")
async def play_short_match(
    request: Request,
    league: TheLeague,
    a: Annotated[str, Query(max_length=20)],
    b: Annotated[str, Query(max_length=20)],
) -> Response:
    """Play the short match of two players, then show them again."""
    first, second = [await run_in_threadpool(_player, league, text) for text in (a, b)]
    await _short_matches(request).play(first, second, network_of(address_of(request)))
    return RedirectResponse(f"/compare?a={first.id}&b={second.id}#match", 303)


@router.api_route("/submit", methods=SHOWN)
def submit() -> Response:
    return page("submit.html", active="/submit", title="Submit a player", longest_note=LONGEST_NOTE,
                longest_link=LONGEST_LINK)  # fmt: skip


def fault_page(_request: Request, code: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """An error, for people."""
    return page("fault.html", status=code, headers=headers, title=FAULTS.get(code, "Not possible"), code=code,
                text=f"{text[:1].upper()}{text[1:]}.")  # fmt: skip


def _compared(request: Request, league: League, first: Player, second: Player) -> dict[str, Any]:
    snapshot = _snapshots(request).now()
    rows = [snapshot.by_id.get(one.id) for one in (first, second)]
    tallies = [row.tally if row else None for row in rows]
    known = [tally for tally in tallies if tally is not None]
    meetings = [m for m in Competitions(league).meetings_of(first.id) if m[2].second == second.name]
    return {
        "pair": list(zip((first, second), rows, strict=True)),
        "scale": Scale.of(tally.ci95 for tally in known),
        "difference": Difference.of(*known) if len(known) == 2 else None,
        "meetings": meetings,
        "match": _short_matches(request).known(first, second),
        "double_games": DOUBLE_GAMES,
        "epsilon": EPSILON,
    }


def _player(league: League, text: str) -> Player:
    return league.player(_number(text, "player"))


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise NotFound(f"there is no {what} {text}")
    return int(text)


def _snapshots(request: Request) -> Snapshots:
    found = request.app.state.snapshots
    assert isinstance(found, Snapshots)
    return found


def _short_matches(request: Request) -> ShortMatches:
    found = request.app.state.short_matches
    assert isinstance(found, ShortMatches)
    return found
