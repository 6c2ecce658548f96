"""Response times of a league under load: `python -m benchmarks.league_load`, from the checkout.

One `outflank serve` with a thousand players and its worker, which scores all the while; clients of plain
asyncio sockets that ask for the table (page and API) and for moves. A request is measured from when it should
have been sent, so that a stall counts for all that it holds up.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
from tests.interfaces.web.serving import UNLIMITED, counter_file, serving

from outflank.games.statistics import Tally
from outflank.league.league import League
from outflank.league.published import PublishedFiles
from outflank.league.schema import Content, Job, Player, Score, counts
from outflank.league.scoring import DOUBLE_GAMES
from outflank.league.seeding import seed
from outflank.league.store import Store
from outflank.league.text_fields import folded

TALLY = Tally(60_000, 1_000, 39_000, (5_000, 10_000, 15_000, 10_000, 10_000))
WARM_UP_SECONDS = 3.0
WAITING = 200  # players that the worker scores meanwhile


@dataclass
class Measured:
    """Response times, and the CPU time of the server's process."""

    what: str
    seconds: float
    waits: list[float]
    processor_seconds: float

    def line(self) -> str:
        waits = sorted(self.waits)
        p50, p99 = waits[len(waits) // 2], waits[int(0.99 * len(waits))]
        each = 1000 * self.processor_seconds / len(waits)
        return (
            f"{self.what}: {len(waits) / self.seconds:,.0f} requests/s, half within {1000 * p50:.1f} ms, "
            f"99 % within {1000 * p99:.1f} ms; {each:.2f} ms of a core each"
        )


def fill(folder: Path, database: str, players: int, waiting: int = WAITING) -> None:
    """Fill a league with players: most are scored, the last wait for the worker."""
    store = Store(database)
    league = League(store)
    seed(league, PublishedFiles(None))
    with store.writing() as session:
        session.query(Job).update({"state": "done"})
    entrant = league.entrant(league.register("Ada"))
    now = time.time()
    with store.writing() as session:
        for number in range(players):
            content = counter_file(folder, number).read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            name, kind, is_scored = f"player {number}", "weighted piece counter", number < players - waiting
            session.add(Content(digest=digest, content=content))
            session.flush()
            player = Player(
                name=name, folded_name=folded(name), entrant_id=entrant.id, digest=digest, view="inversion",
                kind=kind, description=kind, weights=64, created=now,
            )  # fmt: skip
            session.add(player)
            session.flush()
            session.add(
                Job(kind="score", player_id=player.id, created=now, state="done" if is_scored else "waiting")
            )
            if is_scored:
                session.add(Score(player_id=player.id, double_games=DOUBLE_GAMES, seed="1", measured=now,
                                  **counts(TALLY)))  # fmt: skip
    store.close()


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> None:
    writer.write(f"GET {path} HTTP/1.1\r\nHost: league\r\nAccept: text/html\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    await reader.readexactly(length)


async def clients(port: int, path: str, count: int, rate: float, seconds: float) -> list[float]:
    """The seconds of each request, over connections that share the rate."""
    waits: list[float] = []
    began = time.perf_counter() + 0.2

    async def client(number: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        due = began + number / rate
        while due < began + seconds:
            await asyncio.sleep(due - time.perf_counter())
            await ask(reader, writer, path)
            waits.append(time.perf_counter() - due)
            due += count / rate
        writer.close()
        await writer.wait_closed()

    await asyncio.gather(*(client(number) for number in range(count)))
    return waits


def measure(
    what: str, process: int, port: int, path: str, count: int, rate: float, seconds: float
) -> Measured:
    asyncio.run(clients(port, path, count, rate, WARM_UP_SECONDS))
    server = psutil.Process(process)
    worked = sum(server.cpu_times()[:2])
    began = time.perf_counter()
    waits = asyncio.run(clients(port, path, count, rate, seconds))
    took = time.perf_counter() - began - 0.2
    return Measured(what, took, waits, sum(server.cpu_times()[:2]) - worked)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--players", type=int, default=1000)
    options.add_argument("--seconds", type=float, default=10)
    options.add_argument("--rate", type=float, default=300, help="requests per second for the table")
    options.add_argument("--people", type=int, default=20, help="who play, one move per second each")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = f"sqlite:///{folder / 'league.db'}"
        fill(folder, database, given.players)
        with serving(folder, database, *UNLIMITED) as served:
            port, process = int(served.address.rsplit(":", 1)[1]), served.process.pid
            moves = f"/api/v1/play?player={7}&moves=f5d6c3d3c4f4&depth=1&values=1"
            for what, path, count, rate in (
                ("table, API, 100 of them", "/api/v1/players", 30, given.rate),
                ("table, page", "/", 30, given.rate),
                (f"a move, {given.people} people", moves, given.people, given.people),
            ):
                print(measure(what, process, port, path, count, rate, given.seconds).line(), flush=True)
    print(f"cores: {os.cpu_count()}, load when done: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
