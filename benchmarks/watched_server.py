"""`outflank serve` as a process whose memory is monitored, and which is restarted when it ends."""

from __future__ import annotations

import json
import resource
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil
from tests.interfaces.web.serving import Served, start, stop

LOOK_SECONDS = 0.2


class WatchedServer:
    """The server, its worker and their other children, from entering to leaving."""

    def __init__(self, folder: Path, database: str, address_space: int) -> None:
        self._folder, self._database, self._address_space = folder, database, address_space
        self.ended: list[dict[str, Any]] = []
        self.largest: Counter[str] = Counter()
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch)
        self._lines: Counter[str] = Counter()

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        self._served = self._start("--port=0")
        self.port = int(self._served.address.rsplit(":", 1)[1])
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._over.set()
        self._watcher.join()
        if self._served.process.poll() is None:
            stop(self._served)
        self._count_lines()

    @property
    def log(self) -> Path:
        return self._served.log

    def report(self) -> dict[str, Any]:
        return {
            "largest_bytes": dict(self.largest), "ended": self.ended,
            "worker_ended": self._lines["worker ended"], "tracebacks": self._lines["traceback"],
        }  # fmt: skip

    def _start(self, port: str) -> Served:
        served = start(self._folder, self._database, port)
        whole = psutil.Process(served.process.pid)
        for process in (whole, *whole.children(recursive=True)):
            with suppress(psutil.Error):  # it has ended, or has less than that already
                process.rlimit(resource.RLIMIT_AS, (self._address_space, self._address_space))
        return served

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            code = self._served.process.poll()
            if code is not None:
                after = time.monotonic() - self._began
                self.ended.append({"code": code, "after_seconds": round(after, 1)})
                self._served = self._start(f"--port={self.port}")
            self._look()

    def _look(self) -> None:
        sizes: Counter[str] = Counter()
        try:
            server = psutil.Process(self._served.process.pid)
            processes = [server, *server.children(recursive=True)]
        except psutil.NoSuchProcess:
            return
        for process in processes:
            try:
                size, command = process.memory_info().rss, process.cmdline()
            except psutil.Error:
                continue
            what = (
                "server"
                if process.pid == server.pid
                else "worker"
                if "worker" in command
                else "another child"
            )
            sizes[what] = max(sizes[what], size)
            sizes["all of them together"] += size
        self.largest |= sizes

    def _count_lines(self) -> None:
        for line in self._served.log.read_text().splitlines():
            try:
                noted = json.loads(line)
            except ValueError:
                continue
            self._lines["worker ended"] += str(noted.get("event", "")).startswith("the worker ended")
            self._lines["traceback"] += "Traceback" in noted.get("traceback", "")
