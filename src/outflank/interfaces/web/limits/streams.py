"""Streams of server-sent events: few enough that they never starve the server, ended when it stops."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from outflank.interfaces.web.limits.security import network_of

MOST_STREAMS = 64
MOST_OF_AN_ADDRESS = 8


class Streams:
    """Who is listening.

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

    def is_full_for(self, address: str) -> bool:
        return self.count >= MOST_STREAMS or self._open[network_of(address)] >= MOST_OF_AN_ADDRESS

    @contextmanager
    def opened(self, address: str) -> Iterator[None]:
        network = network_of(address)
        self._open[network] += 1
        try:
            yield
        finally:
            self._open[network] -= 1
            if not self._open[network]:
                del self._open[network]

    @contextmanager
    def ended_by_signals(self) -> Iterator[None]:
        """Streams end when the server is told to stop. It waits for its connections before it does
        anything else, so that this must come before what the server itself does on a signal."""
        if threading.current_thread() is not threading.main_thread():  # signals are not for threads
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
