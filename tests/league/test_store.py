"""The database under stress: locks, crowds, full disks, starts at the same moment, databases of before."""

from __future__ import annotations

import asyncio
import errno
import re
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest
from sqlalchemy import MetaData, create_engine, insert, select, text

from outflank.interfaces.cli import app
from outflank.interfaces.web.app import create_app
from outflank.interfaces.web.settings import WebSettings
from outflank.league import store as stores
from outflank.league.competitions import Competitions
from outflank.league.league import League, score_seed
from outflank.league.schema import Base, Job
from outflank.league.scoring import DOUBLE_GAMES, league_match
from outflank.league.store import Busy, Store
from outflank.league.worker import Worker
from outflank.players.built_in import built_in_file
from outflank.players.names import named_player
from tests.conftest import Outflank
from tests.interfaces.web.serving import UNLIMITED, eventually, serving, start, stop, without_players
from tests.league.test_league import work_all

OLD = Path(__file__).parent / "data" / "league-0001.sql"
HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""
GENEROUS = 4.0  # seconds, for an answer that takes milliseconds; whoever waits for a writer takes 5 or more


@contextmanager
def write_lock(database: str) -> Iterator[None]:
    """Another process has the right to write, and does not let go."""
    if database.startswith("sqlite"):
        command = [sys.executable, "-c", HOLDER, database.removeprefix("sqlite:///")]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield
            process.kill()
    else:
        with psycopg.connect(database) as connection:
            connection.execute("LOCK TABLE entrants, players, jobs, write_checks IN EXCLUSIVE MODE")
            yield
            connection.rollback()


@pytest.mark.long
def test_a_lock_of_another_process_does_not_stall_who_reads(database: str, tmp_path: Path) -> None:
    store = Store(database)
    League(store).register("Ada")
    store.close()
    with (
        serving(tmp_path, database, "--no-worker", "--writes-a-minute=10000") as served,
        served.client() as client,
        served.client() as writer,
        ThreadPoolExecutor(60) as crowd,
    ):
        assert client.get("/healthz").json() == {"status": "ok"}

        def register(number: int) -> httpx.Response:
            return writer.post("/api/v1/entrants", json={"name": f"someone {number}"})

        with write_lock(database):
            registering = [crowd.submit(register, number) for number in range(60)]
            times, states = reading_while(client, seconds=12)
            answers = [future.result() for future in registering]
        assert max(times) < GENEROUS
        assert statistics.median(times) < GENEROUS / 5
        locked = {"status": "read-only", "reason": "another process holds the write lock"}
        assert states[-1] == (503, locked)
        assert {answer.status_code for answer in answers} == {503}
        assert all(int(answer.headers["Retry-After"]) > 0 for answer in answers)
        eventually(lambda: client.get("/healthz").json() == {"status": "ok"})
        assert register(1).status_code == 201


def reading_while(client: httpx.Client, seconds: float) -> tuple[list[float], list[tuple[int, object]]]:
    """How long answers took, and what /healthz said."""
    times, states = [], []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for path in ("/", "/api/v1/players", "/api/v1/players/1", "/healthz"):
            began = time.monotonic()
            answer = client.get(path)
            times.append(time.monotonic() - began)
            if path == "/healthz":
                states.append((answer.status_code, answer.json()))
            else:
                assert answer.status_code == 200
        time.sleep(0.05)
    return times, states


def test_who_finds_no_free_connection_is_told_to_try_again(tmp_path: Path) -> None:
    web = create_app(WebSettings(database=f"sqlite:///{tmp_path / 'league.db'}"))
    store: Store = web.state.league.store

    async def asked() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(web), base_url="http://league") as client:
            return await client.get("/api/v1/players/1")

    with ExitStack() as held:
        for _ in range(stores.MOST_READERS):
            held.enter_context(store.reading()).execute(text("SELECT 1"))
        answer = asyncio.run(asked())
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert asyncio.run(asked()).status_code == 404
    store.close()


def test_a_crowd_of_writers_does_not_wait_in_threads(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'league.db'}"
    store = Store(database, write_seconds=30)
    league = League(store)
    waiting = []
    with write_lock(database):
        for number in range(stores.MOST_WRITERS):
            waiting.append(threading.Thread(target=league.register, args=(f"someone {number}",)))
            waiting[-1].start()
        eventually(lambda: store._writers._value == 0)
        began = time.monotonic()
        with pytest.raises(Busy, match="try again"):
            league.register("one more")
        assert time.monotonic() - began < GENEROUS
    for thread in waiting:
        thread.join()
    league.register("one more")
    store.close()


def test_migrations_are_one_transaction(tmp_path: Path) -> None:
    """The second fails: if the first stayed, another process could migrate between the two."""
    file = tmp_path / "league.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE job_batches (id INTEGER)")
    with pytest.raises(OSError, match="job_batches already exists"):
        Store(f"sqlite:///{file}")
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("job_batches",)]


def test_servers_that_start_at_the_same_moment_all_come_up(database: str, tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(3)]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor(3) as pool:
        servers = list(pool.map(lambda folder: start(folder, database, "--no-worker"), folders))
    try:
        for server in servers:
            with server.client() as client:
                assert client.get("/api/v1/players").json()["total"] >= 8
                assert client.get("/healthz").status_code == 200
    finally:
        codes = [stop(server) for server in servers]
    assert codes == [0, 0, 0]


@pytest.mark.parametrize("size", ["32k", "100k", "300k"])
def test_a_full_disk_at_the_first_start_is_a_sentence(outflank: Outflank, tmp_path: Path, size: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", disk], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("no file system can be mounted here")
    try:
        ran = outflank(
            "serve", "--no-worker", "--port=0", f"--db=sqlite:///{disk / 'league.db'}", cwd=tmp_path
        )
    finally:
        subprocess.run(["umount", disk], check=True)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert re.fullmatch(r"outflank: [^\n]*database[^\n]*disk[^\n]*full[^\n]*\n", ran.stderr)


def fill(file: Path) -> None:
    with file.open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(b"\0" * 4096)
        except OSError as error:
            assert error.errno == errno.ENOSPC


@pytest.mark.long
def test_a_disk_that_fills_up_is_told_by_healthz(tmp_path: Path) -> None:
    """And who reads is answered; when there is room again all goes on."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system can be mounted here")
    try:
        database = without_players(f"sqlite:///{disk / 'league.db'}")
        with serving(tmp_path, database, "--no-worker", *UNLIMITED) as served, served.client() as client:
            assert client.get("/healthz").status_code == 200
            filler = disk / "filler"
            fill(filler)

            def status() -> str:
                client.post(
                    "/api/v1/entrants", json={"name": f"n{time.monotonic()}"}
                )  # until the log is full
                assert client.get("/api/v1/players").status_code == 200
                return str(client.get("/healthz").json())

            eventually(lambda: status() == str({"status": "read-only", "reason": "the disk is full"}))
            assert client.post("/api/v1/entrants", json={"name": "Ada"}).status_code in (201, 503)
            filler.unlink()
            eventually(lambda: client.get("/healthz").status_code == 200)
            assert client.post("/api/v1/entrants", json={"name": "Ben"}).status_code == 201
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://me:hunter2@localhost/league",
        "mysql://localhost/league?password=hunter2",
        "postgres//me:hunter2@localhost/league",
        "postgresql://me:hunter2",
        "postgresql://me:pass@hunter2@127.0.0.1:1/league",
        "postgresql://me:hunter2@127.0.0.1:1/league",
        "postgresql://me:hunter2@127.0.0.1:x/league",
        "postgresql://me@127.0.0.1:1/league?password=hunter2",
        "hunter2@",
    ],
)
def test_a_password_is_never_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, url: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in (["serve", "--port=0"], ["worker"], ["backup", "copy.db"]):
        with pytest.raises((ValueError, OSError)) as refused:
            app([*command, "--db", url], standalone_mode=False)
        assert "hunter2" not in str(refused.value) + caplog.text


def old_league(database: str) -> None:
    """A league as the first version left it: players that are scored, half scored and not; a competition that
    is finished and one that is played; and a worker that was killed."""
    script = OLD.read_text(encoding="utf-8")
    if database.startswith("sqlite"):
        connection = sqlite3.connect(database.removeprefix("sqlite:///"))
        connection.executescript(script)
        connection.close()
        return
    from alembic import command
    from alembic.config import Config

    engine = create_engine(database.replace("postgresql://", "postgresql+psycopg://"))
    config = Config()
    config.set_main_option("script_location", str(stores.MIGRATIONS))
    source = sqlite3.connect(":memory:")
    source.executescript(script)
    with engine.begin() as target:
        config.attributes["connection"] = target
        command.upgrade(config, "0001")
        schema = MetaData()
        schema.reflect(target)
        for table in schema.sorted_tables:
            if table.name == "alembic_version":
                continue
            found = source.execute(f"SELECT * FROM {table.name}")
            names = [column[0] for column in found.description]
            rows = [dict(zip(names, row, strict=True)) for row in found]
            target.execute(insert(table), rows)
            if "id" in names:
                largest = max(row["id"] for row in rows)
                target.execute(text(f"SELECT setval('{table.name}_id_seq', {largest})"))
    source.close()
    engine.dispose()


def test_a_league_of_the_first_version_is_upgraded_and_goes_on(database: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    old_league(database)
    store = Store(database)
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    league, competitions = League(store), Competitions(League(store))
    before = {row.name: (row.state, row.score) for row in league.table()}
    assert before["all-2"][1] == pytest.approx(0.959, abs=0.01)
    assert [before[name][0] for name in ("all-2", "one", "two", "three", "four")] == [
        "final", "final", "final", "provisional", "waiting",
    ]  # fmt: skip
    assert competitions.state(1).state == "finished"
    played = competitions.standings(1)[0.0].results["all-2", "one"].tally
    assert (played.games, played.distinct) == (20, 10)  # as if all were distinct: nobody counted
    assert (competitions.state(2).state, competitions.state(2).meetings) == ("playing", 2)
    work_all(Worker(store, threads=2))
    rows = {row.name: row for row in league.table()}
    assert {row.state for row in rows.values()} == {"final"}
    assert all(rows[name].score == before[name][1] for name in ("all-2", "one", "two"))
    assert (competitions.state(2).state, competitions.state(2).meetings) == ("finished", 3)
    with store.reading() as session:
        assert set(session.scalars(select(Job.state))) == {"done"}
    league.submit(league.register("Cora"), built_in_file("standard-heuristic"), name="new", view="negation")
    assert [score.double_games for score in league.player(rows["three"].id).scores] == [1000, DOUBLE_GAMES]
    again = league_match(named_player("all-2"), seed=score_seed(league.player(1).digest)).play()
    assert rows["all-2"].tally == again
    store.close()
