r"""Games of the app Othello Quest, as its web client copies them: JSON with a list of moves.

>>> game, = read('{"players": [{"name": "tama"}, {"name": "neko"}], "moves": [{"m": "f5"}, {"m": "d6"}]}')
>>> game.entries.hex(), game.details["black"]
('252b', 'tama')

A move is an object whose `m` is a square, or `-` for a pass; wherever the list of moves is, it is found. The
players are Black and White, in this order. The app's plain move strings, `f5d6c3...`, are transcripts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from outflank import _core
from outflank.board import Square
from outflank.games.formats.transcripts import PASSES
from outflank.games.game import LONGEST_RECORD, START, ParsedGame, Problem

LOOKS_LIKE = re.compile(r'"m"\s*:\s*"')
DEEPEST = 20  # objects within objects
_ENTRY = {str(Square(i)): i for i in range(64)} | dict.fromkeys((*PASSES, "-", ""), int(_core.WRITTEN_PASS))


def read(text: str) -> Iterator[ParsedGame | Problem]:
    """The games of a text, not yet checked: one JSON document, or one per line."""
    documents = [text] if _is_one_document(text) else text.split("\n")
    number = 0
    for line_number, document in enumerate(documents, start=1):
        if not document.strip():
            continue
        number += 1
        where = f"line {line_number}" if len(documents) > 1 else f"game {number}"
        try:
            yield _parsed(json.loads(document), number, where)
        except RecursionError:
            yield Problem(number, where, "its JSON is nested too deeply")
        except ValueError as error:
            reason = f"it is not JSON: {error}" if isinstance(error, json.JSONDecodeError) else str(error)
            yield Problem(number, where, reason)


def _is_one_document(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        # Several lines that each start an object are one game each; otherwise its fault is that of the whole.
        lines = [line for line in text.split("\n") if line.strip()]
        return not all(line.lstrip().startswith("{") for line in lines) or len(lines) < 2
    return True


def _parsed(document: Any, number: int, where: str) -> ParsedGame:
    moves = _found(document, _is_moves, DEEPEST)
    if moves is None:
        raise ValueError('it has no list of moves such as [{"m": "f5"}, {"m": "d6"}]')
    if len(moves) > LONGEST_RECORD:
        raise ValueError(f"there are more than {LONGEST_RECORD} moves, and a game has at most 60")
    entries = bytearray()
    for at, move in enumerate(moves, start=1):
        square = str(move.get("m", "")).strip().lower()
        if square not in _ENTRY:
            raise ValueError(f"move {at}: {square[:12]!r} is not a square; squares are a1 to h8")
        entries.append(_ENTRY[square])
    players = _found(document, _is_players, DEEPEST) or [{}, {}]
    names = [str(player.get("name", ""))[:200] for player in players]
    details: dict[str, object] = {"black": names[0], "white": names[1]}
    return ParsedGame(number, where, bytes(entries), START, details)


def _is_moves(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(m, dict) and "m" in m for m in value)


def _is_players(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(p, dict) and "name" in p for p in value)
    )


def _found(value: Any, is_it: Any, depth: int) -> list[dict[str, Any]] | None:
    """The first part of a document that fits, depth first."""
    if is_it(value):
        found: list[dict[str, Any]] = value
        return found
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts if depth > 0 else ():
        if (inner := _found(part, is_it, depth - 1)) is not None:
            return inner
    return None
