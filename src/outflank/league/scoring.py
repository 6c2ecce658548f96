"""The League score: points against the standard heuristic in epsilon-Othello. The League's published table.

Both players are forced to a random move with probability 0.1; a win counts 1, a draw 0.5
(Jaskowski 2014, II-C). The League played 50 double games; the literature's figures use 50,000.
"""

from __future__ import annotations

from dataclasses import dataclass

from outflank.evaluators.protocol import CoreEvaluator
from outflank.games.match import Match
from outflank.games.statistics import Tally
from outflank.players.greedy import GreedyPlayer, Player

OPPONENT = "standard-heuristic"
EPSILON = 0.1
DOUBLE_GAMES = 50_000


def league_match(
    player: Player | str, *, double_games: int = DOUBLE_GAMES, seed: int = 1, threads: int | None = None
) -> Match:
    """The match whose score is the player's League score."""
    return Match(player, OPPONENT, double_games=double_games, epsilon=EPSILON, seed=seed,
                 threads=threads)  # fmt: skip


@dataclass(frozen=True)
class Published:
    """A row of Table III. The first two scores are of 50,000 double games, the others of 50."""

    date: str
    name: str
    encoding: str
    weights: int
    score: float


# Jaskowski 2014: milestones of the League since September 2007.
TABLE_3 = (
    Published("2014", "all-2-inv", "n-tuple network", 288, 0.9592),
    Published("2013-09-17", "wj-1-2-3-tuples", "n-tuple network", 966, 0.9149),
    Published("2011-01-30", "epTDLmpx_12x6", "n-tuple network", 3240, 0.871),
    Published("2011-01-28", "prb_nt15_001", "n-tuple network", 6561, 0.845),
    Published("2011-01-25", "epTDLxover", "n-tuple network", 4698, 0.83),
    Published("2008-05-03", "t15x6x8", "n-tuple network", 10935, 0.805),
    Published("2008-05-03", "x30x6x8", "n-tuple network", 21870, 0.73),
    Published("2008-03-28", "Stunner", "n-tuple network", 7725, 0.675),
    Published("2007-09-14", "MLP(...)312-ties0.FF", "neural network", 1915, 0.62),
)


@dataclass(frozen=True)
class Row:
    """A player's place; published scores have no interval."""

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
    """A player scored now."""
    return row_of(player, league_match(player, double_games=double_games, threads=threads).play())


def row_of(player: Player, tally: Tally) -> Row:
    """The row of a player with the tally of its League match."""
    evaluator = player.evaluator if isinstance(player, GreedyPlayer) else None
    return Row(
        player.name,
        evaluator.description.split(",")[0] if evaluator is not None else "none",
        int(evaluator.weights.size) if isinstance(evaluator, CoreEvaluator) else None,
        tally.score,
        (tally.ci95[1] - tally.ci95[0]) / 2,
        "measured here",
    )


def ranked(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: -row.score)
