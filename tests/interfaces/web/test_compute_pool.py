"""What visitors have computed ends at its limits, and holds nobody else up: on a real server with real
processes, some of which hang or are killed."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from outflank.interfaces.league_client import LeagueClient
from outflank.interfaces.web.compute.pool import LONG_SECONDS, QUICK_SECONDS, _Process
from outflank.interfaces.web.compute.process import MEMORY, OVERHEAD, PlayerCache
from outflank.league.inspection import Inspected
from outflank.league.league import League
from outflank.league.player_cost import bytes_held
from outflank.league.store import Store
from outflank.players.built_in import BUILT_IN, built_in_file
from tests.interfaces.web.serving import UNLIMITED, Served, counter_file, eventually, serving, start
from tests.league.heavy_players import many_placements, many_weights

API = "/api/v1"
SLACK_SECONDS = 15.0  # a busy machine is no error
LONGEST_GAP = 3.0  # of health, in seconds: some hundredths where there is a core to spare
MOST_SERVER_BYTES = 600 << 20
GAME = "f5d6c3d3c4f4"
# A full queue empties sooner than in service, where requests wait for 20 s.
SHORT_WAITS = """
from dataclasses import replace
from outflank.interfaces.web.compute import pool
pool.LONG = replace(pool.LONG, wait_seconds=5.0)
"""


@pytest.fixture(scope="module")
def heavy_ids() -> dict[str, int]:
    return {}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, heavy_ids: dict[str, int]) -> Iterator[Served]:
    """A seeded league without a worker, with players in it that nobody could submit."""
    folder = tmp_path_factory.mktemp("server")
    database = f"sqlite:///{folder / 'league.db'}"
    options = ("--no-worker", "--behind-proxy", *UNLIMITED)
    with serving(folder, database, *options, setup=SHORT_WAITS) as served:
        store = Store(database)
        league = League(store)
        entrant = league.entrant(league.register("Mallory"))
        files = {f"slow {n}": many_placements(folder / f"slow-{n}", seed=n) for n in (1, 2)}
        files["large"] = many_weights(folder / "large")
        for name, file in files.items():
            held = Inspected("inversion", "n-tuple network", "n-tuple network", 243)
            heavy_ids[name] = league.add(entrant, file.read_bytes(), held, name=name).id
        store.close()
        yield served


@pytest.fixture
def ids(server: Served, heavy_ids: dict[str, int]) -> dict[str, int]:
    with server.client() as client:
        rows = client.get(f"{API}/players", params={"limit": 1000}).json()["players"]
    return {row["name"]: row["id"] for row in rows} | heavy_ids


def compute_processes(served: Served) -> list[psutil.Process]:
    found = []
    for child in psutil.Process(served.process.pid).children(recursive=True):
        with suppress(psutil.Error):  # it has just ended
            if any("web.compute.process" in part for part in child.cmdline()):
                found.append(child)
    return found


def all_ready(served: Served) -> list[psutil.Process]:
    """Three, asleep: each waits to be asked."""

    def is_ready() -> bool:
        found = compute_processes(served)
        with served.client() as client:
            client.get(f"{API}/play")
        with suppress(psutil.Error):
            return len(found) == 3 and all(child.cpu_percent(0.1) < 20 for child in found)
        return False

    eventually(is_ready)
    return compute_processes(served)


def visitor(served: Served, address: str = "192.0.2.1") -> httpx.Client:
    client = served.client()
    client.headers["X-Forwarded-For"] = address
    client.timeout = httpx.Timeout(120)
    return client


def move(client: httpx.Client, player: int, depth: int = 1) -> httpx.Response:
    query: dict[str, str | int] = {"player": player, "moves": GAME, "depth": depth, "values": 1}
    return client.get(f"{API}/play", params=query)


@contextmanager
def longest_gap(served: Served) -> Iterator[list[float]]:
    """The longest time between two answers about the server's health, once the block is left."""
    gaps: list[float] = []
    is_over = threading.Event()

    def watch() -> None:
        with served.client() as client:
            client.get("/healthz")
            last = time.monotonic()
            while not is_over.is_set():
                assert client.get("/healthz").status_code == 200
                now = time.monotonic()
                gaps.append(now - last)
                last = now
                time.sleep(0.005)

    with ThreadPoolExecutor(1) as threads:
        watching = threads.submit(watch)
        try:
            yield gaps
        finally:
            is_over.set()
            watching.result()
    gaps[:] = [max(gaps)]


@pytest.mark.long
def test_a_match_of_slow_players_is_ended_and_holds_nobody_up(server: Served, ids: dict[str, int]) -> None:
    before = {child.pid for child in all_ready(server)}
    slow = {"a": ids["slow 1"], "b": ids["slow 2"]}
    with (
        visitor(server) as one,
        visitor(server, "192.0.2.2") as two,
        ThreadPoolExecutor(1) as threads,
        longest_gap(server) as gap,
    ):
        began = time.monotonic()
        ended = threads.submit(one.post, "/compare", params=slow)
        while not ended.done():
            assert move(two, ids["all-2"]).status_code == 200
            time.sleep(0.05)
        took = time.monotonic() - began
        refused = ended.result()
        quick = {"a": ids["all-2"], "b": ids["iago"]}
        assert two.post("/compare", params=quick).status_code == 303
        assert one.post("/compare", params=quick).status_code == 303
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) > 0
    assert refused.json()["error"] == "this took more than 10 s or too much memory, and was ended"
    assert LONG_SECONDS <= took < LONG_SECONDS + SLACK_SECONDS
    assert gap[0] < LONGEST_GAP
    after = {child.pid for child in all_ready(server)}
    assert len(before & after) == 2  # the one that played was replaced


def test_a_process_that_hangs_is_replaced(server: Served, ids: dict[str, int]) -> None:
    hanging = all_ready(server)
    for child in hanging:
        child.suspend()
    with visitor(server) as client:
        began = time.monotonic()
        refused = move(client, ids["all-2"])
        assert QUICK_SECONDS <= time.monotonic() - began < QUICK_SECONDS + SLACK_SECONDS
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
        assert client.get("/", timeout=SLACK_SECONDS).status_code == 200
        assert move(client, ids["standard-heuristic"]).status_code == 200
        for child in hanging:
            if child.is_running():
                child.kill()
    assert not {child.pid for child in hanging} & {child.pid for child in all_ready(server)}


def test_a_process_that_is_killed_is_replaced(server: Served, ids: dict[str, int]) -> None:
    killed = all_ready(server)
    for child in killed:
        child.kill()
    psutil.wait_procs(killed, timeout=30)
    eventually(lambda: len(compute_processes(server)) == 3)
    assert not {child.pid for child in killed} & {child.pid for child in compute_processes(server)}
    with visitor(server) as client:
        for depth in (1, 3):
            assert move(client, ids["all-2"], depth).status_code == 200


def test_every_process_has_a_bound_of_memory(server: Served) -> None:
    for child in all_ready(server):
        assert child.rlimit(psutil.RLIMIT_AS) == (MEMORY, MEMORY)


def test_large_players_freeze_nothing(server: Served, ids: dict[str, int], tmp_path: Path) -> None:
    """6.4 million weights in text: downloaded, uploaded, loaded, played and searched with."""
    with LeagueClient(server.address) as league:
        key = league.register("Large files")
    file = many_weights(tmp_path / "another", seed=2)
    with visitor(server) as client, longest_gap(server) as gap:
        client.headers["Authorization"] = f"Bearer {key}"
        assert len(client.get(f"{API}/players/{ids['large']}/file").content) > 12_000_000
        form = {"name": "another", "view": "inversion"}
        answer = client.post(f"{API}/players", files={"file": file.read_bytes()}, data=form)
        assert answer.status_code == 201, answer.text
        for depth in (1, 1, 3):
            played = move(client, ids["large"], depth)
            assert played.status_code == 200, played.text
    assert gap[0] < LONGEST_GAP


@pytest.mark.long
def test_an_address_has_its_share_of_long_tasks(server: Served, ids: dict[str, int]) -> None:
    all_ready(server)
    with (
        visitor(server) as greedy,
        visitor(server, "192.0.2.2") as other,
        ThreadPoolExecutor(40) as threads,
    ):
        slow = {"a": ids["slow 1"], "b": ids["slow 2"]}
        asked = [threads.submit(greedy.post, "/compare", params=slow) for _ in range(30)]
        eventually(lambda: sum(one.done() for one in asked) >= 9)  # one plays, twenty wait
        assert all(one.result().status_code == 503 for one in asked if one.done())
        began = time.monotonic()
        for name in ("all-2", "iago", "standard-heuristic"):
            assert move(other, ids[name], depth=3).status_code == 200
        assert time.monotonic() - began < LONG_SECONDS + SLACK_SECONDS
        assert not all(one.done() for one in asked)
        answers = [one.result() for one in asked]
    assert {answer.status_code for answer in answers} == {503}
    assert all(int(answer.headers["retry-after"]) > 0 for answer in answers)
    assert "too many requests for moves and matches" in answers[-1].text


def test_a_class_plays_from_one_address(server: Served, ids: dict[str, int]) -> None:
    with visitor(server) as client, ThreadPoolExecutor(20) as threads:
        for name in ("league-champion", "all-2"):
            answers = list(threads.map(lambda _, name=name: move(client, ids[name]).status_code, range(20)))
            assert answers == [200] * 20


@pytest.mark.long
def test_many_uploads_of_one_do_not_hold_up_another(server: Served, tmp_path: Path) -> None:
    with LeagueClient(server.address) as league:
        keys = {name: league.register(name) for name in ("Greedy", "Other")}

    def upload(who: str, number: int) -> tuple[str, httpx.Response]:
        address = f"198.51.100.{list(keys).index(who)}"
        with visitor(server, address) as client:
            form = {"name": f"{who} {number}", "view": "negation"}
            headers = {"Authorization": f"Bearer {keys[who]}"}
            file = counter_file(tmp_path, 1000 + number).read_bytes()
            return who, client.post(f"{API}/players", files={"file": file}, data=form, headers=headers)

    done: list[str] = []

    def note(one: object) -> None:
        who, answer = one.result()  # type: ignore[attr-defined]
        if answer.status_code == 201:
            done.append(who)

    with ThreadPoolExecutor(40) as threads:
        asked = [threads.submit(upload, "Greedy", number) for number in range(30)]
        for one in asked:
            one.add_done_callback(note)
        eventually(lambda: sum(one.done() for one in asked) >= 5)  # those for which there is no room
        already = len(done)
        other = threads.submit(upload, "Other", 99)
        other.add_done_callback(note)
        assert other.result()[1].status_code == 201
        answers = [one.result()[1] for one in asked]
    assert done.index("Other") <= already + 4
    refused = [answer for answer in answers if answer.status_code != 201]
    assert {answer.status_code for answer in refused} == {503}
    assert all(answer.headers["retry-after"] == "60" for answer in refused)
    assert len(refused) <= 9


def test_downloads_that_nobody_reads_do_not_fill_the_memory(server: Served, ids: dict[str, int]) -> None:
    host, port = server.address.removeprefix("http://").split(":")
    open_connections = []
    try:
        for number in range(60):
            connection = socket.create_connection((host, int(port)))
            head = f"GET {API}/players/{ids['large']}/file HTTP/1.1\r\nHost: x\r\n"
            connection.sendall(f"{head}X-Forwarded-For: 203.0.113.{number}\r\n\r\n".encode())
            open_connections.append(connection)
        time.sleep(3)
        assert psutil.Process(server.process.pid).memory_info().rss < MOST_SERVER_BYTES
        with server.client() as client:
            assert client.get("/healthz").status_code == 200
    finally:
        for connection in open_connections:
            connection.close()

    def is_free_again() -> bool:
        with visitor(server, "203.0.113.99") as client:
            return client.get(f"{API}/players/{ids['all-2']}/file").status_code == 200

    eventually(is_free_again)


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_server(tmp_path: Path, number: int) -> None:
    served = start(tmp_path, f"sqlite:///{tmp_path / 'league.db'}", "--no-worker", *UNLIMITED)
    try:
        eventually(lambda: len(compute_processes(served)) == 3)
        store = Store(f"sqlite:///{tmp_path / 'league.db'}")
        league = League(store)
        held = Inspected("inversion", "n-tuple network", "n-tuple network", 243)
        content = many_placements(tmp_path / "slow").read_bytes()
        slow = league.add(league.entrant(league.register("Mallory")), content, held, name="slow").id
        store.close()
        with served.client() as client, ThreadPoolExecutor(2) as threads:
            asking = threads.submit(move, client, slow, 6)  # one of them is at work
            time.sleep(1)
            children = psutil.Process(served.process.pid).children(recursive=True)
            assert len(children) >= 3
            os.kill(served.process.pid, number)
            served.process.wait(30)
            asking.exception()
        gone, alive = psutil.wait_procs(children, timeout=15)
        assert (len(gone), alive) == (len(children), [])
    finally:
        served.process.kill()
        served.process.wait()
        assert served.process.stdout is not None
        served.process.stdout.close()


def test_the_cache_counts_the_bytes_that_are_held() -> None:
    contents = {name: built_in_file(name).read_bytes() for name in BUILT_IN}
    keys = {name: (name, BUILT_IN[name].view) for name in BUILT_IN}
    roomy = PlayerCache()
    held = {name: bytes_held(roomy.load(keys[name], contents[name]).player) + OVERHEAD for name in BUILT_IN}
    assert roomy.currsize == sum(held.values())
    assert roomy.get(keys["all-2"]) is not None
    small = PlayerCache(most_bytes=held["td-all-rounder"])
    for name in ("all-2", "iago", "td-all-rounder"):
        assert small.load(keys[name], contents[name]).player.name == name
        assert small.currsize <= held["td-all-rounder"]
    assert [small.get(keys[name]) is not None for name in ("all-2", "iago", "td-all-rounder")] == [
        False,
        False,
        True,
    ]
    tiny = PlayerCache(most_bytes=1)
    assert tiny.load(keys["all-2"], contents["all-2"]).player.name == "all-2"  # played with, not cached
    assert len(tiny) == 0


@pytest.mark.long
def test_processes_that_are_killed_while_people_play(tmp_path: Path) -> None:
    """At whatever moment of a task: whoever asked is answered or told to come back."""
    with serving(tmp_path, f"sqlite:///{tmp_path / 'league.db'}", "--no-worker", *UNLIMITED) as served:
        all_ready(served)
        with served.client() as client, ThreadPoolExecutor(4) as threads:
            ids = {row["name"]: row["id"] for row in client.get(f"{API}/players").json()["players"]}
            asked = [threads.submit(move, client, ids["all-2"]) for _ in range(60)]
            while not all(one.done() for one in asked):
                for child in compute_processes(served):
                    child.kill()
                    time.sleep(0.15)
            assert {one.result().status_code for one in asked} <= {200, 503}
            assert move(client, ids["all-2"]).status_code == 200


DIES_THREE_TIMES = """
import runpy, sys
from pathlib import Path
attempts = Path(sys.argv.pop(1))
attempts.write_text(attempts.read_text() + "x")
if len(attempts.read_text()) <= 3:
    sys.exit(1)
runpy.run_module("outflank.interfaces.web.compute.process", run_name="__main__")
"""


def test_a_process_that_dies_while_it_starts_is_retried(tmp_path: Path) -> None:
    attempts = tmp_path / "attempts"
    attempts.touch()

    async def trial() -> None:
        process = _Process(niceness=0)
        process._command = [sys.executable, "-c", DIES_THREE_TIMES, str(attempts)]
        with pytest.raises(EOFError):
            await process.start()
        async with asyncio.timeout(60):
            while len(attempts.read_text()) < 4:  # nobody asks it for anything
                await asyncio.sleep(0.02)
            running = await process.start()
        assert running.returncode is None
        await process.close()
        assert running.returncode is not None
        assert len(attempts.read_text()) == 4

    asyncio.run(trial())
