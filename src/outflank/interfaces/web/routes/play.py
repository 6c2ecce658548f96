"""The board to play on: the browser sends a transcript, a compute process responds with the game.

Stateless: a response follows from the request, and from chance where several moves are equally good.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from outflank.interfaces.response_models import PlayResponse
from outflank.interfaces.web.compute.play import DEEPEST
from outflank.interfaces.web.compute.pool import ComputePool, Task
from outflank.interfaces.web.limits.rates import client_of
from outflank.interfaces.web.rendering import page
from outflank.interfaces.web.routes.dependencies import ERRORS, LeagueDep, PlayerId, TableDep

LONGEST = 400  # characters of a transcript: 60 moves, and room for spaces

router = APIRouter()


@router.get("/play", include_in_schema=False)
def play_page(table: TableDep) -> Response:
    """The page; the game is in its address, which its script reads."""
    rows = table.snapshot().rows
    return page("play.html", active="/play", title="Play", players=rows, deepest=DEEPEST)


@router.get("/api/v1/play", responses={**ERRORS, 503: ERRORS[429]}, response_model=PlayResponse)
async def play(
    request: Request,
    league: LeagueDep,
    player: PlayerId | None = None,
    moves: Annotated[str, Query(max_length=LONGEST)] = "",
    depth: Annotated[int, Query(ge=1, le=DEEPEST)] = 1,
    values: bool = False,
) -> Response:
    """The board after the moves (such as f5d6c3; passes are not written) and what a player thinks of it: its
    evaluation along the game and, with values=1, the value of each legal move and its choice."""
    if player is None and values:
        raise HTTPException(422, "values are a player's: add player=ID")
    players = [] if player is None else [await run_in_threadpool(league.player, player)]
    arguments = {"moves": moves, "depth": depth, "values": values}
    task = Task("play", arguments, players, is_long=values and depth > 1)
    pool: ComputePool = request.app.state.compute_pool
    content = await pool.run(task, client_of(request))
    return Response(content, media_type="application/json", headers={"Cache-Control": "no-store"})
