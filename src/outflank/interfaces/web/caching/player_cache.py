"""Players that were asked for lately, kept by a compute process within a bound of the bytes they hold."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass

from outflank.league.inspection import loaded_player
from outflank.league.player_cost import bytes_held
from outflank.players.greedy import GreedyPlayer

MOST_BYTES = 384 << 20  # of all of them together; one player that was let in holds 256 MB at most
MOST_PLAYERS = 256

PlayerKey = tuple[str, str]  # what a player is: the digest of its file, and the view


@dataclass(frozen=True)
class LoadedPlayer:
    """A player in memory, and what it took to get it there."""

    player: GreedyPlayer
    bytes_held: int
    load_seconds: float  # of a processor


class PlayerCache:
    """The latest used players by what they are."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._players: OrderedDict[PlayerKey, LoadedPlayer] = OrderedDict()

    def __len__(self) -> int:
        return len(self._players)

    @property
    def bytes_held(self) -> int:
        return sum(loaded.bytes_held for loaded in self._players.values())

    def get(self, key: PlayerKey) -> LoadedPlayer | None:
        if key in self._players:
            self._players.move_to_end(key)
        return self._players.get(key)

    def load(self, key: PlayerKey, content: bytes) -> LoadedPlayer:
        """Read and compile a player from its file, and keep it. ValueError if the file is no player."""
        began = time.process_time()
        player = loaded_player(content, key[1], key[0])
        _ = player.core
        loaded = LoadedPlayer(player, bytes_held(player), time.process_time() - began)
        while self._players and (
            self.bytes_held + loaded.bytes_held > self._most_bytes or len(self) >= MOST_PLAYERS
        ):
            self._players.popitem(last=False)
        if loaded.bytes_held <= self._most_bytes:
            self._players[key] = loaded
        return loaded

    def clear(self) -> None:
        self._players.clear()
