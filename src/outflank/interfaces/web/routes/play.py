"""The board to play on. The page thinks by itself, with the core in WebAssembly; the server sends it files:
players of the league, the built-in ones that its levels and its coach need, the opening book.

For programs without a core there is /api/v1/play: they send a transcript, a compute process responds with the
game. Stateless: a response follows from the request, and from chance where several moves are equally good.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from outflank.evaluators.storage import load_player
from outflank.interfaces.response_models import PlayResponse
from outflank.interfaces.web.compute.play import DEEPEST
from outflank.interfaces.web.compute.pool import ComputePool, Task
from outflank.interfaces.web.limits.rates import client_of
from outflank.interfaces.web.rendering import page
from outflank.interfaces.web.routes.dependencies import ERRORS, LeagueDep, PlayerId, TableDep
from outflank.interfaces.web.routes.lab import run_named
from outflank.league.league import TableRow
from outflank.learners.runs.folder import player_file
from outflank.players.built_in import BUILT_IN, built_in_file
from outflank.players.opening_book import built_in_book_file
from outflank.players.search_tuning import tuning_file
from outflank.players.solver import ordering_file

LONGEST = 400  # characters of a transcript: 60 moves, and room for spaces
COACH = "all-rounder"  # gives hints and judges games
BOOK, ORDERING = "default.book", "solver-ordering.safetensors"
ENGINE = {"wasm": "/static/engine/engine.wasm", "worker": "/static/engine/engine-worker.js"}
NEURAL = "neural network"  # of ONNX files, which the page cannot play

router = APIRouter()


@router.get("/play", include_in_schema=False)
def play_page(request: Request, table: TableDep, run: Annotated[str, Query(max_length=300)] = "") -> Response:
    """The page; the game is in its address, which its script reads. With `run`, its player is listed."""
    listed = [_listed(row) for row in table.snapshot().rows if row.kind != NEURAL and not row.error]
    if run:
        listed.insert(0, _run_player(request, run))
    config = {
        "players": [*_house_players(), *listed],
        "coach": COACH,
        "book": _address(BOOK),
        "ordering": _address(ORDERING),
        "engine": ENGINE,
    }
    return page("play.html", active="/play", title="Play", config=config, has_players=bool(listed))


def _listed(row: TableRow) -> dict[str, Any]:
    return {
        "id": str(row.id), "name": row.name, "note": "" if row.score is None else f"{row.score:.3f}",
        "file": f"/api/v1/players/{row.id}/file", "view": row.view, "tuning": None, "isListed": True,
    }  # fmt: skip


def _run_player(request: Request, name: str) -> dict[str, Any]:
    """The best player of a run of the lab, under the id `run`."""
    file = player_file(run_named(request, name))
    if file is None:
        raise HTTPException(404, "this run has no player yet: it has not been measured")
    try:
        view = load_player(file).view or "inversion"
    except (ValueError, OSError):
        raise HTTPException(404, "the player of this run cannot be read") from None
    return {
        "id": "run", "name": name, "note": "from the lab", "file": f"/api/v1/runs/{quote(name)}/player",
        "view": view, "tuning": None, "isListed": True,
    }  # fmt: skip


def _house_players() -> list[dict[str, Any]]:
    """The players that the levels and the coach are made of; a page lists those that are in the league."""
    return [
        {
            "id": name, "name": name, "note": "", "view": player.view, "isListed": False,
            "file": _address(built_in_file(name).name),
            "tuning": _address(f"{name}.json") if tuning_file(name).exists() else None,
        }
        for name, player in BUILT_IN.items()
    ]  # fmt: skip


@dataclass(frozen=True)
class HouseFile:
    """A file that comes with outflank, packed once."""

    content: bytes
    packed: bytes
    etag: str


@cache
def _house_file(name: str) -> HouseFile:
    content = _house_files()[name]()
    return HouseFile(content, gzip.compress(content, 6, mtime=0), hashlib.sha256(content).hexdigest()[:16])


@cache
def _house_files() -> dict[str, Callable[[], bytes]]:
    players = [built_in_file(name) for name in BUILT_IN]
    tuning = [path for name in BUILT_IN if (path := tuning_file(name)).exists()]
    found = {path.name: path.read_bytes for path in (*players, *tuning, built_in_book_file())}
    return {**found, ORDERING: ordering_file}


def _address(name: str) -> str:
    """Changes with the content, so that browsers may keep the file."""
    return f"/play/files/{name}?{_house_file(name).etag}"


@router.get("/play/files/{name}", include_in_schema=False)
def house_file(request: Request, name: str) -> Response:
    """A built-in player, its tuning, or the opening book."""
    if name not in _house_files():
        raise HTTPException(404, f"there is no file {name}")
    file = _house_file(name)
    headers = {
        "ETag": f'"{file.etag}"',
        "Cache-Control": "public, max-age=31536000, immutable",
        "Vary": "Accept-Encoding",
    }
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(file.packed, media_type="application/octet-stream", headers=headers)
    return Response(file.content, media_type="application/octet-stream", headers=headers)


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
