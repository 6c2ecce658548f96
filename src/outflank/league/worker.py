"""Workers: take jobs from the league's database, one at a time, until told to stop.

Several workers, here or on other machines, share one database. A long job is done in slices, between which
other waiting jobs have their turn.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from outflank.games.match import Match
from outflank.games.statistics import Tally
from outflank.games.tournaments.tournament import pair_seed
from outflank.league.competitions import finish_if_played, meeting_starts
from outflank.league.inspection import loaded_player
from outflank.league.jobs import (
    JOB_SECONDS,
    LEASE_SECONDS,
    MOST_ATTEMPTS,
    Held,
    Jobs,
    Lost,
    Played,
    Turn,
    nothing,
)
from outflank.league.league import PROVISIONAL, score_seed
from outflank.league.schema import Competition, Content, Meeting, Player, Score, counts
from outflank.league.scoring import DOUBLE_GAMES, league_match
from outflank.league.store import Store
from outflank.players.greedy import GreedyPlayer

HASHES = np.dtype("<u8")  # as stored, whatever the machine
IDLE_SECONDS = 0.5  # between looks at an empty queue


class GivenBack(Exception):
    """The turn ends before the job is done."""


class Worker:
    """Does one job after another. `draw` makes a player's picture. `on_stuck` is called when a job hangs
    beyond its time limit, and should end the process."""

    def __init__(
        self,
        store: Store,
        *,
        threads: int | None = None,
        double_games: int = DOUBLE_GAMES,
        lease_seconds: float = LEASE_SECONDS,
        job_seconds: float = JOB_SECONDS,
        draw: Callable[[GreedyPlayer], bytes | None] | None = None,
        on_stuck: Callable[[], None] = lambda: None,
    ) -> None:
        self.store = store
        self.threads = threads
        self.double_games = double_games
        self.job_seconds = job_seconds
        self.jobs = Jobs(store, f"{socket.gethostname()}:{os.getpid()}", lease_seconds)
        self._draw = draw
        self._on_stuck = on_stuck
        self._loaded: dict[tuple[str, str], GreedyPlayer] = {}  # of the latest job

    def work(self, should_stop: Callable[[], bool]) -> int:
        """Work until told to stop, and return the number of finished jobs. An unfinished one is released."""
        done = 0
        while not should_stop():
            held = self.jobs.take()
            if held is None:
                _wait(IDLE_SECONDS, should_stop)
            elif self.do(held, should_stop, in_slices=True):
                done += 1
        return done

    def do(
        self, held: Held, should_stop: Callable[[], bool] = lambda: False, *, in_slices: bool = False
    ) -> bool:
        """One job, or a slice of it if others wait. False if it was lost or released to another worker."""
        if held.attempt > MOST_ATTEMPTS:
            return self._failed(
                held, f"the worker stopped {MOST_ATTEMPTS} times during this job", held.seconds
            )

        def fail(session: Session, error: str) -> None:
            _write_failed(session, held, error)

        turn = Turn(self.jobs, held, fail=fail, job_seconds=self.job_seconds, on_stuck=self._on_stuck)

        def is_over(has_result: bool) -> bool:
            if should_stop():
                return True
            return in_slices and (has_result or turn.is_slice_over()) and self.jobs.is_any_free()

        try:
            with turn:
                (self._score if held.kind == "score" else self._meet)(turn, is_over)
            return True
        except Lost:
            return False
        except GivenBack:
            return self._given_back(held, turn.seconds)
        except (ValueError, MemoryError) as error:
            text = " ".join(str(error).split())[:500] or "not enough memory for this player"
            return self._failed(held, text, turn.seconds)

    def _score(self, turn: Turn, is_over: Callable[[bool], bool]) -> None:
        held = turn.held
        player, digest = self._load(held.player_id)[0]
        seed = score_seed(digest)
        played = self.jobs.played(held, 2 * self.double_games)
        turn.begin_play()

        def provisional(so_far: Tally, session: Session) -> None:
            _add_score(session, held.player_id, PROVISIONAL, so_far, seed)

        for double_games in (min(PROVISIONAL, self.double_games), self.double_games):
            if played.tally.games >= 2 * double_games:
                continue
            match = league_match(player, double_games=double_games, seed=seed, threads=self.threads)
            is_provisional = double_games < self.double_games
            played = self._play(turn, match, played, is_over, provisional if is_provisional else None)
        picture = self._draw(player) if self._draw is not None else None

        def write(session: Session) -> None:
            _add_score(session, held.player_id, self.double_games, played.tally, seed)
            session.get_one(Player, held.player_id).picture = picture

        self.jobs.finish(held, turn.seconds, write)

    def _meet(self, turn: Turn, is_over: Callable[[bool], bool]) -> None:
        held = turn.held
        assert held.opponent_id is not None
        assert held.epsilon is not None
        assert held.competition_id is not None
        competition, epsilon, opponent = held.competition_id, held.epsilon, held.opponent_id
        (first, first_digest), (second, second_digest) = self._load(held.player_id, opponent)
        with self.store.reading() as session:
            double_games = session.get_one(Competition, competition).double_games
        seed = pair_seed(round(1000 * epsilon), first_digest, second_digest)
        match = Match(first, second, double_games=double_games, epsilon=epsilon, seed=seed,
                      starts=meeting_starts(epsilon, double_games), threads=self.threads)  # fmt: skip
        turn.begin_play()
        tally = self._play(turn, match, self.jobs.played(held, 2 * double_games), is_over).tally

        def write(session: Session) -> None:
            session.add(Meeting(competition_id=competition, epsilon=epsilon, first_id=held.player_id,
                                second_id=opponent, measured=time.time(), **counts(tally)))  # fmt: skip
            session.flush()
            finish_if_played(session, competition)

        self.jobs.finish(held, turn.seconds, write)

    def _play(
        self,
        turn: Turn,
        match: Match,
        played: Played,
        is_over: Callable[[bool], bool],
        result: Callable[[Tally, Session], None] | None = None,
    ) -> Played:
        """Resume the match, storing batches as it goes; `result` is written with the last batch."""
        games, fresh = 2 * match.double_games, Played(Tally())
        before = np.frombuffer(played.hashes, dtype=HASHES).astype(np.uint64)
        for batch in match.batches(first_game=played.tally.games, before=before):
            hashes = b"" if batch.hashes is None else batch.hashes.astype(HASHES).tobytes()
            fresh = Played(fresh.tally + batch.tally, fresh.hashes + hashes)
            so_far = Played(played.tally + fresh.tally, played.hashes + fresh.hashes)
            turn.check(so_far.tally.games, games)
            is_whole = so_far.tally.games == games
            if is_whole and result is None:
                return so_far
            gives_back = is_over(is_whole)
            if is_whole or gives_back or turn.is_time_to_store():
                write = partial(result, so_far.tally) if is_whole and result is not None else nothing
                turn.store(played.tally.games, fresh, write)
                played, fresh = so_far, Played(Tally())
            if gives_back:
                raise GivenBack
        return played

    def _load(self, *ids: int) -> list[tuple[GreedyPlayer, str]]:
        """Players from their files, and the files' digests. Those of the latest job are cached, for the next
        may be a slice of it."""
        with self.store.reading() as session:
            found = [session.get(Player, player_id) for player_id in ids]
            players = [player for player in found if player is not None]
            if len(players) < len(ids):
                raise Lost  # one was removed
        wanted = {(player.digest, player.view) for player in players}
        self._loaded = {key: loaded for key, loaded in self._loaded.items() if key in wanted}
        for player in players:
            key = player.digest, player.view
            if key not in self._loaded:
                with self.store.reading() as session:
                    content = session.get_one(Content, player.digest).content
                self._loaded[key] = loaded_player(content, player.view, player.name)
        return [(self._loaded[player.digest, player.view], player.digest) for player in players]

    def _given_back(self, held: Held, seconds: float) -> bool:
        with suppress(Lost):
            self.jobs.release(held, seconds)
        return False

    def _failed(self, held: Held, error: str, seconds: float) -> bool:
        try:
            self.jobs.fail(held, error, seconds, lambda session: _write_failed(session, held, error))
        except Lost:
            return False
        return True


def _add_score(session: Session, player_id: int, double_games: int, tally: Tally, seed: int) -> None:
    known = select(Score.id).where(Score.player_id == player_id, Score.double_games == double_games)
    if session.scalar(known) is None:  # an older league may have it without batches
        session.add(Score(player_id=player_id, double_games=double_games, seed=str(seed),
                          measured=time.time(), **counts(tally)))  # fmt: skip


def _write_failed(session: Session, held: Held, error: str) -> None:
    if held.kind == "score":
        session.get_one(Player, held.player_id).error = error
    elif held.competition_id is not None:
        session.flush()
        finish_if_played(session, held.competition_id)


def _wait(seconds: float, should_stop: Callable[[], bool]) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not should_stop():
        time.sleep(0.05)
