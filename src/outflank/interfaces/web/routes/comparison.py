"""Two players side by side: their scores, whether these differ, and a short match between the two."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from dataclasses import dataclass

from outflank.games.standings import PairResult
from outflank.games.statistics import Tally
from outflank.games.tournament import pair_seed
from outflank.interfaces.web.compute.pool import ComputePool, Task
from outflank.interfaces.web.rendering import Interval
from outflank.league.schema import Player

EPSILON = 0.1  # as in the league's scoring
DOUBLE_GAMES = 200
MOST_KEPT = 1000
Pair = tuple[str, str]


@dataclass(frozen=True)
class Difference:
    """The first score less the second, with its 95 % interval.

    >>> clear = Difference.of(Tally(90, 0, 10, (0, 0, 10, 0, 40)), Tally(60, 0, 40, (0, 0, 40, 0, 10)))
    >>> round(clear.value, 2), clear.is_significant
    (0.3, True)
    """

    value: float
    ci95: Interval

    @classmethod
    def of(cls, first: Tally, second: Tally) -> Difference:
        """Edges from those of the two scores, which are independent (Newcombe 1998, method 10)."""
        a, (a_low, a_high) = first.score, first.ci95
        b, (b_low, b_high) = second.score, second.ci95
        below, above = math.hypot(a - a_low, b_high - b), math.hypot(a_high - a, b - b_low)
        return cls(a - b, (a - b - below, a - b + above))

    @property
    def is_significant(self) -> bool:
        return not self.ci95[0] <= 0 <= self.ci95[1]


class ShortMatches:
    """Matches that people ask for; what was played is kept a while."""

    def __init__(self, pool: ComputePool) -> None:
        self._pool = pool
        self._kept: OrderedDict[Pair, Tally] = OrderedDict()

    def known(self, first: Player, second: Player) -> Tally | None:
        """What the two have played, as the first one's results."""
        pair, is_turned = _pair(first, second)
        tally = self._kept.get(pair)
        return _turned(tally) if tally is not None and is_turned else tally

    async def play(self, first: Player, second: Player, address: str) -> None:
        """Play the match unless it was played. The same two always play the same games."""
        if self.known(first, second) is not None:
            return
        pair, is_turned = _pair(first, second)
        players = (second, first) if is_turned else (first, second)
        seed = pair_seed(round(1000 * EPSILON), *(player.digest for player in players))
        arguments = {"double_games": DOUBLE_GAMES, "epsilon": EPSILON, "seed": seed}
        counted = json.loads(await self._pool.run(Task("match", arguments, players, is_long=True), address))
        self._kept[pair] = Tally(**counted | {"double_games": tuple(counted["double_games"])})
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)


def _pair(first: Player, second: Player) -> tuple[Pair, bool]:
    """Who the two are, in an order that does not depend on who was named first; whether it was turned."""
    a, b = (f"{one.digest} {one.view}" for one in (first, second))
    return ((b, a), True) if b < a else ((a, b), False)


def _turned(tally: Tally) -> Tally:
    return PairResult("", "", tally).turned().tally
