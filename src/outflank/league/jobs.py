"""The job queue in the database: a job is leased to one worker at a time, and finished exactly once.

A worker that dies stops renewing its lease; when it expires another worker resumes the job after the last
stored batch of games. Games depend on their seeds and numbers alone, so the result is the same. A worker that
was merely slow finds its token outdated, and its result is discarded. Leases run by the database's clock.

Fair queueing: a score is done for its player's entrant, a meeting for its competition, and the beneficiary
with the least work done so far is next. One that comes back after a while is put at most LAG_SECONDS behind
the most served, so that idleness gives no claim to all workers. A player's first score counts as
HEAD_START_SECONDS less work: first scores come first, but do not starve the others. Among the jobs of one
beneficiary, that with the least work so far is next.

During a turn, a heartbeat thread of the worker's process renews the lease while a player is loaded, compiled,
played and drawn, and dies with the worker. A job has a time limit over all its turns; one that hangs beyond
it is failed by the heartbeat.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, delete, func, or_, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from outflank.games.statistics import Tally
from outflank.league.schema import Competition, Entrant, Job, JobBatch, Player, Score, counts
from outflank.league.store import Busy, Store

LEASE_SECONDS = 15.0
LONGEST_LEASE = 120.0  # a later end was set by a clock that has restarted since
MOST_ATTEMPTS = 20  # then a job that kills its workers is given up; a few may be bad luck
HEAD_START_SECONDS = 20.0  # four slices
LAG_SECONDS = 25.0  # more than the head start, so that final scores keep half of the time
JOB_SECONDS = 3600.0  # of work on one job, over all turns
STUCK_SECONDS = 60.0  # more, for a worker to notice the limit by itself
SLICE_SECONDS = 5.0  # of play, then other waiting jobs have their turn
STORE_SECONDS = 2.0  # of play between stored batches
SHORTEST_BEAT = 0.02
log = logging.getLogger("outflank.worker")


class Lost(Exception):
    """Another worker holds the job now."""


@dataclass(frozen=True)
class Held:
    """A job that this worker holds."""

    id: int
    attempt: int
    kind: str
    player_id: int
    competition_id: int | None
    epsilon: float | None
    opponent_id: int | None
    token: int
    seconds: float  # of work in earlier turns


@dataclass(frozen=True)
class Played:
    """Games of a job, and the hashes of its double games, eight bytes each, if repeated ones are counted."""

    tally: Tally
    hashes: bytes = b""


def nothing(_session: Session) -> None:
    """Write nothing more."""


class Jobs:
    """The queue in the database."""

    def __init__(self, store: Store, worker: str, lease_seconds: float = LEASE_SECONDS) -> None:
        assert lease_seconds <= LONGEST_LEASE
        self.store = store
        self.worker = worker[:80]
        self.lease_seconds = lease_seconds

    def take(self) -> Held | None:
        """The next job, of those that wait or whose lease has expired."""
        if not self.is_any_free():  # mostly there is none, and nothing to lock
            return None
        query = _in_order(self._is_free()).limit(1).with_for_update(of=Job, skip_locked=True)
        with self.store.writing() as session:
            job = session.scalar(query)
            if job is None:
                return None
            job.attempt += 1
            job.token += 1
            job.state, job.worker, job.lease = "taken", self.worker, self._lease()
            session.flush()
            self._bring_forward(session, job)
            assert job.player_id is not None
            return Held(job.id, job.attempt, job.kind, job.player_id, job.competition_id, job.epsilon,
                        job.opponent_id, job.token, job.seconds)  # fmt: skip

    def is_any_free(self) -> bool:
        with self.store.reading() as session:
            return session.scalar(select(Job.id).where(self._is_free()).limit(1)) is not None

    def renew(self, held: Held, seconds: float) -> None:
        """Extend the lease; `seconds` is the work on the job in all."""
        with self.store.writing() as session:
            self._ours(session, held, seconds).lease = self._lease()

    def store_batch(
        self,
        held: Held,
        first_game: int,
        tally: Tally,
        seconds: float,
        write: Callable[[Session], None] = nothing,
        hashes: bytes | None = None,
    ) -> None:
        """Store played games, and the hashes by which later ones are known to repeat them: the next worker
        continues after them."""
        with self.store.writing() as session:
            self._ours(session, held, seconds).lease = self._lease()
            session.add(JobBatch(job_id=held.id, first_game=first_game, games=hashes, **counts(tally)))
            write(session)

    def played(self, held: Held, games: int) -> Played:
        """The sum of the job's stored batches; none if they are of a match with more games."""
        with self.store.reading() as session:
            query = select(JobBatch).where(JobBatch.job_id == held.id).order_by(JobBatch.first_game)
            found = Played(Tally())
            for batch in session.scalars(query):
                assert batch.first_game == found.tally.games
                found = Played(found.tally + batch.tally, found.hashes + (batch.games or b""))
        if found.tally.games > games:  # another version's longer match
            with self.store.writing() as session:
                self._ours(session, held, held.seconds)
                _drop_batches(session, held)
            return Played(Tally())
        return found

    def finish(self, held: Held, seconds: float, write: Callable[[Session], None]) -> None:
        """Mark the job as done and write its result, in one transaction; neither if it was lost."""
        self._end(held, seconds, "done", None, write)

    def fail(
        self, held: Held, error: str, seconds: float, write: Callable[[Session], None] = nothing
    ) -> None:
        """Mark the job as failed, for a reason in the job, not in the worker."""
        self._end(held, seconds, "failed", error, write)

    def release(self, held: Held, seconds: float) -> None:
        """Return the job, with its stored batches, to the queue; this is not a failed attempt."""
        with self.store.writing() as session:
            job = self._ours(session, held, seconds)
            job.state, job.attempt, job.lease = "waiting", held.attempt - 1, None

    def counts(self) -> dict[str, int]:
        """The number of jobs by state."""
        with self.store.reading() as session:
            query = select(Job.state, func.count()).group_by(Job.state)
            found = {row[0]: row[1] for row in session.execute(query)}
        return dict.fromkeys(("waiting", "taken", "done", "failed"), 0) | found

    def waiting_of(self, entrant_id: int) -> int:
        """The number of an entrant's players that wait to be scored."""
        query = (
            select(func.count())
            .select_from(Job)
            .join(Player, Player.id == Job.player_id)
            .where(Job.kind == "score", Job.state == "waiting", Player.entrant_id == entrant_id)
        )
        with self.store.reading() as session:
            return session.scalar(query) or 0

    def _end(
        self, held: Held, seconds: float, state: str, error: str | None, write: Callable[[Session], None]
    ) -> None:
        with self.store.writing() as session:
            job = self._ours(session, held, seconds)
            job.state, job.finished, job.lease, job.error = state, time.time(), None, error
            _drop_batches(session, held)
            write(session)

    def _lease(self) -> ColumnElement[float]:
        return self.store.clock() + self.lease_seconds

    def _is_free(self) -> ColumnElement[bool]:
        now = self.store.clock()
        has_ended = or_(Job.lease < now, Job.lease > now + LONGEST_LEASE)
        return or_(Job.state == "waiting", and_(Job.state == "taken", has_ended))

    def _ours(self, session: Session, held: Held, seconds: float) -> Job:
        """The job, locked and with its work counted, if this worker still holds it. The job is locked before
        its beneficiary, as in take(), so that no two transactions deadlock."""
        query = select(Job).where(Job.id == held.id, Job.token == held.token, Job.state == "taken")
        job = session.scalar(query.with_for_update())
        if job is None:
            raise Lost
        worked = max(0.0, seconds - job.seconds)
        job.seconds += worked
        session.flush()
        beneficiary, its_id = _beneficiary(session, job)
        session.execute(
            update(beneficiary).where(beneficiary.id == its_id).values(served=beneficiary.served + worked)
        )
        return job

    def _bring_forward(self, session: Session, job: Job) -> None:
        """A beneficiary that was idle has no claim to make up for all of it."""
        most = max(session.scalar(select(func.max(one.served))) or 0.0 for one in (Entrant, Competition))
        beneficiary, its_id = _beneficiary(session, job)
        lagging = and_(beneficiary.id == its_id, beneficiary.served < most - LAG_SECONDS)
        session.execute(update(beneficiary).where(lagging).values(served=most - LAG_SECONDS))


def _in_order(is_free: ColumnElement[bool]) -> Select[Any]:
    """Free jobs, the next one first."""
    has_score = select(Score.id).where(Score.player_id == Job.player_id).exists()
    is_first = and_(Job.kind == "score", ~has_score)
    served = case((Job.kind == "score", Entrant.served), else_=func.coalesce(Competition.served, 0.0))
    return (
        select(Job)
        .join(Player, Player.id == Job.player_id)
        .join(Entrant, Entrant.id == Player.entrant_id)
        .outerjoin(Competition, Competition.id == Job.competition_id)
        .where(is_free)
        .order_by(served - case((is_first, HEAD_START_SECONDS), else_=0.0), Job.seconds, Job.id)
    )


def _beneficiary(session: Session, job: Job) -> tuple[type[Entrant] | type[Competition], int | None]:
    """For whom the job is done."""
    if job.kind == "score":
        return Entrant, session.scalar(select(Player.entrant_id).where(Player.id == job.player_id))
    return Competition, job.competition_id


def _drop_batches(session: Session, held: Held) -> None:
    session.execute(delete(JobBatch).where(JobBatch.job_id == held.id))


class TooLong(ValueError):
    """The job has used up its time limit."""


class Turn:
    """A worker's turn with a job; a context within which the heartbeat runs.

    job_seconds: the job's time limit. on_stuck: called in the heartbeat's thread when work hangs beyond it.
    """

    def __init__(
        self,
        jobs: Jobs,
        held: Held,
        *,
        fail: Callable[[Session, str], None],
        job_seconds: float = JOB_SECONDS,
        on_stuck: Callable[[], None] = lambda: None,
    ) -> None:
        self.jobs, self.held = jobs, held
        self.job_seconds = job_seconds
        self._fail = fail
        self._on_stuck = on_stuck
        self._began = self._stored = time.monotonic()
        self._plays_since: float | None = None
        self._progress = "it was still being loaded"
        self._is_lost = False
        self._ended = threading.Event()
        self._heartbeat = threading.Thread(target=self._beat, name=f"job {held.id}", daemon=True)

    def __enter__(self) -> Turn:
        self._heartbeat.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._heartbeat.join()

    @property
    def seconds(self) -> float:
        """Of work on this job, in this turn and the earlier ones."""
        return self.held.seconds + time.monotonic() - self._began

    def begin_play(self) -> None:
        """All is loaded. A slice is at least as long as loading took, which the next turn repeats."""
        self._plays_since = time.monotonic()
        self._stored = self._plays_since

    def is_slice_over(self) -> bool:
        """Whether it is fair to let others have a turn."""
        if self._plays_since is None:
            return False
        played = time.monotonic() - self._plays_since
        return played > max(SLICE_SECONDS, self._plays_since - self._began)

    def is_time_to_store(self) -> bool:
        return time.monotonic() - self._stored > min(STORE_SECONDS, self.jobs.lease_seconds)

    def store(self, first_game: int, games: Played, write: Callable[[Session], None] = nothing) -> None:
        self.jobs.store_batch(self.held, first_game, games.tally, self.seconds, write, games.hashes or None)
        self._stored = time.monotonic()

    def check(self, played: int, games: int) -> None:
        """Raise Lost or TooLong if the job is no longer ours or over its limit."""
        self._progress = f"{played:,} of {games:,} games were played"
        if self._is_lost:
            raise Lost
        if self.seconds > self.job_seconds:
            raise TooLong(self._too_long())

    def _too_long(self) -> str:
        return (
            f"a job is limited to {self.job_seconds:,.0f} seconds of work; "
            f"after {self.seconds:,.0f} seconds {self._progress}"
        )

    def _beat(self) -> None:
        while not self._ended.wait(max(SHORTEST_BEAT, self.jobs.lease_seconds / 4)):
            try:
                if self.seconds > self.job_seconds + STUCK_SECONDS:
                    self._give_up()
                    return
                self.jobs.renew(self.held, self.seconds)
            except Lost:
                self._is_lost = True
                return
            except (SQLAlchemyError, Busy):  # if it lasts, the worker itself runs into it
                log.warning("a lease could not be renewed", exc_info=True)

    def _give_up(self) -> None:
        """The work does not come back: fail the job without it."""
        sentence = self._too_long()
        self.jobs.fail(self.held, sentence, self.seconds, lambda session: self._fail(session, sentence))
        log.error("a job hangs", extra={"fields": {"job": self.held.id}})
        self._is_lost = True
        self._on_stuck()
