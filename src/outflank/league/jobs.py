"""Jobs: taken by one worker at a time, held by renewing a lease, finished exactly once.

A worker that dies stops renewing; when its lease is over another takes the job up from the beginning. Games
depend on their seeds alone, so the result is what it would have been. A worker that was only slow finds that
its attempt is not the present one, and what it brings is thrown away.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Session

from outflank.league.schema import Job
from outflank.league.store import Store

LEASE_SECONDS = 15.0
MOST_ATTEMPTS = 20  # a job that ends its worker every time is given up, not one that was unlucky some times


class Lost(Exception):
    """Another worker has the job now."""


@dataclass(frozen=True)
class Held:
    """A job that this worker has."""

    id: int
    attempt: int
    kind: str
    player_id: int
    competition_id: int | None
    epsilon: float | None
    opponent_id: int | None


class Jobs:
    """The queue in the database."""

    def __init__(self, store: Store, worker: str, lease_seconds: float = LEASE_SECONDS) -> None:
        self.store = store
        self.worker = worker[:80]
        self.lease_seconds = lease_seconds

    def take(self) -> Held | None:
        """The oldest job that waits, or whose worker has let its lease run out."""
        now = time.time()
        free = or_(Job.state == "waiting", and_(Job.state == "taken", Job.lease < now))
        query = select(Job).where(free).order_by(Job.id).limit(1).with_for_update(skip_locked=True)
        with self.store.reading() as session:  # most of the time there is nothing, and nothing to lock
            if session.scalar(select(Job.id).where(free).limit(1)) is None:
                return None
        with self.store.writing() as session:
            job = session.scalar(query)
            if job is None:
                return None
            job.attempt += 1
            job.state, job.worker, job.lease = "taken", self.worker, now + self.lease_seconds
            assert job.player_id is not None
            return Held(job.id, job.attempt, job.kind, job.player_id, job.competition_id, job.epsilon,
                        job.opponent_id)  # fmt: skip

    def renew(self, held: Held) -> None:
        with self.store.writing() as session:
            self._change(session, held, lease=time.time() + self.lease_seconds)

    def finish(self, held: Held, write: Callable[[Session], None]) -> None:
        """Mark the job as done and write its result, in one transaction; nothing of it if it was lost."""
        with self.store.writing() as session:
            self._change(session, held, state="done", finished=time.time(), lease=None)
            write(session)

    def fail(self, held: Held, fault: str, write: Callable[[Session], None] = lambda _: None) -> None:
        """It cannot be done: for a reason that lies in the job, not in the worker."""
        with self.store.writing() as session:
            self._change(session, held, state="failed", finished=time.time(), lease=None, fault=fault)
            write(session)

    def release(self, held: Held) -> None:
        """Leave the job for another worker, as if it had not been taken."""
        with self.store.writing() as session:
            self._change(session, held, state="waiting", attempt=held.attempt - 1, lease=None)

    def counts(self) -> dict[str, int]:
        """How many jobs are in which state."""
        with self.store.reading() as session:
            query = select(Job.state, func.count()).group_by(Job.state)
            found = {row[0]: row[1] for row in session.execute(query)}
        return dict.fromkeys(("waiting", "taken", "done", "failed"), 0) | found

    def _change(self, session: Session, held: Held, **values: object) -> None:
        ours = and_(Job.id == held.id, Job.attempt == held.attempt, Job.state == "taken")
        changed = session.execute(update(Job).where(ours).values(**values))
        assert isinstance(changed, CursorResult)
        if changed.rowcount != 1:
            raise Lost
