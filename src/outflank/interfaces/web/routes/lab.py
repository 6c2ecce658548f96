"""The lab: learning runs in a folder of the server, followed live by server-sent events."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import anyio
from fastapi import APIRouter, HTTPException, Request, Response
from fastapi import Path as InPath
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel
from starlette.responses import StreamingResponse

from outflank.interfaces.response_models import LogResponse, MeasurementResponse, RunResponse
from outflank.interfaces.web.limits.rates import client_of
from outflank.interfaces.web.rendering import page
from outflank.interfaces.web.routes.dependencies import ERRORS
from outflank.learners.runs.folder import RunState, measurements_of, player_file, run_state, runs_in

POLL_SECONDS = 0.5
HEARTBEAT_SECONDS = 15.0
MOST_STREAMS = 64
MOST_PER_CLIENT = 8
BUSY = "too many streams are open; ask for the log instead, or try again later"
RunName = Annotated[str, InPath(max_length=300)]

router = APIRouter()


class Streams:
    """The open streams: few enough not to starve the server, and ended when it stops.

    >>> streams = Streams()
    >>> with streams.opened("10.0.0.1"):
    ...     streams.count
    1
    >>> streams.count, streams.is_full_for("10.0.0.1")
    (0, False)
    """

    def __init__(self) -> None:
        self.is_stopping = False
        self._open: Counter[str] = Counter()

    @property
    def count(self) -> int:
        return self._open.total()

    def is_full_for(self, client: str) -> bool:
        return self.count >= MOST_STREAMS or self._open[client] >= MOST_PER_CLIENT

    @contextmanager
    def opened(self, client: str) -> Iterator[None]:
        self._open[client] += 1
        try:
            yield
        finally:
            self._open[client] -= 1
            self._open += Counter()  # drops zeros

    @contextmanager
    def ended_by_signals(self) -> Iterator[None]:
        """End streams when the server is told to stop. It waits for its connections before anything else, so
        this must run before the server's own signal handler."""
        if threading.current_thread() is not threading.main_thread():  # only that may set handlers
            yield
            return
        before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}

        def stop(number: int, frame: FrameType | None) -> None:
            self.is_stopping = True
            handler = before[signal.Signals(number)]
            if callable(handler):
                handler(number, frame)

        for one, handler in before.items():
            if callable(handler):
                signal.signal(one, stop)
        try:
            yield
        finally:
            self.is_stopping = True
            for one, handler in before.items():
                if signal.getsignal(one) is stop:
                    signal.signal(one, handler)


@router.get("/lab", include_in_schema=False)
def lab_page(request: Request) -> Response:
    """The page; its script asks for the runs."""
    has_runs = request.app.state.settings.runs is not None
    return page("lab.html", active="/lab", title="Lab", has_runs=has_runs)


@router.get("/api/v1/runs", responses=ERRORS)
def runs(request: Request) -> list[RunResponse]:
    """The learning runs of this server's folder; none if it has no folder."""
    found = []
    for name, path in _runs(request).items():
        try:
            found.append(_run_response(run_state(name, path)))
        except (ValueError, OSError):  # settings of another version, or a folder being removed
            continue
    return found


@router.get("/api/v1/runs/{name:path}/log", responses=ERRORS)
def log(request: Request, name: RunName) -> LogResponse:
    """A run and its measurements so far."""
    return _log(name, run_named(request, name))


@router.get("/api/v1/runs/{name:path}/player", responses=ERRORS, response_class=Response)
def player(request: Request, name: RunName) -> Response:
    """The file of a run's best player so far."""
    file = player_file(run_named(request, name))
    if file is None:
        raise HTTPException(404, "this run has no player yet: it has not been measured")
    headers = {
        "Content-Disposition": 'attachment; filename="player.safetensors"',
        "Cache-Control": "no-store",
    }
    return Response(file.read_bytes(), media_type="application/octet-stream", headers=headers)


@router.get(
    "/api/v1/runs/{name:path}/events",
    responses={**ERRORS, 503: ERRORS[429], 200: {"content": {"text/event-stream": {}}}},
    response_class=StreamingResponse,
)
async def events(request: Request, name: RunName) -> StreamingResponse:
    """Server-sent events: `log` (as of /log) first and whenever the log was rewritten, `run` when the state
    changes, `measured` for every new measurement, `end` when there will be no more."""
    path = await run_in_threadpool(run_named, request, name)
    await run_in_threadpool(_log, name, path)  # an unreadable run is refused, not streamed
    if request.app.state.streams.is_full_for(client_of(request)):
        raise HTTPException(503, BUSY)
    return StreamingResponse(
        _events(request, name, path), media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )  # fmt: skip


async def _events(request: Request, name: str, path: Path) -> AsyncIterator[str]:
    streams: Streams = request.app.state.streams
    client = client_of(request)
    if streams.is_full_for(client):  # others came between the head and the body of the response
        return
    sent: LogResponse | None = None
    last_sent = time.monotonic()
    with streams.opened(client):
        while not streams.is_stopping and not await request.is_disconnected():
            try:
                now = await run_in_threadpool(_log, name, path)
            except (ValueError, OSError, HTTPException):  # it was removed
                yield "event: end\ndata: {}\n\n"
                return
            for text in _news(sent, now):
                yield text
                last_sent = time.monotonic()
            sent = now
            if now.run.state == "finished":
                yield "event: end\ndata: {}\n\n"
                return
            if time.monotonic() > last_sent + HEARTBEAT_SECONDS:
                yield ": alive\n\n"
                last_sent = time.monotonic()
            await anyio.sleep(POLL_SECONDS)


def _news(sent: LogResponse | None, now: LogResponse) -> list[str]:
    """The events since what was sent."""
    if sent is None or sent.measurements != now.measurements[: len(sent.measurements)]:
        return [_event("log", now)]
    found = [_event("measured", one) for one in now.measurements[len(sent.measurements) :]]
    if (now.run.state, now.run.done) != (sent.run.state, sent.run.done):
        found.append(_event("run", now.run))
    return found


def _event(kind: str, content: BaseModel) -> str:
    return f"event: {kind}\ndata: {json.dumps(content.model_dump())}\n\n"


def _runs(request: Request) -> dict[str, Path]:
    folder: Path | None = request.app.state.settings.runs
    return runs_in(folder) if folder else {}


def run_named(request: Request, name: str) -> Path:
    """A run by its name. Only names found in the folder lead anywhere."""
    path = _runs(request).get(name)
    if path is None:
        raise HTTPException(404, "there is no such run")
    return path


def _log(name: str, path: Path) -> LogResponse:
    try:
        run = run_state(name, path)
    except (ValueError, OSError):
        text = "this run cannot be read: its settings are those of another version of outflank"
        raise HTTPException(404, text) from None
    measurements = [MeasurementResponse.model_validate(one) for one in measurements_of(path)]
    return LogResponse(run=_run_response(run), measurements=measurements)


def _run_response(run: RunState) -> RunResponse:
    settings = {key: _public(value) for key, value in run.settings.items()}
    return RunResponse.model_validate(replace(run, settings=settings))


def _public(value: Any) -> Any:
    """A setting as anyone may see it: of files their names, not their folders on this machine.

    >>> _public("/home/ada/best.player,view=negation"), _public(("self", "runs/a/best.safetensors"))
    ('best.player,view=negation', ['self', 'best.safetensors'])
    """
    if isinstance(value, str):
        return value.replace("\\", "/").rsplit("/", 1)[-1]
    if isinstance(value, dict):
        return {key: _public(part) for key, part in value.items()}
    return [_public(part) for part in value] if isinstance(value, tuple | list) else value
