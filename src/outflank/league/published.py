"""Files that others published: players and boards. They are not part of outflank; the league and the
studies use them where a folder of them is given or found.

>>> PublishedFiles(None).player("Burrow2011ETDL", "negation") is None
True

A folder of published files holds `players/*.player` in the League's text format and
`positions/lucas-boards.txt`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from outflank.board import Board
from outflank.evaluators.storage import View
from outflank.games.positions import read_start_positions
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player

# The view that each was made for; the files do not say.
VIEWS: dict[str, View] = {
    "Jaskowski2014All2": "inversion",
    "Burrow2011ETDL": "negation",
    "Manning2010Nash70": "negation",
    "JaskowskiSzubert2015CoCMAES-2": "inversion",
    "JaskowskiSzubert2015CoCMAES-4": "inversion",
    "SzubertJaskowskiKrawiec2013CTDL": "negation",
}
DEFAULT_FOLDER = Path("published")


@dataclass(frozen=True)
class PublishedFiles:
    """A folder of published files, or none."""

    folder: Path | None

    @classmethod
    def found(cls, given: Path | None = None) -> PublishedFiles:
        """The given folder; else `published` in the current folder, if there is one."""
        if given is not None:
            if not (given / "players").is_dir():
                raise ValueError(f"{given} is not a folder of published files: it has no folder players")
            return cls(given)
        return cls(DEFAULT_FOLDER if (DEFAULT_FOLDER / "players").is_dir() else None)

    def player(self, name: str, view: View | None = None) -> GreedyPlayer | None:
        """A published player by its file's name, or None."""
        path = self.file(name)
        if path is None:
            return None
        player = named_player(f"{path},view={view or VIEWS.get(name, 'inversion')}")
        assert isinstance(player, GreedyPlayer)
        return replace(player, name=name)

    def file(self, name: str) -> Path | None:
        """A published player's file."""
        return self._path("players", f"{name}.player")

    def others(self) -> list[Path]:
        """Files of players whose view is unknown."""
        found = sorted((self.folder / "players").glob("*.player")) if self.folder is not None else []
        return [file for file in found if file.stem not in VIEWS]

    def players(self) -> list[GreedyPlayer]:
        """All players whose view is known."""
        return [player for name in VIEWS if (player := self.player(name)) is not None]

    def boards(self) -> tuple[Board, ...] | None:
        """The thousand start boards of Lucas's league."""
        path = self._path("positions", "lucas-boards.txt")
        return None if path is None else read_start_positions(path)

    def _path(self, *parts: str) -> Path | None:
        if self.folder is None:
            return None
        path = self.folder.joinpath(*parts)
        return path if path.is_file() else None
