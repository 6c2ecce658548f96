"""`outflank backup`: a copy of a league's database while it is in use."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from outflank.interfaces.cli.league.worker import MISSING, Database
from outflank.interfaces.cli.progress import out

PG_DUMP = 'pg_dump --format=custom --file=FILE "$OUTFLANK_DB"'


def add_to(app: typer.Typer) -> None:
    app.command()(backup)


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The copy to make.")],
    db: Database = "sqlite:///league.db",
) -> None:
    """Copy a league's SQLite database, at one moment, while its server and workers run."""
    try:
        from outflank.league.store import address_of
    except ModuleNotFoundError:
        raise ValueError(MISSING) from None
    address = address_of(db)
    if address.get_backend_name() != "sqlite":
        raise ValueError(f"PostgreSQL has its own program for backups: {PG_DUMP}")
    league = Path(address.database or "")
    if not league.is_file():
        raise ValueError(f"{league} is not a league's file")
    if file.exists():
        raise ValueError(f"{file} exists already; choose another name")
    _copy(league, file)
    out.print(f"{file}: {file.stat().st_size / 2**20:.1f} MB", highlight=False)


def _copy(league: Path, file: Path) -> None:
    """Under another name until it is complete, so that no partial copy is taken for a backup."""
    unfinished = file.with_name(f"{file.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(f"{league.absolute().as_uri()}?mode=ro", uri=True)) as source:
            is_league = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
            if source.execute(is_league).fetchone() is None:
                raise ValueError(f"{league} is not a league's database")
            source.execute("VACUUM INTO ?", (str(unfinished),))
        with closing(sqlite3.connect(unfinished)) as copy:
            copy.execute("PRAGMA synchronous = FULL")
            (state,) = copy.execute("PRAGMA integrity_check").fetchone()
        if state != "ok":
            raise OSError(f"the copy of {league} is damaged: {state}")
        with unfinished.open("rb+") as written:
            os.fsync(written.fileno())
        os.link(unfinished, file)  # fails if the name is taken by now
    except sqlite3.Error as error:
        raise OSError(f"{league} cannot be copied to {file}: {error}") from None
    finally:
        unfinished.unlink(missing_ok=True)
