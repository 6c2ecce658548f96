"""The league's database: SQLite in a file, or a PostgreSQL server by its URL.

>>> store = Store("sqlite://")
>>> with store.reading() as session:
...     session.query(Entrant).count()
0

Acknowledged is written: SQLite runs with a write-ahead log that is flushed at every commit, PostgreSQL as its
server is set. Readers and writers have connections of their own, so that nobody who reads waits behind those
who wait for a lock; and those who wait are few, and do not wait for long.
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
    literal,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import NullPool, StaticPool

from outflank.league.schema import Entrant as Entrant
from outflank.league.schema import WriteCheck

MIGRATIONS = Path(__file__).parent / "migrations"
WRITE_SECONDS = 5.0  # that a writer waits for the others
READ_SECONDS = 2.0  # SQLite's readers wait only while a file is recovered after a crash
CHECK_SECONDS = 1.0
MIGRATION_SECONDS = 60.0  # another server may be at it
CONNECT_SECONDS = 10
STATEMENT_SECONDS = 30.0
UNANSWERED_SECONDS = 20.0  # after which a PostgreSQL server that is gone without a word is given up
MOST_WRITERS = 16  # at once, of whom SQLite lets one write: more are refused, and do not hold threads up
MOST_READERS = 24
QUEUE_SECONDS = 0.05
MIGRATION_LOCK = 0x07E110  # any number that only migrations of a league use
USE = "use sqlite:///FILE or postgresql://USER@HOST/NAME"


class Busy(Exception):
    """Too many wait to write."""


class Store:
    """Connections to the database, which is brought up to date when it is opened.

    write_seconds: how long a writer waits for the others before it fails.
    """

    def __init__(self, url: str, *, write_seconds: float = WRITE_SECONDS) -> None:
        self.url = url
        address = address_of(url)
        self.engine = _engine(address, write_seconds, MOST_WRITERS)
        in_memory = self.engine.pool.__class__ is StaticPool  # one connection, for there is no other way in
        self._reader = self.engine if in_memory else _engine(address, READ_SECONDS, MOST_READERS)
        self._checker = self.engine if in_memory else _engine(address, CHECK_SECONDS, 0)
        self._write_sessions = sessionmaker(self.engine, expire_on_commit=False)
        self._read_sessions = sessionmaker(self._reader, expire_on_commit=False)
        self._writers = threading.BoundedSemaphore(MOST_WRITERS)
        migrating = self.engine if in_memory else _engine(address, MIGRATION_SECONDS, 0)
        try:
            with database_errors_told("the league's database cannot be opened"):
                migrate(migrating)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One consistent view of the database; what is changed in it is not kept."""
        with self._read_sessions() as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction: all of it is kept or nothing. SQLite takes the right to write at once, so that
        two writers wait for each other instead of failing half-way."""
        if not self._writers.acquire(timeout=QUEUE_SECONDS):
            raise Busy("too many wait to write to the league's database; try again soon")
        try:
            with self._write_sessions.begin() as session:
                session.connection(execution_options={"is_writing": True})
                yield session
        finally:
            self._writers.release()

    def clock(self) -> ColumnElement[float]:
        """Now, in seconds, by the one clock of all who share this database: for leases, which must not end
        early for a worker whose time of day is wrong. PostgreSQL has its own. An SQLite file with a
        write-ahead log is open on one machine only, and that one's monotonic clock serves: it begins anew
        when the machine starts."""
        if self.engine.dialect.name == "postgresql":
            return cast(func.extract("epoch", func.clock_timestamp()), Float)
        return literal(time.monotonic(), Float)

    def check_writing(self) -> None:
        """Write one row, on a connection of its own; DBAPIError if that is not done within a second."""
        with self._checker.connect().execution_options(is_writing=True) as connection, connection.begin():
            row = {"id": 1, "checked": time.time()}
            table = WriteCheck.__table__
            if connection.execute(table.update().where(table.c.id == 1), row).rowcount == 0:  # type: ignore[attr-defined]
                connection.execute(table.insert(), row)  # type: ignore[attr-defined]

    def close(self) -> None:
        for engine in (self.engine, self._reader, self._checker):
            engine.dispose()


@contextmanager
def database_errors_told(what: str) -> Iterator[None]:
    """What a database says, as one sentence for whoever starts a server or a worker."""
    try:
        yield
    except DBAPIError as error:
        reason = " ".join(str(error.orig).split())
        if "disk I/O error" in reason:  # what SQLite says where not even its lock file finds room
            reason += "; is the disk full?"
        raise OSError(f"{what}: {reason}") from None


def migrate(engine: Engine) -> None:
    """Bring the tables to the present version; a database that is newer than this outflank is refused."""
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
            return  # without the right to write, which somebody may hold
    with engine.connect().execution_options(is_writing=True) as connection:
        if engine.dialect.name == "postgresql":  # SQLite's right to write is such a lock already
            connection.execute(text(f"SET LOCAL lock_timeout = '{MIGRATION_SECONDS:.0f}s'"))
            connection.execute(text("SET LOCAL statement_timeout = 0"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise ValueError(
                f"the database was made by another outflank than this one (version {head}): {error}"
            ) from None
        connection.commit()


def address_of(url: str) -> URL:
    """The database that a URL names. Messages do not repeat it: it may hold a password."""
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
    """Connections whose users wait so long for each other; none are kept if `connections` is 0."""
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
    connection.isolation_level = None  # transactions begin where we say, not where the driver guesses
    for pragma in (f"busy_timeout = {busy_milliseconds}", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        _keep_a_log(connection, busy_milliseconds)


def _keep_a_log(connection: sqlite3.Connection, busy_milliseconds: int) -> None:
    """A new file's readers and writers are to stay out of each other's way. SQLite does not wait for whoever
    else opens the file at this moment, so we do."""
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
