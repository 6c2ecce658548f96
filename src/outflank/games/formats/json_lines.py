"""JSON lines: one game per line, as `outflank match --record` writes them, with optional details.

>>> game, = read('{"game": 0, "black": "all-2", "moves": "f5d6", "disc_differences": [0, 3, 0]}')
>>> game.entries.hex(), game.details["black"], game.details["result"]
('252b', 'all-2', 0)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from outflank.board import Board
from outflank.games.batch import FORFEIT_DIFFERENCE
from outflank.games.formats.transcripts import entries_of
from outflank.games.game import START, Encoded, Ending, GameRecord, ParsedGame, Problem


class ForfeitLine(BaseModel):
    """Who forfeited a game: an engine that hung, crashed or played an illegal move."""

    player: str
    colour: Literal["black", "white"] | None = None  # if both players have the same name


class GameLine(BaseModel):
    """The fields of a line; only `moves` is required."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)

    moves: str
    start: str | None = None
    black: str = ""
    white: str = ""
    event: str = ""
    date: str = ""
    result: float | None = Field(None, ge=-64, le=64)
    ending: Ending = ""
    theoretical: int | None = Field(None, ge=-64, le=64)
    theoretical_empties: int | None = Field(None, ge=0, le=60)
    disc_differences: list[int] | None = None
    forfeit: ForfeitLine | None = None


DETAILS = ("black", "white", "event", "date", "result", "ending", "theoretical", "theoretical_empties")


def read(text: str) -> Iterator[ParsedGame | Problem]:
    """The games of a text, not yet checked."""
    number = 0
    for line_number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        number += 1
        where = f"line {line_number}"
        try:
            yield _parsed(GameLine.model_validate_json(line), number, where)
        except ValidationError as error:
            first = error.errors()[0]
            about = ".".join(map(str, first["loc"]))
            yield Problem(number, where, f"{about}: {first['msg']}" if about else first["msg"])
        except ValueError as error:
            yield Problem(number, where, str(error))


def _parsed(line: GameLine, number: int, where: str) -> ParsedGame:
    entries, rest = entries_of(line.moves)
    if rest:
        raise ValueError(f"{rest[:20]!r} is not a move")
    details: dict[str, object] = {name: getattr(line, name) for name in DETAILS}
    if line.forfeit is not None:
        details["ending"] = "forfeit"
    result = _result(line)
    details["result"] = int(result) if result is not None and result == int(result) else result
    return ParsedGame(number, where, entries, START if line.start is None else _board(line.start), details)


def _result(line: GameLine) -> float | None:
    """As stored; otherwise all discs to the opponent of a forfeit, or the final count."""
    if line.result is not None:
        return line.result
    if line.forfeit is not None:
        if line.forfeit.colour is None and line.black == line.white:
            return None
        is_black = line.forfeit.colour == "black" or (
            line.forfeit.colour is None and line.forfeit.player == line.black
        )
        return -FORFEIT_DIFFERENCE if is_black else FORFEIT_DIFFERENCE
    return line.disc_differences[-1] if line.disc_differences else None


@lru_cache(4096)
def _board(text: str) -> Board:
    """Cached: thousands of games share a few starts."""
    return Board(text)


def encode(records: Sequence[GameRecord]) -> Encoded:
    """One game per line, without unknown fields."""
    lines = []
    for number, record in enumerate(records):
        known = {name: getattr(record, name) for name in DETAILS if getattr(record, name) not in ("", None)}
        line = {"game": number, "start": record.game.start.text, "moves": record.game.transcript} | known
        lines.append(json.dumps(line) + "\n")
    return Encoded("".join(lines).encode())
