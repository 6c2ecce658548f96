"""Files of start positions: both forms, and every way they can be broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outflank import Board, read_start_positions


def test_ffo_files(shared: Path) -> None:
    boards = read_start_positions(shared / "positions" / "fforum-1-19.obf")
    assert len(boards) == 19
    assert boards[0].text == "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
    assert all(13 <= 64 - board.discs <= 18 for board in boards[:1])


def test_number_grids(shared: Path) -> None:
    boards = read_start_positions(shared / "positions" / "lucas-boards.txt")
    assert len(boards) == 1000
    assert all(board.mover == "black" for board in boards)
    assert boards[0].disc("g3") == "black"
    assert boards[0].disc("d4") == "white"


def test_comments_and_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "p.obf"
    path.write_text(f"% FFO\n\n# mine\n{Board().text}; f5:+0;\n{Board().play('f5').text} % second\n")
    assert read_start_positions(path) == (Board(), Board().play("f5"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no positions"),
        ("% only a comment\n", "holds no positions"),
        (f"{Board().text}\n-----\n", "line 2: a board has 64 characters"),
        ("1 " * 63, "63 numbers, which is not a multiple of 64"),
        ("1 " * 32 + "\n" + "3 " * 32, "line 2: '3' is not 0"),
    ],
)
def test_broken_files(content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.txt"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        read_start_positions(path)


def test_not_text(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(ValueError, match="this is not text"):
        read_start_positions(tmp_path / "x")
    with pytest.raises(ValueError, match="is a folder"):
        read_start_positions(tmp_path)


@given(st.binary(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_positions_or_a_value_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(content)
    try:
        assert read_start_positions(path)
    except ValueError as error:
        assert str(path) in str(error)
