"""Books from and to Edax's text: there and back, and lines that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from outflank import Board, OpeningBook, Square
from outflank.learners.edax_book import add_edax, deepest, edax_lines, read_edax
from outflank.learners.opening_book import BookLearner

START = f"{Board().text},16,F5,-1"


def test_there_and_back(tmp_path: Path) -> None:
    """The built-in book: all positions, deviations in whole discs, values within half a disc."""
    book = OpeningBook.open("default")
    lines = list(edax_lines(book, level=8))
    assert len(lines) == len(book) - book.statistics.not_judged
    read = read_edax("".join(lines))
    assert read.problems == ()
    learner = BookLearner.new(deepest(read.positions), "all-2")
    assert add_edax(learner, read.positions) == len(lines)
    learner.save(tmp_path / "again.book")
    again = OpeningBook.open(tmp_path / "again.book")
    assert len(again) == len(lines)
    compared = 0
    for position in read.positions[::97]:
        value, same = book.value_for_mover(position.board), again.value_for_mover(position.board)
        if value is not None and same is not None:
            assert abs(value - same) <= 0.51
            compared += 1
    assert compared > 200
    assert sorted(edax_lines(again, level=8)) == sorted(lines)


def test_lines() -> None:
    read = read_edax(f"{START}\r\n\n{START.replace('F5,-1', '--,0')}\n{Board().text},3\n")
    assert [(p.board, p.level, p.move, p.score_for_mover) for p in read.positions] == [
        (Board(), 16, Square("f5"), -1), (Board(), 16, None, 0), (Board(), 3, None, 0)]  # fmt: skip
    assert read.problems == ()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("hello", "line 1: 'hello'... is not a board"),
        (START.replace("F5", "A1"), "a1 is not a legal move on its board"),
        (START.replace("F5", "Z9"), "'z9' is not a square"),
        (START.replace("-1", "99"), "a score of 99 is outside -64..64"),
        ("-" * 64 + " X,1,--,0", "its board has 0 discs"),
        (START[10:], "is not a board"),
        (START + "x" * 1000, "is not a board"),
    ],
)
def test_lines_that_are_refused(line: str, sentence: str) -> None:
    read = read_edax(line)
    assert read.positions == ()
    assert sentence in read.problems[0]
    assert len(read.problems[0]) < 200
