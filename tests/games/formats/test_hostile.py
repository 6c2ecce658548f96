"""Every reader on thousands of damaged files: a result or a ValueError, in bounded time and memory.

Real files are mutated with fixed seeds: bytes changed, removed, repeated, pieces swapped and cut.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from outflank import Board, Game, GameRecord, write_games
from outflank.games.formats.any_format import read_game_file, read_pasted
from outflank.games.positions import read_endgames, read_start_positions
from tests.games.random_games import random_game

MUTANTS = 60
# What means something to a format.
MORSELS = [
    b"(", b")", b";", b"[", b"]", b"\\", b"\\]", b"(;GM[2]", b"(;GM[Othello]", b"B[", b"W[]", b"AB[a1:h8]",
    b"{", b"}", b'"', b"\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"f5", b"--", b"pass", b"1.", b"999",
    b":", b"+", b"-64", b"=", b"Black: ", b"Result: 1-", b"RE[B+", b"SZ[", b"\xef\xbd\x86\xef\xbc\x95",
    "黒:".encode(),
    b"X" * 64, b"%", b"#", b"9" * 30, b'{"m": "', b'{"moves": [',
]  # fmt: skip


def _records() -> list[GameRecord]:
    random = Random(7)
    played = [random_game(random) for _ in range(4)]
    return [GameRecord(game, "black", "white", "event", "2001", 2.0) for game in played]


def _mutated(content: bytes, random: Random) -> bytes:
    found = bytearray(content)
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(found) + 1)
        match random.randrange(6):
            case 0:
                found[at:at] = random.choice(MORSELS)
            case 1:
                del found[at : at + random.randrange(1, 20)]
            case 2:
                found[at : at + 1] = bytes([random.randrange(256)])
            case 3:
                piece = found[at : at + random.randrange(1, 60)]
                found[at:at] = piece * random.randrange(1, 30)
            case 4:
                del found[at:]
            case _:
                found[at:at] = random.choice(MORSELS) * random.randrange(1, 50)
    return bytes(found)


@pytest.mark.parametrize("suffix", ["wtb", "ggf", "sgf", "txt", "jsonl"])
def test_damaged_game_files(suffix: str, tmp_path: Path) -> None:
    written = tmp_path / f"whole.{suffix}"
    write_games(_records(), written)
    content, path, random = written.read_bytes(), tmp_path / f"damaged.{suffix}", Random(suffix)
    read = 0
    for _ in range(MUTANTS):
        path.write_bytes(_mutated(content, random))
        try:
            file = read_game_file(path, skip_bad=True)
        except ValueError as error:
            assert str(path) in str(error)
            continue
        for record in file.records:
            assert len(record.game.boards) == len(record.game.moves) + 1  # every move is legal
        read += len(file.records)
    assert read > 0


def test_damaged_pasted_texts_and_positions(tmp_path: Path) -> None:
    game = Game.from_transcript("f5d6c3d3c4f4")
    texts = [
        b"f5d6c3\nd3c4f4", b"1. F5 d6 2. C3 d3", b"(;GM[2];B[f5];W[d6])", b"(;GM[Othello]B[f5]W[d6];)",
        b'[Black "tama"]\n[Result "38-26"]\n\n1. f5 d6 {x} 2. c3 (2. d3) d3 38-26',
        f"{game.final.text}; d2:+4; e2:-2;".encode(), b"f5d6c3d3c4f4f6g5\nf5f6e6d6c5e3d3g5",
    ]  # fmt: skip
    random, path = Random(3), tmp_path / "positions.txt"
    for number in range(2 * MUTANTS):
        content = _mutated(texts[number % len(texts)], random)
        path.write_bytes(content)
        text = content.decode("utf-8", "replace")
        for read in (read_pasted, lambda _: read_start_positions(path), lambda t: read_endgames(t, True)):
            try:
                read(text)
            except (ValueError, OSError) as error:
                assert str(error)


# Read in a process with little memory. Quadratic work on such texts would end in the test's time limit.
LONG_TEXTS = """
import json, resource
from outflank.games.formats import ggf, json_lines, othello_quest, pgn, sgf, transcripts

texts = [
    (sgf.read, "(;GM[" * 40_000), (sgf.read, "(;GM[\\\\]" * 40_000), (sgf.read, "(;FF[4]" * 20_000),
    (sgf.read, "(" * 200_000), (sgf.read, "(;GM[2]C[" + "x" * 300_000), (sgf.read, "(;GM[2]" + "B" * 300_000),
    (sgf.read, "(;GM[2]" + "AB[a1:h8]" * 30_000), (sgf.read, "(;GM[2];B" + " " * 300_000),
    (ggf.read, "(;" * 100_000), (ggf.read, "(;GM[Othello]" * 30_000),
    (transcripts.read, "f5" * 150_000), (transcripts.read, "1 " * 150_000), (transcripts.read, "1" * 300_000),
    (transcripts.read, "Black: x\\n" * 30_000), (transcripts.read, "f5\\nd6\\n" * 2_000),
    (pgn.read, '[a "' * 60_000), (pgn.read, "{" * 300_000), (pgn.read, "(" * 300_000),
    (pgn.read, "f5" * 150_000 + "z"), (pgn.read, "[" + " " * 300_000), (pgn.read, "[" * 300_000),
    (pgn.read, '[a "b"] 1. f5 ' * 20_000), (pgn.read, "1-" * 90_000),
    (json_lines.read, json.dumps({"moves": "f5" * 100_000})),
    (othello_quest.read, "[" * 300_000), (othello_quest.read, "{" + chr(10) + "{" * 300_000),
    (othello_quest.read, json.dumps([{"m": "f5"}] * 20_000)),
]
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
for read, text in texts:
    assert sum(1 for _ in read(text)) <= 100_000
print(len(texts))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no resource limits")
def test_time_and_memory_stay_linear() -> None:
    result = subprocess.run([sys.executable, "-c", LONG_TEXTS], capture_output=True, text=True, check=False)
    assert result.stdout == "27\n", result.stderr


def test_whole_boards_are_bounded() -> None:
    with pytest.raises(ValueError, match="at most 1,048,576 characters"):
        read_pasted("f5" * (1 << 20))
    with pytest.raises(ValueError, match="at most 1,048,576 characters"):
        read_endgames(Board().text + ";" * (1 << 21))
