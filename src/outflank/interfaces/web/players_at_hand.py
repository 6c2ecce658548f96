"""Players that people play against, kept in memory: the latest used, within bounds."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.protocol import CoreEvaluator
from outflank.league.league import League
from outflank.league.loading import loaded_player
from outflank.players.greedy import GreedyPlayer

MOST_PLAYERS = 32
MOST_WEIGHTS = 32_000_000  # of all of them together: a quarter of a gigabyte
SLOW_SECONDS = 0.005  # for the boards of a whole game


@dataclass(frozen=True)
class PlayerAtHand:
    """A player, and whether it takes so long to judge that few may be asked at once."""

    player: GreedyPlayer
    is_slow: bool

    @property
    def weights(self) -> int:
        evaluator = self.player.evaluator
        assert isinstance(evaluator, CoreEvaluator | DoubledFunction)  # what files hold
        return int(evaluator.weights.size)


class PlayersAtHand:
    """Players by what they are: the digest of their file and the view."""

    def __init__(self, league: League) -> None:
        self._league = league
        self._players: OrderedDict[tuple[str, str], PlayerAtHand] = OrderedDict()
        self._lock = threading.Lock()
        self._loading = threading.Lock()  # one at a time: a large file takes a second and much memory

    def known(self, digest: str, view: str) -> PlayerAtHand | None:
        """The player if it is in memory."""
        with self._lock:
            found = self._players.get((digest, view))
            if found is not None:
                self._players.move_to_end((digest, view))
            return found

    def load(self, player_id: int, digest: str, view: str) -> PlayerAtHand:
        """The player, read from the league's database if it is not in memory."""
        with self._loading:
            found = self.known(digest, view)
            if found is None:
                player = loaded_player(self._league.content(player_id), view, digest)
                found = PlayerAtHand(player, _seconds_for_a_game(player) > SLOW_SECONDS)
                self._keep((digest, view), found)
            return found

    def _keep(self, key: tuple[str, str], player: PlayerAtHand) -> None:
        with self._lock:
            self._players[key] = player
            while len(self._players) > 1 and (
                len(self._players) > MOST_PLAYERS
                or sum(one.weights for one in self._players.values()) > MOST_WEIGHTS
            ):
                self._players.popitem(last=False)


def _seconds_for_a_game(player: GreedyPlayer) -> float:
    boards = np.random.default_rng(1).integers(0, 1 << 63, size=(2, 60), dtype=np.uint64)
    black, white = boards[0], boards[1] & ~boards[0]
    took = []
    for _ in range(2):  # the first call may prepare what later ones use
        began = time.perf_counter()
        player.values_for_mover(black, white, np.ones(60, dtype=bool))
        took.append(time.perf_counter() - began)
    return min(took)
