"""The file of a game that is being played: written after every move, never half there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from outflank.interfaces.cli.progress import note

if TYPE_CHECKING:
    from outflank.board import Board
    from outflank.games.game_record import GameRecord

FOLDER = Path("games")
HUMAN = "human"  # the person's name in the file; by it a game is taken up again
FORMATS = (".ggf", ".jsonl", ".txt")


@dataclass
class SavedGame:
    """A file to which a game is saved as it goes."""

    path: Path
    is_written: bool = False
    has_failed: bool = False

    @classmethod
    def to_go_on(cls, path: Path, record: GameRecord) -> SavedGame | None:
        """The file that a game was read from, if `outflank play` made it; None for anyone else's file."""
        is_ours = HUMAN in (record.black, record.white) and path.suffix in FORMATS
        return cls(path, is_written=True) if is_ours else None

    @classmethod
    def new(cls, path: Path | None, start: Board) -> SavedGame:
        """A file that is not there yet; by default one in games/, named after the time."""
        from outflank.games.game import START

        chosen = path or _named_after_the_time()
        if chosen.suffix.lower() not in FORMATS:
            raise ValueError(f"{chosen}: a game is saved as .ggf, .jsonl or .txt (its moves alone)")
        if chosen.suffix.lower() == ".txt" and start != START:
            raise ValueError(f"{chosen}: a transcript holds no start position; save as .ggf or .jsonl")
        if chosen.exists():
            raise ValueError(f"{chosen} is already there; choose another name, or --start {chosen} to go on")
        folder = chosen.parent if path else Path()
        if not folder.is_dir():
            raise ValueError(f"{chosen}: there is no folder {folder}")
        if not os.access(folder, os.W_OK):
            raise ValueError(f"{chosen} cannot be written; choose another place with --out")
        return cls(chosen)

    def save(self, record: GameRecord) -> None:
        """Write the game as it is. A full disk does not end it: it is said once, and tried again."""
        from outflank.games.records import write_games

        if not record.game.moves and not self.is_written:
            return
        try:
            if self.path.parent == FOLDER:
                FOLDER.mkdir(exist_ok=True)
            if record.game.moves or self.path.suffix.lower() != ".txt":
                write_games([record], self.path)
            else:
                self.path.unlink(missing_ok=True)  # all moves taken back, which a transcript cannot hold
        except (OSError, ValueError) as error:
            if not self.has_failed:
                note(f"the game could not be saved: {error}")
            self.has_failed = True
        else:
            self.is_written, self.has_failed = self.path.exists(), False


def _named_after_the_time() -> Path:
    stem = f"{datetime.now():%Y-%m-%d-%H%M%S}"
    names = (FOLDER / f"{stem}{number}.ggf" for number in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(path for path in names if not path.exists())
