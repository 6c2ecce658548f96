"""The league: entrants submit players; each is scored against the standard heuristic, and ranked.

>>> from importlib.resources import files
>>> from outflank.league.store import Store
>>> league = League(Store("sqlite://"))
>>> key = league.register("Ada")
>>> file = Path(str(files("outflank") / "data" / "players" / "all-2.player"))
>>> league.submit(key, file, name="my all-2", view="inversion").weights
288
>>> [(row.name, row.score) for row in league.table()]
[('my all-2', None)]

One ply, by rule: a player is an evaluator with a view. Its score is that of 50,000 double games, which depend
on its file alone, so that every league gives it the same score.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import and_, delete, func, select
from sqlalchemy.orm import Session

from outflank.evaluators.storage import View
from outflank.games.statistics import Tally
from outflank.league.inspection import Inspected, inspect_file
from outflank.league.schema import Content, Entrant, Job, Nomination, Player, Score, counts
from outflank.league.scoring import DOUBLE_GAMES
from outflank.league.store import Store
from outflank.league.text_fields import checked_link, checked_name, checked_note, folded

PROVISIONAL = 1_000  # double games of the first score
LARGEST_FILE = 16 << 20
# Entrants without keys, of players that came with the league or its server. Databases have these names.
HOUSE = ("outflank", "published", "keeper")
IN_TABLE = (
    Player.id, Player.name, Entrant.name, Player.kind, Player.view, Player.weights, Player.created,
    Player.error, Score.double_games,
)  # fmt: skip
COUNTS = tuple(getattr(Score, name) for name in counts(Tally()))


class UnknownKey(ValueError):
    """An unknown API key."""


class NotFound(ValueError):
    """No such player or competition."""


class Taken(ValueError):
    """A name or a file that is in the league already."""


@dataclass(frozen=True)
class TableRow:
    """A player's place. Players without a score come last."""

    rank: int | None
    id: int
    name: str
    entrant: str
    kind: str
    view: str
    weights: int
    created: float
    tally: Tally | None
    double_games: int
    error: str | None

    @property
    def score(self) -> float | None:
        return None if self.tally is None else self.tally.score

    @property
    def ci95(self) -> tuple[float, float] | None:
        return None if self.tally is None else self.tally.ci95

    @property
    def state(self) -> Literal["final", "provisional", "waiting", "failed"]:
        """Of its scoring."""
        if self.error:
            return "failed"
        if self.tally is None:
            return "waiting"
        return "final" if self.double_games >= DOUBLE_GAMES else "provisional"


class League:
    """Entrants, players and the table, in a league's database."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def register(self, name: str) -> str:
        """A new entrant's API key: shown now and never again."""
        checked_name(name, "entrant")
        if folded(name) in HOUSE:
            raise Taken(f"{name} is reserved for the league; choose another name")
        key = secrets.token_urlsafe(32)
        with self.store.writing() as session:
            if session.scalar(select(Entrant).where(Entrant.folded_name == folded(name))):
                raise Taken(f"there is an entrant {name} already; choose another name")
            session.add(
                Entrant(name=name, folded_name=folded(name), key_digest=_key_digest(key), created=time.time())
            )
        return key

    def entrant(self, key: str) -> Entrant:
        """The entrant with this API key."""
        with self.store.reading() as session:
            found = session.scalar(select(Entrant).where(Entrant.key_digest == _key_digest(key)))
        if found is None:
            raise UnknownKey("unknown API key; register as an entrant to get one")
        return found

    def submit(
        self, key: str, file: Path, *, name: str, view: View | None = None, note: str = "", link: str = ""
    ) -> Player:
        """Submit a player: when this returns it is stored and queued for scoring. The file is first inspected
        in a separate process."""
        entrant = self.entrant(key)
        checked_name(name, "player")
        if (size := file.stat().st_size) > LARGEST_FILE:
            raise ValueError(f"the file has {size / 2**20:.1f} MB; the limit is {LARGEST_FILE >> 20} MB")
        inspected = inspect_file(file, view)
        return self.add(entrant, file.read_bytes(), inspected, name=name, note=note, link=link)

    def add(
        self,
        entrant: Entrant,
        content: bytes,
        inspected: Inspected,
        *,
        name: str,
        note: str = "",
        link: str = "",
    ) -> Player:
        """As submit(), for an inspected file and an authenticated entrant."""
        checked_name(name, "player")
        note, link = checked_note(note), checked_link(link)
        digest = hashlib.sha256(content).hexdigest()
        now = time.time()
        with self.store.writing() as session:
            _refuse_twice(session, name, digest, inspected.view)
            if session.get(Content, digest) is None:
                session.add(Content(digest=digest, content=content))
                session.flush()
            player = Player(
                name=name, folded_name=folded(name), entrant_id=entrant.id, digest=digest,
                view=inspected.view, kind=inspected.kind, description=inspected.description,
                weights=inspected.weights, note=note, link=link, created=now,
            )  # fmt: skip
            session.add(player)
            session.flush()
            session.add(Job(kind="score", player_id=player.id, created=now))
            player.entrant = session.merge(entrant, load=False)
        return player

    def remove(self, player_id: int) -> None:
        """Remove a player with its scores, meetings and jobs; its file goes with the last player using it."""
        with self.store.writing() as session:
            player = _player(session, player_id)
            digest = player.digest
            # Jobs first, in the order in which workers lock: a removal and a result cannot deadlock.
            session.execute(delete(Job).where((Job.player_id == player_id) | (Job.opponent_id == player_id)))
            session.execute(delete(Nomination).where(Nomination.player_id == player_id))
            session.delete(player)
            session.flush()
            if session.scalar(select(func.count()).where(Player.digest == digest)) == 0:
                session.execute(delete(Content).where(Content.digest == digest))

    def player(self, player_id: int) -> Player:
        """A player with its entrant and scores."""
        with self.store.reading() as session:
            player = _player(session, player_id)
            _ = player.scores
            return player

    def content(self, player_id: int) -> bytes:
        """The submitted file."""
        with self.store.reading() as session:
            player = _player(session, player_id)
            return session.get_one(Content, player.digest).content

    def file_size(self, player_id: int) -> int:
        """Bytes of the submitted file."""
        size = select(func.length(Content.content)).join(Player, Player.digest == Content.digest)
        with self.store.reading() as session:
            found = session.scalar(size.where(Player.id == player_id))
        if found is None:
            raise NotFound(f"there is no player {player_id}")
        return int(found)

    def picture(self, player_id: int) -> bytes | None:
        """A picture of its weights, once a worker has drawn it."""
        with self.store.reading() as session:
            return _player(session, player_id).picture

    def table(self) -> list[TableRow]:
        """All players, the best first."""
        latest = (
            select(Score.player_id, func.max(Score.double_games).label("double_games"))
            .group_by(Score.player_id)
            .subquery()
        )
        query = (
            select(*IN_TABLE, *COUNTS)  # columns only: whole players would take twice as long
            .join(Entrant, Entrant.id == Player.entrant_id)
            .outerjoin(latest, latest.c.player_id == Player.id)
            .outerjoin(Score, and_(Score.player_id == Player.id, Score.double_games == latest.c.double_games))
        )
        with self.store.reading() as session:
            return _ranked([_table_row(found) for found in session.execute(query)])

    def version(self) -> tuple[float, ...]:
        """Changes whenever the table does: for caches."""
        with self.store.reading() as session:
            return tuple(
                session.execute(
                    select(
                        select(func.coalesce(func.max(Player.id), 0)).scalar_subquery(),
                        select(func.coalesce(func.max(Player.created), 0)).scalar_subquery(),
                        select(func.count()).select_from(Player).scalar_subquery(),
                        select(func.coalesce(func.max(Score.id), 0)).scalar_subquery(),
                        select(func.count()).where(Player.error.is_not(None)).scalar_subquery(),
                    )
                ).one()
            )


def score_seed(digest: str) -> int:
    """The seed of a player's scoring games: the same in every league.

    >>> score_seed("00" * 31 + "ff")
    0
    """
    return int(digest[:16], 16)


def _table_row(found: Sequence[Any]) -> TableRow:
    number, name, entrant, kind, view, weights, created, error, double_games = found[: len(IN_TABLE)]
    wins, draws, losses, *quarters, repeated = found[len(IN_TABLE) :]
    tally = None if double_games is None else Tally(wins, draws, losses, tuple(quarters), repeated)
    return TableRow(
        None, number, name, entrant, kind, view, weights, created, tally, double_games or 0, error
    )


def _ranked(rows: Sequence[TableRow]) -> list[TableRow]:
    scored = sorted((row for row in rows if row.tally), key=lambda row: (-(row.score or 0), row.id))
    ranked = [replace(row, rank=rank) for rank, row in enumerate(scored, start=1)]
    return ranked + sorted((row for row in rows if not row.tally), key=lambda row: row.id)


def _player(session: Session, player_id: int) -> Player:
    player = session.get(Player, player_id)
    if player is None:
        raise NotFound(f"there is no player {player_id}")
    return player


def _refuse_twice(session: Session, name: str, digest: str, view: str) -> None:
    if session.scalar(select(Player).where(Player.folded_name == folded(name))):
        raise Taken(f"there is a player {name} already; choose another name")
    same = session.scalar(select(Player).where(Player.digest == digest, Player.view == view))
    if same is not None:
        raise Taken(f"this file is in the league already, as {same.name}")


def _key_digest(key: str) -> str:
    """Keys are 256 random bits: a plain digest cannot be reversed by guessing."""
    return hashlib.sha256(key.encode(errors="surrogateescape")).hexdigest()
