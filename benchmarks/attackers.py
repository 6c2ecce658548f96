"""Visitors who submit, play and compare the worst players; and one who submits normal players.

They ignore Retry-After: refused requests are repeated within two seconds.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import httpx
import numpy as np
from benchmarks.worst_players import WorstPlayer, worst_players

from outflank import NTupleNetwork
from outflank.evaluators.league_text import write_league_text

SEED = 1
ANSWER_SECONDS = 120.0
LOOK_SECONDS = 0.5
PATIENCE_SECONDS = 60.0  # for scores, when the attack is over
LONGEST_PAUSE = 2.0
NORMAL = 7  # a player of the league, or any of the first hundred
TRANSCRIPTS = ("", "f5d6c3d3c4", "f5f6e6f4e3c5c4e7", "f5d6c3d3c4f4f6f3e6e7")


@dataclass(frozen=True)
class Attack:
    """The attack on a server."""

    port: int
    seconds: float
    visitors: int
    worst: int
    normal_every: float
    is_small: bool


class Field:
    """What the attackers share: their plan, their players, and their records."""

    def __init__(self, plan: Attack) -> None:
        self.plan = plan
        self.until = time.monotonic() + plan.seconds
        self.statuses: dict[str, Counter[str]] = {}
        self.outcomes: dict[str, Counter[str]] = {}
        self.taken: list[tuple[int, str]] = []  # players in the league, with their kinds
        self.normal: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.until

    def client(self, address: str) -> httpx.Client:
        transport = httpx.HTTPTransport(local_address=address)
        base = f"http://127.0.0.1:{self.plan.port}"
        return httpx.Client(base_url=base, transport=transport, timeout=ANSWER_SECONDS)

    def ask(
        self, what: str, client: httpx.Client, method: str, path: str, **more: Any
    ) -> httpx.Response | None:
        """The response, counted; None if there was none."""
        try:
            answer = client.request(method, path, **more)
        except httpx.TransportError as error:
            answer, status = None, type(error).__name__
        else:
            status = str(answer.status_code)
        with self._lock:
            self.statuses.setdefault(what, Counter())[status] += 1
        return answer

    def key(self, client: httpx.Client, name: str) -> str:
        """The API key of a new entrant; requested until the server responds."""
        while True:
            answer = self.ask("registration", client, "POST", "/api/v1/entrants", json={"name": name})
            if answer is not None and answer.status_code == 201:
                return str(answer.json()["key"])
            assert not self.is_over, "nobody could register"
            time.sleep(LOOK_SECONDS)

    def hand_in(
        self, what: str, client: httpx.Client, key: str, form: dict[str, str], file: bytes
    ) -> httpx.Response | None:
        authorization = {"Authorization": f"Bearer {key}"}
        return self.ask(
            what, client, "POST", "/api/v1/players", data=form, headers=authorization, files={"file": file}
        )

    def note(self, kind: str, answer: httpx.Response) -> None:
        """The outcome of a submitted player."""
        with self._lock:
            outcomes = self.outcomes.setdefault(kind, Counter())
            if answer.status_code == 201:
                self.taken.append((answer.json()["id"], kind))
            else:
                outcomes[f"{answer.status_code} {answer.json()['error']}"] += 1

    def any_player(self, chance: random.Random) -> int:
        """Mostly one of the worst."""
        with self._lock:
            worst = [player for player, _ in self.taken]
        return chance.choice(worst) if worst and chance.random() < 0.9 else chance.randrange(1, 100)


def attack(plan: Attack, sender: Connection) -> None:
    """In a separate process: sends "ready", attacks, and sends its records."""
    worst = list(worst_players(SEED, plan.is_small))
    sender.send("ready")
    field = Field(plan)
    threads = [
        threading.Thread(target=deed, args=(field, number, worst), daemon=True)
        for number in range(plan.visitors)
        for deed in (_hand_in, _play, _compare)
    ]
    threads.append(threading.Thread(target=_hand_in_normal_ones, args=(field,)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, field.until - time.monotonic()) + PATIENCE_SECONDS + ANSWER_SECONDS)
    _look_after(field)
    sender.send(_report(field, worst))


def _hand_in(field: Field, number: int, worst: list[WorstPlayer]) -> None:
    """This visitor's share of the worst players, repeatedly, with new weights each time."""
    visitors = field.plan.visitors
    with field.client(f"127.0.2.{1 + number}") as client:
        key = field.key(client, f"visitor {number}")
        turn = number
        while not field.is_over:
            player = worst[turn % len(worst)]
            _hand_in_one(field, client, key, player, turn)
            turn += visitors
            if turn >= field.plan.worst:  # all were submitted: again, at a slower pace
                time.sleep(LONGEST_PAUSE)


def _hand_in_one(field: Field, client: httpx.Client, key: str, player: WorstPlayer, turn: int) -> None:
    """Until it is accepted or refused for good."""
    form = {"name": f"worst {turn}", "view": player.view}
    while not field.is_over:
        answer = field.hand_in("uploads", client, key, form, player.copy(turn))
        if answer is not None and answer.status_code not in (429, 503):
            field.note(player.kind, answer)
            return
        time.sleep(LONGEST_PAUSE)


def _play(field: Field, number: int, _worst: list[WorstPlayer]) -> None:
    chance = random.Random(f"play {number}")
    with field.client(f"127.0.2.{1 + number}") as client:
        while not field.is_over:
            asked = {"player": field.any_player(chance), "moves": chance.choice(TRANSCRIPTS),
                     "depth": chance.choice((1, 6)), "values": 1}  # fmt: skip
            answer = field.ask("moves", client, "GET", "/api/v1/play", params=asked)
            time.sleep(0.1 if answer is not None and answer.status_code == 200 else 0.5)


def _compare(field: Field, number: int, _worst: list[WorstPlayer]) -> None:
    chance = random.Random(f"compare {number}")
    with field.client(f"127.0.2.{1 + number}") as client:
        while not field.is_over:
            a, b = field.any_player(chance), field.any_player(chance)
            field.ask("comparisons", client, "POST", f"/compare?a={a}&b={b}", headers={"Accept": "text/html"})
            time.sleep(LONGEST_PAUSE)


def _hand_in_normal_ones(field: Field) -> None:
    """One at the start, then at intervals, the last early enough to be scored."""
    began = time.monotonic()
    waiting: list[threading.Thread] = []
    with field.client("127.0.3.1") as client:
        key = field.key(client, "normal")
        due = began + min(10.0, field.plan.seconds / 4)
        while due < field.until - min(30.0, field.plan.seconds / 4):
            time.sleep(max(0.0, due - time.monotonic()))
            waiting.append(threading.Thread(target=_hand_in_normal, args=(field, key, len(waiting))))
            waiting[-1].start()
            due += field.plan.normal_every
        for thread in waiting:
            thread.join()


def _hand_in_normal(field: Field, key: str, number: int) -> None:
    shape = ("all-2", "all-3", "rand-30x6")[number % 3]
    network = NTupleNetwork.of_shape(shape)
    weights = np.random.default_rng(number).normal(size=network.weights.size)
    file = write_league_text(network.with_weights(weights)).encode()
    began = time.monotonic()
    seen: dict[str, Any] = {"name": f"normal {number}, {shape}", "handed_in": None, "provisional": None}
    field.normal.append(seen)
    until = field.until + PATIENCE_SECONDS
    player = None
    with field.client("127.0.3.1") as client:
        while player is None and time.monotonic() < until:
            form = {"name": f"normal {number}", "view": "inversion"}
            answer = field.hand_in("normal uploads", client, key, form, file)
            if answer is not None and answer.status_code == 201:
                player, seen["handed_in"] = answer.json()["id"], time.monotonic() - began
            else:
                time.sleep(LOOK_SECONDS)
        while player is not None and time.monotonic() < until:
            answer = field.ask("normal looks", client, "GET", f"/api/v1/players/{player}")
            if answer is not None and answer.status_code == 200 and answer.json()["scores"]:
                seen["provisional"] = time.monotonic() - began
                return
            time.sleep(LOOK_SECONDS)


def _look_after(field: Field) -> None:
    """The outcomes of the accepted players."""
    with field.client("127.0.3.2") as client:
        for player, kind in field.taken:
            answer = field.ask("looks afterwards", client, "GET", f"/api/v1/players/{player}")
            outcome = _outcome(answer.json()) if answer and answer.status_code == 200 else "no answer"
            field.outcomes.setdefault(kind, Counter())[f"taken, {outcome}"] += 1


def _outcome(player: dict[str, Any]) -> str:
    if player["fault"]:
        return f"then failed: {player['fault']}"
    if not player["scores"]:
        return "not scored yet"
    return "final score" if player["scores"][-1]["is_final"] else "provisional score"


def _report(field: Field, worst: list[WorstPlayer]) -> dict[str, Any]:
    kinds = {}
    for player in worst:
        outcomes = field.outcomes.get(player.kind, Counter())
        kinds[player.kind] = {
            "megabytes": round(len(player.content) / 2**20, 1), "copies": outcomes.total(),
            "outcomes": dict(outcomes),
        }  # fmt: skip
    statuses = {what: dict(counts) for what, counts in field.statuses.items()}
    return {"worst": kinds, "normal": field.normal, "statuses": statuses}
