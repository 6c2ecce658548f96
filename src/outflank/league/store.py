"""The league's database: SQLite in a file, or a PostgreSQL server by its URL.

>>> store = Store("sqlite://")
>>> with store.reading() as session:
...     session.query(Entrant).count()
0

Acknowledged is durable: SQLite runs with a write-ahead log that is flushed at every commit, PostgreSQL as its
server is configured. Readers and writers have separate connections, so that readers never queue behind
writers that wait for a lock; and those are few, and do not wait for long.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Float,
    cast,
    create_engine,
    event,
    func,
    insert,
    literal,
    text,
    update,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import NullPool, StaticPool

from outflank.league.schema import Entrant as Entrant
from outflank.league.schema import WriteCheck

MIGRATIONS = Path(__file__).parent / "migrations"
WRITE_SECONDS = 5.0  # for which a writer waits for the others
READ_SECONDS = 2.0  # SQLite's readers only wait while a file is recovered after a crash
CHECK_SECONDS = 1.0
MIGRATION_SECONDS = 60.0  # another server may be at it
CONNECT_SECONDS = 10
STATEMENT_SECONDS = 30.0
UNANSWERED_SECONDS = 20.0  # then a PostgreSQL server that vanished is given up
MOST_WRITERS = 16  # at once, of which SQLite lets one write; more are refused instead of blocking threads
MOST_READERS = 24
QUEUE_SECONDS = 0.05
MIGRATION_LOCK = 0x07E110  # any number that only migrations of a league use
USE = "use sqlite:///FILE or postgresql://USER@HOST/NAME"


class Busy(Exception):
    """Too many writers wait."""


class Store:
    """Connections to the database, which is migrated when it is opened.

    write_seconds: how long a writer waits for the others before it fails.
    """

    def __init__(self, url: str, *, write_seconds: float = WRITE_SECONDS) -> None:
        self.url = url
        address = address_of(url)
        self.engine = _engine(address, write_seconds, MOST_WRITERS)
        in_memory = self.engine.pool.__class__ is StaticPool  # one shared connection
        self._reader = self.engine if in_memory else _engine(address, READ_SECONDS, MOST_READERS)
        self._checker = self.engine if in_memory else _engine(address, CHECK_SECONDS, 0)
        self._write_sessions = sessionmaker(self.engine, expire_on_commit=False)
        self._read_sessions = sessionmaker(self._reader, expire_on_commit=False)
        self._writers = threading.BoundedSemaphore(MOST_WRITERS)
        migrating = self.engine if in_memory else _engine(address, MIGRATION_SECONDS, 0)
        try:
            with database_errors_as_sentences("the league's database cannot be opened"):
                migrate(migrating)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One consistent view of the database; changes in it are not saved."""
        with self._read_sessions() as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction: all or nothing. SQLite takes the write lock at once, so that two writers wait for
        each other instead of failing half-way."""
        if not self._writers.acquire(timeout=QUEUE_SECONDS):
            raise Busy("too many writers wait for the league's database; try again soon")
        try:
            with self._write_sessions.begin() as session:
                session.connection(execution_options={"is_writing": True})
                yield session
        finally:
            self._writers.release()

    def clock(self) -> ColumnElement[float]:
        """Now, in seconds, by a clock common to all users of this database: for leases, which must not expire
        early for a worker whose time of day is wrong. PostgreSQL has its own. An SQLite file with a
        write-ahead log is open on one machine only, whose monotonic clock serves; it restarts at boot."""
        if self.engine.dialect.name == "postgresql":
            return cast(func.extract("epoch", func.clock_timestamp()), Float)
        return literal(time.monotonic(), Float)

    def check_writing(self) -> None:
        """Write one row, on a separate connection; DBAPIError if that takes more than a second."""
        with self._checker.connect().execution_options(is_writing=True) as connection, connection.begin():
            row = {"id": 1, "checked": time.time()}
            if connection.execute(update(WriteCheck).where(WriteCheck.id == 1).values(row)).rowcount == 0:
                connection.execute(insert(WriteCheck).values(row))

    def close(self) -> None:
        for engine in (self.engine, self._reader, self._checker):
            engine.dispose()


@contextmanager
def database_errors_as_sentences(what: str) -> Iterator[None]:
    """Database errors as OSErrors of one sentence, for the command line."""
    try:
        yield
    except DBAPIError as error:
        reason = " ".join(str(error.orig).split())
        if "disk I/O error" in reason:  # what SQLite says where not even its lock file fits
            reason += "; is the disk full?"
        raise OSError(f"{what}: {reason}") from None


def migrate(engine: Engine) -> None:
    """Migrate the tables to this version; a database newer than this outflank is refused."""
    from alembic import command
    from alembic.config import Config
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    head = ScriptDirectory.from_config(config).get_current_head()
    with engine.connect() as connection:
        if MigrationContext.configure(connection).get_current_revision() == head:
            return  # without the write lock, which another process may hold
    # One transaction around all migrations: alembic would give SQLite one for each, and another process that
    # migrates too could slip in between.
    with engine.connect().execution_options(is_writing=True) as connection, connection.begin():
        if engine.dialect.name == "postgresql":  # SQLite's write lock does the same
            connection.execute(text(f"SET LOCAL lock_timeout = '{MIGRATION_SECONDS:.0f}s'"))
            connection.execute(text("SET LOCAL statement_timeout = 0"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise ValueError(
                f"the database was made by another version of outflank than this one ({head}): {error}"
            ) from None


def address_of(url: str) -> URL:
    """The database that a URL names. Messages do not repeat it: it may contain a password."""
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError):
        is_plain = re.fullmatch(r"[\w./ -]{1,80}", url) is not None
        raise ValueError(f"{repr(url) if is_plain else '--db'} is not a database: {USE}") from None
    if backend not in ("sqlite", "postgresql"):
        raise ValueError(f"--db names {backend}: neither sqlite:///FILE nor postgresql://USER@HOST/NAME")
    if "@" in (parsed.host or ""):
        raise ValueError("write @ as %40 in the user and the password of --db")
    return parsed


def _engine(address: URL, wait_seconds: float, connections: int) -> Engine:
    """Connections whose users wait `wait_seconds` for each other; not pooled if `connections` is 0."""
    milliseconds = round(1000 * wait_seconds)
    pool: dict[str, Any] = {"poolclass": NullPool}
    if connections:
        pool = {"pool_size": 5, "max_overflow": connections - 5, "pool_timeout": wait_seconds}
    if address.get_backend_name() == "postgresql":
        statement = round(1000 * max(STATEMENT_SECONDS, wait_seconds))
        options = f"-c lock_timeout={milliseconds} -c statement_timeout={statement}"
        if own := address.query.get("options"):
            options = f"{own if isinstance(own, str) else ' '.join(own)} {options}"
        given = {"connect_timeout": 2 if wait_seconds < 2 else CONNECT_SECONDS, "options": options,
                 "tcp_user_timeout": round(1000 * UNANSWERED_SECONDS)}  # fmt: skip
        return create_engine(
            address.set(drivername="postgresql+psycopg"), pool_pre_ping=True, connect_args=given, **pool
        )
    in_memory = address.database in (None, "", ":memory:")
    if in_memory:
        pool = {"poolclass": StaticPool}
    else:
        Path(str(address.database)).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(address, connect_args={"check_same_thread": False}, **pool)

    def set_up(connection: sqlite3.Connection, _record: object) -> None:
        _set_up_sqlite(connection, milliseconds)

    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: sqlite3.Connection, busy_milliseconds: int) -> None:
    connection.isolation_level = None  # we begin transactions, not the driver
    for pragma in (f"busy_timeout = {busy_milliseconds}", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        _enable_wal(connection, busy_milliseconds)


def _enable_wal(connection: sqlite3.Connection, busy_milliseconds: int) -> None:
    """A new file gets a write-ahead log, so that readers and writers do not block each other. SQLite does not
    wait for another process that opens the file at this moment, so we do."""
    until = time.monotonic() + busy_milliseconds / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _begin_sqlite(connection: Connection) -> None:
    writing = connection.get_execution_options().get("is_writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")
