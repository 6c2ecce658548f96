"""WTHOR, the format of the French Othello Federation's game database.

A `.wtb` file: a header of 16 bytes, then 68 bytes per game: tournament, Black and White as numbers, Black's
discs at the end, Black's discs with perfect play from some depth, and 60 moves as 10 * row + column.
Passes are not written. Names are in `.jou` (players) and `.trn` (tournaments) files. Numbers are
little-endian. Format: https://www.ffothello.org/wthor/Format_WThor.pdf.

Empty squares go to the winner, so the two sides' discs add up to 64: `disc difference = 2 * discs - 64`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

import numpy as np

from outflank import _core
from outflank.games.game import LONGEST_GAME, START, Encoded, GameRecord, ParsedGame, Problem
from outflank.games.replay import replay_records

COMPRESSED = (".gz", ".bz2")
PLAYERS, TOURNAMENTS = ".jou", ".trn"
NAME_BYTES = {PLAYERS: 20, TOURNAMENTS: 26}
MOST_NAMES = (1 << 16) - 1
_UNKNOWN = "???"  # what the database calls its player number 0
# century, year, month, day; games; names; year of the games; board size, kind, depth, reserved
_HEADER = struct.Struct("<4B I 2H 4B")
_GAME = np.dtype([("event", "<u2"), ("black", "<u2"), ("white", "<u2"), ("discs", "u1"),
                  ("theoretical", "u1"), ("moves", "u1", LONGEST_GAME)])  # fmt: skip
_NO_SQUARE = 254
_SQUARE_OF_MOVE = np.full(256, _NO_SQUARE, dtype=np.uint8)
_SQUARE_OF_MOVE[0] = _core.NO_MOVE
_SQUARE_OF_MOVE[[10 * row + column for row in range(1, 9) for column in range(1, 9)]] = np.arange(64)
_MOVE_OF_SQUARE = bytes(10 * (square // 8 + 1) + square % 8 + 1 for square in range(64))


@dataclass(frozen=True)
class Names:
    """The names for a `.wtb` file; a number without a name becomes #number."""

    players: Sequence[str] = ()
    tournaments: Sequence[str] = ()

    def name(self, kind: Literal["players", "tournaments"], number: int) -> str:
        known = self.players if kind == "players" else self.tournaments
        if number < len(known):
            return "" if set(known[number]) <= {"?"} else known[number]
        return f"#{number}" if number else ""


def read(content: bytes, path: Path) -> Iterator[ParsedGame | Problem]:
    """The games of a `.wtb` file, not yet checked, with names from the files in its folder."""
    try:
        promised, year, depth = _header(content)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    names = names_beside(path)
    body = memoryview(content)[_HEADER.size :]
    count, left = divmod(len(body), _GAME.itemsize)
    if count != promised or left:
        mismatch = f"the header promises {promised:,} games, but the file has room for {count:,}"
        yield Problem(0, "", f"{mismatch} and {left} bytes more" if left else mismatch)
    games = np.frombuffer(body[: count * _GAME.itemsize], dtype=_GAME)
    squares = _SQUARE_OF_MOVE[games["moves"]]
    ends = (squares == _core.NO_MOVE).sum(axis=1)
    fields = zip(*(games[name].tolist() for name in ("event", "black", "white", "discs", "theoretical")),
                 strict=True)  # fmt: skip
    common = {"date": str(year) if year else "", "theoretical_empties": depth or None}
    for i, (event, black, white, discs, theoretical) in enumerate(fields):
        entries = squares[i, : LONGEST_GAME - ends[i]].tobytes()
        where = f"game {i + 1}"
        if reason := _damage(entries, games["moves"][i], discs, theoretical):
            yield Problem(i + 1, where, reason)
            continue
        details: dict[str, object] = common | {
            "event": names.name("tournaments", event),
            "black": names.name("players", black),
            "white": names.name("players", white),
            "result": 2 * discs - 64,
            "theoretical": 2 * theoretical - 64 if depth else None,
        }
        yield ParsedGame(i + 1, where, entries, START, details)


def _header(content: bytes) -> tuple[int, int, int]:
    """Number of games, their year, and the depth of the theoretical scores."""
    if len(content) < _HEADER.size:
        raise ValueError(f"a WTHOR file starts with a header of 16 bytes, but this one has {len(content)}")
    _, _, month, day, games, _, year, size, kind, depth, _ = _HEADER.unpack_from(content)
    if month > 12 or day > 31:
        raise ValueError(f"this is not a WTHOR file: its header has month {month} and day {day}")
    if size not in (0, 8):
        raise ValueError(f"the games are on a {size}x{size} board, and outflank plays on 8x8")
    if kind == 1:
        raise ValueError("this is a WTHOR file of puzzles (solitaires), not of games")
    return games, year, depth


def _damage(entries: bytes, moves: np.ndarray, discs: int, theoretical: int) -> str:
    """What is wrong with a game, before its moves are replayed."""
    if _core.NO_MOVE in entries:
        return f"move {entries.index(_core.NO_MOVE) + 1} is missing, and moves come after it"
    if _NO_SQUARE in entries:
        at = entries.index(_NO_SQUARE)
        return f"move {at + 1} is stored as {moves[at]}, which is not a square"
    if discs > 64 or theoretical > 64:
        return f"Black is said to have {max(discs, theoretical)} discs"
    return ""


def names_beside(path: Path) -> Names:
    """The names for a `.wtb` file: from files of its own name, or from WTHOR.JOU and WTHOR.TRN."""
    bare = path.with_suffix("") if path.suffix.lower() in COMPRESSED else path
    stem = bare.stem.lower()
    there = {each.name.lower(): each for each in path.parent.iterdir()} if path.parent.is_dir() else {}
    found = []
    for suffix in (PLAYERS, TOURNAMENTS):
        file = there.get(stem + suffix) or there.get("wthor" + suffix)
        found.append(read_names(file) if file else ())
    return Names(*found)


def read_names(path: Path) -> tuple[str, ...]:
    """The names of a `.jou` or `.trn` file, by number."""
    size = NAME_BYTES[path.suffix.lower()]
    if path.stat().st_size > _HEADER.size + size * MOST_NAMES:
        raise ValueError(f"{path} is larger than any file of names")
    content = path.read_bytes()
    body = content[_HEADER.size :]
    if len(content) < _HEADER.size or len(body) % size:
        raise ValueError(f"{path} is cut off: it should have a header of 16 bytes and {size} bytes per name")
    promised = _HEADER.unpack_from(content)[5]
    if promised != len(body) // size:
        raise ValueError(
            f"{path}: the header promises {promised:,} names, and there are {len(body) // size:,}"
        )
    rows = (body[at : at + size] for at in range(0, len(body), size))
    return tuple(row.split(b"\0")[0].decode("latin-1").strip() for row in rows)


def encode(records: Sequence[GameRecord]) -> Encoded:
    """Games as a `.wtb` file, with `.jou` and `.trn` files if there are names."""
    for number, record in enumerate(records, start=1):
        if record.game.start != START:
            raise ValueError(
                f"game {number} has its own start position, which WTHOR cannot hold; write .jsonl or .ggf"
            )
    notes: list[str] = []
    games = np.zeros(len(records), dtype=_GAME)
    _put_moves(games, records)
    games["discs"] = discs = _discs(records, notes)
    depth, games["theoretical"] = _theoretical(records, discs, notes)
    people = [name for record in records for name in (record.black, record.white)]
    numbers, players = _numbered(people, PLAYERS, notes)
    games["black"], games["white"] = numbers[::2], numbers[1::2]
    games["event"], tournaments = _numbered([record.event for record in records], TOURNAMENTS, notes)
    header = _encoded_header(games=len(records), year=_year(records, notes), depth=depth)
    named = {suffix: names for suffix, names in ((PLAYERS, players), (TOURNAMENTS, tournaments)) if names}
    return Encoded(header + games.tobytes(), named, tuple(notes))


def _encoded_header(*, games: int = 0, names: int = 0, year: int = 0, depth: int = 0) -> bytes:
    day = date.today()
    size = 8 if games else 0
    return _HEADER.pack(
        day.year // 100, day.year % 100, day.month, day.day, games, names, year, size, 0, depth, 0
    )


def _put_moves(games: np.ndarray, records: Sequence[GameRecord]) -> None:
    rows = [bytes(record.game.moves).translate(_MOVE_OF_SQUARE.ljust(256, b"\0")) for record in records]
    padded = b"".join(row.ljust(LONGEST_GAME, b"\0") for row in rows)
    games["moves"] = np.frombuffer(padded, dtype=np.uint8).reshape(len(records), LONGEST_GAME)


def _discs(records: Sequence[GameRecord], notes: list[str]) -> list[int]:
    """Black's discs: as stored if that is a tournament score, otherwise from the last board."""
    replays = replay_records(records)
    plain, counted = replays.disc_differences.tolist(), replays.winner_takes_empties.tolist()
    changed = 0
    scores = []
    for i, record in enumerate(records):
        score = record.result
        is_plain = replays.over[i] and score in (None, plain[i])
        if is_plain or score is None or score % 2:
            score = counted[i]
            changed += not is_plain
        scores.append((64 + int(score)) // 2)
    if changed:
        notes.append(
            f"{changed:,} games had no score that WTHOR can hold: they got the score at their last move, "
            "empty squares to the side ahead"
        )
    if any(record.ending for record in records):
        notes.append("WTHOR does not hold who resigned or ran out of time")
    return scores


def _theoretical(records: Sequence[GameRecord], discs: list[int], notes: list[str]) -> tuple[int, list[int]]:
    """The file's depth and Black's discs with perfect play; depth 0 if the games do not share one."""
    depths = {record.theoretical_empties for record in records}
    scores = [record.theoretical for record in records]
    depth = depths.pop() if len(depths) == 1 else None
    held = [(64 + score) // 2 for score in scores if score is not None and score % 2 == 0]
    if depth and len(held) == len(records):
        return depth, held
    if any(score is not None for score in scores):
        notes.append("theoretical scores are left out: WTHOR needs them for all games, from the same depth")
    return 0, discs


def _year(records: Sequence[GameRecord], notes: list[str]) -> int:
    years = {record.year for record in records}
    if len(years) == 1:
        return years.pop() or 0
    if years:
        notes.append("a WTHOR file holds one year: these games have several, so their years are left out")
    return 0


def _numbered(names: list[str], suffix: str, notes: list[str]) -> tuple[list[int], bytes]:
    """A number for each name, and the file of names; numbers without names are kept."""
    if all(not name or re.fullmatch(r"#\d{1,5}", name) for name in names):
        numbers = [int(name[1:]) if name else 0 for name in names]
        if max(numbers, default=0) <= MOST_NAMES:
            return numbers, b""
    number_of = {"": 0}
    for name in names:
        number_of.setdefault(name, len(number_of))
    if len(number_of) > MOST_NAMES:
        raise ValueError(f"there are {len(number_of):,} names, and WTHOR holds {MOST_NAMES:,}")
    size = NAME_BYTES[suffix]
    rows = [(name or _UNKNOWN).encode("latin-1", "replace")[: size - 1] for name in number_of]
    changed = sum(
        bool(name) and row.decode("latin-1") != name for name, row in zip(number_of, rows, strict=True)
    )
    if changed:
        notes.append(f"{changed:,} names were changed: WTHOR holds {size - 1} Latin-1 letters")
    header = _encoded_header(names=len(rows))
    return [number_of[name] for name in names], header + b"".join(row.ljust(size, b"\0") for row in rows)
