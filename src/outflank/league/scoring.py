"""The Othello League's measure: the score against the standard heuristic in epsilon-Othello.

Both players are forced to a random move with probability 0.1; a win counts 1, a draw 0.5
(Jaskowski 2014, II-C). The League played 50 double games; the literature's figures use 50,000.
"""

from __future__ import annotations

from outflank.games.match import Match
from outflank.players.greedy import Player
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
