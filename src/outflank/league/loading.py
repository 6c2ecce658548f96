"""Players from the files that the league keeps.

>>> from outflank.players.built_in import built_in_file
>>> loaded_player(built_in_file("all-2").read_bytes(), "inversion", "mine").name
'mine'
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from outflank.league.inspection import fault_of
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player

OPEN_FILES = Path("/proc/self/fd")


def loaded_player(content: bytes, view: str, name: str) -> GreedyPlayer:
    """A player from its file, which the league has inspected once already."""
    with _as_file(content) as path:
        try:
            loaded = named_player(f"{path},view={view}")
        except ValueError as error:
            raise ValueError(fault_of(error, str(path))) from None
    assert isinstance(loaded, GreedyPlayer)
    return replace(loaded, name=name)


@contextmanager
def _as_file(content: bytes) -> Iterator[Path]:
    """A file in memory where there is such a thing (Linux): a process that is killed leaves none behind."""
    if hasattr(os, "memfd_create") and OPEN_FILES.is_dir():
        with os.fdopen(os.memfd_create("player"), "wb") as file:
            file.write(content)
            file.flush()
            yield OPEN_FILES / str(file.fileno())
    else:
        with tempfile.TemporaryDirectory(prefix="outflank-") as folder:
            path = Path(folder) / "player"
            path.write_bytes(content)
            yield path
