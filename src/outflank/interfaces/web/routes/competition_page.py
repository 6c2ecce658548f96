"""A competition as a page: at each rate its table, ratings, who beat whom, and cycles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from outflank.games.standings import Standings
from outflank.interfaces.web.rendering import Scale
from outflank.league.competitions import CompetitionState

STEPS = 10  # of shading, from 0 to 1
MOST_CYCLES = 20  # shown; a large field has hundreds


@dataclass(frozen=True)
class Cell:
    """Of the heat map: the row's score against the column."""

    score: float | None
    title: str

    @property
    def shade(self) -> str:
        """
        >>> Cell(0.96, "").shade, Cell(None, "").shade
        ('shade-10', '')
        """
        return "" if self.score is None else f"shade-{round(STEPS * self.score)}"


@dataclass(frozen=True)
class RateSection:
    """What was played at one rate of forced random moves."""

    epsilon: float
    standings: Standings

    @cached_property
    def rating_scale(self) -> Scale:
        return Scale.of(row.rating_ci95 for row in self.standings.rows)

    @cached_property
    def heat_map(self) -> list[list[Cell]]:
        players = self.standings.players
        return [[self._cell(row, column) for column in players] for row in players]

    @property
    def cycles(self) -> tuple[object, ...]:
        return self.standings.cycles[:MOST_CYCLES]

    def _cell(self, row: str, column: str) -> Cell:
        result = self.standings.results.get((row, column))
        if result is None:
            return Cell(None, "")
        tally = result.tally
        words = f"{tally.wins:,} wins, {tally.draws:,} draws, {tally.losses:,} losses"
        return Cell(tally.score, f"{row} against {column}: {words}")


@dataclass(frozen=True)
class CompetitionPage:
    state: CompetitionState
    standings: Mapping[float, Standings]

    @cached_property
    def sections(self) -> list[RateSection]:
        return [RateSection(epsilon, standings) for epsilon, standings in self.standings.items()]

    @cached_property
    def ids(self) -> dict[str, int]:
        """Players by name, for links."""
        return {player.name: player.id for player in self.state.players}

    @cached_property
    def entrants(self) -> dict[str, str]:
        return {player.name: player.entrant.name for player in self.state.players}
