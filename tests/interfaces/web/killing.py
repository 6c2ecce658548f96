"""A league whose server and worker are killed at random moments while players are submitted and scored."""

from __future__ import annotations

import random
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from sqlalchemy import select

from outflank.interfaces.league_client import LeagueClient
from outflank.league.jobs import Jobs
from outflank.league.league import League, score_seed
from outflank.league.schema import Job, Player, Score
from outflank.league.scoring import league_match
from outflank.league.store import Store
from outflank.players.names import named_player
from tests.interfaces.web.serving import UNLIMITED, Served, counter_file, start, stop, without_players

LEASE_SECONDS = 2.0  # shorter than in service: then another worker resumes a killed worker's job
PROVISIONAL = 1000
UPLOADERS = 2
LONGEST = 1800.0
WORKER = """
import sys
from outflank.league.store import Store
from outflank.league.worker import Worker
url, double_games, lease = sys.argv[1:]
worker = Worker(Store(url), threads=1, double_games=int(double_games), lease_seconds=float(lease))
worker.work(lambda: False)
"""


@dataclass
class Report:
    """What was done, and what was wrong afterwards."""

    acknowledged: int = 0
    refused_again: int = 0  # stored, but the server was killed before it could respond
    kills: dict[str, int] = field(default_factory=lambda: {"server": 0, "worker": 0})
    errors: list[str] = field(default_factory=list)


class DisturbedLeague:
    """Submits `uploads` players while it kills the server and the worker, each `kills` times."""

    def __init__(self, folder: Path, database: str, *, double_games: int, seed: int) -> None:
        self.folder, self.database, self.double_games = folder, without_players(database), double_games
        self.report = Report()
        self._random = random.Random(seed)
        self._left: list[int] = []
        self._acknowledged: dict[int, int] = {}  # the player's number here, and its id there
        self._lock = threading.Lock()
        self._ended = threading.Event()  # then uploaders stop trying
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = int(probe.getsockname()[1])

    def run(self, uploads: int, kills: int) -> Report:
        server, worker = self._server(), self._worker()
        uploaders = []
        try:
            with LeagueClient(server.address) as league:
                key = league.register("Ada")
            self._left = list(range(uploads))
            for _ in range(UPLOADERS):
                uploaders.append(threading.Thread(target=self._upload, args=(server.address, key)))
                uploaders[-1].start()
            for victim in self._random.sample(("server", "worker"), counts=(kills, kills), k=2 * kills):
                time.sleep(self._random.uniform(0.1, 2.0))
                self.report.kills[victim] += 1
                if victim == "server":
                    stop(server, 9)
                    server = self._server()
                else:
                    worker.kill()
                    worker.wait()
                    worker = self._worker()
            for thread in uploaders:
                thread.join()
            self._check_all()
        finally:
            self._ended.set()
            worker.kill()
            worker.wait()
            stop(server)
            for thread in uploaders:
                thread.join()
        return self.report

    def _server(self) -> Served:
        return start(self.folder, self.database, "--no-worker", f"--port={self._port}", *UNLIMITED)

    def _worker(self) -> subprocess.Popen[bytes]:
        arguments = [self.database, str(self.double_games), str(LEASE_SECONDS)]
        return subprocess.Popen([sys.executable, "-c", WORKER, *arguments])

    def _upload(self, address: str, key: str) -> None:
        while not self._ended.is_set():
            with self._lock:
                if not self._left:
                    return
                number = self._left.pop()
            file = counter_file(self.folder, number)
            while not self._ended.is_set() and not self._submit(address, key, number, file):
                time.sleep(0.1)

    def _submit(self, address: str, key: str, number: int, file: Path) -> bool:
        """Whether the league has acknowledged the player."""
        with httpx.Client(timeout=60) as client:
            try:
                answer = client.post(f"{address}/api/v1/players", headers={"Authorization": f"Bearer {key}"},
                                     data={"name": f"counter {number}", "view": "inversion"},
                                     files={"file": file.read_bytes()})  # fmt: skip
            except httpx.HTTPError:
                return False
        with self._lock:
            if answer.status_code == 201:
                self._acknowledged[number] = answer.json()["id"]
                self.report.acknowledged += 1
            elif answer.status_code == 409:
                self.report.refused_again += 1
            else:
                self.report.errors.append(f"{answer.status_code}: {answer.text}")
        return True

    def _check_all(self) -> None:
        store = Store(self.database)
        until = time.monotonic() + LONGEST
        jobs = Jobs(store, "the check")
        while (counts := jobs.counts())["waiting"] + counts["taken"] and time.monotonic() < until:
            time.sleep(0.2)
        league = League(store)
        for number, player_id in self._acknowledged.items():
            if league.content(player_id) != (self.folder / f"counter-{number}.player").read_bytes():
                self.report.errors.append(f"player {player_id} is not what was submitted")
        with store.reading() as session:
            for player in session.scalars(select(Player)).unique():
                done = [job.state for job in session.scalars(select(Job).where(Job.player_id == player.id))]
                scores = session.scalars(select(Score).where(Score.player_id == player.id)).all()
                self._check(player, done, {score.double_games: score for score in scores}, len(scores))
        store.close()

    def _check(self, player: Player, jobs: list[str], scores: dict[int, Score], count: int) -> None:
        """Scored once, with the tallies of undisturbed games."""
        if jobs != ["done"] or count != 2 or set(scores) != {PROVISIONAL, self.double_games}:
            self.report.errors.append(f"{player.name}: jobs {jobs}, scores of {sorted(scores)}")
            return
        number = player.name.removeprefix("counter ")
        again = named_player(f"{self.folder / f'counter-{number}.player'},view=inversion")
        for double_games, score in scores.items():
            match = league_match(again, double_games=double_games, seed=score_seed(player.digest), threads=1)
            if match.play() != score.tally:
                self.report.errors.append(f"{player.name}: {score.tally} of {double_games} double games")
