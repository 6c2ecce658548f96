"""The league's database: SQLite in a file, or a PostgreSQL server by its URL.

>>> store = Store("sqlite://")
>>> with store.reading() as session:
...     session.query(Entrant).count()
0

Acknowledged is written: SQLite runs with a write-ahead log that is flushed at every commit, PostgreSQL as its
server is set.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import StaticPool

from outflank.league.schema import Entrant as Entrant

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_MILLISECONDS = 30_000
CONNECT_SECONDS = 10
MIGRATION_LOCK = 0x07E110  # any number that only migrations of a league use


class Store:
    """Connections to the database, which is brought up to date when it is opened."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = _engine(url)
        self._sessions = sessionmaker(self.engine, expire_on_commit=False)
        try:
            migrate(self.engine)
        except DBAPIError as error:
            self.close()
            raise OSError(f"the league's database cannot be opened: {_reason(error)}") from None
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One consistent view of the database; what is changed in it is not kept."""
        with self._sessions() as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction: all of it is kept or nothing. SQLite takes the right to write at once, so that
        two writers wait for each other instead of failing half-way."""
        with self._sessions.begin() as session:
            session.connection(execution_options={"is_writing": True})
            yield session

    def close(self) -> None:
        self.engine.dispose()


def migrate(engine: Engine) -> None:
    """Bring the tables to the present version; a database that is newer than this outflank is refused."""
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with engine.connect().execution_options(is_writing=True) as connection:
        if engine.dialect.name == "postgresql":  # SQLite's right to write is such a lock already
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            head = ScriptDirectory.from_config(config).get_current_head()
            raise ValueError(
                f"the database was made by another outflank than this one (version {head}): {error}"
            ) from None
        connection.commit()


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() == "postgresql":
            return create_engine(
                parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True,
                connect_args={"connect_timeout": CONNECT_SECONDS},
            )  # fmt: skip
        if parsed.get_backend_name() != "sqlite":
            raise ValueError(f"{url} is neither sqlite:///FILE nor postgresql://USER@HOST/NAME")
    except (ArgumentError, NoSuchModuleError):
        raise ValueError(
            f"{url!r} is not a database: use sqlite:///FILE or postgresql://USER@HOST/NAME"
        ) from None
    in_memory = parsed.database in (None, "", ":memory:")
    if not in_memory:
        Path(str(parsed.database)).parent.mkdir(parents=True, exist_ok=True)
    special: dict[str, Any] = {"poolclass": StaticPool} if in_memory else {}
    engine = create_engine(parsed, connect_args={"check_same_thread": False}, **special)
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say, not where the driver guesses
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON",
                   f"busy_timeout = {BUSY_MILLISECONDS}"):  # fmt: skip
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    writing = connection.get_execution_options().get("is_writing")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _reason(error: DBAPIError) -> str:
    return " ".join(str(error.orig).split())
