"""Players from the files that the league keeps.

>>> from outflank.players.built_in import built_in_file
>>> loaded_player(built_in_file("all-2").read_bytes(), "inversion", "mine").name
'mine'
"""

from __future__ import annotations

from outflank.evaluators.storage import VIEWS, read_player
from outflank.players.greedy import GreedyPlayer


def loaded_player(content: bytes, view: str, name: str) -> GreedyPlayer:
    """A player from its file, which the league has inspected once already."""
    seen_by = next(known for known in VIEWS if known == view)
    return GreedyPlayer(read_player(content, "the file").evaluator, seen_by, name=name)
