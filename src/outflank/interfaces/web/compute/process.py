"""A process that computes with players for the web server, which asks on standard input, one task at a time.

A message is four bytes of length and so many bytes; the first of a request and of an answer is JSON. A
request names a task, its arguments and its players, by digest and view. Players that are not in the cache
are asked for ({"wants": [0, 1]}), and their files follow, one message each. The answer is {"result": ...},
the seconds of a processor that this takes with players that are not in the cache, and a message with its
bytes; or {"refused": "a sentence"}, or {"fault": "a traceback"}.

Nothing is pickled: this process handles what strangers have sent, and the server trusts its answers no
further than their length.

What compute processes do for visitors: TASKS by name. Each takes players and plain arguments, and gives
the bytes of its answer; a ValueError is a sentence for whoever asked.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, BinaryIO, Literal

from outflank.games.game import Game
from outflank.games.match import Match
from outflank.interfaces.web.caching.player_cache import LoadedPlayer, PlayerCache, PlayerKey
from outflank.interfaces.web.compute.play_answer import play_answer
from outflank.league.sandbox import die_with, limit_process, lower_priority
from outflank.players.greedy import GreedyPlayer

TaskName = Literal["play", "match"]


def play(players: Sequence[GreedyPlayer], moves: str, depth: int, values: bool) -> bytes:
    """A transcript's boards, and what the player, if there is one, makes of them: a PlayAnswer as JSON."""
    try:
        game = Game.from_transcript(moves)
    except ValueError as error:
        raise ValueError(f"moves: {error}") from None
    answer = play_answer(game, players[0] if players else None, depth, values)
    return answer.model_dump_json().encode()


def match(players: Sequence[GreedyPlayer], double_games: int, epsilon: float, seed: int) -> bytes:
    """A match of two players: the first one's Tally as JSON."""
    first, second = players
    played = Match(first, second, double_games=double_games, epsilon=epsilon, seed=seed, threads=1)
    return json.dumps(asdict(played.play())).encode()


TASKS: dict[TaskName, Callable[..., bytes]] = {"play": play, "match": match}


MEMORY = 2 << 30  # of address space: half a gigabyte for libraries, the cache, and room to load a player
READY = {"ready": True}


class ComputeProcess:
    """Answers until there is nobody to ask."""

    def __init__(self, asked: BinaryIO, answers: BinaryIO) -> None:
        self._asked, self._answers = asked, answers
        self._players = PlayerCache()

    def run(self) -> None:
        self._send(_json(READY))
        while (request := self._receive()) is not None:
            self._answer(json.loads(request))

    def _answer(self, request: dict[str, Any]) -> None:
        try:
            loaded = self._fetched([(digest, view) for digest, view in request["players"]])
            began = time.process_time()
            result = TASKS[request["task"]]([one.player for one in loaded], **request["arguments"])
            seconds = time.process_time() - began + sum(one.load_seconds for one in loaded)
        except ValueError as error:
            self._send(_json({"refused": " ".join(str(error).split())}))
        except MemoryError:
            raise  # a new process has more
        except Exception:
            self._send(_json({"fault": traceback.format_exc()}))
        else:
            self._send(_json({"result": seconds}), result)

    def _fetched(self, keys: list[PlayerKey]) -> list[LoadedPlayer]:
        found = {key: loaded for key in keys if (loaded := self._players.get(key)) is not None}
        wanted = [number for number, key in enumerate(keys) if key not in found]
        if wanted:
            self._send(_json({"wants": wanted}))
            contents = [self._receive() for _ in wanted]  # all of them, or the next request would be one
            for number, content in zip(wanted, contents, strict=True):
                assert content is not None
                found[keys[number]] = self._load(keys[number], content)
        return [found[key] for key in keys]

    def _load(self, key: PlayerKey, content: bytes) -> LoadedPlayer:
        try:
            return self._players.load(key, content)
        except MemoryError:
            self._players.clear()
        return self._players.load(key, content)

    def _receive(self) -> bytes | None:
        head = self._asked.read(4)
        return self._asked.read(int.from_bytes(head, "big")) if len(head) == 4 else None

    def _send(self, *messages: bytes) -> None:
        for message in messages:
            self._answers.write(len(message).to_bytes(4, "big") + message)
        self._answers.flush()


def _json(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode()


def _main(parent: str, niceness: str) -> None:
    die_with(int(parent))
    limit_process(MEMORY)
    lower_priority(int(niceness))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # should anything print, it does not end up in an answer
    ComputeProcess(sys.stdin.buffer, answers).run()


if __name__ == "__main__":
    _main(*sys.argv[1:3])
