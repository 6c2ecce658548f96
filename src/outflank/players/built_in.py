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


BUILT_IN = {
    "standard-heuristic": BuiltIn("hand-made piece counter, the League's opponent", "negation"),
    "disc-difference": BuiltIn("as many discs as possible, the PDP of Chong 2003", "inversion"),
    "positional": BuiltIn("hand-made weights of squares, the PSP of Chong 2003", "inversion"),
    "iago": BuiltIn("weights of squares and mobility, after Rosenbloom 1982", "inversion"),
    "all-2": BuiltIn("evolved network of Jaskowski 2014, Figure 7", "inversion"),
    "all-2-evolved": BuiltIn("the same 288 weights by CMA-ES, against the heuristic", "inversion"),
    "league-champion": BuiltIn("best response to the heuristic, by temporal differences", "inversion"),
    "all-rounder": BuiltIn("the best general player, by temporal differences", "inversion"),
}


def built_in_file(name: str) -> Path:
    folder = Path(str(files("outflank") / "data" / "players"))
    return next(folder.glob(f"{name}.*"))


def load_built_in(name: str) -> StoredPlayer:
    stored = load_player(built_in_file(name))
    return StoredPlayer(stored.evaluator, BUILT_IN[name].view, stored.provenance)
