"""Games as people name them on the command line: a file, a transcript, or a position to start from.

>>> record_named("f5d6c3").game.transcript
'f5d6c3'
>>> record_named("-" * 27 + "OX------XO" + "-" * 27 + " O").game.start.mover
'white'
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from outflank.interfaces.cli.game_replay import numbered_game

if TYPE_CHECKING:
    from outflank.games.game_record import GameRecord


def is_file(source: str) -> bool:
    """Whether a text names something on the disk rather than being a game itself."""
    try:
        return source != "" and Path(source).exists()
    except (OSError, ValueError):  # too long for a name, as a transcript may be
        return False


def record_named(source: str, game: int | None = None) -> GameRecord:
    """One game: of a file (which, if it holds several), of a transcript, or a position without moves."""
    from outflank.games.records import read_game_file

    if is_file(source):
        if game is None and (count := len(read_game_file(source, skip_bad=True).records)) > 1:
            raise ValueError(f"{source} holds {count:,} games; choose one with --game")
        return numbered_game(Path(source), game or 1)[0]
    if game is not None:
        raise ValueError(f"--game chooses a game of a file, but {_shown(source)} is no file that is there")
    return _spelt_out(source)


def _spelt_out(text: str) -> GameRecord:
    """The game of a transcript, or of a position as in FFO files."""
    from outflank.board import Board
    from outflank.games import transcripts
    from outflank.games.game import Game
    from outflank.games.game_record import GameRecord
    from outflank.games.replay import checked

    if len(text.strip()) >= 64 and not re.search(r"\d", text):
        return GameRecord(Game(start=Board(text)))
    if not re.match(r"\s*(\d+\s*[.)]\s*)?[a-hA-H][1-8]", text):
        raise ValueError(f"{_shown(text)} is neither a file that is there nor a transcript such as f5d6c3")
    found = list(checked(transcripts.read(text), ""))
    if len(found) != 1:
        raise ValueError(f"{_shown(text)} is {len(found)} games; name one")
    (game,) = found
    if not isinstance(game, GameRecord):
        raise ValueError(game.reason)
    return game


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
