"""The league's REST interface, version 1. Every error is {"error": "one sentence"}.

What the API answers with, made from what the league knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import UploadFile

from outflank.evaluators.storage import VIEWS
from outflank.games.standings import PairResult, Standings
from outflank.games.statistics import Tally
from outflank.interfaces.response_models import (
    CompetitionAnswer,
    EntrantAnswer,
    Fault,
    MatchAnswer,
    NominatedAnswer,
    PlayerAnswer,
    Result,
    RowAnswer,
    ScoreAnswer,
    SubmittedAnswer,
    TableAnswer,
)
from outflank.interfaces.web.caching.table_cache import TableCache, table_cache
from outflank.interfaces.web.limits.downloads import Downloads
from outflank.interfaces.web.limits.inspections import Inspections
from outflank.interfaces.web.limits.security import Admin, Key, address_of, is_admin, network_of
from outflank.interfaces.web.limits.uploads import form_of, on_disk
from outflank.league.competitions import DOUBLE_GAMES as COMPETITION_DOUBLE_GAMES
from outflank.league.competitions import Competitions, CompetitionState
from outflank.league.inspection import Inspected
from outflank.league.jobs import Jobs
from outflank.league.league import LARGEST_FILE, League, TableRow
from outflank.league.schema import Entrant, Player
from outflank.league.scoring import DOUBLE_GAMES
from outflank.league.text_fields import checked_link, checked_name, checked_note


def result_of(tally: Tally) -> Result:
    return Result(games=tally.games, wins=tally.wins, draws=tally.draws, losses=tally.losses,
                  score=tally.score, ci95=tally.ci95)  # fmt: skip


def row_answer(row: TableRow) -> RowAnswer:
    return RowAnswer(
        rank=row.rank, id=row.id, name=row.name, entrant=row.entrant, kind=row.kind, view=row.view,
        weights=row.weights, created=row.created, fault=row.fault, state=row.state,
        result=result_of(row.tally) if row.tally else None,
    )  # fmt: skip


def player_answer(player: Player, table: Sequence[TableRow]) -> PlayerAnswer:
    rank = next((row.rank for row in table if row.id == player.id), None)
    scores = [
        ScoreAnswer(double_games=score.double_games, is_final=score.double_games >= DOUBLE_GAMES,
                    measured=score.measured, result=result_of(score.tally))
        for score in player.scores
    ]  # fmt: skip
    return PlayerAnswer(
        rank=rank, id=player.id, name=player.name, entrant=player.entrant.name, kind=player.kind,
        description=player.description, view=player.view, weights=player.weights, digest=player.digest,
        note=player.note, link=player.link, created=player.created, fault=player.fault, scores=scores,
    )  # fmt: skip


def match_answers(meetings: Sequence[tuple[str, float, PairResult]]) -> list[MatchAnswer]:
    return [
        MatchAnswer(competition=name, epsilon=epsilon, opponent=pair.second, result=result_of(pair.tally))
        for name, epsilon, pair in meetings
    ]


def competition_answer(state: CompetitionState, standings: Mapping[float, Standings]) -> CompetitionAnswer:
    players = [NominatedAnswer(id=one.id, name=one.name, entrant=one.entrant.name) for one in state.players]
    return CompetitionAnswer(
        id=state.id, name=state.name,
        state=state.state,  # type: ignore[arg-type]  # a column of text; pydantic checks it here
        double_games=state.double_games, created=state.created, players=players, meetings=state.meetings,
        meetings_in_all=state.meetings_in_all,
        standings={f"{epsilon:g}": one.report() for epsilon, one in standings.items()},
    )  # fmt: skip


FAULTS: dict[int | str, dict[str, Any]] = {
    code: {"model": Fault} for code in (400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503)
}
router = APIRouter(prefix="/api/v1", responses=FAULTS)
PlayerId = Annotated[int, Field(ge=1, le=2**31 - 1)]
SORTS: dict[str, Any] = {
    "rank": lambda row: (row.rank is None, row.rank or 0, row.id),
    "name": lambda row: (row.name.casefold(), row.id),
    "entrant": lambda row: (row.entrant.casefold(), row.rank or 0, row.id),
    "kind": lambda row: (row.kind, row.rank or 0, row.id),
    "weights": lambda row: (row.weights, row.id),
    "created": lambda row: (row.created, row.id),
}
Sort = Literal["rank", "name", "entrant", "kind", "weights", "created"]
Order = Literal["ascending", "descending"]


def league_of(request: Request) -> League:
    league = request.app.state.league
    assert isinstance(league, League)
    return league


TheLeague = Annotated[League, Depends(league_of)]
TheTable = Annotated[TableCache, Depends(table_cache)]


class NewEntrant(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str = Field(max_length=40)


class NewCompetition(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str = Field(max_length=40)
    double_games: int = COMPETITION_DOUBLE_GAMES


class NewNomination(BaseModel):
    model_config = ConfigDict(extra="forbid")
    player: PlayerId


def chosen_rows(rows: Sequence[TableRow], sort: Sort, order: Order, text: str) -> list[TableRow]:
    """The table sorted, and those whose name, entrant, kind or view has the text."""
    wanted = text.casefold().strip()
    found = [row for row in rows if wanted in f"{row.name}\n{row.entrant}\n{row.kind}\n{row.view}".casefold()]
    return sorted(found, key=SORTS[sort], reverse=order == "descending")


@dataclass(frozen=True)
class TablePart:
    """What part of the table is asked for, in what order."""

    sort: Sort = "rank"
    order: Order = "ascending"
    text: str = ""
    limit: int = 100
    offset: int = 0

    def made(self, everybody: Sequence[TableRow]) -> bytes:
        rows = chosen_rows(everybody, self.sort, self.order, self.text)
        shown = [row_answer(row) for row in rows[self.offset : self.offset + self.limit]]
        return TableAnswer(total=len(rows), players=shown).model_dump_json().encode()


@router.post("/entrants", status_code=201)
def register(league: TheLeague, entrant: NewEntrant, response: Response) -> EntrantAnswer:
    """Become an entrant. The key is shown once: keep it, it is needed to submit."""
    response.headers["Cache-Control"] = "no-store"
    return EntrantAnswer(name=entrant.name, key=league.register(entrant.name))


@router.get("/players", response_model=TableAnswer)
async def players(
    table: TheTable,
    sort: Sort = "rank",
    order: Order = "ascending",
    filter: Annotated[str, Query(max_length=80)] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0, le=10**6)] = 0,
) -> Response:
    """The league table."""
    asked = TablePart(sort, order, filter, limit, offset)
    return Response(await table.answer(asked, asked.made), media_type="application/json")


SUBMISSION = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file", "name"],
                    "properties": {
                        "file": {"type": "string", "format": "binary"},
                        "name": {"type": "string", "maxLength": 40},
                        "view": {"type": "string", "enum": ["", *VIEWS]},
                        "note": {"type": "string", "maxLength": 500},
                        "link": {"type": "string", "maxLength": 200},
                    },
                }
            }
        },
    }
}


@router.post("/players", status_code=201, openapi_extra=SUBMISSION)
async def submit(request: Request, league: TheLeague, table: TheTable, key: Key) -> SubmittedAnswer:
    """Submit a player: the League's text format, which needs a view, or outflank's own."""
    entrant = await run_in_threadpool(_who_may_submit, request, league, key)  # before anything is read
    inspections: Inspections = request.app.state.inspections
    address = network_of(address_of(request))
    inspections.refuse_if_full(address, key)
    async with form_of(request) as form:
        texts = {name: form.get(name, "") for name in ("name", "view", "note", "link")}
        upload = form.get("file")
        if not isinstance(upload, UploadFile) or not all(isinstance(text, str) for text in texts.values()):
            raise HTTPException(422, "the form needs a file and a name, and may have view, note and link")
        if texts["view"] not in ("", *VIEWS):
            raise HTTPException(422, f"a view is one of {', '.join(VIEWS)}, not {texts['view'][:20]!r}")
        _refuse_what_needs_no_reading(upload, texts)
        async with on_disk(upload) as path:
            inspected = await inspections.inspect(path, texts["view"] or None, address, key)
            player = await run_in_threadpool(_added, league, entrant, path, inspected, texts)
    await run_in_threadpool(table.renew)
    return SubmittedAnswer(id=player.id, name=player.name, weights=player.weights, kind=player.kind,
                           view=player.view, state="waiting", page=f"/players/{player.id}")  # fmt: skip


def _who_may_submit(request: Request, league: League, key: str) -> Entrant:
    entrant = league.entrant(key)
    most = request.app.state.settings.most_waiting
    jobs = Jobs(league.store, "server")
    text = ""
    if jobs.counts()["waiting"] >= most:
        text = f"{most} players and matches wait to be played; submit when there are fewer"
    elif jobs.waiting_of(entrant.id) >= max(most // 2, 1):
        text = f"{max(most // 2, 1)} of your players wait to be scored; submit when there are fewer"
    if text:
        raise HTTPException(503, text, {"Retry-After": "60"})
    return entrant


def _refuse_what_needs_no_reading(upload: UploadFile, texts: dict[str, Any]) -> None:
    checked_name(texts["name"], "player")
    checked_note(texts["note"])
    checked_link(texts["link"])
    if (upload.size or 0) > LARGEST_FILE:
        raise HTTPException(413, f"a player's file has at most {LARGEST_FILE >> 20} MB")


def _added(
    league: League, entrant: Entrant, path: Path, inspected: Inspected, texts: dict[str, Any]
) -> Player:
    return league.add(
        entrant, path.read_bytes(), inspected, name=texts["name"], note=texts["note"], link=texts["link"]
    )


@router.get("/players/{player_id}")
def player(league: TheLeague, table: TheTable, player_id: PlayerId) -> PlayerAnswer:
    """A player with its scores."""
    return player_answer(league.player(player_id), table.rows())


@router.delete("/players/{player_id}", status_code=204, dependencies=[Admin])
def remove(league: TheLeague, table: TheTable, player_id: PlayerId) -> None:
    """For the league's keeper: take a player out."""
    Competitions(league).remove_player(player_id)
    table.renew()


@router.get("/players/{player_id}/file", response_class=Response)
async def file(request: Request, league: TheLeague, player_id: PlayerId) -> Response:
    """The file as it was submitted."""
    downloads: Downloads = request.app.state.downloads
    return await downloads.answer(
        network_of(address_of(request)), lambda: run_in_threadpool(_file, league, player_id)
    )


def _file(league: League, player_id: int) -> tuple[str, bytes]:
    name, content = league.player(player_id).name, league.content(player_id)
    ending = "safetensors" if content[8:9] == b"{" and b"\0" in content[:8] else "player"
    return f"{name.replace(' ', '-')}.{ending}", content


@router.get("/players/{player_id}/picture", response_class=Response)
def picture(league: TheLeague, player_id: PlayerId) -> Response:
    """What its weights look like; drawn when it is scored."""
    drawn = league.picture(player_id)
    if drawn is None:
        raise HTTPException(404, "there is no picture of this player yet")
    return Response(drawn, media_type="image/png", headers={"Cache-Control": "public, max-age=86400"})


@router.get("/players/{player_id}/matches")
def matches(league: TheLeague, player_id: PlayerId) -> list[MatchAnswer]:
    """What it played in competitions."""
    league.player(player_id)
    return match_answers(Competitions(league).meetings_of(player_id))


@router.get("/competitions")
def competitions(league: TheLeague) -> list[CompetitionAnswer]:
    """All competitions, the latest first."""
    found = Competitions(league)
    return [competition_answer(state, {}) for state in found.all()]


@router.post("/competitions", status_code=201, dependencies=[Admin])
def open_competition(league: TheLeague, new: NewCompetition) -> CompetitionAnswer:
    """For the league's keeper: open a competition for nominations."""
    found = Competitions(league)
    return competition_answer(found.state(found.open(new.name, new.double_games)), {})


@router.get("/competitions/{competition_id}")
def competition(request: Request, league: TheLeague, competition_id: PlayerId) -> CompetitionAnswer:
    """A competition with its standings at each rate of forced random moves."""
    state = Competitions(league).state(competition_id)
    return competition_answer(state, request.app.state.kept_competitions.standings(state))


@router.post("/competitions/{competition_id}/nominations", status_code=201)
def nominate(
    request: Request, league: TheLeague, competition_id: PlayerId, new: NewNomination, key: Key
) -> CompetitionAnswer:
    """Nominate a player of one's own, up to two; the league's keeper nominates any."""
    found = Competitions(league)
    if is_admin(request, key):
        found.nominate_any(competition_id, new.player)
    else:
        found.nominate(key, competition_id, new.player)
    return competition_answer(found.state(competition_id), {})


@router.post("/competitions/{competition_id}/start", dependencies=[Admin])
def start(league: TheLeague, competition_id: PlayerId) -> CompetitionAnswer:
    """For the league's keeper: no more nominations, all meet all."""
    found = Competitions(league)
    found.start(competition_id)
    return competition_answer(found.state(competition_id), {})
