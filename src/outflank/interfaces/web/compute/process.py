"""A process that computes with players for the web server: it reads tasks from standard input, one at a time.

A message is a four-byte length and that many bytes; the first of a request and of a response is JSON. A
request names a task, its arguments and its players, by digest and view. Players missing from the cache are
requested ({"wants": [0, 1]}), and their files follow, one message each. The response is {"result": ...}, the
CPU seconds that the task takes with players that are not cached, and a message with its bytes; or
{"refused": "a sentence"}, or {"error": "a traceback"}.

Nothing is pickled: this process handles strangers' files, and the server trusts its responses no further than
their length.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, Literal

from cachetools import LRUCache

from outflank.games.game import Game
from outflank.games.match import Match
from outflank.interfaces.web.compute.play import play_response
from outflank.league.inspection import loaded_player
from outflank.league.player_cost import bytes_held
from outflank.league.sandbox import die_with, limit_process, lower_priority
from outflank.players.greedy import GreedyPlayer

MEMORY = 2 << 30  # of address space: half a gigabyte for libraries, the cache, and room to load a player
CACHE_BYTES = 384 << 20  # of all cached players; an accepted player holds at most 256 MB
OVERHEAD = 1 << 20  # counted for each player beside its weights, which bounds their number
TaskName = Literal["play", "match"]
PlayerKey = tuple[str, str]  # the digest of the file, and the view


def play(players: Sequence[GreedyPlayer], moves: str, depth: int, values: bool) -> bytes:
    """A transcript's boards, and what the player, if any, thinks of them: a PlayResponse as JSON."""
    try:
        game = Game.from_transcript(moves)
    except ValueError as error:
        raise ValueError(f"moves: {error}") from None
    response = play_response(game, players[0] if players else None, depth, values)
    return response.model_dump_json().encode()


def match(players: Sequence[GreedyPlayer], double_games: int, epsilon: float, seed: int) -> bytes:
    """A match of two players: the first one's Tally as JSON."""
    first, second = players
    played = Match(first, second, double_games=double_games, epsilon=epsilon, seed=seed, threads=1)
    return json.dumps(asdict(played.play())).encode()


# Each takes players and plain arguments, and returns bytes; a ValueError is a sentence for the client.
TASKS: dict[TaskName, Callable[..., bytes]] = {"play": play, "match": match}


@dataclass(frozen=True)
class LoadedPlayer:
    player: GreedyPlayer
    size: int  # bytes in the cache
    load_seconds: float  # of CPU


class PlayerCache(LRUCache[PlayerKey, LoadedPlayer]):
    """The most recently used players, bounded by the bytes they hold."""

    def __init__(self, most_bytes: int = CACHE_BYTES) -> None:
        super().__init__(most_bytes, lambda loaded: loaded.size)

    def load(self, key: PlayerKey, content: bytes) -> LoadedPlayer:
        """Read and compile a player from its file, and cache it. ValueError if the file is not a player."""
        began = time.process_time()
        player = loaded_player(content, key[1], key[0])
        _ = player.core
        loaded = LoadedPlayer(player, bytes_held(player) + OVERHEAD, time.process_time() - began)
        if loaded.size <= self.maxsize:
            self[key] = loaded
        return loaded


class ComputeProcess:
    """Responds until its input ends."""

    def __init__(self, requests: BinaryIO, responses: BinaryIO) -> None:
        self._requests, self._responses = requests, responses
        self._players = PlayerCache()

    def run(self) -> None:
        self._send(_json({"ready": True}))
        while (request := self._receive()) is not None:
            self._respond(json.loads(request))

    def _respond(self, request: dict[str, Any]) -> None:
        try:
            loaded = self._fetched([(digest, view) for digest, view in request["players"]])
            began = time.process_time()
            result = TASKS[request["task"]]([one.player for one in loaded], **request["arguments"])
            seconds = time.process_time() - began + sum(one.load_seconds for one in loaded)
        except ValueError as error:
            self._send(_json({"refused": " ".join(str(error).split())}))
        except MemoryError:
            raise  # a new process has more memory
        except Exception:
            self._send(_json({"error": traceback.format_exc()}))
        else:
            self._send(_json({"result": seconds}), result)

    def _fetched(self, keys: list[PlayerKey]) -> list[LoadedPlayer]:
        found = {key: loaded for key in keys if (loaded := self._players.get(key)) is not None}
        wanted = [number for number, key in enumerate(keys) if key not in found]
        if wanted:
            self._send(_json({"wants": wanted}))
            contents = [self._receive() for _ in wanted]  # all, or one would be taken for the next request
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
        head = self._requests.read(4)
        return self._requests.read(int.from_bytes(head, "big")) if len(head) == 4 else None

    def _send(self, *messages: bytes) -> None:
        for message in messages:
            self._responses.write(len(message).to_bytes(4, "big") + message)
        self._responses.flush()


def _json(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode()


def _main(parent: str, niceness: str) -> None:
    die_with(int(parent))
    limit_process(MEMORY)
    lower_priority(int(niceness))
    responses = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # stray prints stay out of responses
    ComputeProcess(sys.stdin.buffer, responses).run()


if __name__ == "__main__":
    _main(*sys.argv[1:3])
