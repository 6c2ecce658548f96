"""The lab: learning runs in a folder of the server, watched while they learn."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
from fastapi import APIRouter, HTTPException, Request, Response
from fastapi import Path as InPath
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel
from starlette.responses import StreamingResponse

from outflank.interfaces.web.limits.security import address_of
from outflank.interfaces.web.limits.streams import Streams
from outflank.interfaces.web.rendering import page
from outflank.interfaces.web.routes.api import FAULTS
from outflank.learners.runs.folder import Measurement, RunState, measurements_of, run_state, runs_in

LOOK_SECONDS = 0.5
HEARTBEAT_SECONDS = 15.0
BUSY = "too many streams are open; ask for the log instead, or try again later"
RunName = Annotated[str, InPath(max_length=300)]

router = APIRouter()


class MeasurementAnswer(BaseModel):
    """A point of a learning curve."""

    games: int
    generation: int | None
    seconds: float  # of learning
    score: float
    ci95: tuple[float, float]


class RunAnswer(BaseModel):
    """A learning run as it stands."""

    name: str
    method: str
    settings: dict[str, Any]
    seed: int
    state: Literal["learning", "stopped", "finished"]
    unit: Literal["games", "generations"]
    done: int  # when it was last logged
    total: int
    last: MeasurementAnswer | None
    changed: float  # seconds since 1970


class LogAnswer(BaseModel):
    run: RunAnswer
    measurements: list[MeasurementAnswer]


@router.get("/lab", include_in_schema=False)
def lab_page(request: Request) -> Response:
    """The page; its script asks for the runs."""
    return page("lab.html", active="/lab", title="Lab", has_runs=_folder(request) is not None)


@router.get("/api/v1/runs", responses=FAULTS)
def runs(request: Request) -> list[RunAnswer]:
    """The learning runs of this server's folder; none if it has no folder."""
    folder = _folder(request)
    found = []
    for name, path in runs_in(folder).items() if folder else ():
        try:
            found.append(_run_answer(run_state(name, path)))
        except (ValueError, OSError):  # settings of another version, or a folder on its way out
            continue
    return found


@router.get("/api/v1/runs/{name:path}/log", responses=FAULTS)
def log(request: Request, name: RunName) -> LogAnswer:
    """A run and what was measured so far."""
    return _log(name, _run(request, name))


@router.get(
    "/api/v1/runs/{name:path}/events",
    responses={**FAULTS, 503: FAULTS[429], 200: {"content": {"text/event-stream": {}}}},
    response_class=StreamingResponse,
)
async def events(request: Request, name: RunName) -> StreamingResponse:
    """Server-sent events: `log` (as of /log) first and whenever the log was rewritten, `run` when the state
    changes, `measured` for every new measurement, `end` when there will be no more."""
    path = await run_in_threadpool(_run, request, name)
    await run_in_threadpool(_log, name, path)  # a run that cannot be read is refused, not streamed
    streams: Streams = request.app.state.streams
    address = address_of(request)
    if streams.is_full_for(address):
        raise HTTPException(503, BUSY)
    return StreamingResponse(
        _events(request, name, path, streams, address), media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )  # fmt: skip


async def _events(
    request: Request, name: str, path: Path, streams: Streams, address: str
) -> AsyncIterator[str]:
    if streams.is_full_for(address):  # others came between the answer and its body
        return
    sent: LogAnswer | None = None
    spoke = time.monotonic()
    with streams.opened(address):
        while not streams.is_stopping and not await request.is_disconnected():
            try:
                now = await run_in_threadpool(_log, name, path)
            except (ValueError, OSError, HTTPException):  # it was removed
                yield _event("end", {})
                return
            for text in _news(sent, now):
                yield text
                spoke = time.monotonic()
            sent = now
            if now.run.state == "finished":
                yield _event("end", {})
                return
            if time.monotonic() > spoke + HEARTBEAT_SECONDS:
                yield ": alive\n\n"
                spoke = time.monotonic()
            await anyio.sleep(LOOK_SECONDS)


def _news(sent: LogAnswer | None, now: LogAnswer) -> list[str]:
    """What a listener does not know yet."""
    if sent is None or sent.measurements != now.measurements[: len(sent.measurements)]:
        return [_event("log", now.model_dump())]
    found = [_event("measured", one.model_dump()) for one in now.measurements[len(sent.measurements) :]]
    if (now.run.state, now.run.done) != (sent.run.state, sent.run.done):
        found.append(_event("run", now.run.model_dump()))
    return found


def _event(kind: str, content: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(content)}\n\n"


def _folder(request: Request) -> Path | None:
    folder: Path | None = request.app.state.settings.runs
    return folder


def _run(request: Request, name: str) -> Path:
    """A run by its name. Only names that a look into the folder found lead anywhere."""
    folder = _folder(request)
    path = runs_in(folder).get(name) if folder else None
    if path is None:
        raise HTTPException(404, "there is no such run")
    return path


def _log(name: str, path: Path) -> LogAnswer:
    try:
        run = run_state(name, path)
    except (ValueError, OSError):
        raise HTTPException(
            404, "this run cannot be read: its settings are those of another outflank"
        ) from None
    return LogAnswer(run=_run_answer(run), measurements=[_point(one) for one in measurements_of(path)])


def _run_answer(run: RunState) -> RunAnswer:
    return RunAnswer(
        **asdict(run) | {"settings": {key: _shown(value) for key, value in run.settings.items()}}
    )


def _shown(value: Any) -> Any:
    """A setting as anyone may see it: of files their names, not where they lie on this machine.

    >>> _shown("/home/ada/best.player,view=negation"), _shown(("self", "runs/a/best.safetensors")), _shown(3)
    ('best.player,view=negation', ['self', 'best.safetensors'], 3)
    """
    if isinstance(value, str):
        return value.replace("\\", "/").rsplit("/", 1)[-1]
    return [_shown(part) for part in value] if isinstance(value, tuple | list) else value


def _point(measurement: Measurement) -> MeasurementAnswer:
    return MeasurementAnswer(**asdict(measurement))
