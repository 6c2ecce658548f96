"""Requests that come too slowly, or with too much of a head, on real sockets."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn

from outflank.interfaces.web import connections, uploads
from outflank.interfaces.web.app import create_app
from outflank.interfaces.web.connections import LARGEST_HEAD, Connection
from outflank.interfaces.web.settings import WebSettings

REQUEST = b"GET /api/v1/competitions HTTP/1.1\r\nHost: league\r\n"
PATIENCE = 60.0  # a busy machine is no fault


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a server that waits a second for a head, and for a body."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 1.0)
    monkeypatch.setattr(uploads, "BODY_SECONDS", 1.0)
    app = create_app(WebSettings(database="sqlite://"))
    server = uvicorn.Server(uvicorn.Config(app, http=Connection, log_config=None, access_log=False))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        yield client


def answer_of(client: socket.socket) -> bytes:
    """All that comes until the server closes."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := client.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def status(answer: bytes) -> bytes:
    return answer.split(b" ", 2)[1]


def test_a_head_that_never_ends_is_not_waited_for(port: int) -> None:
    with connected(port) as silent, connected(port) as slow:
        slow.sendall(REQUEST)
        assert status(answer_of(slow)) == status(answer_of(silent)) == b"408"


def test_a_second_request_is_not_waited_for_either(port: int) -> None:
    with connected(port) as client:
        client.sendall(REQUEST + b"\r\n" + REQUEST[:20])
        answers = answer_of(client)
    assert answers.startswith(b"HTTP/1.1 200")
    assert answers.count(b"HTTP/1.1 ") == 2
    assert b"HTTP/1.1 408" in answers


def test_a_head_has_an_end(port: int) -> None:
    with connected(port) as client:
        client.sendall(REQUEST + b"X: " + b"x" * (LARGEST_HEAD + 1))
        assert status(answer_of(client)) == b"431"


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
