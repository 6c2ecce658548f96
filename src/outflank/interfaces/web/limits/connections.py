"""HTTP connections: uvicorn's, with bounds on their number, the size of a request's head, and time.

Uvicorn waits for ever for a head that is sent byte by byte, queues any number of pipelined requests, and
accepts any number of connections from one address. Uvicorn 0.54 has no setting for these (timeout_keep_alive
starts after a response, h11_max_incomplete_event_size is for h11 alone, limit_concurrency is global; see
uvicorn issue 157), so its protocol is subclassed here. Hypercorn's read_timeout restarts with every byte, and
Granian bounds the head's time but neither connections per address nor responses that nobody reads.
pyproject.toml pins the version that tests/interfaces/web/test_connections.py was run with.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from outflank.interfaces.web.limits.rates import network_of

HEAD_SECONDS = 20.0  # from the connection, a later request's first byte, or the response before it
LARGEST_HEAD = 32 << 10
MOST_PIPELINED = 16  # requests that wait for an earlier one's response
UNREAD_SECONDS = 30.0  # in which a client must read some of a response
PIECE = 4 << 10  # bytes parsed at once: the precision of the limits
TOO_MANY = "too many connections are open from your address; close some, or try again later"
BUSY = "too many connections are open; try again later"


class Connection(HttpToolsProtocol):
    """One connection, with its requests in turn."""

    per_address: ClassVar[int | None] = None  # connections that one address may have open
    open: ClassVar[Counter[str]] = Counter()  # how many each has

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._network = "unknown"
        self._is_refused = False
        self._answering: RequestResponseCycle | None = None  # the current request
        self._timer: asyncio.TimerHandle | None = None  # for the next head
        self._head_bytes = 0  # of whole lines of the head, and of trailers
        self._unparsed = 0  # bytes since the last whole head or part of a body
        self._has_advanced = False  # whether there was one in the current piece
        self._unread_timer: asyncio.TimerHandle | None = None
        self._unread = 0

    # The connection

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._network = network_of(self.client[0]) if self.client else "unknown"
        self.open[self._network] += 1
        self._await_head()
        if self.per_address is not None and self.open[self._network] > self.per_address:
            self._refuse(429, TOO_MANY)
        elif self.limit_concurrency is not None and len(self.connections) > self.limit_concurrency:
            self._refuse(503, BUSY)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self.resume_writing()
        self.open[self._network] -= 1
        if not self.open[self._network]:
            del self.open[self._network]
        super().connection_lost(exc)
        # Uvicorn tells only the latest request that its client is gone, not the one being answered.
        cycles = [cycle for cycle, _ in self.pipeline]
        self.pipeline.clear()
        for cycle in (*cycles, self._answering):
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()
        self._unset_keepalive_if_required()  # uvicorn leaves it set when a connection breaks

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), PIECE):
            if self.transport.is_closing():
                return
            self._parse(data[start : start + PIECE])
        # For uvicorn, bytes that begin no request, or belong to a body already answered, end the wait for the
        # next request.
        if not self._is_answering and self._timer is None and self.timeout_keep_alive_task is None:
            self._await_head()

    def _parse(self, piece: bytes) -> None:
        self._has_advanced = False
        super().data_received(piece)
        self._unparsed = 0 if self._has_advanced else self._unparsed + len(piece)
        if self._unparsed > LARGEST_HEAD:
            self._refuse_head()

    # The parser

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_bytes = 0
        self._await_head()

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._count(len(name) + len(value) + 4)  # ": " and the end of the line

    def on_headers_complete(self) -> None:
        self._has_advanced = True
        if self._is_refused:
            return
        self._stop_waiting()
        if len(self.pipeline) >= MOST_PIPELINED:
            self._refuse(503, BUSY)
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._has_advanced = True
        if not self._is_refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._has_advanced = True
        if not self._is_refused:
            super().on_message_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        self._refuse(400, "this is not an HTTP/1.1 request")

    # Responses

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    @property
    def _is_answering(self) -> bool:
        return self._answering is not None and not self._answering.response_complete

    def pause_writing(self) -> None:
        super().pause_writing()
        self._check_unread()

    def resume_writing(self) -> None:
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None
        self._unread = 0
        if self.flow is not None:
            super().resume_writing()

    def _check_unread(self) -> None:
        """A client that reads nothing would hold its response in memory."""
        before, self._unread = self._unread, self.transport.get_write_buffer_size()
        if self._unread == before:
            self.transport.abort()
        else:
            self._unread_timer = self.loop.call_later(UNREAD_SECONDS, self._check_unread)

    # Refusals

    def _count(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > LARGEST_HEAD:
            self._refuse_head()

    def _refuse_head(self) -> None:
        self._refuse(431, f"the head of a request has at most {LARGEST_HEAD >> 10} KB")

    def _await_head(self) -> None:
        self._stop_waiting()
        if not self._is_refused:
            self._timer = self.loop.call_later(HEAD_SECONDS, self._is_late)

    def _is_late(self) -> None:
        """While a response is under way the next request has time: it may not even be read."""
        if self._is_answering:
            self._await_head()
        else:
            self._refuse(408, "the request took too long to arrive")

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: int, text: str) -> None:
        """Close, and say why, unless a response is half-way out."""
        self._is_refused = True
        self._stop_waiting()
        if self.transport.is_closing():
            return
        if not self._is_answering:
            content = json.dumps({"error": text}).encode()
            head = (
                f"content-type: application/json\r\ncontent-length: {len(content)}\r\nconnection: close\r\n"
            )
            retry = "retry-after: 5\r\n" if status in (429, 503) else ""
            self.transport.write(STATUS_LINE[status] + f"{head}{retry}\r\n".encode() + content)
        self.transport.close()


def connection_class(per_address: int | None) -> type[Connection]:
    """Connections that are counted together; None behind a proxy, where all come from one address."""

    class Counted(Connection):
        open: ClassVar[Counter[str]] = Counter()

    Counted.per_address = per_address
    return Counted
