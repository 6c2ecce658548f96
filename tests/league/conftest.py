"""The same league tests on SQLite and on a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url

from outflank.league.league import League
from outflank.league.store import Store
from tests.league.postgres import programs, running_server

PLAYERS = Path(str(files("outflank") / "data" / "players"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    if programs() is None:
        pytest.skip("PostgreSQL is not installed")
    with running_server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'league.db'}"
    server = make_url(request.getfixturevalue("postgres"))
    name = f"league_{abs(hash(str(tmp_path)))}"
    admin = create_engine(server.set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    admin.dispose()
    return server.set(database=name).render_as_string(hide_password=False)


@pytest.fixture
def league(database: str) -> Iterator[League]:
    store = Store(database)
    yield League(store)
    store.close()
