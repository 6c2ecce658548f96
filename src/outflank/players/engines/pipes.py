"""A process's pipes as something that a selector can wait for, on every system.

Windows can wait for sockets, not for pipes. There a thread hands on what passes between the pipe and a pair
of connected sockets, which hold a bounded number of bytes; when either side closes, both are closed.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from typing import IO, Protocol

CHUNK = 1 << 16
IS_WINDOWS = os.name == "nt"


class Pipe(Protocol):
    """Our end of a pipe; reading and writing do not wait."""

    def fileno(self) -> int: ...

    def read(self) -> bytes:
        """What there is, at most CHUNK bytes; none at the end."""
        ...

    def write(self, data: bytes) -> int:
        """How many bytes were taken. A ConnectionError if nobody reads any more."""
        ...

    def close(self) -> None: ...


def pipe_of(file: IO[bytes], writes: bool = False, bridged: bool = IS_WINDOWS) -> Pipe:
    """`bridged`: by sockets, as Windows needs it; elsewhere it works as well."""
    return _BridgedPipe(file, writes) if bridged else _PlainPipe(file)


class _PlainPipe:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        os.set_blocking(file.fileno(), False)

    def fileno(self) -> int:
        return self._file.fileno()

    def read(self) -> bytes:
        return os.read(self._file.fileno(), CHUNK)

    def write(self, data: bytes) -> int:
        return os.write(self._file.fileno(), data)

    def close(self) -> None:
        self._file.close()


class _BridgedPipe:
    def __init__(self, file: IO[bytes], writes: bool) -> None:
        self._ours, theirs = socket.socketpair()
        self._ours.setblocking(False)
        pump = _pump_in if writes else _pump_out
        threading.Thread(target=pump, args=(file, theirs), daemon=True).start()

    def fileno(self) -> int:
        return self._ours.fileno()

    def read(self) -> bytes:
        try:
            return self._ours.recv(CHUNK)
        except ConnectionError:
            return b""

    def write(self, data: bytes) -> int:
        return self._ours.send(data)

    def close(self) -> None:
        self._ours.close()


def _pump_out(file: IO[bytes], theirs: socket.socket) -> None:
    """From the process, until it closes its end or we do ours."""
    with theirs, file, contextlib.suppress(OSError):
        while data := os.read(file.fileno(), CHUNK):
            theirs.sendall(data)


def _pump_in(file: IO[bytes], theirs: socket.socket) -> None:
    """To the process."""
    with theirs, contextlib.suppress(OSError), file:
        while data := theirs.recv(CHUNK):
            while data:
                data = data[os.write(file.fileno(), data) :]
