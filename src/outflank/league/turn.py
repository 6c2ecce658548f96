"""A worker's turn with a job: a heartbeat keeps the lease, what is played is stored, and it ends in time.

The heartbeat is a thread of the worker's own process: it renews the lease while a player is loaded,
compiled, played and drawn, and dies with the worker. It does not go on for ever beside work that hangs: a job
has a time limit for all of its turns, and one that is over it fails, if need be by the heartbeat's hand.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from outflank.games.statistics import Tally
from outflank.league.jobs import Held, Jobs, Lost, nothing
from outflank.league.store import Busy

JOB_SECONDS = 3600.0  # of work on one job, by all who had it
STUCK_SECONDS = 60.0  # beyond that, for a worker to see for itself that the time is over
SLICE_SECONDS = 5.0  # of play, after which others who wait have their turn
STORE_SECONDS = 2.0  # of play between stored batches
SHORTEST_BEAT = 0.02
log = logging.getLogger("outflank.worker")


class TooLong(ValueError):
    """The job has had all the time there is."""


class Turn:
    """Used as a context: the heartbeat beats within.

    job_seconds: the job's time limit. on_stuck: called, in the heartbeat's thread, when the job failed by the
    limit and whoever works on it does not come back.
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._heartbeat.join()

    @property
    def seconds(self) -> float:
        """Of work on this job, in this turn and in those before."""
        return self.held.seconds + time.monotonic() - self._began

    def plays(self) -> None:
        """All is loaded. To load it again costs something, so a slice is as long as that at least."""
        self._plays_since = time.monotonic()
        self._stored = self._plays_since

    def is_slice_over(self) -> bool:
        """Whether it would be fair to let others have a turn."""
        if self._plays_since is None:
            return False
        played = time.monotonic() - self._plays_since
        return played > max(SLICE_SECONDS, self._plays_since - self._began)

    def is_time_to_store(self) -> bool:
        return time.monotonic() - self._stored > min(STORE_SECONDS, self.jobs.lease_seconds)

    def store(self, first_game: int, tally: Tally, write: Callable[[Session], None] = nothing) -> None:
        self.jobs.store_batch(self.held, first_game, tally, self.seconds, write)
        self._stored = time.monotonic()

    def check(self, played: int, games: int) -> None:
        """Go on only with a job that is ours and in time."""
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
            except (SQLAlchemyError, Busy):  # the worker itself will meet it, if it lasts
                log.warning("a lease could not be renewed", exc_info=True)

    def _give_up(self) -> None:
        """Whoever works on the job does not come back: it fails without them."""
        sentence = self._too_long()
        self.jobs.fail(self.held, sentence, self.seconds, lambda session: self._fail(session, sentence))
        log.error("a job hangs", extra={"fields": {"job": self.held.id}})
        self._is_lost = True
        self._on_stuck()
