"""A real Dask scheduler and real workers on loopback, for tests: started as a lab would, surely killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.conftest import ROOT


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait for other processes; a test that waits in vain fails."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


class DaskProcesses:
    """One scheduler and its workers, a process of one thread each and without a nanny, so that a killed
    one stays dead. What they print is in log.txt of the folder. They end by themselves, too, should the
    tests be killed."""

    def __init__(self, folder: Path, workers: int = 0) -> None:
        self._folder = folder
        self._log = (folder / "log.txt").open("ab")
        self.workers: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        options = f"--port 0 --idle-timeout 120 --scheduler-file {file}".split()
        self.scheduler = self._start("scheduler", *options)
        try:
            wait_until(lambda: file.exists() and file.read_text().endswith("}"))
            self.address: str = json.loads(file.read_text())["address"]
            for _ in range(workers):
                self.start_worker()
        except BaseException:
            self.close()
            raise

    def start_worker(self, python_path: str = "") -> subprocess.Popen[bytes]:
        options = f"--nthreads 1 --no-nanny --death-timeout 30 --local-directory {self._folder}".split()
        before = self._registered
        worker = self._start("worker", self.address, *options, python_path=python_path)
        self.workers.append(worker)
        wait_until(lambda: self._registered > before)
        return worker

    @property
    def _registered(self) -> int:
        """How many workers have ever found their scheduler."""
        return (self._folder / "log.txt").read_text().count("Registered to:")

    def kill_workers(self) -> None:
        for worker in self.workers:
            _kill(worker)
        self.workers.clear()

    def kill_scheduler(self) -> None:
        _kill(self.scheduler)

    def close(self) -> None:
        self.kill_workers()
        self.kill_scheduler()
        self._log.close()

    def _start(self, *arguments: str, python_path: str = "") -> subprocess.Popen[bytes]:
        """python_path: a folder whose packages come before the installed ones."""
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [python_path, str(ROOT)]))}
        command = [sys.executable, "-m", "dask", *arguments, "--host", "127.0.0.1", "--no-dashboard"]
        return subprocess.Popen(command, stdout=self._log, stderr=self._log, env=environment)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
