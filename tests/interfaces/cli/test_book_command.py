"""`outflank book` as real processes: what is made, shown, refused, and kept when interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from outflank import Board, OpeningBook
from tests.conftest import Outflank, let_work


@pytest.fixture(scope="module")
def made(outflank: Outflank, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("book") / "my.book"
    result = outflank(
        "book", "build", "--out", path, "--games", 60, "--plies", 10, "--player", "td-all-rounder"
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "outflank book show" in result.stdout
    return path


def test_build_extend_and_their_reports(outflank: Outflank, made: Path, tmp_path: Path) -> None:
    again, parts = tmp_path / "again.book", tmp_path / "parts.book"
    parts.write_bytes(made.read_bytes())
    report = json.loads(outflank("book", "extend", parts, "--games", 40, "--json").stdout)
    assert (report["games"], report["new_games"], report["waiting"]) == (100, 40, 0)
    assert report["judge"] == "td-all-rounder"
    assert report["positions"] == len(OpeningBook.open(parts)) > len(OpeningBook.open(made))
    options = ("--games", 60, "--plies", 10, "--player", "td-all-rounder")
    assert outflank("book", "build", "--out", again, *options).returncode == 0
    assert again.read_bytes() == made.read_bytes()
    deeper = json.loads(outflank("book", "extend", parts, "--games", 5, "--plies", 14, "--json").stdout)
    assert deeper["plies"] == 14
    assert len(OpeningBook.open(parts).statistics.by_ply) == 15


def test_show(outflank: Outflank, made: Path) -> None:
    report = json.loads(outflank("book", "show", made, "f5", "--json").stdout)
    book, board = OpeningBook.open(made), Board().play("f5")
    assert report["value"] == book.value_for_mover(board)
    assert [move["move"] for move in report["moves"]] == [str(move.square) for move in book.moves(board)]
    for move in report["moves"]:
        assert Board.from_transcript("f5" + move["line"]).discs > board.discs
    assert report["positions"] == len(book) == sum(report["positions_by_ply"])
    shown = outflank("book", "show", made).stdout
    assert "black to move" in shown
    assert "d3 (or c4, f5, e6)" in shown
    assert "build " in outflank("book").stdout
    assert "not in the book" in outflank("book", "show", made, "f5d6c3d3c4f4f6f3e6e7d7").stdout


def test_import_and_build_from_games(outflank: Outflank, made: Path, tmp_path: Path) -> None:
    games, path = tmp_path / "games.txt", tmp_path / "from.book"
    games.write_text("f5d6c3d3c4f4f6\nf5d6c3d3c4f4e6\nc4e3f6e6f5c5c3\n")
    report = json.loads(outflank("book", "build", "--out", path, "--from", games, "--json").stdout)
    assert (report["games"], report["waiting"]) == (3, 0)
    assert 1 < report["positions"] < 1 + 3 * 7
    copy = tmp_path / "copy.book"
    copy.write_bytes(made.read_bytes())
    report = json.loads(outflank("book", "import", copy, games, games, "--json").stdout)
    assert (report["games"], report["new_games"]) == (66, 6)
    assert Board.from_transcript("f5d6c3d3c4f4e6") in OpeningBook.open(copy)
    games.write_text("f5d6c3\nf5f5\n")
    result = outflank("book", "import", copy, games)
    assert result.returncode == 0
    assert "1 game was skipped" in result.stderr


def test_all_of_wthor(outflank: Outflank, shared: Path, tmp_path: Path) -> None:
    files = sorted((shared / "wthor").glob("*.wtb"))
    path = tmp_path / "wthor.book"
    sources = [argument for file in files for argument in ("--from", file)]
    result = outflank("book", "build", "--out", path, *sources, "--min-games", 20, "--json")
    report = json.loads(result.stdout)
    assert report["games"] > 40_000
    tiger = OpeningBook.open(path).moves(Board.from_transcript("f5d6c3d3c4"))
    assert str(max(tiger, key=lambda move: move.games).square) == "f4"  # the usual reply there


def test_interrupted_builds_keep_what_they_have(outflank: Outflank, tmp_path: Path) -> None:
    path = tmp_path / "my.book"
    command = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()"]
    arguments = ["book", "build", "--out", str(path), "--games", "10000000", "--player", "td-all-rounder"]
    process = subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    let_work(process, 2)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stderr) == (130, "")
    games = OpeningBook.open(path).games
    assert 0 < games < 10_000_000
    assert "nothing is lost" in stdout
    assert f"--games {10_000_000 - games}" in stdout
    assert outflank("book", "extend", path, "--games", 3).returncode == 0
    assert OpeningBook.open(path).games == games + 3
    assert [file.name for file in tmp_path.iterdir()] == ["my.book"]


BAD = {
    "exists": (("build", "--out", "good.book"), "good.book already exists; outflank book extend adds"),
    "no folder": (("build", "--out", "no/such/x.book"), "no/such/x.book: there is no folder no/such"),
    "no games": (("build", "--out", "x.book", "--games", "0"), "give --games, --from or --edax"),
    "judge without values": (("build", "--out", "x.book", "--player", "random"), "cannot judge"),
    "bad plies": (("build", "--out", "x.book", "--plies", "99"), "--plies"),
    "games that are none": (("build", "--out", "x.book", "--from", "bad.book"), "bad.book holds no game"),
    "missing book": (("show", "no.book"), "no.book: no such file or directory"),
    "book that is none": (("show", "bad.book"), "bad.book is not an opening book"),
    "half a book": (("show", "half.book"), "half.book is an opening book of"),
    "import into none": (("import", "bad.book", "bad.book"), "bad.book is not an opening book"),
    "import nowhere": (("import", "no.book", "x.txt"), "no.book does not exist; outflank book build"),
    "illegal moves": (("show", "good.book", "f5f5"), "move 2 (f5) is not legal for white"),
}


@pytest.mark.parametrize(("arguments", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_sentence(
    outflank: Outflank, made: Path, tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    content = made.read_bytes()
    files = {"good.book": content, "half.book": content[: len(content) // 2], "bad.book": b"no book\n"}
    for name, bytes_ in files.items():
        (tmp_path / name).write_bytes(bytes_)
    result = outflank("book", *arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert result.stderr.startswith("outflank: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == files
