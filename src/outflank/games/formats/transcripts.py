r"""Plain transcripts, such as `f5d6c3d3c4`: one game per line, or wrapped over several; pasted ones too.

>>> [game.entries.hex() for game in read("f5 D6 c3 : +2\n# a comment\n1. f5 d6 2. c3")]
['252b12', '252b12']
>>> game, = read("Black: Tamenori (2315)\nWhite: Rose\n1 F5 2 d6 3 C3\n4 d3 5 c4")
>>> game.entries.hex(), game.details["black"]
('252b12131a', 'Tamenori (2315)')

A line continues the game before it if its first number is above 1, if its first move cannot open a game, or
if it is legal as a continuation and not as a game. So a game that was wrapped or copied line by line is never
cut. Lines such as `Black: NAME` before the moves, as apps and servers copy them, are the details of the next
game.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from outflank import _core
from outflank.board import Square
from outflank.games.game import LONGEST_RECORD, START, Encoded, GameRecord, ParsedGame, Problem
from outflank.games.replay import replay_entries

PASSES = ("--", "pass", "pas", "pa", "ps")
# A move number (1. or 12), a square, a pass, or a separator: blanks, commas, dashes and arrows between
# squares, the quotes and brackets of a program's list, > of a quoted mail; at the end a full stop, dots, or
# the * that PGN has after a game that is not over.
_TOKEN = re.compile(
    r"(?P<number>(?<![^\s,;|])\d{1,3}(?:\s*(?:\.{1,3}|[):])(?![.\d])|(?=\s*[a-h][1-8])))|(?P<square>[a-h][1-8])"
    rf"|(?P<pass>{'|'.join(PASSES)})|[\s,;|\"'\[\]]+"
    r"|(?:->|[-\u2013\u2192>])\s*(?=\d{0,3}[.):]?\s*[a-h][1-8])|(?:\.{1,3}|\u2026|\*)(?=\s*$)",
    re.I,
)
# After the moves: Black's disc difference (: +12), or the discs of both (38-26).
_SCORE = re.compile(
    r"[:=]?\s*(?:(?P<black>\d{1,2})\s*[-:]\s*(?P<white>\d{1,2})|(?P<difference>[+-]?\d{1,2})(?:\.0+)?)\s*"
)
_FIELD = re.compile(r"([^\W\d]{1,20})\s*[:=]\s*(\S.*)?")
_FIELDS = {
    "black": "black", "white": "white", "黒": "black", "白": "white", "先手": "black", "後手": "white",
    "event": "event", "tournament": "event", "place": "event", "site": "event", "大会": "event",
    "date": "date", "日付": "date", "日時": "date", "result": "result", "score": "result", "結果": "result",
    "moves": "moves", "transcript": "moves", "game": "moves", "kifu": "moves", "棋譜": "moves",
}  # fmt: skip
_FENCE = re.compile(r"`{3,}\w*|~{3,}\w*")  # around a game in Markdown
# A square that a line's end has split, as terminals and mails wrap text; and a move number on a line of its
# own, as tables of web pages are copied.
_SPLIT_SQUARE = re.compile(
    r"([a-h][1-8][ \t,]*(?:\d{1,3}[.):]?[ \t]*)?[a-h])[ \t]*\n[ \t]*([1-8])(?!\d|\s*[.):])", re.I
)
_NUMBER_ALONE = re.compile(r"^[ \t]*(\d{1,3}[.):]?)[ \t]*\n(\s*)(?=[a-h][1-8])", re.I | re.M)
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\xad"))
_ENTRY = {str(Square(i)): i for i in range(64)}
_OPENING_MOVES = frozenset(int(square) for square in START.legal_moves)
LONGEST_LINE = 10_000


@dataclass
class _Game:
    """A game whose next line may follow."""

    number: int
    where: str
    details: dict[str, object]
    entries: bytearray = field(default_factory=bytearray)
    lines: int = 0
    is_closed: bool = False  # by a score
    reason: str = ""  # why it cannot be read

    def add(self, entries: bytes, rest: str, where: str) -> None:
        """One more line: moves, and a score if it is the last."""
        self.lines += 1
        if self.is_closed:
            self.reason = f"{where}: there are moves after the score"
        elif len(self.entries) + len(entries) > LONGEST_RECORD:
            self.reason = f"there are more than {LONGEST_RECORD} moves, and a game has at most 60"
        self.entries += entries[: LONGEST_RECORD - len(self.entries)]
        if rest:
            try:
                self.details["result"], self.is_closed = _score(rest), True
            except ValueError as error:
                self.reason = str(error) if self.lines == 1 else f"{where}: {error}"

    def parsed(self) -> ParsedGame | Problem:
        if self.reason:
            return Problem(self.number, self.where, self.reason)
        return ParsedGame(self.number, self.where, bytes(self.entries), START, self.details)


def read(text: str, is_one_game: bool = False) -> Iterator[ParsedGame | Problem]:
    """The games of a text, not yet checked; empty lines and lines that start with # or % are skipped.

    With is_one_game, every line after the first continues it.
    """
    reader = _Reader(is_one_game)
    for number, line in enumerate(_normal(text).split("\n"), start=1):
        stripped = line.strip()
        if stripped and stripped[0] not in "#%" and not _FENCE.fullmatch(stripped):
            yield from reader.take(stripped, f"line {number}")
    yield from reader.end()


class _Reader:
    """Turns lines into games, one after the other."""

    def __init__(self, is_one_game: bool) -> None:
        self._is_one_game = is_one_game
        self._number = 0
        self._game: _Game | None = None
        self._details: dict[str, object] = {}  # of the next game

    def take(self, line: str, where: str) -> Iterator[ParsedGame | Problem]:
        """One line; yields the game that it ends, and a problem if it cannot be read."""
        try:
            name, value = _field(line) or ("result" if _is_score(line) else "moves", line)
            if name == "result" and self._game is not None and self._game.details["result"] is None:
                self._game.details["result"], self._game.is_closed = _result(value), True
                return
            if name != "moves":
                yield from () if self._is_one_game else self._ended()
                self._details[name] = _result(value) if name == "result" else value
                return
            entries, rest = entries_of(value)
        except ValueError as error:
            yield from self._refused(line, where, str(error))
            return
        if self._game is None or not (self._is_one_game or _continues(self._game, entries, value)):
            yield from self._ended()
            self._number += 1
            self._game = _Game(self._number, where, {"result": None} | self._details)
            self._details = {}
        self._game.add(entries, rest, where)

    def _refused(self, line: str, where: str, reason: str) -> Iterator[ParsedGame | Problem]:
        """A line that cannot be read is a fault of the game that it seems to continue, or stands alone."""
        first = re.match(r"(?:\d{1,3}\s*[.):]?\s*)?([a-h][1-8])", line, re.I)
        within = first is not None and _ENTRY[first[1].lower()] not in _OPENING_MOVES
        if self._game is not None and (within or self._is_one_game):
            self._game.reason = f"{where}: {reason}"
            return
        yield from self._ended()
        self._number += 1
        yield Problem(self._number, where, reason)

    def _ended(self) -> Iterator[ParsedGame | Problem]:
        if self._game is not None:
            yield self._game.parsed()
        self._game = None

    def end(self) -> Iterator[ParsedGame | Problem]:
        yield from self._ended()
        if self._details:
            yield Problem(0, "", f"there are no moves after {', '.join(self._details)}")


def _normal(text: str) -> str:
    """Full-width letters and digits, as Japanese apps write them, become plain ones; invisible characters, as
    web pages have them, disappear; line ends become \\n, and split no square. Lines keep their numbers."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_INVISIBLE)
    return _NUMBER_ALONE.sub(r"\n\2\1 ", _SPLIT_SQUARE.sub(_whole_square, text))


def _whole_square(split: re.Match[str]) -> str:
    """The square at the end of its line, unless that is a detail such as `Black: a1b`."""
    line = split.string[split.string.rfind("\n", 0, split.start()) + 1 : split.start()]
    return split[0] if re.search("[:=]", line) else f"{split[1]}{split[2]}\n"


def _field(line: str) -> tuple[str, str] | None:
    """A line such as `Black: NAME`: the detail it names, and its text."""
    match = _FIELD.fullmatch(line)
    name = None if match is None else _FIELDS.get(match[1].lower())
    return None if match is None or name is None else (name, (match[2] or "").strip()[:LONGEST_LINE])


def _continues(game: _Game, entries: bytes, line: str) -> bool:
    """Whether a line belongs to the game before it."""
    first = re.match(r"\d+", line)
    if first is not None and entries and _TOKEN.match(line) and int(first[0]) != 1:
        return True
    if not entries:
        return bool(line) and not game.is_closed
    if entries[0] not in _OPENING_MOVES:
        return True
    joined = bytes(game.entries) + entries
    if game.reason or game.is_closed or len(joined) > LONGEST_RECORD:
        return False
    legal = replay_entries([joined, entries], [START, START]).legal
    is_alone, is_next = legal[1] == len(entries), legal[0] == len(joined)
    # If it is both, it continues a game that is wrapped already.
    return bool(is_next and (not is_alone or game.lines > 1))


def entries_of(text: str) -> tuple[bytes, str]:
    """The squares and passes at the start of a text, and the rest."""
    entries = bytearray()
    at = 0
    while len(entries) <= LONGEST_RECORD and (token := _TOKEN.match(text, at)):
        if token["square"]:
            entries.append(_ENTRY[token["square"].lower()])
        elif token["pass"]:
            entries.append(_core.WRITTEN_PASS)
        at = token.end()
    if len(entries) > LONGEST_RECORD:
        raise ValueError(f"there are more than {LONGEST_RECORD} moves, and a game has at most 60")
    rest = text[at:]
    if re.match(r"[a-z]", rest, re.I) or not (entries or not rest):
        move = len(entries) - entries.count(_core.WRITTEN_PASS) + 1
        raise ValueError(f"move {move}: {rest[:12]!r} is not a square; squares are a1 to h8")
    return bytes(entries), rest


def _score(text: str) -> float:
    match = _SCORE.fullmatch(text)
    if match is None or (match["difference"] and text[0] not in ":=+-"):
        raise ValueError(f"{text[:20]!r} after the moves is not a score such as : +12 or 38-26")
    black, white, difference = match["black"], match["white"], match["difference"]
    score = int(difference) if difference else int(black) - int(white)
    if abs(score) > 64:
        raise ValueError(f"a score of {score} is outside -64..64")
    return score


def _is_score(line: str) -> bool:
    """Whether a line is a score and nothing else, as 38-26 below the moves."""
    return re.fullmatch(r"[:=]?\s*(?:\d{1,2}\s*[-:]\s*\d{1,2}|[+-]\d{1,2})", line) is not None


def _result(text: str) -> float | None:
    """A line's result: a score, alone or among words; None if it has no numbers."""
    if not re.search(r"\d", text):
        return None
    discs = re.search(r"(?<!\d)\d{1,2}\s*[-:]\s*\d{1,2}(?!\d)|(?<!\d)[+-]\d{1,2}(?!\d)", text)
    if discs is None:
        raise ValueError(f"{text[:20]!r} is not a result such as 38-26 or +12")
    return _score(discs[0])


def encode(records: Sequence[GameRecord]) -> Encoded:
    """One game per line: the moves alone, from the standard start."""
    lines = []
    for number, record in enumerate(records, start=1):
        if record.game.start != START:
            raise ValueError(
                f"game {number} has its own start position, which a transcript cannot hold; "
                "write .jsonl, .ggf or .sgf"
            )
        if not record.game.moves:
            raise ValueError(f"game {number} has no moves, and a transcript cannot hold that")
        lines.append(f"{record.game.transcript}\n")
    has_details = any(record != GameRecord(record.game) for record in records)
    notes = ("a transcript holds the moves alone: names, dates and stored scores are left out",)
    return Encoded("".join(lines).encode(), notes=notes if has_details else ())
