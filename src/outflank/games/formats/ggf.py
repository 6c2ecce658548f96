"""GGF, the Generic Game Format of the Generic Game Server (GGS).

>>> game, = read("(;GM[Othello]PC[GGS/os]PB[edax]PW[saio]TY[8]RE[+4.000]B[F5//0.01]W[d6/-1.2/3];)")
>>> game.entries.hex(), game.movers, game.details["black"], game.details["result"]
('252b', 'BW', 'edax', 4)

Format: https://www.skatgame.net/mburo/ggsa/ggf. A game is a list of properties; B and W are moves, with
an evaluation and a time after slashes. In the server's archives, a line starts with the number of its games:
a synchro match has two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from outflank import _core
from outflank.board import Board, Square
from outflank.games.formats.transcripts import PASSES
from outflank.games.game import START, Encoded, Ending, GameRecord, ParsedGame, Problem
from outflank.games.replay import moves_by_colour, replay_records

_BETWEEN = re.compile(r"\s*(?:\d+\s*)?")
# Possessive and bounded: damaged files must not take more than linear time.
_PROPERTY = re.compile(r"([A-Za-z]++)\s*+\[([^\]]{0,2000}+)\]")
_OPENING = re.compile(r"\(\s*+;")
_GAME = re.compile(r"\(\s*+;((?:\s*+[A-Za-z]++\s*+\[[^\]]{0,2000}+\])*+)\s*+;?+\s*+\)")
_ENTRY = {str(Square(i)): i for i in range(64)} | dict.fromkeys(PASSES, int(_core.WRITTEN_PASS))
_NAMES = [str(Square(i)).upper() for i in range(64)]
_ENDING_OF: dict[str, Ending] = {"": "", "r": "resigned", "t": "time", "s": "agreed"}
_LETTER_OF = {ending: letter for letter, ending in _ENDING_OF.items()}
UNFINISHED = "-127.000"  # Edax's result of a game that is not over
_UNWRITABLE = re.compile(r"[\[\]\x00-\x1f\x7f]")


def read(text: str) -> Iterator[ParsedGame | Problem]:
    """The games of a text, not yet checked."""
    number = 0
    at = _skipped(text, 0)
    while at < len(text):
        number += 1
        where = f"game {number}"
        match = _GAME.match(text, at)
        if match is None:
            yield Problem(number, where, _unreadable(text[at : at + 40]))
            following = _OPENING.search(text, at + 1)
            at = following.start() if following else len(text)
            continue
        try:
            yield _parsed(match[1], number, where)
        except ValueError as error:
            yield Problem(number, where, str(error))
        at = _skipped(text, match.end())


def _skipped(text: str, at: int) -> int:
    """Where the next game starts: after blanks and the number of games of a line."""
    match = _BETWEEN.match(text, at)
    assert match is not None
    return match.end()


def _unreadable(opening: str) -> str:
    if re.match(r"\(\s*;", opening):
        return "it is cut off or damaged: there is no ;) after its properties"
    return f"it should start with (; but there is {opening[:20]!r}"


def _parsed(properties: str, number: int, where: str) -> ParsedGame:
    tags: dict[str, str] = {}
    entries, movers = bytearray(), []
    for name, value in _PROPERTY.findall(properties):
        if (colour := name.upper()) in ("B", "W"):
            move = value.partition("/")[0].strip().lower()
            if move not in _ENTRY:
                raise ValueError(
                    f"move {len(entries) + 1}: {move[:12]!r} is not a square; squares are a1 to h8"
                )
            entries.append(_ENTRY[move])
            movers.append(colour)
        else:
            tags[name.upper()] = value.strip()
    _check_game(tags)
    result, ending = _result(tags.get("RE", "?"))
    details: dict[str, object] = {
        "black": tags.get("PB", ""),
        "white": tags.get("PW", ""),
        "event": tags.get("PC", ""),
        "date": tags.get("DT", ""),
        "result": result,
        "ending": ending,
    }
    return ParsedGame(number, where, bytes(entries), _start(tags), details, "".join(movers))


def _check_game(tags: dict[str, str]) -> None:
    """Refuses anything but plain Othello on 8x8."""
    game, kind = tags.get("GM", "Othello"), tags.get("TY", "8").lower()
    if game.lower() != "othello":
        raise ValueError(f"it is a game of {game[:20]}, not of Othello")
    match = re.fullmatch(r"([a-z]*)(\d+)((?:[a-z]\d*)*)", kind)
    if match is None:
        raise ValueError(f"its type {kind[:20]!r} is unknown")
    letters = set(re.sub(r"\d", "", match[1] + match[3]))
    if "a" in letters:
        raise ValueError(f"it is an anti game (type {kind}): the side with fewer discs wins")
    if "k" in letters or tags.keys() & {"KB", "KW", "KM"}:
        raise ValueError(f"it is a komi game (type {kind}): the moves do not decide it alone")
    if letters - set("srbw"):
        raise ValueError(f"its type {kind[:20]!r} is unknown")
    if match[2] != "8":
        raise ValueError(f"its board has size {match[2]}, and outflank plays on 8x8")


def _start(tags: dict[str, str]) -> Board:
    if "BO" not in tags:
        if "r" in tags.get("TY", "").lower():
            raise ValueError("it has a random start, but does not say which (BO)")
        return START
    return _board(tags["BO"])


@lru_cache(4096)
def _board(text: str) -> Board:
    size, _, cells = text.partition(" ")
    if size != "8":
        raise ValueError(f"its board has size {size[:20]}, and outflank plays on 8x8")
    return Board("".join(cells.split()))


def _result(text: str) -> tuple[float | None, Ending]:
    score, _, flag = text.lower().replace(" ", "").partition(":")
    if flag not in _ENDING_OF:
        raise ValueError(f"its result {text[:20]!r} ends in {flag[:10]!r}, which is none of r, t and s")
    if score in ("", "?", UNFINISHED):
        return None, _ENDING_OF[flag]
    if not re.fullmatch(r"[+-]?\d{1,2}(\.\d*)?", score) or abs(float(score)) > 64:
        raise ValueError(f"its result {text[:20]!r} is not a disc difference")
    value = float(score)
    return (int(value) if value.is_integer() else value), _ENDING_OF[flag]


def encode(records: Sequence[GameRecord]) -> Encoded:
    """One game per line; passes are written, as the server does."""
    passes = replay_records(records).passes.tolist()
    games = [_encoded(record, before) for record, before in zip(records, passes, strict=True)]
    notes = []
    if any(record.theoretical is not None for record in records):
        notes.append("GGF does not hold theoretical scores")
    if any(record.ending not in _LETTER_OF for record in records):
        notes.append("GGF does not hold that a game was forfeited")
    texts = (text for r in records for text in (r.black, r.white, r.event, r.date))
    if changed := sum(_writable(text) != text for text in texts):
        notes.append(f"{changed:,} names or dates were changed: GGF holds no brackets or line ends")
    return Encoded("".join(games).encode(), notes=tuple(notes))


def _encoded(record: GameRecord, passes: int) -> str:
    start = record.game.start
    kind = "8" if start == START else f"8r{start.discs}"
    result = "?" if record.result is None else f"{record.result:+.3f}"
    letter = _LETTER_OF.get(record.ending, "")
    result += f":{letter}" if letter else ""
    cells = start.text.replace("X", "*")
    rows = " ".join(cells[at : at + 8] for at in range(0, 64, 8))
    dated = f"DT[{_writable(record.date)}]" if record.date else ""
    moves = "".join(
        f"{colour}[{'PA' if move is None else _NAMES[move]}]"
        for colour, move in moves_by_colour(record.game, passes)
    )
    return (
        f"(;GM[Othello]PC[{_writable(record.event)}]{dated}PB[{_writable(record.black)}]"
        f"PW[{_writable(record.white)}]TY[{kind}]RE[{result}]BO[8 {rows} {cells[-1]}]"
        f"{moves};)\n"
    )


def _writable(text: str) -> str:
    """A text without characters that would end a property, and without surrounding blanks."""
    return _UNWRITABLE.sub(lambda found: {"[": "(", "]": ")"}.get(found[0], " "), text).strip()
