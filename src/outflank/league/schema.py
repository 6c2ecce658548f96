"""The league's database tables: entrants, players, scores, competitions, and the jobs of workers.

Times are seconds since 1970, the same in SQLite and PostgreSQL.
"""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from outflank.games.statistics import Tally

# IDs of removed rows are never reused: links, copies and workers refer to them.
NEVER_REUSED = {"sqlite_autoincrement": True}


class Base(DeclarativeBase):
    pass


class Counted:
    """The games of a match, as columns: those of a Tally."""

    wins: Mapped[int]
    draws: Mapped[int]
    losses: Mapped[int]
    quarters_0: Mapped[int]  # double games that gave 0, 1/4, 2/4, 3/4 and 4/4 of the points
    quarters_1: Mapped[int]
    quarters_2: Mapped[int]
    quarters_3: Mapped[int]
    quarters_4: Mapped[int]
    repeated: Mapped[int] = mapped_column(Integer, default=0, server_default="0")  # double games

    @property
    def tally(self) -> Tally:
        doubles = (self.quarters_0, self.quarters_1, self.quarters_2, self.quarters_3, self.quarters_4)
        return Tally(self.wins, self.draws, self.losses, doubles, self.repeated)


def counts(tally: Tally) -> dict[str, int]:
    """A tally as the columns of Counted."""
    quarters = {f"quarters_{n}": count for n, count in enumerate(tally.double_games)}
    return {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses, **quarters,
            "repeated": tally.repeated}  # fmt: skip


class Entrant(Base):
    """Who submits players. The API key is shown once; only its digest is stored."""

    __tablename__ = "entrants"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    folded_name: Mapped[str] = mapped_column(String(40), unique=True)  # see text_fields.folded
    key_digest: Mapped[str | None] = mapped_column(String(64), unique=True)
    created: Mapped[float] = mapped_column(Float)
    served: Mapped[float] = mapped_column(Float, default=0.0, server_default="0")  # see Job


class Content(Base):
    """A player's file, by the digest of its bytes."""

    __tablename__ = "contents"
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class Player(Base):
    """A submitted player: a file and a view."""

    __tablename__ = "players"
    __table_args__ = (UniqueConstraint("digest", "view"), NEVER_REUSED)
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    folded_name: Mapped[str] = mapped_column(String(40), unique=True)
    entrant_id: Mapped[int] = mapped_column(ForeignKey("entrants.id"), index=True)
    digest: Mapped[str] = mapped_column(ForeignKey("contents.digest"))
    view: Mapped[str] = mapped_column(String(10))
    kind: Mapped[str] = mapped_column(String(40))  # n-tuple network, piece counter, ...
    description: Mapped[str] = mapped_column(Text)
    weights: Mapped[int] = mapped_column(Integer)
    note: Mapped[str] = mapped_column(Text, default="")
    link: Mapped[str] = mapped_column(String(200), default="")
    created: Mapped[float] = mapped_column(Float)
    error: Mapped[str | None] = mapped_column("fault", Text)  # why it could not be scored
    picture: Mapped[bytes | None] = mapped_column(LargeBinary, deferred=True)  # of its network, a PNG
    entrant: Mapped[Entrant] = relationship(lazy="joined")
    scores: Mapped[list[Score]] = relationship(order_by="Score.double_games", cascade="all, delete-orphan")


class Score(Counted, Base):
    """A player's score against the standard heuristic: provisional, then final."""

    __tablename__ = "scores"
    __table_args__ = (UniqueConstraint("player_id", "double_games"), NEVER_REUSED)
    id: Mapped[int] = mapped_column(primary_key=True)
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), index=True)
    double_games: Mapped[int] = mapped_column(Integer)
    seed: Mapped[str] = mapped_column(String(20))  # unsigned 64 bits, for which there is no column type
    measured: Mapped[float] = mapped_column(Float)


class Competition(Base):
    """A round robin among nominated players, at several rates of forced random moves."""

    __tablename__ = "competitions"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    folded_name: Mapped[str] = mapped_column(String(40), unique=True)
    state: Mapped[str] = mapped_column(String(10), default="open")  # open, playing, finished
    double_games: Mapped[int] = mapped_column(Integer)
    created: Mapped[float] = mapped_column(Float)
    served: Mapped[float] = mapped_column(Float, default=0.0, server_default="0")  # see Job
    nominations: Mapped[list[Nomination]] = relationship(cascade="all, delete-orphan")


class Nomination(Base):
    """A player in a competition; an entrant has up to two."""

    __tablename__ = "nominations"
    competition_id: Mapped[int] = mapped_column(
        ForeignKey("competitions.id", ondelete="CASCADE"), primary_key=True
    )
    player_id: Mapped[int] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), primary_key=True)
    player: Mapped[Player] = relationship(lazy="joined")


class Meeting(Counted, Base):
    """The match of two players of a competition at one rate; results are the first player's."""

    __tablename__ = "meetings"
    __table_args__ = (
        UniqueConstraint("competition_id", "epsilon", "first_id", "second_id"),
        CheckConstraint("first_id < second_id", name="first_is_lower"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    competition_id: Mapped[int] = mapped_column(ForeignKey("competitions.id", ondelete="CASCADE"))
    epsilon: Mapped[float] = mapped_column(Float)
    first_id: Mapped[int] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), index=True)
    second_id: Mapped[int] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), index=True)
    measured: Mapped[float] = mapped_column(Float)


class Job(Base):
    """Work that waits, is being done, is done, or has failed.

    A worker holds a job as long as it renews its lease, by the clock of `Store.clock`. `token` grows whenever
    the job is taken: a worker that lost its job holds an old one, and its result is discarded. `attempt`
    counts how often it was taken and not released. A score is done for its player's entrant, a meeting for
    its competition, and the `served` seconds of either decide whose turn it is: see jobs.py.
    """

    __tablename__ = "jobs"
    __table_args__ = (Index("ix_jobs_waiting", "state", "id"), NEVER_REUSED)
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))  # score, meeting
    player_id: Mapped[int | None] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), index=True)
    competition_id: Mapped[int | None] = mapped_column(ForeignKey("competitions.id", ondelete="CASCADE"))
    epsilon: Mapped[float | None] = mapped_column(Float)
    opponent_id: Mapped[int | None] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    state: Mapped[str] = mapped_column(String(10), default="waiting")  # waiting, taken, done, failed
    attempt: Mapped[int] = mapped_column(Integer, default=0)
    worker: Mapped[str | None] = mapped_column(String(80))
    lease: Mapped[float | None] = mapped_column(Float)  # until when the worker holds it
    created: Mapped[float] = mapped_column(Float)
    finished: Mapped[float | None] = mapped_column(Float)
    error: Mapped[str | None] = mapped_column("fault", Text)
    token: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    seconds: Mapped[float] = mapped_column(Float, default=0.0, server_default="0")  # of work, by all attempts


class JobBatch(Counted, Base):
    """Consecutive games that a job has played: the next worker continues after the last of them. They are
    deleted when the job ends with its result, which is their sum."""

    __tablename__ = "job_batches"
    job_id: Mapped[int] = mapped_column(ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True)
    first_game: Mapped[int] = mapped_column(Integer, primary_key=True)
    games: Mapped[bytes | None] = mapped_column(LargeBinary)  # their hashes, see games/repeats.py


class WriteCheck(Base):
    """One row, written to see whether the database can be."""

    __tablename__ = "write_checks"
    id: Mapped[int] = mapped_column(primary_key=True)
    checked: Mapped[float] = mapped_column(Float)
