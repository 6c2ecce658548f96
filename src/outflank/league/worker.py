"""Workers: take jobs from the league's database, one at a time, until told to stop.

Several workers, here or on other machines, share one database; each job is done by one of them.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable

from sqlalchemy import select
from sqlalchemy.orm import Session

from outflank.games.match import Match
from outflank.games.statistics import Tally
from outflank.games.tournament import pair_seed
from outflank.league.competitions import finish_if_played
from outflank.league.jobs import LEASE_SECONDS, MOST_ATTEMPTS, Held, Jobs, Lost
from outflank.league.league import PROVISIONAL, score_seed
from outflank.league.loading import loaded_player
from outflank.league.schema import Competition, Content, Meeting, Player, Score, counts
from outflank.league.scoring import DOUBLE_GAMES, league_match
from outflank.league.store import Store
from outflank.players.greedy import GreedyPlayer

IDLE_SECONDS = 0.5  # between looks at an empty queue


class Worker:
    """Does one job after another. `draw` makes a player's picture: the league itself draws none."""

    def __init__(
        self,
        store: Store,
        *,
        threads: int | None = None,
        double_games: int = DOUBLE_GAMES,
        lease_seconds: float = LEASE_SECONDS,
        draw: Callable[[GreedyPlayer], bytes | None] | None = None,
    ) -> None:
        self.store = store
        self.threads = threads
        self.double_games = double_games
        self.jobs = Jobs(store, f"{socket.gethostname()}:{os.getpid()}", lease_seconds)
        self._draw = draw

    def work(self, should_stop: Callable[[], bool]) -> int:
        """Jobs done until told to stop. A job that is begun when told is left for another worker."""
        done = 0
        while not should_stop():
            held = self.jobs.take()
            if held is None:
                _wait(IDLE_SECONDS, should_stop)
            elif self.do(held, should_stop):
                done += 1
        return done

    def do(self, held: Held, should_stop: Callable[[], bool] = lambda: False) -> bool:
        """One job, to its end. False if it was lost to another worker, or left to one."""
        if held.attempt > MOST_ATTEMPTS:
            return self._failed(held, f"the worker stopped {MOST_ATTEMPTS} times while it did this")
        try:
            is_done = (self._score if held.kind == "score" else self._meet)(held, should_stop)
            if not is_done:
                self.jobs.release(held)
            return is_done
        except Lost:
            return False
        except (ValueError, MemoryError) as error:
            fault = " ".join(str(error).split())[:500] or "there is not enough memory for this player"
            return self._failed(held, fault)

    def _score(self, held: Held, should_stop: Callable[[], bool]) -> bool:
        player, digest = self._load(held.player_id)
        seed = score_seed(digest)
        tally = Tally()
        for double_games in (min(PROVISIONAL, self.double_games), self.double_games):
            match = league_match(player, double_games=double_games, seed=seed, threads=self.threads)
            more = self._play(held, match, tally.games, should_stop)
            if more is None:
                return False
            tally += more
            if double_games < self.double_games:
                self._keep_provisional(held, double_games, tally, seed)
        self.jobs.renew(held)  # a large picture takes some seconds
        picture = self._draw(player) if self._draw is not None else None

        def write(session: Session) -> None:
            _add_score(session, held.player_id, self.double_games, tally, seed)
            session.get_one(Player, held.player_id).picture = picture

        self.jobs.finish(held, write)
        return True

    def _meet(self, held: Held, should_stop: Callable[[], bool]) -> bool:
        assert held.opponent_id is not None
        assert held.epsilon is not None
        assert held.competition_id is not None
        competition, epsilon, opponent = held.competition_id, held.epsilon, held.opponent_id
        first, first_digest = self._load(held.player_id)
        second, second_digest = self._load(opponent)
        with self.store.reading() as session:
            double_games = session.get_one(Competition, competition).double_games
        seed = pair_seed(round(1000 * epsilon), first_digest, second_digest)
        match = Match(first, second, double_games=double_games, epsilon=epsilon, seed=seed,
                      threads=self.threads)  # fmt: skip
        tally = self._play(held, match, 0, should_stop)
        if tally is None:
            return False

        def write(session: Session) -> None:
            session.add(Meeting(competition_id=competition, epsilon=epsilon, first_id=held.player_id,
                                second_id=opponent, measured=time.time(), **counts(tally)))  # fmt: skip
            finish_if_played(session, competition)

        self.jobs.finish(held, write)
        return True

    def _play(
        self, held: Held, match: Match, first_game: int, should_stop: Callable[[], bool]
    ) -> Tally | None:
        """The match from a game on, renewing the lease as it goes; None if told to stop."""
        tally = Tally()
        renewed = time.monotonic()
        for batch in match.batches(first_game=first_game):
            tally += batch.tally
            if should_stop():
                return None
            if time.monotonic() > renewed + self.jobs.lease_seconds / 4:
                self.jobs.renew(held)
                renewed = time.monotonic()
        return tally

    def _keep_provisional(self, held: Held, double_games: int, tally: Tally, seed: int) -> None:
        self.jobs.renew(held)
        with self.store.writing() as session:
            known = select(Score.id).where(
                Score.player_id == held.player_id, Score.double_games == double_games
            )
            if session.get(Player, held.player_id) is not None and session.scalar(known) is None:
                _add_score(session, held.player_id, double_games, tally, seed)

    def _load(self, player_id: int) -> tuple[GreedyPlayer, str]:
        """The player from its file, which the league has read once already, and the file's digest."""
        with self.store.reading() as session:
            player = session.get(Player, player_id)
            if player is None:
                raise Lost  # it was removed
            content = session.get_one(Content, player.digest).content
            name, view, digest = player.name, player.view, player.digest
        return loaded_player(content, view, name), digest

    def _failed(self, held: Held, fault: str) -> bool:
        def write(session: Session) -> None:
            if held.kind == "score":
                session.get_one(Player, held.player_id).fault = fault
            elif held.competition_id is not None:
                finish_if_played(session, held.competition_id)

        try:
            self.jobs.fail(held, fault, write)
        except Lost:
            return False
        return True


def _add_score(session: Session, player_id: int, double_games: int, tally: Tally, seed: int) -> None:
    session.add(Score(player_id=player_id, double_games=double_games, seed=str(seed), measured=time.time(),
                      **counts(tally)))  # fmt: skip


def _wait(seconds: float, should_stop: Callable[[], bool]) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not should_stop():
        time.sleep(0.05)
