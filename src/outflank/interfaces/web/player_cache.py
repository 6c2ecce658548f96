"""Players that were asked for lately, kept by a compute process within a bound of the bytes they hold."""

from __future__ import annotations

import time
from collections import OrderedDict

from outflank.league.loading import loaded_player
from outflank.league.player_cost import bytes_held
from outflank.players.greedy import GreedyPlayer

MOST_BYTES = 384 << 20  # of all of them together; one player that was let in holds 256 MB at most
MOST_PLAYERS = 256

PlayerKey = tuple[str, str]  # what a player is: the digest of its file, and the view


class PlayerCache:
    """The latest used players by what they are."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._players: OrderedDict[PlayerKey, tuple[GreedyPlayer, int]] = OrderedDict()
        self.load_seconds = 0.0  # of a processor, for the last that was loaded

    def __len__(self) -> int:
        return len(self._players)

    @property
    def bytes_held(self) -> int:
        return sum(held for _, held in self._players.values())

    def get(self, key: PlayerKey) -> GreedyPlayer | None:
        found = self._players.get(key)
        if found is None:
            return None
        self._players.move_to_end(key)
        return found[0]

    def load(self, key: PlayerKey, content: bytes) -> GreedyPlayer:
        """Read and compile a player from its file, and keep it. ValueError if the file is no player."""
        began = time.process_time()
        player = loaded_player(content, key[1], key[0])
        _ = player.core
        self.load_seconds = time.process_time() - began
        held = bytes_held(player)
        while self._players and (
            self.bytes_held + held > self._most_bytes or len(self._players) >= MOST_PLAYERS
        ):
            self._players.popitem(last=False)
        if held <= self._most_bytes:
            self._players[key] = player, held
        return player

    def clear(self) -> None:
        self._players.clear()
