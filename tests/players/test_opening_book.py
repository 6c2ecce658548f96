"""Book files as they are opened and looked up: values, symmetries, choices, and every kind of damage."""

from __future__ import annotations

import gc
import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from outflank import Board, OpeningBook, _core
from outflank.learners.opening_book import BookLearner

HEADER = 64
ENTRY = 24
GAMES = 200


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    learner = BookLearner.new(plies=12, judge="td-all-rounder", variety=0.3)
    for _ in learner.extend(games=GAMES):
        pass
    made = tmp_path_factory.mktemp("books") / "test.book"
    learner.save(made)
    return made


@pytest.fixture(scope="module")
def book(path: Path) -> OpeningBook:
    return OpeningBook.open(path)


def boards_in(book: OpeningBook) -> list[Board]:
    mover, opponent, *_ = book.core.entries()
    return [Board.from_discs(mine, theirs) for mine, theirs in zip(mover.tolist(), opponent.tolist())]  # noqa: B905


def test_the_file_is_what_its_documentation_says(path: Path, book: OpeningBook) -> None:
    """An independent reader of the format, from docs/opening-book.md alone."""
    content = path.read_bytes()
    magic, order, version, entries, slots, probe, units, plies, note, games = struct.unpack_from(
        "<8s8IQ", content
    )
    assert (magic, order, version, units, plies, games) == (b"OFBOOK\r\n", 0x01020304, 1, 100, 12, GAMES)
    assert len(content) == HEADER + slots * ENTRY + note
    assert entries == len(book)
    found = 0
    for slot in range(slots):
        mover, opponent, value, deviation_value, rest = struct.unpack_from(
            "<QQhhI", content, HEADER + slot * ENTRY
        )
        if not mover | opponent:
            continue
        found += 1
        board = Board.from_discs(mover, opponent)
        assert board == min(board.symmetries, key=lambda image: (image.black, image.white))
        assert book.value_for_mover(board) == value / 100
        moves = {move.square: move for move in book.moves(board)}
        deviation = rest & 0xFF
        if deviation < 64:
            assert moves[deviation].is_deviation
            assert moves[deviation].value_for_mover == deviation_value / 100
        assert book.core.find(mover, opponent) == (value / 100, rest >> 8)
    assert found == entries
    assert probe < slots


def test_moves_are_best_first_and_the_first_is_the_boards_value(book: OpeningBook) -> None:
    boards = [board for board in boards_in(book) if not board.is_over]
    assert len(boards) > 500
    for board in boards:
        moves = book.moves(board)
        values = [move.value_for_mover for move in moves]
        assert values == sorted(values, reverse=True)
        assert values[0] == book.value_for_mover(board)
        assert {move.square for move in moves} <= set(board.legal_moves)
        assert sum(move.is_deviation for move in moves) <= 1
        for move in moves:
            assert (board.play(move.square).settled() in book) == (not move.is_deviation)


def test_values_are_the_negamax_of_the_boards_after_the_moves(book: OpeningBook) -> None:
    for board in boards_in(book):
        for move in book.moves(board):
            if not move.is_deviation:
                after = board.play(move.square)
                settled = after.settled()
                value = book.value_for_mover(settled)
                assert value is not None
                assert move.value_for_mover == (-value if settled.mover == after.mover else value)


def test_images_and_colours_are_one_entry(book: OpeningBook) -> None:
    for board in boards_in(book)[::7]:
        expected = sorted((move.value_for_mover, move.is_deviation) for move in book.moves(board))
        swapped = Board.from_discs(board.white, board.black, "white")
        for image in (*board.symmetries, *swapped.symmetries):
            moves = book.moves(image)
            assert {move.square for move in moves} <= set(image.legal_moves)
            assert sorted((move.value_for_mover, move.is_deviation) for move in moves) == expected


def test_absent_boards(book: OpeningBook, random_boards: list[Board]) -> None:
    known = {(b.black, b.white) for board in boards_in(book) for b in board.symmetries}
    absent = [b for b in random_boards if (b.mover_discs, b.opponent_discs) not in known]
    assert len(absent) > 1000
    assert not any(board in book or book.moves(board) for board in absent)
    assert all(book.choose(board) is None for board in absent)
    mover = np.array([b.mover_discs for b in absent], dtype=np.uint64)
    opponent = np.array([b.opponent_discs for b in absent], dtype=np.uint64)
    assert np.isnan(book.core.values(mover, opponent)).all()
    assert not book.core.move_counts(mover, opponent).any()


def test_choose_is_uniform_among_the_best(book: OpeningBook) -> None:
    board = next(board for board in boards_in(book) if len(book.moves(board)) >= 4)
    generator = np.random.default_rng(1)
    best = [move.square for move in book.moves(board)[:3]]
    chosen = [book.choose(board, 3, generator) for _ in range(3000)]
    assert set(chosen) == set(best)
    counts = [chosen.count(square) for square in best]
    assert sum((count - 1000) ** 2 / 1000 for count in counts) < 13.8  # chi-squared, 0.1 %
    assert {book.choose(board, 1, generator) for _ in range(20)} == {best[0]}
    with pytest.raises(ValueError, match="best 1 or more moves, got 0"):
        book.choose(board, 0)


def test_main_line_follows_the_best_moves(book: OpeningBook) -> None:
    board = Board()
    line = list(book.main_line(board))
    assert len(line) >= 4
    for move in line:
        assert move == book.moves(board)[0]
        board = board.play(move.square).settled()
    assert line[-1].is_deviation or board.discs == 16


def test_statistics(book: OpeningBook) -> None:
    counted = book.statistics
    assert counted.positions == sum(counted.by_ply) == len(book)
    assert counted.by_ply[:2] == (1, 1)  # all four first moves are one
    assert (len(counted.by_ply), counted.not_judged) == (13, 0)
    assert book.provenance == {"judge": "td-all-rounder", "seed": 1, "variety": 0.3}


def test_the_mapping_lives_as_long_as_the_core_needs_it(path: Path) -> None:
    core = OpeningBook.open(path).core
    gc.collect()
    start = Board()
    assert core.moves(start.mover_discs, start.opponent_discs)


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "empty": (lambda content: content[:0], "is empty"),
    "another kind": (lambda content: b"\x89PNG\r\n\x1a\n" + content, "is not an opening book"),
    "text": (lambda content: b"f5d6c3\n" + content[:0], "is not an opening book"),
    "header cut": (lambda content: content[:40], "cut short within its header"),
    "cut short": (lambda content: content[: len(content) // 2], "may have been cut short"),
    "one byte short": (lambda content: content[:-1], "may have been cut short"),
    "too long": (lambda content: content + b"\0", "but the file has"),
    "version 2": (lambda content: patched(content, 12, 2), "of version 2, but this outflank reads version 1"),
    "version 0": (lambda content: patched(content, 12, 0), "of version 0, but"),
    "other byte order": (lambda content: patched(content, 8, 0x04030201), "another byte order"),
    "size that lies": (lambda content: patched(content, 20, 2**32 - 1), "damaged header"),
    "half of it zero": (
        lambda content: content[: len(content) // 2] + bytes(len(content) - len(content) // 2),
        "checksum",
    ),
    "one bit": (lambda content: content[:5000] + bytes([content[5000] ^ 1]) + content[5001:], "checksum"),
}


def patched(content: bytes, offset: int, number: int) -> bytes:
    return content[:offset] + struct.pack("<I", number) + content[offset + 4 :]


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_files_are_one_clear_sentence(path: Path, tmp_path: Path, kind: str) -> None:
    damage, sentence = DAMAGE[kind]
    bad = tmp_path / "bad.book"
    bad.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=sentence) as error:
        OpeningBook.open(bad)
    assert str(error.value).startswith(f"{bad} is ")


def test_no_file_of_random_bytes_is_opened(path: Path, tmp_path: Path) -> None:
    generator = np.random.default_rng(2)
    content = path.read_bytes()
    bad = tmp_path / "bad.book"
    for _ in range(300):
        at, length = int(generator.integers(len(content))), int(generator.integers(1, 200))
        changed = content[:at] + generator.bytes(length) + content[at + length :]
        if changed != content:
            bad.write_bytes(changed)
            with pytest.raises(ValueError, match=r"bad\.book is "):
                OpeningBook.open(bad)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        OpeningBook.open(tmp_path / "no.book")
    with pytest.raises((IsADirectoryError, PermissionError, ValueError)):
        OpeningBook.open(tmp_path)
    if hasattr(os, "mkfifo"):  # would hang if it were read
        os.mkfifo(tmp_path / "pipe.book")
        with pytest.raises(ValueError, match="is empty"):
            OpeningBook.open(tmp_path / "pipe.book")


def test_the_core_refuses_arrays_it_would_have_to_copy(path: Path) -> None:
    content = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    with pytest.raises(TypeError):
        _core.OpeningBook(np.repeat(content, 2)[::2])
    with pytest.raises(TypeError):
        _core.OpeningBook(content.astype(np.float64))
    with pytest.raises(ValueError, match="a square holds a black and a white disc"):
        _core.OpeningBook(content).moves(1, 1)
