"""The League's table: what was published, with our own players in it."""

from __future__ import annotations

from dataclasses import dataclass

from outflank.evaluators.protocol import CoreEvaluator
from outflank.games.statistics import Tally
from outflank.league.published import TABLE_3
from outflank.league.scoring import league_match
from outflank.players.greedy import GreedyPlayer, Player


@dataclass(frozen=True)
class Row:
    """A player's place: published figures have no interval and no tally."""

    name: str
    encoding: str
    weights: int | None
    score: float
    reach: float | None  # half of the 95 % interval
    source: str


def published_rows() -> list[Row]:
    return [
        Row(row.name, row.encoding, row.weights, row.score, None, f"published {row.date}") for row in TABLE_3
    ]


def measured_row(player: Player, double_games: int, threads: int | None = None) -> Row:
    """A player scored here and now."""
    return row_of(player, league_match(player, double_games=double_games, threads=threads).play())


def row_of(player: Player, tally: Tally) -> Row:
    """The row of a player with the tally of its League match."""
    evaluator = player.evaluator if isinstance(player, GreedyPlayer) else None
    return Row(
        player.name,
        evaluator.description.split(",")[0] if evaluator is not None else "none",
        int(evaluator.weights.size) if isinstance(evaluator, CoreEvaluator) else None,
        tally.score,
        _reach(tally),
        "measured here",
    )


def ranked(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: -row.score)


def _reach(tally: Tally) -> float:
    low, high = tally.ci95
    return (high - low) / 2
