"""The Othello League's measure: the score against the standard heuristic in epsilon-Othello.

Both players are forced to a random move with probability 0.1; a win counts 1, a draw 0.5
(Jaskowski 2014, II-C). The League played 50 double games; the literature's figures use 50,000.

The League's table: what was published, with our own players in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from outflank.evaluators.protocol import CoreEvaluator
from outflank.games.match import Match
from outflank.games.statistics import Tally
from outflank.league.published import TABLE_3
from outflank.players.greedy import GreedyPlayer, Player
from outflank.players.names import named_player

OPPONENT = "standard-heuristic"
EPSILON = 0.1
DOUBLE_GAMES = 50_000


def league_match(
    player: Player, *, double_games: int = DOUBLE_GAMES, seed: int = 1, threads: int | None = None
) -> Match:
    """The match whose score is the player's League score."""
    return Match(
        player,
        named_player(OPPONENT),
        double_games=double_games,
        epsilon=EPSILON,
        seed=seed,
        threads=threads,
    )


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
