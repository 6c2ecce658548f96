r"""Plain transcripts: one game per line, such as `f5d6c3d3c4`.

>>> [game.entries.hex() for game in read("f5 D6 c3 : +2\n# a comment\n1. f5 d6 2. c3")]
['252b12', '252b12']
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from outflank import _core
from outflank.board import Square
from outflank.games.game import LONGEST_RECORD, START, Encoded, GameRecord, ParsedGame, Problem

PASSES = ("--", "pass", "pas", "pa", "ps")
# A move number (1. or 12.), a square, a pass, or a separator.
_TOKEN = re.compile(
    rf"(?P<number>\d{{1,3}}\s*[.)])|(?P<square>[a-h][1-8])|(?P<pass>{'|'.join(PASSES)})|[\s,;]+", re.I
)
# After the moves: Black's disc difference (: +12), or the discs of both (38-26).
_SCORE = re.compile(
    r"[:=]?\s*(?:(?P<black>\d{1,2})\s*[-:]\s*(?P<white>\d{1,2})|(?P<difference>[+-]?\d{1,2})(?:\.0+)?)\s*"
)
_ENTRY = {str(Square(i)): i for i in range(64)}


def read(text: str) -> Iterator[ParsedGame | Problem]:
    """The games of a text, not yet checked; empty lines and lines that start with # or % are skipped."""
    number = 0
    for line_number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped or stripped[0] in "#%":
            continue
        number += 1
        where = f"line {line_number}"
        try:
            entries, rest = entries_of(stripped)
            yield ParsedGame(number, where, entries, START, {"result": _score(rest)})
        except ValueError as error:
            yield Problem(number, where, str(error))


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


def _score(text: str) -> float | None:
    if not text:
        return None
    match = _SCORE.fullmatch(text)
    if match is None or (match["difference"] and text[0] not in ":=+-"):
        raise ValueError(f"{text[:20]!r} after the moves is not a score such as : +12 or 38-26")
    black, white, difference = match["black"], match["white"], match["difference"]
    score = int(difference) if difference else int(black) - int(white)
    if abs(score) > 64:
        raise ValueError(f"a score of {score} is outside -64..64")
    return score


def encode(records: Sequence[GameRecord]) -> Encoded:
    """One game per line: the moves alone, from the standard start."""
    lines = []
    for number, record in enumerate(records, start=1):
        if record.game.start != START:
            raise ValueError(
                f"game {number} has its own start position, which a transcript cannot hold; "
                "write .jsonl or .ggf"
            )
        if not record.game.moves:
            raise ValueError(f"game {number} has no moves, and a transcript cannot hold that")
        lines.append(f"{record.game.transcript}\n")
    has_details = any(record != GameRecord(record.game) for record in records)
    notes = ("a transcript holds the moves alone: names, dates and stored scores are left out",)
    return Encoded("".join(lines).encode(), notes=notes if has_details else ())
