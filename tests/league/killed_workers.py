"""Two workers whose clocks are an hour apart, each killed again and again while they score and play.

Triggers in the database write down who took which job, so that nothing of it depends on what a killed
worker could still say.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from sqlalchemy import func, select, text

from outflank import PieceCounter
from outflank.evaluators.storage import StoredPlayer, save_player
from outflank.games.match import Match
from outflank.games.tournaments.tournament import pair_seed
from outflank.league.competitions import Competitions, meeting_starts
from outflank.league.inspection import inspect_here, loaded_player
from outflank.league.jobs import Jobs
from outflank.league.league import PROVISIONAL, League, score_seed
from outflank.league.schema import Job, JobBatch, Meeting, Player, Score
from outflank.league.scoring import league_match
from outflank.league.store import Store
from outflank.players.greedy import GreedyPlayer

LEASE_SECONDS = 3.0  # shorter than in service: a killed worker's job is taken up after so long
ENTRANTS = 4
IN_COMPETITION = 4
LONGEST_SECONDS = 1800.0
START_SECONDS = 120.0
WORKER = """
import sys, time
from outflank.league.store import Store
from outflank.players.greedy import GreedyPlayer
from outflank.league.worker import Worker
url, double_games, lease, clock = sys.argv[1:]
with open(clock, "w") as file:
    print(time.time(), file=file)
worker = Worker(Store(url, write_seconds=60), threads=1, double_games=int(double_games),
                lease_seconds=float(lease))
worker.work(lambda: False)
"""
AHEAD = Path(__file__).parent / "ahead.cpp"
COMPILER = shutil.which(os.environ.get("CXX", "c++"))
HISTORY = "CREATE TABLE history ({key}, job INTEGER, token INTEGER, attempt INTEGER, worker VARCHAR(80))"
SQLITE = (
    HISTORY.format(key="id INTEGER PRIMARY KEY AUTOINCREMENT"),
    """CREATE TRIGGER taken AFTER UPDATE OF token ON jobs BEGIN
    INSERT INTO history (job, token, attempt, worker) VALUES (new.id, new.token, new.attempt, new.worker);
    END""",
)
POSTGRESQL = (
    HISTORY.format(key="id SERIAL PRIMARY KEY"),
    """CREATE FUNCTION note_taken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO history (job, token, attempt, worker) VALUES (new.id, new.token, new.attempt, new.worker);
    RETURN new; END $$""",
    """CREATE TRIGGER taken AFTER UPDATE ON jobs FOR EACH ROW
    WHEN (old.token <> new.token) EXECUTE FUNCTION note_taken()""",
)


def is_possible() -> bool:
    """Whether a process's clock can be set ahead: for all of it, the database's library too."""
    return sys.platform == "linux" and COMPILER is not None


@dataclass
class Report:
    """What was done, and what was wrong afterwards."""

    jobs: int = 0
    kills: int = 0
    taken: int = 0
    taken_up: int = 0  # after their worker was killed
    given_back: int = 0  # after a slice
    most_attempts: int = 0
    hours_apart: float = 0.0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    stolen: list[str] = field(default_factory=list)  # from a worker that lived
    different: list[str] = field(default_factory=list)  # from games that nobody disturbed

    @property
    def errors(self) -> list[str]:
        return self.lost + self.twice + self.stolen + self.different


class KilledWorkers:
    """`players` players are scored and four of them play a competition, while workers are killed."""

    def __init__(self, folder: Path, database: str, *, double_games: int, players: int, seed: int) -> None:
        self.folder, self.database, self.double_games = folder, database, double_games
        self.report = Report()
        self._random = random.Random(seed)
        self._store = Store(database)
        self._league = League(self._store)
        for statement in SQLITE if database.startswith("sqlite") else POSTGRESQL:
            with self._store.writing() as session:
                session.execute(text(statement))
        self._add_players(players)
        self._workers: list[subprocess.Popen[bytes]] = []
        self._ahead = folder / "ahead.so"
        assert COMPILER is not None
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", self._ahead, AHEAD, "-ldl"], check=True)

    def run(self, kills: int, longest_pause: float) -> Report:
        try:
            self._workers = [self._start(0), self._start(1)]
            for _ in range(kills):
                victim = self._random.randrange(2)
                self._wait_until_up(victim)
                time.sleep(self._random.uniform(0.0, longest_pause))
                self._kill(victim)
            self._wait_for_all()
        finally:
            for process in self._workers:
                process.kill()
                process.wait()
        self._count()
        self._check()
        self._store.close()
        return self.report

    def _add_players(self, count: int) -> None:
        entrants = [self._league.entrant(self._league.register(f"entrant {n}")) for n in range(ENTRANTS)]
        for number in range(count):
            file = self.folder / f"counter-{number}.player"
            weights = [float((number + 7) * (square + 3) % 11 - 5) for square in range(64)]
            save_player(StoredPlayer(PieceCounter([*weights[:-1], float(number)])), file)
            entrant = entrants[number * number % ENTRANTS]
            self._league.add(entrant, file.read_bytes(), inspect_here(file, "inversion"), name=f"p{number}")
        competitions = Competitions(self._league)
        cup = competitions.open("Cup", double_games=min(10_000, self.double_games))
        for player in range(1, IN_COMPETITION + 1):
            with self._store.writing() as session:
                competitions._nominate(session, cup, session.get_one(Player, player))
        competitions.start(cup)

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        clock = self._clock(number)
        clock.unlink(missing_ok=True)
        command = [sys.executable, "-c", WORKER, self.database, str(self.double_games), str(LEASE_SECONDS),
                   str(clock)]  # fmt: skip
        environment = {**os.environ, **({"LD_PRELOAD": str(self._ahead)} if number else {})}
        return subprocess.Popen(command, env=environment)

    def _clock(self, number: int) -> Path:
        """Where a worker that is up says what time it takes it to be."""
        return self.folder / f"clock-{number}"

    def _wait_until_up(self, number: int) -> None:
        until = time.monotonic() + START_SECONDS
        while not (self._clock(number).exists() and self._clock(number).read_text()):
            assert time.monotonic() < until, "a worker does not start"
            time.sleep(0.02)

    def _kill(self, number: int) -> None:
        process = self._workers[number]
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        with self._store.writing() as session:
            session.execute(
                text("INSERT INTO history (worker) VALUES (:worker)"), {"worker": str(process.pid)}
            )
        self.report.kills += 1
        self._workers[number] = self._start(number)

    def _wait_for_all(self) -> None:
        jobs = Jobs(self._store, "the check")
        until = time.monotonic() + LONGEST_SECONDS
        while (counts := jobs.counts())["waiting"] + counts["taken"] and time.monotonic() < until:
            assert all(process.poll() is None for process in self._workers), "a worker ended"
            time.sleep(0.2)
        for number in range(2):
            self._wait_until_up(number)
        clocks = [float(self._clock(number).read_text()) for number in range(2)]
        self.report.hours_apart = round((clocks[1] - clocks[0]) / 3600, 1)

    def _count(self) -> None:
        """A job that is taken up, not given back, has one attempt more: its worker must be dead by then."""
        with self._store.reading() as session:
            rows = session.execute(text("SELECT job, attempt, worker FROM history ORDER BY id")).all()
        dead: set[str] = set()
        holders: dict[int, tuple[int, str]] = {}
        for job, attempt, worker in rows:
            if job is None:
                dead.add(worker)
                continue
            self.report.taken += 1
            process = worker.rpartition(":")[2]
            before, holder = holders.get(job, (0, ""))
            if holder and attempt == before:
                self.report.given_back += 1
            elif holder:
                self.report.taken_up += 1
                if holder not in dead:
                    self.report.stolen.append(f"job {job} from worker {holder} by {process}")
            holders[job] = attempt, process
            self.report.most_attempts = max(self.report.most_attempts, attempt)

    def _check(self) -> None:
        with self._store.reading() as session:
            jobs = session.scalars(select(Job)).all()
            self.report.jobs = len(jobs)
            self.report.lost += [
                f"job {job.id}: {job.state} {job.error}" for job in jobs if job.state != "done"
            ]
            if left := session.scalar(select(func.count()).select_from(JobBatch)):
                self.report.twice.append(f"{left} batches are left of jobs that are done")
            players = {player.id: player for player in session.scalars(select(Player)).unique()}
            scores = session.scalars(select(Score)).all()
            meetings = session.scalars(select(Meeting)).all()
        for player in players.values():
            self._check_scores(player, [score for score in scores if score.player_id == player.id])
        expected = 3 * IN_COMPETITION * (IN_COMPETITION - 1) // 2
        if len(meetings) != expected:
            self.report.lost.append(f"{len(meetings)} of {expected} meetings")
        for meeting in meetings:
            self._check_meeting(meeting, players)

    def _check_scores(self, player: Player, scores: list[Score]) -> None:
        lengths = sorted(score.double_games for score in scores)
        for double_games in (PROVISIONAL, self.double_games):
            if double_games not in lengths:
                self.report.lost.append(f"{player.name}: no score of {double_games}")
        self.report.twice += [f"{player.name}: {a} twice" for a, b in pairwise(lengths) if a == b]
        for score in scores:
            match = league_match(self._player(player), double_games=score.double_games,
                                 seed=score_seed(player.digest))  # fmt: skip
            if match.play() != score.tally:
                self.report.different.append(f"{player.name}: {score.tally}")

    def _check_meeting(self, meeting: Meeting, players: dict[int, Player]) -> None:
        first, second = players[meeting.first_id], players[meeting.second_id]
        double_games = min(10_000, self.double_games)
        match = Match(self._player(first), self._player(second), epsilon=meeting.epsilon,
                      double_games=double_games, starts=meeting_starts(meeting.epsilon, double_games),
                      seed=pair_seed(round(1000 * meeting.epsilon), first.digest, second.digest))  # fmt: skip
        if match.play() != meeting.tally:
            self.report.different.append(f"{first.name} - {second.name}: {meeting.tally}")

    def _player(self, player: Player) -> GreedyPlayer:
        return loaded_player(self._league.content(player.id), player.view, player.name)
