"""The board against a slow twin that walks squares, and its notation against itself."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import Board, Square
from outflank.board import transcript_squares

# The board is full at the end, and White passes twice on the way.
FULL_GAME = (
    "c4e3f3g3f6c5c6g7f2d3h8b6f4c7c8d8c3b3e8g5d2e6h3g6a3c2c1b2a1b5a5b7g4g2e7d1a7a8e2a6h1g1e1f1b4f7d6b1"
    "f8a4a2h2b8d7h5h4g8h6h7f5"
)
SHORT_GAME = "d3c3b3d2d1c5f6e3f3f2b5b2a1c1f1g3h3b4a3e1b1g7h8d6d7"  # Black takes every disc


def flips_slow(board: Board, square: Square) -> set[int]:
    own = board.mover
    flipped: set[int] = set()
    for dr in (-1, 0, 1):
        for dc in (-1, 0, 1):
            run: list[int] = []
            row, column = square.row + dr, square.column + dc
            while (dr or dc) and 0 <= row < 8 and 0 <= column < 8:
                disc = board.disc(8 * row + column)
                if disc is None:
                    break
                if disc == own:
                    flipped.update(run)
                    break
                run.append(8 * row + column)
                row, column = row + dr, column + dc
    return flipped


def test_moves_and_flips_equal_the_slow_twin(random_boards: list[Board]) -> None:
    for board in random_boards[::7]:
        legal = [s for s in map(Square, range(64)) if board.disc(s) is None and flips_slow(board, s)]
        assert list(board.legal_moves) == legal
        for move in legal:
            after = board.play(move)
            changed = {s for s in range(64) if after.disc(s) != board.disc(s)}
            assert changed == flips_slow(board, move) | {move}
            assert all(after.disc(s) == board.mover for s in changed)
            assert after.mover != board.mover


def test_start() -> None:
    board = Board()
    assert [board.disc(s) for s in ("e4", "d5", "d4", "e5")] == ["black", "black", "white", "white"]
    assert [str(move) for move in board.legal_moves] == ["d3", "c4", "f5", "e6"]
    assert board.text == "---------------------------OX------XO--------------------------- X"


def test_text_and_repr_are_constructors(random_boards: list[Board]) -> None:
    for board in random_boards:
        assert Board(board.text) == board
        assert eval(repr(board)) == board
    assert Board(".".join([""] * 65) + "O").mover == "white"


def test_symmetries(random_boards: list[Board]) -> None:
    for board in random_boards[::5]:
        assert board.symmetric(0) == board
        assert len({b.canonical for b in board.symmetries}) == 1
        assert board.canonical in board.symmetries
        for symmetry in range(8):
            image = board.symmetric(symmetry)
            assert len(image.legal_moves) == len(board.legal_moves)
            assert image.disc_difference == board.disc_difference
    assert len(set(Board().play("f5").symmetries)) == 8
    assert len({Board().play(move).canonical for move in Board().legal_moves}) == 1


def test_whole_games() -> None:
    board = Board.from_transcript(FULL_GAME)
    assert board.is_over
    assert (board.discs, board.disc_difference, board.outcome) == (64, -32, "white")
    board = Board.from_transcript(SHORT_GAME)
    assert board.is_over
    assert (board.discs, board.disc_difference, board.outcome) == (29, 29, "black")
    assert Board().outcome is None


def test_pass() -> None:
    with pytest.raises(ValueError, match="may not pass"):
        Board().pass_turn()
    stuck = Board("XO-------------------------------------------------------------- O")
    assert not stuck.has_moves
    assert not stuck.is_over
    assert stuck.settled() == stuck.pass_turn() == Board(stuck.text[:-1] + "X")


@pytest.mark.parametrize(
    ("transcript", "message"),
    [
        ("f5f5", r"move 2 \(f5\) is not legal for white"),
        ("a1", r"move 1 \(a1\) is not legal for black"),
        ("f5d6c", "two characters per move"),
        ("f5z9", "move 2 of the transcript: 'z9' is not a square"),
    ],
)
def test_illegal_transcripts(transcript: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Board.from_transcript(transcript)


def test_transcripts_may_be_spaced_and_upper_case() -> None:
    assert transcript_squares(" F5 d6\nC3 ") == (Square("f5"), Square("d6"), Square("c3"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "64 characters"),
        ("-" * 63 + " X", "got 63"),
        ("-" * 64, "side to move"),
        ("-" * 64 + " Z", "side to move"),
        ("-" * 63 + "? X", r"'\?' at h8"),
    ],
)
def test_broken_text(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Board(text)


@given(st.text(max_size=80))
def test_any_text_is_a_board_or_a_value_error(text: str) -> None:
    try:
        board = Board(text)
    except ValueError:
        return
    assert Board(board.text) == board


@given(st.integers(-1000, 1000) | st.text(max_size=4))
def test_any_square_is_named_or_refused(square: int | str) -> None:
    try:
        made = Square(square)
    except ValueError:
        return
    assert Square(str(made)) == made
    assert eval(repr(made)) == made


def test_discs_may_not_overlap() -> None:
    with pytest.raises(ValueError, match="a1 holds a black and a white disc"):
        Board.from_discs(1, 1)


def test_pictures() -> None:
    from rich.console import Console

    board = Board.from_transcript("f5d6c3")
    console = Console(width=40, record=True, file=io.StringIO())
    console.print(board)
    assert console.export_text().count("●") == board.discs
    svg = board._repr_svg_()
    assert svg.count("<circle") == board.discs + len(board.legal_moves)
    assert "white to move" in svg
    assert str(board).count(".") == len(board.legal_moves)
