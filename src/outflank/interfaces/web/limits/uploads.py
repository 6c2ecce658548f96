"""Request bodies within limits; uploaded players, on disk until the request ends, inspected in fair turns."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import shutil
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from fastapi import HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outflank.evaluators.storage import View
from outflank.interfaces.web.limits.fair_queue import FairQueue, QueueLimits
from outflank.league import inspection
from outflank.league.league import LARGEST_FILE
from outflank.league.sandbox import scratch_folder

FIELDS = 64 << 10  # bytes for name, view, note and link beside the file
LARGEST_UPLOAD = LARGEST_FILE + FIELDS
LARGEST_BODY = 16 << 10  # of any other request
MOST_DISCARDED = 64 << 20
UPLOAD_SECONDS = 300.0
BODY_SECONDS = 30.0  # of any other request
DISCARD_SECONDS = 20.0
BUSY = "too many players wait to be inspected; submit again in a minute"
MOST_OUTPUT = inspection.LARGEST_ANSWER
# Most players are small and take a second to inspect; the largest take ten. Small files have a process of
# their own, so that they wait only for each other.
SMALL_FILE = 1 << 20  # bytes: about 50,000 weights as text
INSPECTIONS = QueueLimits(
    running=2, running_each=1, waiting=100, waiting_each=20, wait_seconds=300.0, retry_seconds=60
)
SMALL_INSPECTIONS = replace(INSPECTIONS, running=1)


class LimitBodies:
    """Cuts a body off with an error where it gets too long, whatever its headers say.

    A client that is refused while still sending would see a broken connection instead of the reason, so the
    rest of the body is read and discarded, within bounds, before the response begins.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_upload = scope["method"] == "POST" and scope["path"] == "/api/v1/players"
        most, seconds = (LARGEST_UPLOAD, UPLOAD_SECONDS) if is_upload else (LARGEST_BODY, BODY_SECONDS)
        body = _Body(receive, most, seconds, _headers(scope))

        async def send_after_body(message: Message) -> None:
            if message["type"] == "http.response.start":
                await body.discard()
            await send(message)

        await self.app(scope, body.receive, send_after_body)


class _Body:
    """A body that is being received."""

    def __init__(self, receive: Receive, most: int, seconds: float, headers: dict[bytes, bytes]) -> None:
        self._receive = receive
        self._most = most
        self._until = asyncio.get_running_loop().time() + seconds
        self._received = 0
        declared = headers.get(b"content-length", b"0")
        self._declared = int(declared) if declared.isdigit() else 0
        self._is_over = self._declared == 0 and b"transfer-encoding" not in headers
        self._is_expected = headers.get(b"expect", b"").lower() != b"100-continue"  # else sent when asked for

    async def receive(self) -> Message:
        if max(self._declared, self._received) > self._most:
            raise HTTPException(413, self._error)
        self._is_expected = True
        try:
            async with asyncio.timeout_at(None if self._is_over else self._until):
                message = await self._next()
        except TimeoutError:
            self._is_over = True  # no waiting for the rest
            raise HTTPException(408, "the request took too long to arrive") from None
        if self._received > self._most:
            raise HTTPException(413, self._error)
        return message

    async def discard(self) -> None:
        if self._is_over or not self._is_expected or self._declared > MOST_DISCARDED:
            return
        try:
            async with asyncio.timeout(DISCARD_SECONDS):
                while not self._is_over and self._received <= MOST_DISCARDED:
                    await self._next()
        except TimeoutError:
            return

    async def _next(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._received += len(message.get("body", b""))
            self._is_over = not message.get("more_body", False)
        else:
            self._is_over = True
        return message

    @property
    def _error(self) -> str:
        if self._most == LARGEST_UPLOAD:
            return f"a player's file has at most {LARGEST_FILE >> 20} MB"
        return f"this request has at most {self._most >> 10} KB"


def _headers(scope: Scope) -> dict[bytes, bytes]:
    return {name.lower(): value for name, value in scope["headers"]}


class _Form(MultiPartParser):
    """A form that knows whether it is complete."""

    is_complete = False

    def on_end(self) -> None:
        self.is_complete = True


@asynccontextmanager
async def form_of(request: Request) -> AsyncIterator[dict[str, Any]]:
    """The fields of a multipart form: text, and `file` as an UploadFile, on disk if it is large."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise HTTPException(415, "send the player as multipart/form-data with the fields file and name")

    async def chunks() -> AsyncGenerator[bytes, None]:
        async for chunk in request.stream():
            yield chunk
        if not form.is_complete:
            raise MultiPartException("it ends too early")

    form = _Form(request.headers, chunks(), max_files=1, max_fields=8, max_part_size=FIELDS)
    try:
        parsed = await form.parse()
    except (MultiPartException, KeyError, ValueError) as error:
        reason = " ".join(str(getattr(error, "message", error)).split())
        raise HTTPException(400, f"the form cannot be read: {reason}") from None
    except ClientDisconnect:
        raise HTTPException(400, "the upload was broken off") from None
    try:
        yield dict(parsed)
    finally:
        await parsed.close()


@asynccontextmanager
async def on_disk(upload: UploadFile) -> AsyncIterator[Path]:
    """The uploaded file under our own name: a client's choice of name never reaches the disk."""
    with scratch_folder() as folder:
        path = folder / "player"
        await run_in_threadpool(_copy, upload.file, path)
        yield path


def _copy(source: BinaryIO, path: Path) -> None:
    with path.open("wb") as file:
        shutil.copyfileobj(source, file)


class Inspections:
    """Turns at inspection. A client is an address and a key: neither many keys nor many addresses help."""

    def __init__(self) -> None:
        self._any = FairQueue(INSPECTIONS, BUSY)
        self._small = FairQueue(SMALL_INSPECTIONS, BUSY)

    def refuse_if_full(self, body: int | None, address: str, key: str) -> None:
        """Before a body is read that could only wait in vain; its bytes, if they are declared."""
        self.queue(LARGEST_UPLOAD if body is None else body).refuse_if_full(*_clients(address, key))

    def queue(self, size: int) -> FairQueue:
        return self._small if size <= SMALL_FILE else self._any

    async def inspect(self, path: Path, view: View | None, address: str, key: str) -> inspection.Inspected:
        """As inspect_file, when it is this client's turn. The process ends with the request."""
        async with self.queue(path.stat().st_size).turn(*_clients(address, key)):
            process = await asyncio.create_subprocess_exec(
                *inspection.inspection_command(path, view), stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            assert process.stdout is not None
            output = b""
            try:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(inspection.WALL_SECONDS):
                        while len(output) < inspection.LARGEST_ANSWER and (
                            chunk := await process.stdout.read(4096)
                        ):
                            output += chunk
                        await process.wait()
            finally:
                if process.returncode is None:
                    inspection.end_group(process.pid)
            return inspection.inspection_result(output, await process.wait())


def _clients(address: str, key: str) -> tuple[str, str]:
    return f"address {address}", f"key {hashlib.sha256(key.encode(errors='replace')).hexdigest()}"
