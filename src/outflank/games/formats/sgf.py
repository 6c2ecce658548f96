r"""SGF, the Smart Game Format, for Othello (GM[2]).

>>> game, = read("(;GM[2]FF[4]PB[edax]PW[saio]RE[B+4];B[f5];W[d6](;B[c3];W[d3])(;B[c4]))")
>>> game.entries.hex(), game.movers, game.details["black"], game.details["result"]
('252b1213', 'BWBW', 'edax', 4)

Format: https://www.red-bean.com/sgf/. A game is a tree of nodes; the main line, the first branch everywhere,
is read, as other programs do. Squares are written as f5 or, as in Go, by two letters (fe); a pass is empty,
pass, PA or tt. AB, AW and PL in the first node are the start; without them it is the standard one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from outflank import _core
from outflank.board import Board, Square
from outflank.games.formats.transcripts import PASSES
from outflank.games.game import LONGEST_RECORD, START, Encoded, Ending, GameRecord, ParsedGame, Problem
from outflank.games.replay import moves_by_colour, replay_records

OTHELLO = "2"
_SPACE = re.compile(r"\s*+")
_NAME = re.compile(r"[A-Za-z]++")
# A value ends at the first bracket without a backslash before it. Possessive: linear time on damaged files.
_VALUE = re.compile(r"\s*+\[((?:[^\]\\]|\\.)*+)\]", re.S)
_RESULT = re.compile(r"([BW])\+(.*)", re.I)
_ENDINGS: dict[str, Ending] = {
    "r": "resigned", "resign": "resigned", "t": "time", "time": "time", "f": "forfeit", "forfeit": "forfeit",
}  # fmt: skip
_LETTER_OF: dict[Ending, str] = {"resigned": "R", "time": "T", "forfeit": "F"}
_ENTRY = (
    {str(Square(i)): i for i in range(64)}
    | {"abcdefgh"[i % 8] + "abcdefgh"[i // 8]: i for i in range(64)}
    | dict.fromkeys((*PASSES, "", "tt"), int(_core.WRITTEN_PASS))
)
_ROOT = re.compile(r"\(\s*+;\s*+(?:FF|GM)\s*+\[")  # how most programs start a game
Properties = list[tuple[str, list[str]]]


def read(text: str) -> Iterator[ParsedGame | Problem]:
    """The games of a text, not yet checked; anything between games is skipped, as the format allows."""
    number = 0
    at = text.find("(")
    while at >= 0:
        number += 1
        where = f"game {number}"
        properties, end, complaint = _main_line(text, at)
        if complaint:
            yield Problem(number, where, complaint)
            following = _ROOT.search(text, min(at + 1, end))
            at = following.start() if following and end < len(text) else -1
            continue
        try:
            yield _parsed(properties, number, where)
        except ValueError as error:
            yield Problem(number, where, str(error))
        at = text.find("(", end)


def _main_line(text: str, at: int) -> tuple[Properties, int, str]:
    """The properties of a tree's main line, where the tree ends, and what is wrong with it.

    Variations, which begin after the first branch has been closed, are skipped.
    """
    properties: Properties = []
    roots: set[str] = set()
    depth, is_main = 0, True
    while True:
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        if at >= len(text):
            return properties, at - 1, "it is cut off: a bracket is not closed"
        letter = text[at]
        if letter in "(;)":
            depth += (letter == "(") - (letter == ")")
            is_main = is_main and letter != ")"
            at += 1
            if depth == 0:
                return properties, at, ""
            continue
        name = _NAME.match(text, at)
        if name is None:
            return properties, at + 1, f"{text[at : at + 12]!r} is not a property such as B[f5]"
        values, at = _values(text, name.end())
        if not values:
            # An open bracket has no end in all the rest of the text.
            end = len(text) if text.startswith("[", at) else at
            return properties, end, f"{name[0][:12]} has no complete value; it is cut off or damaged"
        if name[0] in roots:
            return properties, at, "it is cut off: another game starts before its last bracket"
        if name[0] in ("FF", "GM"):
            roots.add(name[0])
        if is_main:
            # FF[3] and older allow lower-case letters in names: Black[f5] is B[f5].
            properties.append((re.sub(r"[a-z]", "", name[0]) or name[0].upper(), values))


def _values(text: str, at: int) -> tuple[list[str], int]:
    values = []
    while match := _VALUE.match(text, at):
        values.append(match[1])
        at = match.end()
    return values, at


def _parsed(properties: Properties, number: int, where: str) -> ParsedGame:
    tags: dict[str, list[str]] = {}
    entries, movers = bytearray(), []
    for name, values in properties:
        if name in ("B", "W"):
            if not entries and "GM" in tags:  # before the squares of another game are
                _check_game(tags)
            if len(entries) >= LONGEST_RECORD:
                raise ValueError(f"there are more than {LONGEST_RECORD} moves, and a game has at most 60")
            entries.append(_entry(values[0], len(entries) + 1))
            movers.append(name)
        elif entries and name in ("AB", "AW", "AE"):
            raise ValueError(f"it changes the board ({name}) after move {len(entries)}")
        else:
            tags.setdefault(name, values)
    _check_game(tags)
    result, ending = _result(_text(tags, "RE"))
    details: dict[str, object] = {
        "black": _text(tags, "PB"),
        "white": _text(tags, "PW"),
        "event": _text(tags, "EV") or _text(tags, "PC"),
        "date": _text(tags, "DT"),
        "result": result,
        "ending": ending,
    }
    return ParsedGame(number, where, bytes(entries), _start(tags), details, "".join(movers))


def _entry(value: str, number: int) -> int:
    move = value.strip().lower()
    if move not in _ENTRY:
        raise ValueError(f"move {number}: {move[:12]!r} is not a square; squares are a1 to h8")
    return _ENTRY[move]


def _text(tags: dict[str, list[str]], name: str) -> str:
    """A value as simple text: escapes resolved, line ends as spaces."""
    value = tags.get(name, [""])[0]
    return " ".join(re.sub(r"\\(\r\n|\n\r|.)", lambda m: m[1].strip("\r\n"), value, flags=re.S).split())


def _check_game(tags: dict[str, list[str]]) -> None:
    """Refuses anything but Othello on 8x8."""
    if "GM" not in tags:
        raise ValueError("it does not say which game it is; Othello is GM[2]")
    if (game := _text(tags, "GM")).lower() not in (OTHELLO, "othello"):
        kind = {"1": "Go", "3": "chess", "4": "gomoku", "11": "Hex"}.get(game, f"game number {game[:12]}")
        raise ValueError(f"it is {kind}, and Othello is GM[2]")
    if "SZ" in tags and (size := _text(tags, "SZ")) not in ("8", "8:8"):
        raise ValueError(f"its board has size {size[:12]}, and outflank plays on 8x8")


def _start(tags: dict[str, list[str]]) -> Board:
    mover = _text(tags, "PL").lower()
    if mover not in ("", "b", "w", "black", "white", "1", "2"):
        raise ValueError(f"the side to move (PL) is B or W, got {mover[:12]!r}")
    colour = "white" if mover in ("w", "white", "2") else "black"
    if "AB" not in tags and "AW" not in tags:
        return START if colour == "black" else Board.from_discs(START.black, START.white, "white")
    return Board.from_discs(_discs(tags, "AB"), _discs(tags, "AW"), "white" if colour == "white" else "black")


def _discs(tags: dict[str, list[str]], name: str) -> int:
    discs = 0
    for value in tags.get(name, []):
        first, colon, last = value.strip().lower().partition(":")
        corners = [_ENTRY.get(corner, 64) for corner in ((first, last) if colon else (first, first))]
        if max(corners) > 63:
            raise ValueError(f"{name}: {value[:12]!r} is not a square; squares are a1 to h8")
        rows, columns = sorted(corner // 8 for corner in corners), sorted(corner % 8 for corner in corners)
        for row in range(rows[0], rows[1] + 1):  # a rectangle, or one square
            for column in range(columns[0], columns[1] + 1):
                discs |= 1 << 8 * row + column
    return discs


def _result(text: str) -> tuple[float | None, Ending]:
    """B+4, W+12, 0 or Draw; B+R, W+T and the like have no score of their own."""
    if text.lower() in ("0", "draw"):
        return 0, ""
    match = _RESULT.fullmatch(text)
    if match is None:  # Void, ? and none at all
        return None, ""
    sign, margin = (1 if match[1].upper() == "B" else -1), match[2].strip().lower()
    if margin in _ENDINGS:
        return None, _ENDINGS[margin]
    if not margin:
        return None, ""
    if not re.fullmatch(r"\+?\d{1,2}(\.\d*)?", margin) or float(margin) > 64:
        raise ValueError(f"its result {text[:20]!r} is not a disc difference such as B+4")
    value = sign * float(margin)
    return (int(value) if value.is_integer() else value), ""


def encode(records: Sequence[GameRecord]) -> Encoded:
    """One game per line, passes written; starts and colours are always there, as programs expect them."""
    passes = replay_records(records).passes.tolist()
    games = [_encoded(record, before) for record, before in zip(records, passes, strict=True)]
    notes = []
    if any(record.theoretical is not None for record in records):
        notes.append("SGF does not hold theoretical scores")
    if any(record.result is not None and record.ending in _LETTER_OF for record in records):
        notes.append("SGF holds the winner, not the score, of a game that was cut short")
    if any(record.ending == "agreed" for record in records):
        notes.append("SGF does not hold that a result was agreed on")
    return Encoded("".join(games).encode(), notes=tuple(notes))


def _encoded(record: GameRecord, passes: int) -> str:
    start = record.game.start
    head = [
        ("FF", "4"), ("GM", OTHELLO), ("CA", "UTF-8"), ("SZ", "8"), ("PB", record.black),
        ("PW", record.white), ("EV", record.event), ("DT", record.date), ("RE", _written(record)),
    ]  # fmt: skip
    fields = "".join(f"{name}[{_escaped(value)}]" for name, value in head if value)
    discs = "".join(
        name + "".join(f"[{Square(i)}]" for i in range(64) if bits >> i & 1)
        for name, bits in (("AB", start.black), ("AW", start.white))
        if bits
    )
    moves = "".join(
        f";{colour}[{'' if move is None else move}]" for colour, move in moves_by_colour(record.game, passes)
    )
    return f"(;{fields}{discs}PL[{start.mover[0].upper()}]{moves})\n"


def _written(record: GameRecord) -> str:
    if record.result is None:
        return ""
    if record.result == 0:
        return "0"
    winner = "B" if record.result > 0 else "W"
    return f"{winner}+{_LETTER_OF.get(record.ending) or format(abs(record.result), 'g')}"


def _escaped(text: str) -> str:
    return re.sub(r"([\\\]:])", r"\\\1", " ".join(text.split()))
