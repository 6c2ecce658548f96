"""The players that come with outflank.

>>> load_built_in("all-2").view
'inversion'
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from outflank.evaluators.storage import StoredPlayer, View, load_player


@dataclass(frozen=True)
class BuiltIn:
    """A player that comes with outflank."""

    description: str
    view: View
    league_score: float  # as `outflank score NAME` measures it: 50,000 double games, seed 1


BUILT_IN = {
    "standard-heuristic": BuiltIn("hand-made, the opponent in the Othello League", "negation", 0.4983),
    "disc-difference": BuiltIn("counts discs, the PDP of Chong 2003", "inversion", 0.1943),
    "positional": BuiltIn("hand-made square weights, the PSP of Chong 2003", "inversion", 0.4824),
    "iago": BuiltIn("square weights and mobility, after Rosenbloom 1982", "inversion", 0.4860),
    "all-2": BuiltIn("evolved by Jaskowski 2014, Figure 7", "inversion", 0.9595),
    "all-2-evolved": BuiltIn("the same network evolved by CMA-ES against the heuristic", "inversion", 0.9663),
    "league-champion": BuiltIn("best response to the heuristic, learned by TD", "inversion", 0.9980),
    "td-all-rounder": BuiltIn("a fast general player, learned by TD", "inversion", 0.9193),
    "all-rounder": BuiltIn("the best general player, learned by expert iteration", "inversion", 0.9442),
}


def built_in_file(name: str) -> Path:
    folder = Path(str(files("outflank") / "data" / "players"))
    return next(folder.glob(f"{name}.*"))


def load_built_in(name: str) -> StoredPlayer:
    stored = load_player(built_in_file(name))
    return StoredPlayer(stored.evaluator, BUILT_IN[name].view, stored.provenance)
