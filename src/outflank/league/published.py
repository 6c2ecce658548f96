"""The Othello League as published: Table III of Jaskowski 2014, milestones since September 2007.

Files that others published: players and boards. They are not part of outflank; the league and the
experiments use them where they are there.

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


@dataclass(frozen=True)
class Published:
    """A row of the table. Most scores are of 50 double games, the first two of 50,000."""

    date: str
    name: str
    encoding: str
    weights: int
    score: float


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


# The view each was made for; the files do not say.
VIEWS: dict[str, View] = {
    "Jaskowski2014All2": "inversion",
    "Burrow2011ETDL": "negation",
    "Manning2010Nash70": "negation",
    "JaskowskiSzubert2015CoCMAES-2": "inversion",
    "JaskowskiSzubert2015CoCMAES-4": "inversion",
    "SzubertJaskowskiKrawiec2013CTDL": "negation",
}
LOOKED_FOR = (Path("published"), Path("../shared"))


@dataclass(frozen=True)
class PublishedFiles:
    """A folder of published files; None: there is none."""

    folder: Path | None

    @classmethod
    def found(cls, given: Path | None = None) -> PublishedFiles:
        """The given folder; else `published` here or `../shared`, if there is one."""
        if given is not None:
            if not (given / "players").is_dir():
                raise ValueError(f"{given} is no folder of published files: it has no folder players")
            return cls(given)
        return cls(next((folder for folder in LOOKED_FOR if (folder / "players").is_dir()), None))

    def player(self, name: str, view: View | None = None) -> GreedyPlayer | None:
        """A published player by its file's name; None if it is not there."""
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
        """Files of players whose view is not known here."""
        found = sorted((self.folder / "players").glob("*.player")) if self.folder is not None else []
        return [file for file in found if file.stem not in VIEWS]

    def players(self) -> list[GreedyPlayer]:
        """All that are there, of those whose view is known."""
        return [player for name in VIEWS if (player := self.player(name)) is not None]

    def boards(self) -> tuple[Board, ...] | None:
        """The thousand boards on which Lucas's league compared players."""
        path = self._path("positions", "lucas-boards.txt")
        return None if path is None else read_start_positions(path)

    def _path(self, *parts: str) -> Path | None:
        if self.folder is None:
            return None
        path = self.folder.joinpath(*parts)
        return path if path.is_file() else None
