"""The worker that a server has: a process of its own, started again whenever it ends."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time

STOP_SECONDS = 10.0
LONGEST_PAUSE = 30.0
LONGEST_AFTER_A_SIGNAL = 2.0  # somebody killed it, which says nothing of the next one
STEADY_SECONDS = 60.0  # a worker that lasted so long did not end for a fault of its start
log = logging.getLogger("outflank.serve")


class WorkerProcess:
    """Runs `outflank worker` until it is stopped.

    The database's address goes by the environment, for it may hold a password. Should the server be killed,
    the worker sees that its parent is gone.
    """

    def __init__(self, database: str, threads: int) -> None:
        code = "from outflank.interfaces.cli import main; main()"
        self._command = [sys.executable, "-c", code, "worker", f"--threads={threads}",
                         f"--parent={os.getpid()}"]  # fmt: skip
        self._environment = {**os.environ, "OUTFLANK_DB": database}
        self._stopping = threading.Event()
        self._process = self._start()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()

    def stop(self) -> None:
        """It leaves its job to the next worker; killed if it takes too long, which leaves the job as well."""
        self._stopping.set()
        self._keeper.join()
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        # In a session of its own, so that Ctrl-C reaches the server alone, which then stops the worker.
        process = subprocess.Popen(self._command, env=self._environment, start_new_session=True,
                                   stdin=subprocess.DEVNULL)  # fmt: skip
        log.info("worker process", extra={"fields": {"process": process.pid}})
        return process

    def _keep(self) -> None:
        began, pause = time.monotonic(), 0.5
        while not self._stopping.wait(0.2):
            code = self._process.poll()
            if code is None:
                continue
            log.error("the worker ended; it is started again", extra={"fields": {"code": code}})
            longest = LONGEST_PAUSE if code >= 0 else LONGEST_AFTER_A_SIGNAL
            pause = 0.5 if time.monotonic() - began > STEADY_SECONDS else min(2 * pause, longest)
            if self._stopping.wait(pause):
                return
            began, self._process = time.monotonic(), self._start()
