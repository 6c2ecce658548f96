"""`outflank serve`: the league's server, with a worker process that is restarted whenever it ends."""

from __future__ import annotations

import errno
import gc
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.league.submit import name_of
from outflank.interfaces.cli.league.worker import MISSING, Database
from outflank.interfaces.cli.progress import note, out
from outflank.plugins import is_reference
from outflank.plugins import refuse as refuse_plugins

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI

    from outflank.interfaces.web.settings import WebSettings
    from outflank.league.league import League

ADMIN_TOKEN = "OUTFLANK_ADMIN_TOKEN"
MOST_CONNECTIONS = 1000
MOST_FILES = 4096  # open at once: connections, and what the server itself reads
SHUTDOWN_SECONDS = 5
SWITCH_SECONDS = 0.0005  # then a busy thread lets others respond; Python's default is ten times that
STOP_SECONDS = 10.0
LONGEST_PAUSE = 30.0
LONGEST_AFTER_A_SIGNAL = 2.0  # a killed worker says nothing about the next one
STEADY_SECONDS = 60.0  # a worker that lasted this long did not fail at its start
log = logging.getLogger("outflank.serve")


class WorkerProcess:
    """Runs `outflank worker` until it is stopped.

    The database's URL is passed in the environment, for it may contain a password. If the server is killed,
    the worker notices that its parent is gone.
    """

    def __init__(self, database: str, threads: int) -> None:
        code = "from outflank.interfaces.cli import main; main()"
        self._command = [sys.executable, "-c", code, "worker", f"--threads={threads}",
                         f"--parent={os.getpid()}"]  # fmt: skip
        self._environment = {**os.environ, "OUTFLANK_DB": database}
        self._stopping = threading.Event()
        self._process = self._start()
        self._supervisor = threading.Thread(target=self._supervise, daemon=True)
        self._supervisor.start()

    def stop(self) -> None:
        """It releases its job to the next worker; it is killed if that takes too long."""
        self._stopping.set()
        self._supervisor.join()
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        # In its own session, so that Ctrl-C only reaches the server, which then stops the worker.
        process = subprocess.Popen(self._command, env=self._environment, start_new_session=True,
                                   stdin=subprocess.DEVNULL)  # fmt: skip
        log.info("worker process", extra={"fields": {"process": process.pid}})
        return process

    def _supervise(self) -> None:
        began, pause = time.monotonic(), 0.5
        while not self._stopping.wait(0.2):
            code = self._process.poll()
            if code is None:
                continue
            log.error("the worker ended and is restarted", extra={"fields": {"code": code}})
            longest = LONGEST_PAUSE if code >= 0 else LONGEST_AFTER_A_SIGNAL
            pause = 0.5 if time.monotonic() - began > STEADY_SECONDS else min(2 * pause, longest)
            if self._stopping.wait(pause):
                return
            began, self._process = time.monotonic(), self._start()


def add_to(app: typer.Typer) -> None:
    app.command()(serve)


def serve(
    db: Database = "sqlite:///league.db",
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 for any free port.", min=0, max=65535)] = 8000,
    runs: Annotated[Path | None, typer.Option(help="A folder of learning runs, for the lab.")] = None,
    published: Annotated[
        Path | None, typer.Option(help="A folder of published files; its players are added.")
    ] = None,
    players: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="FILE[,NAME][,view=V]", help="Add this player; repeatable."),
    ] = None,
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Workers run elsewhere.")] = False,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="Trust the address in X-Forwarded-For.")
    ] = False,
    reads_per_minute: Annotated[
        int, typer.Option("--reads-per-minute", "--reads-a-minute", help="Of one address.", min=1)
    ] = 1200,
    plays_per_minute: Annotated[
        int, typer.Option("--plays-per-minute", "--plays-a-minute", help="Moves for one address.", min=1)
    ] = 3000,
    writes_per_minute: Annotated[
        int, typer.Option("--writes-per-minute", "--writes-a-minute", help="Of one address.", min=1)
    ] = 60,
    connections_per_address: Annotated[int, typer.Option(help="Open at once.", min=1)] = 128,
    most_waiting: Annotated[
        int, typer.Option(help="Jobs, beyond which no player is accepted; half of them per entrant.", min=1)
    ] = 500,
) -> None:
    """Serve a league on the web: its table, its players, and a board to play them. The environment variable
    OUTFLANK_ADMIN_TOKEN sets the admin token, which removes players and starts competitions."""
    refuse_plugins()
    try:
        from outflank.interfaces.web.monitoring import set_up_logs
        from outflank.interfaces.web.settings import WebSettings
    except ModuleNotFoundError:
        raise ValueError(MISSING) from None
    settings = WebSettings(
        database=db, runs=runs, admin_token=os.environ.get(ADMIN_TOKEN) or None, behind_proxy=behind_proxy,
        reads_per_minute=reads_per_minute, plays_per_minute=plays_per_minute,
        writes_per_minute=writes_per_minute, connections_per_address=connections_per_address,
        most_waiting=most_waiting,
    )  # fmt: skip
    if re.fullmatch(r"sqlite(\+\w+)?:(//)?(/(:memory:)?)?", db):
        raise ValueError("a league needs a file that its workers can open: use sqlite:///FILE")
    with listening(host, port) as listener:
        app = _league_app(settings, published, players or [])
        _prepare()
        set_up_logs()
        _serve(app, listener, None if no_worker else db)


def _prepare() -> None:
    """Remove what killed processes left, and allow as many open files as connections need."""
    from outflank.league.sandbox import remove_left_behind

    remove_left_behind()
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A listening socket, before anything else is done; early clients wait in its backlog."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        is_taken = error.errno == errno.EADDRINUSE
        reason = "it is in use; choose another with --port" if is_taken else f"{error.strerror}".lower()
        raise OSError(f"cannot listen on {host} port {port}: {reason}") from None
    with listener:
        yield listener


def _league_app(settings: WebSettings, published: Path | None, players: Sequence[str]) -> FastAPI:
    """The application on a database with players in it."""
    from outflank.interfaces.web.app import create_app
    from outflank.league.published import PublishedFiles
    from outflank.league.seeding import add_file, is_seeded, seed
    from outflank.league.store import database_errors_as_sentences

    files = PublishedFiles.found(published)
    given = [_named_file(text) for text in players]
    app = create_app(settings)
    league: League = app.state.league
    with database_errors_as_sentences("players cannot be added to the league's database"):
        if published is not None or not is_seeded(league):
            seed(league, files)
        for file, name, view in given:
            if not add_file(league, file, name=name, view=view):
                note(f"{file} is in the league already, or another player is named {name}")
    return app


def _named_file(text: str) -> tuple[Path, str, Any]:
    """FILE[,NAME][,view=V].

    >>> _named_file("runs/quick/last.safetensors"), _named_file("my.player,Mine,view=inversion")[1:]
    ((PosixPath('runs/quick/last.safetensors'), 'quick-last', None), ('Mine', 'inversion'))
    """
    from outflank.evaluators.storage import VIEWS
    from outflank.league.text_fields import checked_name

    first, *rest = text.split(",")
    file, view = Path(first), None
    if is_reference(first) and not file.exists():
        raise ValueError(f"{first} is a plug-in, which is code; players of a league are data: name a file")
    name = name_of(file)
    for part in rest:
        if part.startswith("view="):
            view = part.removeprefix("view=")
            if view not in VIEWS:
                raise ValueError(f"a view is one of {', '.join(VIEWS)}, not {view}")
        else:
            name = part
    try:
        return file, checked_name(name, "player"), view
    except ValueError as error:
        raise ValueError(f"{error}; give {file} such a name: --with {file},NAME") from None


def _serve(app: FastAPI, listener: socket.socket, worker_database: str | None) -> None:
    """Until SIGTERM or SIGINT; then finishes open requests and stops the worker."""
    from uvicorn import Config, Server

    from outflank.cores import available_cores
    from outflank.interfaces.web.limits.connections import connection_class

    class Announced(Server):
        """Prints its address as soon as it responds."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                await _warm_up(app)
                gc.freeze()  # long-lived objects: collecting them would delay every request
                out.print(f"The league is at {_address(listener)}", highlight=False, soft_wrap=True)

    settings: WebSettings = app.state.settings
    per_address = None if settings.behind_proxy else settings.connections_per_address
    config = Config(
        app, http=connection_class(per_address), ws="none", log_config=None, access_log=False,
        server_header=False, proxy_headers=False, limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )  # fmt: skip
    server = Announced(config)

    def stop(*_: object) -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):  # before uvicorn's handlers, and after
        signal.signal(number, stop)
    sys.setswitchinterval(SWITCH_SECONDS)
    threads = max(1, available_cores() - 1)  # one core is for the server
    worker = WorkerProcess(worker_database, threads) if worker_database is not None else None
    try:
        server.run(sockets=[listener])
    finally:
        if worker is not None:
            worker.stop()


async def _warm_up(app: FastAPI) -> None:
    """Request the first page, so that no visitor waits for templates and caches."""
    from httpx import ASGITransport, AsyncClient

    here = ASGITransport(app, client=("server", 0))
    async with AsyncClient(transport=here, base_url="http://league") as client:
        (await client.get("/")).raise_for_status()


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # listening on all addresses
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
