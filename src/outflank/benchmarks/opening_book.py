"""How fast positions are looked up in a large, memory-mapped opening book.

>>> [timing.name for timing in time_book(positions=2_000, rounds=1)]
['book: known positions', 'book: unknown positions', 'book: moves of known positions', 'book: first touch']
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.benchmarks.timing import ROUNDS, Target, Timing
from outflank.board import Board
from outflank.games.match import Match
from outflank.players.greedy import RandomPlayer

Positions = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]
FIRST_TOUCHES = 2_000
KNOWN, UNKNOWN = "book: known positions", "book: unknown positions"


def time_book(positions: int = 500_000, rounds: int = ROUNDS) -> Iterator[Timing]:
    """Positions per second on one thread: known and unknown ones in random order, the book in the page
    cache; all moves of a position; and the first look-ups after the file has left the page cache."""
    book = book_of_random_games(positions, seed=1)
    known = _shuffled(book)
    others = _shuffled(book_of_random_games(positions, seed=2))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speed.book"
        path.write_bytes(book.bytes(""))
        core = _mapped(path)
        absent = np.isnan(core.values(*others))
        unknown = others[0][absent], others[1][absent]
        for name, sample, look_up in (
            (KNOWN, known, core.values),
            (UNKNOWN, unknown, core.values),
            ("book: moves of known positions", known, core.move_counts),
        ):
            yield Timing(name, "positions", max(_per_second(look_up, sample) for _ in range(rounds)))
        few = known[0][:FIRST_TOUCHES].copy(), known[1][:FIRST_TOUCHES].copy()
        del core, look_up
        yield Timing("book: first touch", "positions", max(_cold(path, few) for _ in range(rounds)))


def book_targets(timings: list[Timing]) -> Iterator[Target]:
    """A look-up takes less than a microsecond."""
    for timing in timings:
        if timing.name in (KNOWN, UNKNOWN):
            yield Target(f"{timing.name}, over 1,000,000 per second", timing.per_second / 1e6, 1.0)


def book_of_random_games(positions: int, seed: int) -> _core.GrowingBook:
    """A book of complete random games: their results are the values."""
    book = _core.GrowingBook(_core.LONGEST_GAME)
    # A random game adds 51 to 54 positions that no other has.
    match = Match(RandomPlayer(), RandomPlayer(), double_games=positions // 100, seed=seed, threads=1)
    start = Board()
    for batch in match.batches(record=True):
        assert batch.moves is not None
        games = len(batch.moves)
        book.add_games(
            np.full(games, start.black, dtype=np.uint64),
            np.full(games, start.white, dtype=np.uint64),
            np.ones(games, dtype=bool),
            batch.moves,
        )
    book.propagate()
    return book


def _shuffled(book: _core.GrowingBook) -> Positions:
    """All its positions in random order, each under a random symmetry."""
    generator = np.random.default_rng(3)
    mover, opponent, *_ = book.entries()
    order = generator.permutation(len(mover))
    symmetries = generator.integers(8, size=len(mover)).tolist()

    def images(discs: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        pairs = zip(discs[order].tolist(), symmetries, strict=True)
        return np.array([_core.symmetric(bits, symmetry) for bits, symmetry in pairs], dtype=np.uint64)

    return images(mover), images(opponent)


def _mapped(path: Path) -> _core.OpeningBook:
    return _core.OpeningBook(np.memmap(path, dtype=np.uint8, mode="r"))


def _per_second(look_up: Callable[..., object], sample: Positions) -> float:
    began = perf_counter()
    look_up(*sample)
    return len(sample[0]) / (perf_counter() - began)


def _cold(path: Path, sample: Positions) -> float:
    """Look-ups in a file dropped from the page cache, where the system can drop it."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return _per_second(_mapped(path).values, sample)
