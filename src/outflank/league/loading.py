"""Players from the files that the league keeps.

>>> from outflank.players.built_in import built_in_file
>>> loaded_player(built_in_file("all-2").read_bytes(), "inversion", "mine").name
'mine'
"""

from __future__ import annotations

from dataclasses import replace

from outflank.league.inspection import fault_of
from outflank.league.scratch import scratch_folder
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player


def loaded_player(content: bytes, view: str, name: str) -> GreedyPlayer:
    """A player from its file, which the league has inspected once already."""
    with scratch_folder() as folder:
        path = folder / "player"
        path.write_bytes(content)
        try:
            loaded = named_player(f"{path},view={view}")
        except ValueError as error:
            raise ValueError(fault_of(error, str(path))) from None
    assert isinstance(loaded, GreedyPlayer)
    return replace(loaded, name=name)
