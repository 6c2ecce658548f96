"""Positions: the FFO suites, random openings, files in both formats and every way they can be broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outflank import Board, read_start_positions
from outflank.games.positions import positions_text, random_openings, read_endgames
from outflank.players.engines.gtp import moves_to


@pytest.mark.parametrize(
    ("name", "count", "most"), [("ffo-1-19", 19, 16), ("ffo-20-39", 20, 26), ("ffo-40-59", 20, 34)]
)
def test_the_ffo_suites(name: str, count: int, most: int) -> None:
    endgames = read_endgames(name)
    assert len(endgames) == count
    assert max(64 - endgame.board.discs for endgame in endgames) == most
    assert all(endgame.score_for_mover is not None for endgame in endgames)


def test_the_ffo_suites_are_those_of_the_published_files(shared: Path) -> None:
    for name in ("1-19", "20-39"):
        assert read_endgames(f"ffo-{name}") == read_endgames(str(shared / "positions" / f"fforum-{name}.obf"))


@given(st.integers(1, 10), st.integers(0, 1000))
@settings(max_examples=20)
def test_random_openings_are_different_legal_positions(plies: int, seed: int) -> None:
    boards = random_openings(plies, 3, seed)
    assert len(set(boards)) == 3
    for board in boards:
        assert board.discs == 4 + plies
        assert board.has_moves
        assert moves_to(board) is not None
    assert random_openings(plies, 2, seed) == boards[:2]


def test_all_openings_of_few_plies_are_found_and_no_more() -> None:
    assert len(random_openings(2, 12)) == 12  # perft(2), and no two lead to the same position
    with pytest.raises(ValueError, match="reach 12 different positions, not 13"):
        random_openings(2, 13)


def test_openings_are_written_as_they_are_read(tmp_path: Path) -> None:
    boards = random_openings(6, 10)
    (tmp_path / "starts.txt").write_text(positions_text(boards))
    assert read_start_positions(tmp_path / "starts.txt") == tuple(boards)


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


FFO_1 = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


def test_pasted_positions() -> None:
    """An OBF line with its answers, several of them, a numbered transcript."""
    (endgame,) = read_endgames(f"{FFO_1}; G8:+18; H1:+12; % FFO 1")
    assert (endgame.board, endgame.score_for_mover) == (Board(FFO_1), 18)
    two = read_endgames(f"{FFO_1}; G8:+18;\n{Board('X' * 63 + '- O').text}", allow_impossible=True)
    assert [each.score_for_mover for each in two] == [18, None]
    (endgame,) = read_endgames("1. F5 d6\n2. C3")
    assert endgame.board == Board.from_transcript("f5d6c3")
    for text, sentence in (
        (f"{FFO_1}; G8:x;", "should be moves with scores"), ("f5d6f5", "move 3 .f5. is not legal for black"),
        (FFO_1[2:], "a board has 64 characters"), ("f5d6 hello", "'hello' is not a square"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=sentence):
            read_endgames(text)


def test_opening_lists(tmp_path: Path) -> None:
    path = tmp_path / "xot.txt"
    path.write_text("# XOT\nF5F6E6D6C5E3D3G5\nf5 d6 c3 d3 c4 f4 f6 b4; -1.5\n")
    assert read_start_positions(path) == (
        Board.from_transcript("F5F6E6D6C5E3D3G5"), Board.from_transcript("f5d6c3d3c4f4f6b4")
    )  # fmt: skip
    path.write_text("F5F6E6D6C5E3D3G5\nf5f5\n")
    with pytest.raises(ValueError, match=r"xot.txt, line 2: move 2 \(f5\) is not legal for white"):
        read_start_positions(path)
