"""`outflank serve` as a real process on a free port."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from outflank import PieceCounter
from outflank.evaluators.storage import StoredPlayer, save_player
from outflank.league.schema import Entrant
from outflank.league.seeding import ADMIN as ADMIN_ENTRANT
from outflank.league.store import Store

COMMAND = "from outflank.interfaces.cli import main; main()"
ADMIN = "the-token-of-these-tests"
UNLIMITED = ("--reads-per-minute=1000000", "--plays-per-minute=1000000", "--writes-per-minute=1000000")


@dataclass
class Served:
    """A server that answers."""

    address: str
    process: subprocess.Popen[str]
    log: Path

    def client(self, key: str | None = None) -> httpx.Client:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=self.address, headers=headers, timeout=30)


def start(folder: Path, database: str, *options: str, log: str = "log", setup: str = "") -> Served:
    """Waits until it responds. `setup` is Python that is run first, such as shorter time limits."""
    path = folder / log
    environment = {**os.environ, "OUTFLANK_ADMIN_TOKEN": ADMIN, "OUTFLANK_DB": database}
    with path.open("a") as errors:
        command = [sys.executable, "-c", f"{setup}\n{COMMAND}", "serve", "--port=0", *options]
        process = subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=errors,
                                   env=environment)  # fmt: skip
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("The league is at "), path.read_text()
    return Served(line.split()[-1].rstrip("/"), process, path)


def stop(served: Served, number: int = signal.SIGTERM) -> int:
    served.process.send_signal(number)
    code = served.process.wait(30)
    assert served.process.stdout is not None
    served.process.stdout.close()
    return code


@contextmanager
def serving(folder: Path, database: str, *options: str, setup: str = "") -> Iterator[Served]:
    served = start(folder, database, *options, setup=setup)
    try:
        yield served
    finally:
        assert stop(served) == 0
        assert "Traceback" not in served.log.read_text()


def without_players(database: str) -> str:
    """A league that counts as seeded, so that its worker begins with what the test submits."""
    store = Store(database)
    with store.writing() as session:
        session.add(Entrant(name=ADMIN_ENTRANT, folded_name=ADMIN_ENTRANT, created=time.time()))
    store.close()
    return database


def counter_file(folder: Path, number: int) -> Path:
    """A small player of its own for each number."""
    path = folder / f"counter-{number}.player"
    save_player(StoredPlayer(PieceCounter([float(number + square) for square in range(64)])), path)
    return path


def eventually(happens: object, seconds: float = 60) -> None:
    """Waits for what a process does in its own time."""
    assert callable(happens)
    until = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.05)
