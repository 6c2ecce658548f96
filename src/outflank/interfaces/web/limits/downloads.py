"""Players' files on their way to whoever downloads them: few at a time, for each is held in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress

from starlette.responses import Response, StreamingResponse
from starlette.types import Send

from outflank.interfaces.web.limits.fair_queue import FairQueue, QueueLimits

BUSY = "too many files are being downloaded; try again in a moment"
# 16 files of 16 MB: a quarter of a gigabyte.
LIMITS = QueueLimits(
    running=16, running_each=2, waiting=100, waiting_each=20, wait_seconds=20.0, retry_seconds=5
)
SEND_SECONDS = 300.0  # as long as an upload may take
CHUNK = 64 << 10


class Downloads:
    """Turns at downloading."""

    def __init__(self) -> None:
        self._queue = FairQueue(LIMITS, BUSY)

    async def answer(self, address: str, read: Callable[[], Awaitable[tuple[str, bytes]]]) -> Response:
        """An answer with the name and the bytes that `read` gives. It is called when it is this address's
        turn, which lasts until all is sent."""
        async with AsyncExitStack() as turn:
            await turn.enter_async_context(self._queue.turn(address))
            name, content = await read()
            return _Download(name, content, turn.pop_all())


class _Download(StreamingResponse):
    """Sends a chunk when the one before is on its way, so that nothing piles up for clients that are slow;
    breaks off where that takes too long."""

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
                async with asyncio.timeout(SEND_SECONDS):
                    await super().stream_response(send)


async def _chunks(content: bytes) -> AsyncIterator[bytes]:
    for at in range(0, len(content), CHUNK):
        yield content[at : at + CHUNK]
