"""Readers of a league: plain asyncio sockets with requests at a fixed rate, whatever the server does."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import Any

KINDS = {"table page": "/", "table API": "/api/v1/players", "health": "/healthz"}
CONNECTIONS = 30
ADDRESSES = 10  # that share the connections, each within the rates of one
WARM_UP_SECONDS = 3.0
ANSWER_SECONDS = 60.0


class Readers:
    """`rate` requests per second, a third of each kind."""

    def __init__(self, port: int, rate: float) -> None:
        self._port, self._rate = port, rate
        self.waits: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self.statuses: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        self.lags: list[float] = []  # our own delays before sending

    def run(self, seconds: float) -> None:
        asyncio.run(self._all(WARM_UP_SECONDS))
        for found in (*self.waits.values(), *self.statuses.values(), self.lags):
            found.clear()
        asyncio.run(self._all(seconds))

    def report(self) -> dict[str, Any]:
        kinds = {}
        for kind, waits in self.waits.items():
            ordered = sorted(waits) or [float("inf")]
            kinds[kind] = {
                "answers": len(waits), "p50": ordered[len(ordered) // 2],
                "p99": ordered[int(0.99 * len(ordered))], "longest": ordered[-1],
                "statuses": dict(self.statuses[kind]),
            }  # fmt: skip
        lags = sorted(self.lags) or [float("inf")]
        return {"rate": self._rate, "client_lag_p99": lags[int(0.99 * len(lags))], "kinds": kinds}

    async def _all(self, seconds: float) -> None:
        began = time.perf_counter() + 0.2
        await asyncio.gather(*(self._reader(number, began, seconds) for number in range(CONNECTIONS)))

    async def _reader(self, number: int, began: float, seconds: float) -> None:
        kind = list(KINDS)[number % len(KINDS)]
        connection = _Connection(self._port, f"127.0.1.{1 + number % ADDRESSES}")
        due, free = began + number / self._rate, began
        while due < began + seconds:
            await asyncio.sleep(due - time.perf_counter())
            self.lags.append(time.perf_counter() - max(due, free))
            status = await connection.ask(KINDS[kind])
            free = time.perf_counter()
            self.statuses[kind][status] += 1
            if status != "no answer":
                self.waits[kind].append(free - due)
            due += CONNECTIONS / self._rate
        connection.close()


class _Connection:
    """A connection, reopened whenever it breaks."""

    def __init__(self, port: int, address: str) -> None:
        self._port, self._address = port, address
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str) -> str:
        """The status of the response."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                if self._streams is None:
                    self._streams = await asyncio.open_connection(
                        "127.0.0.1", self._port, local_addr=(self._address, 0)
                    )
                return await self._answer(path, *self._streams)
        except (OSError, EOFError, TimeoutError):
            self.close()
            return "no answer"

    async def _answer(self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: league\r\nAccept: text/html\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
        if b"\r\nconnection: close" in head:
            self.close()
        return head.split(b" ", 2)[1].decode()

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
