"""Requests that come too slowly, too many at once or with too much of a head, on real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.responses import PlainTextResponse, Response

from outflank.interfaces.web.app import create_app
from outflank.interfaces.web.limits import connections, uploads
from outflank.interfaces.web.limits.connections import LARGEST_HEAD, MOST_PIPELINED, connection_class
from outflank.interfaces.web.routes.lab import MOST_PER_CLIENT
from outflank.interfaces.web.settings import WebSettings
from tests.interfaces.web.serving import eventually, serving, without_players
from tests.interfaces.web.test_lab import made_run

REQUEST = b"GET /api/v1/competitions HTTP/1.1\r\nHost: league\r\n"
SLOW = b"GET /slow HTTP/1.1\r\nHost: league\r\n\r\n"
SLOW_SECONDS = 3.0
PATIENCE = 60.0  # a busy machine is no error
MOST_OPEN = 12


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a server that waits a second for a head, for a body, and for answers to be read; it has a slow page
    and a large one."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 1.0)
    monkeypatch.setattr(connections, "UNREAD_SECONDS", 1.0)
    monkeypatch.setattr(uploads, "BODY_SECONDS", 1.0)
    monkeypatch.setattr(uploads, "DISCARD_SECONDS", 1.0)
    app = create_app(WebSettings(database="sqlite://"))

    async def slow() -> Response:
        await asyncio.sleep(SLOW_SECONDS)
        return PlainTextResponse("at last")

    async def large() -> Response:
        return PlainTextResponse(b"x" * (64 << 20))

    app.add_api_route("/slow", slow)
    app.add_api_route("/large", large)
    http = connection_class(MOST_OPEN)
    server = uvicorn.Server(uvicorn.Config(app, http=http, log_config=None, access_log=False))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join()
    assert not http.open, "connections are counted that are closed"


@contextlib.contextmanager
def connected(port: int, source: str = "127.0.0.1") -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), PATIENCE, source_address=(source, 0)) as client:
        yield client


def answer_of(client: socket.socket) -> bytes:
    """All that comes until the server closes."""
    parts = []
    with contextlib.suppress(ConnectionError):
        while part := client.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def send_slowly(client: socket.socket, data: bytes, size: int = 3000) -> None:
    """In pieces that arrive one by one, as far as the server takes them."""
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with contextlib.suppress(ConnectionError):
        for start in range(0, len(data), size):
            client.sendall(data[start : start + size])
            time.sleep(0.01)


def status(answer: bytes) -> bytes:
    return answer.split(b" ", 2)[1]


def statuses(answers: bytes) -> list[bytes]:
    return [part[:3] for part in answers.split(b"HTTP/1.1 ")[1:]]


def head_of(size: int) -> bytes:
    """A request with so many bytes before its body, in lines of a kilobyte."""
    lines = b"".join(b"X-%05d: %s\r\n" % (number, b"x" * 1000) for number in range(size // 1012 - 1))
    rest = size - len(REQUEST) - len(lines) - len(b"Y: \r\n\r\n")
    return REQUEST + lines + b"Y: " + b"y" * rest + b"\r\n\r\n"


def test_a_head_that_never_ends_is_not_waited_for(port: int) -> None:
    with connected(port) as silent, connected(port) as slow:
        slow.sendall(REQUEST)
        assert status(answer_of(slow)) == status(answer_of(silent)) == b"408"


def test_a_second_request_is_not_waited_for_either(port: int) -> None:
    with connected(port) as client:
        client.sendall(REQUEST + b"\r\n" + REQUEST[:20])
        assert statuses(answer_of(client)) == [b"200", b"408"]


def test_empty_lines_between_requests_are_not_waited_for_either(port: int) -> None:
    with connected(port) as client:
        client.sendall(REQUEST + b"\r\n")
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")
        client.sendall(b"\r\n")
        assert statuses(answer_of(client)) == [b"408"]


def test_the_rest_of_a_body_that_was_answered_is_not_waited_for(port: int) -> None:
    with connected(port) as client:
        client.sendall(b"POST /api/v1/nothing HTTP/1.1\r\nHost: league\r\nContent-Length: 1000\r\n\r\n{")
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 404")
        client.sendall(b"{")
        assert statuses(answer_of(client)) == [b"408"]


@pytest.mark.parametrize("begin", [b"", REQUEST + b"\r\n"], ids=["first", "pipelined"])
@pytest.mark.parametrize("is_slow", [False, True])
@pytest.mark.parametrize("is_complete", [False, True])
def test_a_head_has_an_end(port: int, begin: bytes, is_slow: bool, is_complete: bool) -> None:
    head = head_of(LARGEST_HEAD + 5000)
    sent = begin + (head if is_complete else head[:-4])
    with connected(port) as client:
        if is_slow:
            send_slowly(client, sent)
        else:
            client.sendall(sent)
        found = statuses(answer_of(client))
    # An answer under way is not mixed with another: the connection then just ends.
    assert found in ([b"431"], [b"200", b"431"], [])
    assert found == [b"431"] or begin


def test_a_second_request_on_a_connection_has_no_larger_head(port: int) -> None:
    for second in (head_of(LARGEST_HEAD + 5000), head_of(LARGEST_HEAD + 5000)[:-4], b"\r\n" * LARGEST_HEAD):
        with connected(port) as client:
            client.sendall(head_of(LARGEST_HEAD - 1000))
            assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")
            send_slowly(client, second)
            assert statuses(answer_of(client)) == [b"431"]


def test_one_line_of_a_head_has_an_end(port: int) -> None:
    with connected(port) as client:
        client.sendall(REQUEST + b"X: " + b"x" * (LARGEST_HEAD + 1))
        answer = answer_of(client)
        assert status(answer) == b"431"
        body = json.loads(answer.split(b"\r\n\r\n", 1)[1])
        assert body == {"error": "the head of a request has at most 32 KB"}


def test_what_follows_a_body_has_an_end(port: int) -> None:
    head = b"POST /slow HTTP/1.1\r\nHost: league\r\nTransfer-Encoding: chunked\r\n\r\n"
    for trailer in (b"X: " + b"x" * (LARGEST_HEAD + 5000), b"X: x\r\n" * LARGEST_HEAD):
        with connected(port) as client:
            send_slowly(client, head + b"1\r\nx\r\n0\r\n" + trailer, 9000)
            assert statuses(answer_of(client)) in ([], [b"405"], [b"431"], [b"405", b"431"])


def test_a_large_body_before_a_head_is_no_part_of_it(port: int) -> None:
    body = b"x" * 10_000
    post = b"POST /api/v1/nothing HTTP/1.1\r\nHost: league\r\nContent-Length: 10000\r\n\r\n" + body
    with connected(port) as client:
        client.sendall(post * 8 + REQUEST + b"Connection: close\r\n\r\n")
        assert statuses(answer_of(client)) == [b"404"] * 8 + [b"200"]


def test_a_body_is_not_waited_for_either(port: int) -> None:
    with connected(port) as client:
        head = b"POST /api/v1/entrants HTTP/1.1\r\nHost: league\r\nContent-Type: application/json\r\n"
        client.sendall(head + b"Content-Length: 20\r\nConnection: close\r\n\r\n{")
        answer = answer_of(client)
    assert status(answer) == b"408"
    assert b"took too long" in answer


def test_requests_one_after_another(port: int) -> None:
    with connected(port) as client:
        for _ in range(3):
            client.sendall(REQUEST[:30])
            time.sleep(0.2)
            client.sendall(REQUEST[30:] + b"\r\n")
            assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")


def test_a_request_may_wait_for_the_answer_before_it(port: int) -> None:
    """However long that takes: the rest of it is not read meanwhile."""
    with connected(port) as client:
        client.sendall(SLOW + REQUEST + b"\r\n" + REQUEST[:20])
        time.sleep(SLOW_SECONDS / 2)
        client.sendall(REQUEST[20:] + b"Connection: close\r\n\r\n")
        assert statuses(answer_of(client)) == [b"200", b"200", b"200"]


def test_only_so_many_requests_wait(port: int) -> None:
    with connected(port) as client:
        client.sendall(SLOW + (REQUEST + b"\r\n") * 5000)
        began = time.monotonic()
        assert statuses(answer_of(client)) == []
        assert time.monotonic() < began + SLOW_SECONDS
    with connected(port) as client:
        client.sendall(
            SLOW + (REQUEST + b"\r\n") * (MOST_PIPELINED - 1) + REQUEST + b"Connection: close\r\n\r\n"
        )
        assert statuses(answer_of(client)) == [b"200"] * (MOST_PIPELINED + 1)


def test_an_address_has_so_many_connections(port: int) -> None:
    with contextlib.ExitStack() as several:
        clients = [several.enter_context(connected(port)) for _ in range(MOST_OPEN)]
        for client in clients:
            client.sendall(REQUEST + b"\r\n")
            assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")
        with connected(port) as one_more:
            answer = answer_of(one_more)
            assert status(answer) == b"429"
            assert b"too many connections are open from your address" in answer
        with connected(port, "127.0.0.2") as other:
            other.sendall(REQUEST + b"\r\n")
            assert other.recv(1 << 16).startswith(b"HTTP/1.1 200")
        clients[0].close()

        def is_answered() -> bool:
            with connected(port) as again:
                with contextlib.suppress(ConnectionError):
                    again.sendall(REQUEST + b"\r\n")
                return again.recv(1 << 16).startswith(b"HTTP/1.1 200")

        eventually(is_answered)


def test_an_answer_that_is_not_read_is_broken_off(port: int) -> None:
    with connected(port) as client:
        client.sendall(b"GET /large HTTP/1.1\r\nHost: league\r\n\r\n")
        time.sleep(4.0)  # more than twice as long as the server waits
        assert len(answer_of(client)) < 64 << 20
    with connected(port) as client:
        client.sendall(b"GET /large HTTP/1.1\r\nHost: league\r\nConnection: close\r\n\r\n")
        assert len(answer_of(client)) > 64 << 20


def test_what_is_no_http_is_refused_in_a_sentence(port: int) -> None:
    with connected(port) as client:
        client.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")  # TLS
        answer = answer_of(client)
    assert status(answer) == b"400"
    assert json.loads(answer.split(b"\r\n\r\n", 1)[1]) == {"error": "this is not an HTTP/1.1 request"}


def test_a_client_that_leaves_in_mid_pipeline(tmp_path: Path) -> None:
    """It is not told of in the log, and what it listened to is free for others."""
    (tmp_path / "runs").mkdir()
    made_run(tmp_path / "runs" / "plain", [0.2, 0.3])
    stream = b"GET /api/v1/runs/plain/events HTTP/1.1\r\nHost: league\r\n\r\n"
    health = b"GET /healthz HTTP/1.1\r\nHost: league\r\n\r\n"
    upload = b"POST /api/v1/players HTTP/1.1\r\nHost: league\r\nContent-Length: 100000\r\n\r\n{"
    database = without_players(f"sqlite:///{tmp_path / 'league.db'}")
    with serving(tmp_path, database, "--no-worker", "--runs=runs") as served:
        port = int(served.address.rsplit(":", 1)[1])
        for sent in (stream + health, stream * 2, health * 10 + stream + health, health + upload):
            for is_reset in (False, True):
                for seconds in (0.0, 0.05, 0.7):
                    with connected(port) as client:
                        if is_reset:
                            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        client.sendall(sent)
                        time.sleep(seconds)

        def can_listen() -> bool:
            with contextlib.ExitStack() as several:
                clients = [several.enter_context(connected(port)) for _ in range(MOST_PER_CLIENT)]
                for client in clients:
                    client.sendall(stream)
                return all(client.recv(1 << 16).startswith(b"HTTP/1.1 200") for client in clients)

        eventually(can_listen)
    log = served.log.read_text()
    assert '"error"' not in log  # no level, no event
    assert "Exception" not in log
