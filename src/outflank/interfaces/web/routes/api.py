"""The league's REST API, version 1. Every error is {"error": "one sentence"}."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, suppress
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import UploadFile
from starlette.responses import StreamingResponse
from starlette.types import Send

from outflank.evaluators.onnx.network import looks_like_onnx
from outflank.evaluators.storage import VIEWS
from outflank.games.tournaments.standings import Standings
from outflank.interfaces import response_models as models
from outflank.interfaces.web.caching.responses import TableResponder
from outflank.interfaces.web.caching.table_cache import Order, Snapshot, Sort, TableQuery
from outflank.interfaces.web.limits.fair_queue import FairQueue, QueueLimits
from outflank.interfaces.web.limits.rates import client_of
from outflank.interfaces.web.limits.security import Admin, Key, is_admin
from outflank.interfaces.web.limits.uploads import Inspections, form_of, on_disk
from outflank.interfaces.web.routes.dependencies import ERRORS, LeagueDep, PlayerId, TableDep
from outflank.league.competitions import DOUBLE_GAMES as COMPETITION_DOUBLE_GAMES
from outflank.league.competitions import Competitions, CompetitionState
from outflank.league.jobs import Jobs
from outflank.league.league import LARGEST_FILE, League, TableRow
from outflank.league.schema import Entrant, Player
from outflank.league.scoring import DOUBLE_GAMES
from outflank.league.text_fields import checked_link, checked_name, checked_note

# 16 files of 16 MB in memory: a quarter of a gigabyte.
DOWNLOADS = QueueLimits(
    running=16, running_each=2, waiting=100, waiting_each=20, wait_seconds=20.0, retry_seconds=5
)
TOO_MANY_DOWNLOADS = "too many files are being downloaded; try again in a moment"
DOWNLOAD_SECONDS = 300.0  # as long as an upload may take
CHUNK = 64 << 10
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
router = APIRouter(prefix="/api/v1", responses=ERRORS)


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


@router.post("/entrants", status_code=201)
def register(league: LeagueDep, entrant: NewEntrant, response: Response) -> models.EntrantResponse:
    """Register as an entrant. The API key is shown once: store it, it is needed to submit players."""
    response.headers["Cache-Control"] = "no-store"
    return models.EntrantResponse(name=entrant.name, key=league.register(entrant.name))


@router.get("/players", response_model=models.TableResponse)
async def players(
    request: Request,
    table: TableDep,
    sort: Sort = "rank",
    order: Order = "ascending",
    filter: Annotated[str, Query(max_length=80)] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0, le=10**6)] = 0,
) -> Response:
    """The league table."""
    return await table_responder(TableQuery(sort, order, filter, limit, offset)).respond(request, table)


def table_responder(query: TableQuery) -> TableResponder:
    def make(snapshot: Snapshot) -> bytes:
        rows = query.matching(snapshot.rows)
        shown = [_row_response(row) for row in rows[query.offset : query.offset + query.limit]]
        return models.TableResponse(total=len(rows), players=shown).model_dump_json().encode()

    return TableResponder(query, make, "application/json")


@router.post("/players", status_code=201, openapi_extra=SUBMISSION)
async def submit(request: Request, league: LeagueDep, table: TableDep, key: Key) -> models.SubmittedResponse:
    """Submit a player: the League's text format, which needs a view, or outflank's own."""
    entrant = await run_in_threadpool(_who_may_submit, request, league, key)  # before anything is read
    inspections: Inspections = request.app.state.inspections
    client = client_of(request)
    declared = request.headers.get("content-length", "")
    inspections.refuse_if_full(int(declared) if declared.isdigit() else None, client, key)
    async with form_of(request) as form:
        upload, texts = _checked_form(form)
        async with on_disk(upload) as path:
            inspected = await inspections.inspect(path, texts["view"] or None, client, key)
            fields = {field: texts[field] for field in ("name", "note", "link")}
            player = await run_in_threadpool(
                lambda: league.add(entrant, path.read_bytes(), inspected, **fields)
            )
    await run_in_threadpool(table.renew)
    return models.SubmittedResponse(id=player.id, name=player.name, weights=player.weights, kind=player.kind,
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


def _checked_form(form: Mapping[str, Any]) -> tuple[UploadFile, dict[str, Any]]:
    """The file and the texts; refuses what need not be inspected for that."""
    texts = {name: form.get(name, "") for name in ("name", "view", "note", "link")}
    upload = form.get("file")
    if not isinstance(upload, UploadFile) or not all(isinstance(text, str) for text in texts.values()):
        raise HTTPException(422, "the form needs a file and a name, and may have view, note and link")
    if texts["view"] not in ("", *VIEWS):
        raise HTTPException(422, f"a view is one of {', '.join(VIEWS)}, not {texts['view'][:20]!r}")
    checked_name(texts["name"], "player")
    checked_note(texts["note"])
    checked_link(texts["link"])
    if (upload.size or 0) > LARGEST_FILE:
        raise HTTPException(413, f"a player's file has at most {LARGEST_FILE >> 20} MB")
    return upload, texts


@router.get("/players/{player_id}")
def player(league: LeagueDep, table: TableDep, player_id: PlayerId) -> models.PlayerResponse:
    """A player with its scores."""
    return _player_response(league.player(player_id), table.snapshot().by_id.get(player_id))


@router.delete("/players/{player_id}", status_code=204, dependencies=[Admin])
def remove(league: LeagueDep, table: TableDep, player_id: PlayerId) -> None:
    """For the admin: remove a player."""
    Competitions(league).remove_player(player_id)
    table.renew()


@router.get("/players/{player_id}/file", response_class=Response)
async def file(request: Request, league: LeagueDep, player_id: PlayerId) -> Response:
    """The submitted file."""
    queue: FairQueue = request.app.state.downloads
    async with AsyncExitStack() as turn:  # which lasts until all is sent
        await turn.enter_async_context(queue.turn(client_of(request)))
        name, content = await run_in_threadpool(_file, league, player_id)
        return _Download(name, content, turn.pop_all())


class _Download(StreamingResponse):
    """Sends chunk by chunk, so that nothing piles up for slow clients, and stops if it takes too long."""

    def __init__(self, name: str, content: bytes, turn: AsyncExitStack) -> None:
        headers = {
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Length": str(len(content)),
        }
        super().__init__(_chunks(content), media_type="application/octet-stream", headers=headers)
        self._turn = turn

    async def stream_response(self, send: Send) -> None:
        async with self._turn:
            with suppress(TimeoutError):
                async with asyncio.timeout(DOWNLOAD_SECONDS):
                    await super().stream_response(send)


async def _chunks(content: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(content), CHUNK):
        yield content[start : start + CHUNK]


def _file(league: League, player_id: int) -> tuple[str, bytes]:
    name, content = league.player(player_id).name, league.content(player_id)
    ending = "safetensors" if content[8:9] == b"{" and b"\0" in content[:8] else "player"
    ending = "onnx" if looks_like_onnx(content) else ending
    return f"{name.replace(' ', '-')}.{ending}", content


@router.get("/players/{player_id}/picture", response_class=Response)
def picture(league: LeagueDep, player_id: PlayerId) -> Response:
    """Its weights as a picture, drawn when it is scored."""
    drawn = league.picture(player_id)
    if drawn is None:
        raise HTTPException(404, "there is no picture of this player yet")
    return Response(drawn, media_type="image/png", headers={"Cache-Control": "public, max-age=86400"})


@router.get("/players/{player_id}/matches")
def matches(league: LeagueDep, player_id: PlayerId) -> list[models.MatchResponse]:
    """Its matches in competitions."""
    league.player(player_id)
    return [
        models.MatchResponse(
            competition=name, epsilon=epsilon, opponent=pair.second, result=_result(pair.tally)
        )
        for name, epsilon, pair in Competitions(league).meetings_of(player_id)
    ]


@router.get("/competitions")
def competitions(league: LeagueDep) -> list[models.CompetitionResponse]:
    """All competitions, the latest first."""
    return [_competition_response(state) for state in Competitions(league).all()]


@router.post("/competitions", status_code=201, dependencies=[Admin])
def open_competition(league: LeagueDep, new: NewCompetition) -> models.CompetitionResponse:
    """For the admin: open a competition for nominations."""
    found = Competitions(league)
    return _competition_response(found.state(found.open(new.name, new.double_games)))


@router.get("/competitions/{competition_id}")
def competition(request: Request, league: LeagueDep, competition_id: PlayerId) -> models.CompetitionResponse:
    """A competition with its standings at each rate of forced random moves."""
    state = Competitions(league).state(competition_id)
    return _competition_response(state, request.app.state.competition_cache.standings(state))


@router.post("/competitions/{competition_id}/nominations", status_code=201)
def nominate(
    request: Request, league: LeagueDep, competition_id: PlayerId, new: NewNomination, key: Key
) -> models.CompetitionResponse:
    """Nominate one of your players, up to two; the admin nominates any."""
    found = Competitions(league)
    if is_admin(request, key):
        found.nominate_any(competition_id, new.player)
    else:
        found.nominate(key, competition_id, new.player)
    return _competition_response(found.state(competition_id))


@router.post("/competitions/{competition_id}/start", dependencies=[Admin])
def start(league: LeagueDep, competition_id: PlayerId) -> models.CompetitionResponse:
    """For the admin: close nominations and start the round robin."""
    found = Competitions(league)
    found.start(competition_id)
    return _competition_response(found.state(competition_id))


def _result(tally: object) -> models.Result:
    return models.Result.model_validate(tally)


def _row_response(row: TableRow) -> models.RowResponse:
    return models.RowResponse(
        rank=row.rank, id=row.id, name=row.name, entrant=row.entrant, kind=row.kind, view=row.view,
        weights=row.weights, created=row.created, fault=row.error, state=row.state,
        result=_result(row.tally) if row.tally else None,
    )  # fmt: skip


def _player_response(player: Player, row: TableRow | None) -> models.PlayerResponse:
    scores = [
        models.ScoreResponse(double_games=score.double_games, is_final=score.double_games >= DOUBLE_GAMES,
                      measured=score.measured, result=_result(score.tally))
        for score in player.scores
    ]  # fmt: skip
    return models.PlayerResponse(
        rank=row.rank if row else None, id=player.id, name=player.name, entrant=player.entrant.name,
        kind=player.kind, description=player.description, view=player.view, weights=player.weights,
        digest=player.digest, note=player.note, link=player.link, created=player.created, fault=player.error,
        scores=scores,
    )  # fmt: skip


def _competition_response(
    state: CompetitionState, standings: Mapping[float, Standings] | None = None
) -> models.CompetitionResponse:
    players = [
        models.NominatedResponse(id=one.id, name=one.name, entrant=one.entrant.name) for one in state.players
    ]
    return models.CompetitionResponse(
        id=state.id, name=state.name,
        state=state.state,  # type: ignore[arg-type]  # a column of text; pydantic checks it here
        double_games=state.double_games, created=state.created, players=players, meetings=state.meetings,
        meetings_in_all=state.meetings_in_all,
        standings={f"{epsilon:g}": one.report() for epsilon, one in (standings or {}).items()},
    )  # fmt: skip
