"""Standings of competitions and their pages, cached: those of forty players take a second to compute."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cachetools import LRUCache

from outflank.games.tournaments.standings import Standings
from outflank.league.competitions import Competitions, CompetitionState
from outflank.league.league import League

MOST_CACHED = 20
SHARE = 20  # while games are played, at most a twentieth of the time goes into standings
ByRate = Mapping[float, Standings]


@dataclass
class _Cached:
    state: CompetitionState
    standings: ByRate
    until: float
    page: tuple[CompetitionState, str] | None = None


class CompetitionCache:
    """By competition; computed again when more was played, but not all the time."""

    def __init__(self, league: League) -> None:
        self._competitions = Competitions(league)
        self._lock = threading.Lock()
        self._cached: LRUCache[int, _Cached] = LRUCache(MOST_CACHED)

    def standings(self, competition: CompetitionState) -> ByRate:
        with self._lock:
            return self._latest(competition).standings

    def page(self, competition: CompetitionState, make: Callable[[ByRate], str]) -> str:
        """The page that is made of the standings and the competition's state."""
        with self._lock:
            cached = self._latest(competition)
            if cached.page is None or cached.page[0] != competition:
                cached.page = competition, make(cached.standings)
            return cached.page[1]

    def _latest(self, competition: CompetitionState) -> _Cached:
        cached, began = self._cached.get(competition.id), time.monotonic()
        is_playing = competition.state == "playing"
        if cached is None or (cached.state != competition and not (is_playing and began < cached.until)):
            standings = self._competitions.standings(competition.id)
            now = time.monotonic()
            cached = _Cached(competition, standings, now + SHARE * (now - began))
            self._cached[competition.id] = cached
        return cached
