"""Opening books: positions with values, in a memory-mapped file.

>>> from outflank.learners.opening_book import BookLearner
>>> import tempfile; folder = tempfile.TemporaryDirectory()
>>> learner = BookLearner.new(plies=6, judge="all-rounder")
>>> for _ in learner.extend(games=5): pass
>>> learner.save(path := Path(folder.name) / "my.book")
>>> book = OpeningBook.open(path)
>>> len(book) > 20, Board() in book, book.choose(Board(), best=1) in Board().legal_moves
(True, True, True)
>>> folder.cleanup()
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board, Square, checked_board
from outflank.files import as_path

DEFAULT = "default"  # the name of the built-in book
_DATA = Path(str(files("outflank") / "data" / "books"))


def built_in_book_file() -> Path:
    return _DATA / f"{DEFAULT}.book"


@dataclass(frozen=True)
class BookMove:
    """A move with a value in a book. A deviation leads out of the book: its value is from a search."""

    square: Square
    value_for_mover: float  # in discs
    is_deviation: bool
    games: int  # that played it


@dataclass(frozen=True)
class BookStatistics:
    """The size of a book."""

    positions: int
    by_ply: tuple[int, ...]  # positions, by the number of plies from the standard start
    finished_games: int
    not_judged: int


class OpeningBook:
    """A book file. Look-ups read the mapped file; nothing is loaded ahead."""

    def __init__(self, core: _core.OpeningBook, name: str) -> None:
        self.core = core
        self.name = name

    @classmethod
    def open(cls, path: str | Path) -> OpeningBook:
        """The book in a file; the built-in one, named `default`; or one that was made from its recipe, as
        `large`."""
        file = _path(path)
        if file.stat().st_size == 0:
            raise ValueError(f"{path} is empty, not an opening book")
        try:
            core = _core.OpeningBook(np.memmap(file, dtype=np.uint8, mode="r"))
        except ValueError as error:
            raise ValueError(f"{path} {error}") from None
        if not core.is_intact():
            raise ValueError(f"{path} is a damaged opening book: its checksum is wrong; use a copy")
        return cls(core, str(path))

    def __reduce__(self) -> tuple[Any, ...]:
        """To other processes it goes by its path or name."""
        return OpeningBook.open, (self.name,)

    def __len__(self) -> int:
        return len(self.core)

    def __contains__(self, board: object) -> bool:
        return isinstance(board, Board) and self.value_for_mover(board) is not None

    def __repr__(self) -> str:
        return f"<OpeningBook {self.name}: {len(self):,} positions>"

    @property
    def plies(self) -> int:
        """The intended depth of the book, in moves."""
        return self.core.plies

    @property
    def games(self) -> int:
        """The number of games it was made from."""
        return self.core.games

    @cached_property
    def provenance(self) -> dict[str, Any]:
        """How it was made: who valued its deviations, the seed."""
        try:
            made = json.loads(self.core.note)
        except ValueError:
            return {}
        return made if isinstance(made, dict) else {}

    def value_for_mover(self, board: Board) -> float | None:
        """The value of a board in discs; None if it is not in the book."""
        found = self.core.find(checked_board(board).mover_discs, board.opponent_discs)
        return None if found is None else found[0]

    def moves(self, board: Board) -> list[BookMove]:
        """The moves with values, best first: those that stay in the book, and the best one that leaves it.
        The value of the first is that of the board itself."""
        checked_board(board)
        return [
            BookMove(Square(square), value, is_deviation, games)
            for square, value, is_deviation, games in self.core.moves(board.mover_discs, board.opponent_discs)
        ]

    def choose(
        self, board: Board, best: int = 1, generator: np.random.Generator | None = None
    ) -> Square | None:
        """One of the `best` moves, each with the same probability (Kim 2007 chose among three); None if
        the board is not in the book."""
        if best < 1:
            raise ValueError(f"a book chooses among the best 1 or more moves, got {best}")
        moves = self.moves(board)[:best]
        if not moves:
            return None
        chance = generator if generator is not None else np.random.default_rng()
        return moves[chance.integers(len(moves))].square

    def main_line(self, board: Board) -> Iterator[BookMove]:
        """The best moves of both sides until the book ends."""
        while moves := self.moves(board):
            yield moves[0]
            board = board.play(moves[0].square).settled()

    @cached_property
    def statistics(self) -> BookStatistics:
        mover, opponent, values, deviations, *_ = self.core.entries()
        discs = np.bitwise_count(mover | opponent)
        return BookStatistics(
            positions=len(mover),
            by_ply=tuple(_trimmed(np.bincount(discs, minlength=65)[4:])),
            finished_games=int(np.count_nonzero(deviations == _core.BOOK_GAME_OVER)),
            not_judged=int(np.count_nonzero(values == _core.NO_BOOK_VALUE)),
        )


def _trimmed(counts: npt.NDArray[np.intp]) -> list[int]:
    used = np.flatnonzero(counts)
    return counts[: used[-1] + 1].tolist() if used.size else []


def made_books_folder() -> Path:
    """Where books are that are made from a recipe: OUTFLANK_BOOKS, or the user's cache."""
    if folder := os.environ.get("OUTFLANK_BOOKS"):
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "outflank" / "books"


def recipes() -> tuple[str, ...]:
    """The names of books that can be made (learners/named_books.py).

    >>> recipes()
    ('large',)
    """
    return tuple(sorted(path.stem for path in _DATA.glob("*.toml")))


def recipe_path(name: str) -> Path:
    return _DATA / f"{name}.toml"


def _path(path: str | Path) -> Path:
    if str(path) == DEFAULT:
        return _DATA / "default.book"
    if str(path) not in recipes():
        return as_path(path)
    made = made_books_folder() / f"{path}.book"
    if not made.is_file():
        raise ValueError(f"the book {path} is not made on this machine yet: outflank book make {path}")
    return made
