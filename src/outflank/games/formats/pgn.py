r"""PGN, the chess players' format, as PlayOK and Edax write games of Othello in it.

>>> game, = read('[Black "tama"]\n[White "neko"]\n[Result "38-26"]\n\n1. f5 d6 2. c3 {a comment} d3 38-26')
>>> game.entries.hex(), game.details["black"], game.details["result"]
('252b1213', 'tama', 12)

Format: https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm, of which Othello programs use the
tags, the move numbers and the comments. PlayOK writes both sides' discs as the result, Black's first, and a
pass as `--`; Edax the winner (1-0 is Black), the discs in a comment, a pass as `pass`, and a start as a FEN
of pawns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from outflank import _core
from outflank.board import Board, Square
from outflank.games.game import LONGEST_RECORD, START, ParsedGame, Problem

LOOKS_LIKE = re.compile(r'^\s*\[\s*[A-Za-z]\w*\s+"', re.M)
# Possessive, and no alternative begins another one's repetition: linear time on damaged files.
_TOKEN = re.compile(
    r"""(?P<space>\s++)
    |\[\s*+(?P<name>\w{1,100}+)\s*+"(?P<value>(?:[^"\\\n]|\\.)*+)"\s*+\]
    |\{(?P<comment>[^}]*+\}?)
    |;(?P<rest>[^\n]*+)
    |(?P<result>1/2-1/2|\d{1,2}-\d{1,2}(?!\d)|\*)
    |(?P<number>\d{1,3}+\.*+(?!\d))
    |(?P<rule>-{5,}+|={5,}+)
    |(?P<moves>(?:[a-h][1-8]|--|passe?|pas|pa|ps)+)(?![a-z\d])
    |(?P<mark>[!?]{1,2}+|\$\d{1,3}+)
    |(?P<bracket>[()])
    |(?P<other>[^\s\[{;()]++|.)""",
    re.X | re.I,
)
_MOVE = re.compile(r"[a-h][1-8]|--|passe?|pas|pa|ps", re.I)
_ENTRY = {str(Square(i)): i for i in range(64)}
# Both sides' discs alone, or in Edax's comment {NAME wins 38-26}.
_DISCS = re.compile(r"(?:.*\b(?:wins|draw) )?(\d{1,2})-(\d{1,2})", re.I | re.S)
_ESCAPED = re.compile(r"\\(.)")
_RANK = re.compile(r"[pP1-8]{1,8}")
_FEWEST_DISCS = 4  # so that 1-0 and 0-1 name a winner and nothing else


@dataclass
class _Game:
    """A game of which more may follow."""

    number: int
    tags: dict[str, str] = field(default_factory=dict)
    entries: bytearray = field(default_factory=bytearray)
    comments: list[str] = field(default_factory=list)
    result: str = ""  # after the moves
    variations: int = 0  # open brackets
    reason: str = ""  # why it cannot be read

    @property
    def is_begun(self) -> bool:
        """Whether tags would be those of another game."""
        return bool(self.entries or self.result or self.reason)

    def take(self, token: re.Match[str]) -> None:
        kind, text = token.lastgroup, token[0]
        if kind == "value":
            self.tags.setdefault(token["name"].lower(), _ESCAPED.sub(r"\1", token["value"]).strip())
        elif kind == "comment":
            self.comments.append(token["comment"].removesuffix("}"))
            if not text.endswith("}"):
                self.reason = self.reason or "it is cut off: a comment's bracket is not closed"
        elif kind == "bracket":
            self.variations = max(0, self.variations + (1 if text == "(" else -1))
        elif not self.variations:
            self._take_main_line(kind, text)

    def _take_main_line(self, kind: str | None, text: str) -> None:
        if kind == "result":
            self.reason = self.reason or (
                f"it has two results, {self.result} and {text}" if self.result else ""
            )
            self.result = text
        elif text == "[":
            self.reason = self.reason or 'a tag such as [Black "NAME"] is cut off or damaged'
        elif kind == "other":
            move = len(self.entries) - self.entries.count(_core.WRITTEN_PASS) + 1
            self.reason = self.reason or f"move {move}: {text[:12]!r} is not a square; squares are a1 to h8"
        for square in _MOVE.findall(text.lower()) if kind == "moves" else ():
            if len(self.entries) >= LONGEST_RECORD:
                self.reason = f"there are more than {LONGEST_RECORD} moves, and a game has at most 60"
                return
            self.entries.append(_ENTRY.get(square, _core.WRITTEN_PASS))

    def parsed(self) -> ParsedGame | Problem:
        where = f"game {self.number}"
        if self.variations and not self.reason:
            self.reason = "a variation's bracket is not closed"
        if not (self.entries or self.result or self.reason):
            self.reason = "there are neither moves nor a result after its tags; it is cut off"
        if self.reason:
            return Problem(self.number, where, self.reason)
        try:
            start = _start(self.tags.get("fen", ""))
            details: dict[str, object] = {
                "black": _known(self.tags.get("black", "")),
                "white": _known(self.tags.get("white", "")),
                "event": _known(self.tags.get("event", "")) or _known(self.tags.get("site", "")),
                "date": _known(self.tags.get("date", "")),
                "result": self._score(),
            }
        except ValueError as error:
            return Problem(self.number, where, str(error))
        return ParsedGame(self.number, where, bytes(self.entries), start, details)

    def _score(self) -> int | None:
        """Black's discs minus White's, by the tag if it says so; None if only the winner is written."""
        texts = (self.tags.get("result", ""), self.result, *self.comments[-1:])
        for match in map(_DISCS.fullmatch, texts):
            if match and (black := int(match[1])) + (white := int(match[2])) >= _FEWEST_DISCS:
                if black + white > 64:
                    raise ValueError(f"its result {black}-{white} is of more than 64 discs")
                return black - white
        return 0 if "1/2-1/2" in texts[:2] else None


def read(text: str) -> Iterator[ParsedGame | Problem]:
    """The games of a text, not yet checked. Tags begin one, or moves after a result, or move number 1."""
    game = _Game(1)
    lines = text.removeprefix("\ufeff").split("\n")
    for token in _TOKEN.finditer("\n".join(line for line in lines if not line.startswith("%"))):
        if _begins_another(game, token):
            yield game.parsed()
            game = _Game(game.number + 1)
        game.take(token)
    if game.tags or game.is_begun:
        yield game.parsed()


def _begins_another(game: _Game, token: re.Match[str]) -> bool:
    kind = token.lastgroup
    if kind == "value":  # Edax writes two dates
        return game.is_begun or ((name := token["name"].lower()) in game.tags and name != "date")
    if game.variations:
        return False
    if game.result:
        return kind in ("number", "moves")
    return kind == "number" and token[0] in ("1", "1.") and bool(game.entries)


def _known(text: str) -> str:
    """A tag's text, unless it says that nothing is known, as ? and ????.??.?? do."""
    return "" if set(text) <= set("?.-") else text


def _start(fen: str) -> Board:
    """The start of a FEN in which p is black, P is white and row 8 comes first, as Edax writes it.

    >>> _start("8/8/8/3pP3/3Pp3/8/8/8 b - - 0 1") == Board()
    True
    """
    if not fen:
        return START
    rows, _, rest = fen[:200].partition(" ")
    ranks = rows.split("/")
    squares = [re.sub(r"\d", lambda m: "-" * int(m[0]), rank) for rank in reversed(ranks)]
    if len(ranks) != 8 or not all(_RANK.fullmatch(rank) for rank in ranks) or set(map(len, squares)) != {8}:
        raise ValueError(f"its start {fen[:20]!r} (FEN) is not a board of p (black) and P (white)")
    mover = rest.strip()[:1].lower()
    if mover not in ("b", "w"):
        raise ValueError(f"its start (FEN) has b or w to move, got {mover!r}")
    return Board("".join(squares).translate(str.maketrans("pP", "XO")) + (" X" if mover == "b" else " O"))
