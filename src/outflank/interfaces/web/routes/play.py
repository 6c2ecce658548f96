"""The board to play on: the browser asks what a transcript leads to, a compute process answers.

Stateless: an answer follows from the request, and from chance where several moves are equally good.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from outflank.interfaces.web.compute.move_values import DEEPEST
from outflank.interfaces.web.compute.play_answer import PlayAnswer
from outflank.interfaces.web.compute.pool import ComputePool, Task
from outflank.interfaces.web.limits.security import address_of, network_of
from outflank.interfaces.web.rendering import page
from outflank.interfaces.web.routes.api import FAULTS, PlayerId, TheLeague, TheTable

LONGEST = 400  # characters of a transcript: 60 moves, and room for spaces

router = APIRouter()


@router.get("/play", include_in_schema=False)
def play_page(table: TheTable) -> Response:
    """The page; what is played is in its address, which its script reads."""
    return page("play.html", active="/play", title="Play", players=table.rows(), deepest=DEEPEST)


@router.get("/api/v1/play", responses={**FAULTS, 503: FAULTS[429]}, response_model=PlayAnswer)
async def play(
    request: Request,
    league: TheLeague,
    player: PlayerId | None = None,
    moves: Annotated[str, Query(max_length=LONGEST)] = "",
    depth: Annotated[int, Query(ge=1, le=DEEPEST)] = 1,
    values: bool = False,
) -> Response:
    """The board after the moves (such as f5d6c3; passes are not written) and what a player makes of it:
    its evaluation along the game and, with values=1, the value of each legal move and its choice."""
    if player is None and values:
        raise HTTPException(422, "values are a player's: add player=ID")
    players = [] if player is None else [await run_in_threadpool(league.player, player)]
    arguments = {"moves": moves, "depth": depth, "values": values}
    task = Task("play", arguments, players, is_long=values and depth > 1)
    pool: ComputePool = request.app.state.compute_pool
    answer = await pool.run(task, network_of(address_of(request)))
    return Response(answer, media_type="application/json", headers={"Cache-Control": "no-store"})
