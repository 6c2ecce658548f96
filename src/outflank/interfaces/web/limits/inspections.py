"""Submitted files are inspected two at a time, whoever sends them by turns."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from pathlib import Path

from outflank.evaluators.storage import View
from outflank.interfaces.web.limits.fair_queue import FairQueue, QueueLimits
from outflank.league.inspection import (
    LARGEST_ANSWER,
    WALL_SECONDS,
    Inspected,
    end_group,
    inspection_command,
    inspection_result,
)

BUSY = "too many players wait to be read; submit again in a minute"
LIMITS = QueueLimits(
    running=2, running_each=1, waiting=100, waiting_each=20, wait_seconds=300.0, retry_seconds=60
)


class Inspections:
    """One for a server. A client is an address and a key: neither many keys nor many addresses help."""

    def __init__(self) -> None:
        self._queue = FairQueue(LIMITS, BUSY)

    def refuse_if_full(self, address: str, key: str) -> None:
        """Before a body is read that could only wait in vain."""
        self._queue.refuse_if_full(*_clients(address, key))

    async def inspect(self, path: Path, view: View | None, address: str, key: str) -> Inspected:
        """As inspect_file, when it is this client's turn. The process ends with the request."""
        async with self._queue.turn(*_clients(address, key)):
            process = await asyncio.create_subprocess_exec(
                *inspection_command(path, view), stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            assert process.stdout is not None
            output = b""
            try:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(WALL_SECONDS):
                        while len(output) < LARGEST_ANSWER and (said := await process.stdout.read(4096)):
                            output += said
                        await process.wait()
            finally:
                if process.returncode is None:
                    end_group(process.pid)
            return inspection_result(output, await process.wait())


def _clients(address: str, key: str) -> tuple[str, str]:
    return f"address {address}", f"key {hashlib.sha256(key.encode(errors='replace')).hexdigest()}"
