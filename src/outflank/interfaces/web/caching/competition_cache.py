"""Standings of competitions, and pages of them, kept: those of forty players take a second to work out."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from outflank.games.standings import Standings
from outflank.league.competitions import Competitions, CompetitionState
from outflank.league.league import League

MOST_KEPT = 20
SHARE = 20  # while games are played, at most a twentieth of the time goes into standings
ByRate = Mapping[float, Standings]


@dataclass
class _Kept:
    state: tuple[object, ...]
    standings: ByRate
    until: float
    page: tuple[tuple[object, ...], str] | None = None  # at which state, and its text


class KeptCompetitions:
    """By competition; worked out again when more was played, but not all the time."""

    def __init__(self, league: League) -> None:
        self._competitions = Competitions(league)
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, _Kept] = OrderedDict()

    def standings(self, competition: CompetitionState) -> ByRate:
        with self._lock:
            return self._latest(competition).standings

    def page(self, competition: CompetitionState, make: Callable[[ByRate], str]) -> str:
        """What is made of the standings, and of how far the competition is."""
        with self._lock:
            kept, state = self._latest(competition), _state(competition)
            if kept.page is None or kept.page[0] != state:
                kept.page = state, make(kept.standings)
            return kept.page[1]

    def _latest(self, competition: CompetitionState) -> _Kept:
        kept, state = self._kept.get(competition.id), _state(competition)
        began = time.monotonic()
        is_playing = competition.state == "playing"
        if kept is None or (kept.state != state and not (is_playing and began < kept.until)):
            standings = self._competitions.standings(competition.id)
            now = time.monotonic()
            kept = self._kept[competition.id] = _Kept(state, standings, now + SHARE * (now - began))
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return kept


def _state(competition: CompetitionState) -> tuple[object, ...]:
    players = tuple(player.id for player in competition.players)
    return competition.name, competition.created, competition.state, competition.meetings, players
