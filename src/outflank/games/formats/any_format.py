r"""Game files in any format: WTHOR, GGF, SGF, PGN, Othello Quest, transcripts, and outflank's own JSON lines.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     path = Path(folder) / "games.txt"
...     _ = path.write_text("f5d6c3d3c4\nf5f6e6f4\n")
...     records = read_games(path)
>>> [record.game.final.disc_difference for record in records], moves_matrix(records).shape
([3, -2], (2, 60))
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from outflank.arguments import check_several
from outflank.files import as_path, write_whole
from outflank.games.formats import ggf, json_lines, othello_quest, pgn, sgf, transcripts, wthor
from outflank.games.game import Encoded, GameRecord, ParsedGame, Problem, moves_matrix
from outflank.games.replay import checked, replay_records
from outflank.suggestions import shown

__all__ = ["GameFile", "GameRecord", "moves_matrix", "read_game_file", "read_games", "write_games"]

WrittenFormat = Literal["wtb", "ggf", "sgf", "txt", "jsonl"]
Format = WrittenFormat | Literal["pgn", "quest"]
FORMATS: tuple[WrittenFormat, ...] = get_args(WrittenFormat)
_ENCODERS: dict[WrittenFormat, Callable[[Sequence[GameRecord]], Encoded]] = {
    "wtb": wthor.encode, "ggf": ggf.encode, "sgf": sgf.encode, "txt": transcripts.encode,
    "jsonl": json_lines.encode,
}  # fmt: skip
_TEXT_READERS: dict[Format, Callable[[str], Iterator[ParsedGame | Problem]]] = {
    "ggf": ggf.read, "sgf": sgf.read, "pgn": pgn.read, "jsonl": json_lines.read, "quest": othello_quest.read,
}  # fmt: skip
LARGEST_FILE = 512 << 20  # also after decompression
LARGEST_PASTE = 1 << 20


@dataclass(frozen=True)
class GameFile:
    """The games of a file, in order, and what could not be read."""

    path: Path
    format: Format
    records: list[GameRecord]
    problems: tuple[Problem, ...]


def read_games(path: str | Path) -> list[GameRecord]:
    """All games of a file; a ValueError names the first that is damaged or illegal.

    The format follows from the file's name or content; gzip and bzip2 files are decompressed. The names of a
    WTHOR file's players are read from .jou and .trn files in the same folder.
    """
    return read_game_file(path).records


def read_game_file(path: str | Path, *, skip_bad: bool = False) -> GameFile:
    """A file of games; with `skip_bad`, damaged and illegal games become its problems."""
    path = as_path(path)
    content = _content(path)
    form = _format(path, content)
    records: list[GameRecord] = []
    problems: list[Problem] = []
    for game in checked(_parsed(path, form, content), path.name):
        if isinstance(game, GameRecord):
            records.append(game)
        elif skip_bad:
            problems.append(game)
        else:
            raise ValueError(f"{path}, {game}" if game.where else f"{path}: {game}")
    if not records and not problems and form != "wtb":
        raise ValueError(f"{path} holds no games")
    return GameFile(path, form, records, tuple(problems))


def read_pasted(text: str) -> list[GameRecord]:
    """The games of a text that was pasted: SGF, GGF, PGN, JSON lines, or a transcript in any number of lines.

    >>> [record.game.transcript for record in read_pasted("1. F5 d6\\n2. C3 d3")]
    ['f5d6c3d3']
    """
    if len(text) > LARGEST_PASTE:
        raise ValueError(f"a pasted game has at most {LARGEST_PASTE:,} characters; put it into a file")
    text = text.removeprefix("\ufeff")
    form = _format_of_text(text[:4096])
    if form == "txt":
        whole = list(checked(transcripts.read(text, is_one_game=True), ""))
        lines = list(checked(transcripts.read(text), ""))
        # Several games of a line each are not one game; any other text is, and its faults are reported.
        found = lines if all(isinstance(game, GameRecord) for game in lines) else whole
        found = whole if all(isinstance(game, GameRecord) for game in whole) else found
    else:
        found = list(checked(_TEXT_READERS[form](text), ""))
    records = []
    for game in found:
        if not isinstance(game, GameRecord):
            raise ValueError(game.reason)
        records.append(game)
    return records


def write_games(records: Sequence[GameRecord], path: str | Path) -> tuple[str, ...]:
    """Writes games in the format of the file's name: .wtb, .ggf, .sgf, .txt or .jsonl.

    Returns a sentence for each kind of data that the format could not hold.
    """
    path = as_path(path)
    check_several("games are a list of GameRecords", records)
    for record in records:
        if not isinstance(record, GameRecord):
            raise TypeError(f"games are GameRecords, got {shown(record)}")
    for number, (record, legal) in enumerate(
        zip(records, replay_records(records).legal, strict=True), start=1
    ):
        if legal < len(record.game.moves):
            raise ValueError(f"game {number} cannot be written: move {legal + 1} is not legal")
    form = format_of_name(path)
    encoded = _ENCODERS[form](records)
    companions = {path.with_suffix(suffix): encoded.companions.get(suffix) for suffix in wthor.NAME_BYTES}
    for names_path, names in companions.items() if form == "wtb" else ():
        if names is None and names_path.exists():
            raise ValueError(f"{names_path} would give these games wrong names; remove it first")
    for names_path, names in companions.items():
        if names is not None:
            write_whole(names_path, names)
    write_whole(path, encoded.content)
    return encoded.notes


def format_of_name(path: Path) -> WrittenFormat:
    """The format for writing a file of this name."""
    for form in FORMATS:
        if path.suffix.lower() == f".{form}":
            return form
    raise ValueError(f"{path}: games are written as .wtb (WTHOR), .ggf, .sgf, .txt (transcripts) or .jsonl")


def _parsed(path: Path, form: Format, content: bytes) -> Iterator[ParsedGame | Problem]:
    match form:
        case "wtb":
            return wthor.read(content, path)
        case "ggf":
            return ggf.read(_text(content, path, "latin-1"))
        case "sgf":
            return sgf.read(_text(content, path, "latin-1"))
        case "pgn":
            return pgn.read(_text(content, path, "latin-1"))
        case "jsonl":
            return json_lines.read(_text(content, path))
        case "quest":
            return othello_quest.read(_text(content, path))
        case "txt":
            return transcripts.read(_text(content, path))


def _content(path: Path) -> bytes:
    """The bytes of a file, decompressed, up to a limit."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name the files in it")
    with path.open("rb") as file:
        magic = file.read(3)
        file.seek(0)
        try:
            if magic[:2] == b"\x1f\x8b":
                with gzip.open(file) as opened:
                    content = opened.read(LARGEST_FILE + 1)
            elif magic == b"BZh":
                with bz2.open(file) as opened:
                    content = opened.read(LARGEST_FILE + 1)
            else:
                content = file.read(LARGEST_FILE + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile, OSError) as error:
            raise ValueError(f"{path} cannot be decompressed: it is cut off or damaged ({error})") from None
    if len(content) > LARGEST_FILE:
        raise ValueError(f"{path} holds more than {LARGEST_FILE >> 20} MB; split it")
    if not content:
        raise ValueError(f"{path} is empty")
    if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):  # text of Windows
        return content.decode("utf-16", errors="replace").encode()
    return content


def _format(path: Path, content: bytes) -> Format:
    """By the file's name if that decides it, otherwise by how the content starts."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    suffix = next((each for each in reversed(suffixes) if each not in wthor.COMPRESSED), "")
    if suffix in wthor.NAME_BYTES:
        raise ValueError(f"{path} holds the names of a WTHOR database, not games; name its .wtb files")
    for form in FORMATS:
        if suffix == f".{form}" and form not in ("txt", "jsonl"):
            return form
    if suffix == ".pgn":
        return "pgn"
    return "wtb" if b"\0" in content[:64] else _format_of_text(content[:4096].decode("latin-1"))


def _format_of_text(opening: str) -> Format:
    """The format of a text that starts like this; GGF and SGF differ in how they name the game."""
    if re.match(r"(?:\xef\xbb\xbf|\ufeff)?\s*(?:\d+\s*)?\(\s*;", opening):
        return "sgf" if re.search(r"(?:GM|FF)\s*\[\s*\d", opening, re.I) else "ggf"
    if pgn.LOOKS_LIKE.search(opening.lstrip("\ufeff\xef\xbb\xbf")):
        return "pgn"
    if re.match(r"(?:\xef\xbb\xbf|\ufeff)?\s*(?:\{|\[(?!\s*[\"']?[a-h][1-8]\b))", opening, re.I) is None:
        return "txt"
    is_quest = (
        othello_quest.LOOKS_LIKE.search(opening) or opening.lstrip("\ufeff\xef\xbb\xbf \t\r\n")[:1] == "["
    )
    return "quest" if is_quest else "jsonl"


def _text(content: bytes, path: Path, fallback: str | None = None) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if fallback is not None:
            return content.decode(fallback)
        where = f"{path}, byte {error.start}"
        raise ValueError(
            f"{where}: this is neither text nor another format of games that outflank reads"
        ) from None
