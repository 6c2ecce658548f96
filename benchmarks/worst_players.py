"""The worst players that the formats allow: large, slow or greedy for memory, and legal all the same.

>>> kinds = {worst.kind for worst in worst_players(seed=1, small=True)}
>>> "MLP of 4,096 hidden nodes" in kinds
True

Each is made once; `copy(number)` is the same player but for one weight, which a league takes for another.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from safetensors.numpy import save

from outflank.evaluators.storage import FORMAT

LARGEST = 16 << 20  # bytes of a file, the league's limit
Tables = list[list[list[int]]]


@dataclass(frozen=True)
class WorstPlayer:
    """A file, and the view to submit it with."""

    kind: str
    content: bytes
    view: str  # empty: as in the file

    @property
    def is_text(self) -> bool:
        return bool(self.view)

    def copy(self, number: int) -> bytes:
        """The file with another last weight."""
        if self.is_text:
            return self.content + f"{number}\n".encode()
        return self.content[:-4] + np.float32(number).tobytes()


def worst_players(seed: int, small: bool = False) -> Iterator[WorstPlayer]:
    """One of each kind; small: a hundredth of the placements and weights, to try the benchmark itself."""
    for make in (_many_placements, _many_weights, _wide, _wrapped, _greedy, _overlapping, _staged, _doubled,
                 _doubled_wide, _many_tables, _single_squares, _long_numbers, _largest):  # fmt: skip
        worst = make(np.random.default_rng(seed), small)
        assert len(worst.content) + 10 <= LARGEST, (worst.kind, len(worst.content))
        yield worst


def _many_placements(random: np.random.Generator, small: bool) -> WorstPlayer:
    count = 10_000 if small else 1_000_000
    squares = _tuples(random, count, 5)
    text = _text([(5, squares)])
    return WorstPlayer("1,000,000 placements of 5 squares, 243 weights", text, "inversion")


def _many_weights(_random: np.random.Generator, small: bool) -> WorstPlayer:
    length = 8 if small else 13
    tables = [(length, np.arange(first, first + length)[None, :]) for first in (0, 16, 32, 48)]
    return WorstPlayer("6.4 million weights in text", _text(tables), "inversion")


def _wide(random: np.random.Generator, small: bool) -> WorstPlayer:
    hidden = 64 if small else 4096
    weights = random.normal(size=66 * hidden + 1)
    return WorstPlayer("MLP of 4,096 hidden nodes", _file({"kind": "mlp", "hidden": hidden}, weights), "")


def _wrapped(random: np.random.Generator, small: bool) -> WorstPlayer:
    """Folded, its tables would have 2^32 entries and a few: one more than 32 bits count."""
    return _folding("13 squares, 2,694 placements, and as many of 1 square", random, 2694, small)


def _greedy(random: np.random.Generator, small: bool) -> WorstPlayer:
    """Folded, its tables would take 12 GB."""
    return _folding("13 squares, 1,000 placements, and as many of 1 square", random, 1000, small)


def _folding(kind: str, random: np.random.Generator, placements: int, small: bool) -> WorstPlayer:
    count = placements // 100 if small else placements
    length = 8 if small else 13
    tables = [(length, _tuples(random, count, length)), (1, random.integers(0, 64, (count, 1)))]
    return WorstPlayer(kind, _text(tables), "negation")


def _overlapping(random: np.random.Generator, small: bool) -> WorstPlayer:
    """Every placement its own set of squares, nearly all alike."""
    tables = [(10, _near(random, 8, 10)) for _ in range(2 if small else 130)]
    return WorstPlayer("130 tables of 10 squares, 8 placements each, overlapping", _text(tables), "inversion")


def _staged(random: np.random.Generator, small: bool) -> WorstPlayer:
    length = 6 if small else 10
    tables: Tables = [_near(random, 2000, length).tolist()]
    weights = random.normal(size=61 * 3**length)
    architecture = {"kind": "n-tuple-network", "stages": 61, "tables": tables}
    return WorstPlayer("61 stages, 10 squares, 2,000 placements", _file(architecture, weights), "")


def _doubled(random: np.random.Generator, small: bool) -> WorstPlayer:
    """Two networks of many placements in one file."""
    count = 2_000 if small else 300_000
    networks = [
        {"kind": "n-tuple-network", "stages": 1, "tables": [_tuples(random, count, 5).tolist()]}
        for _ in range(2)
    ]
    architecture = {"kind": "doubled", "black": networks[0], "white": networks[1]}
    return WorstPlayer("doubled, 300,000 placements of 5 squares each",
                       _file(architecture, random.normal(size=2 * 243), view="doubled"), "")  # fmt: skip


def _doubled_wide(random: np.random.Generator, small: bool) -> WorstPlayer:
    hidden = 64 if small else 4096
    network = {"kind": "mlp", "hidden": hidden}
    architecture = {"kind": "doubled", "black": network, "white": network}
    content = _file(architecture, random.normal(size=2 * (66 * hidden + 1)), view="doubled")
    return WorstPlayer("doubled, two MLPs of 4,096 hidden nodes", content, "")


def _many_tables(random: np.random.Generator, small: bool) -> WorstPlayer:
    singles = [(1, np.array([[square]])) for square in range(64)]
    tables = [singles[square] for square in random.integers(0, 64, 10_000 if small else 1_000_000)]
    return WorstPlayer("1,000,000 tables of 1 square", _text(tables), "inversion")


def _single_squares(random: np.random.Generator, small: bool) -> WorstPlayer:
    count = 10_000 if small else 1_000_000
    tables = [(1, random.integers(0, 64, (count, 1))) for _ in range(5)]
    return WorstPlayer("5,000,000 placements of 1 square", _text(tables), "negation")


def _long_numbers(_random: np.random.Generator, small: bool) -> WorstPlayer:
    """A piece counter of 64 weights with a quarter of a million digits each."""
    weight = b"0." + b"7" * (2_000 if small else 250_000) + b" "
    return WorstPlayer("piece counter, weights of 250,000 digits", weight * 63, "inversion")


def _largest(random: np.random.Generator, small: bool) -> WorstPlayer:
    """As many 32-bit weights as fit: two tables of 13 squares, and one of 12 with many placements."""
    lengths = (8, 8, 7) if small else (13, 13, 12)
    tables: Tables = [_near(random, 200, length).tolist() for length in lengths]
    weights = random.normal(size=sum(3**length for length in lengths))
    architecture = {"kind": "n-tuple-network", "stages": 1, "tables": tables}
    return WorstPlayer("3.7 million weights, tables of 13 and 12 squares", _file(architecture, weights), "")


def _tuples(random: np.random.Generator, count: int, length: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """`count` sets of different squares."""
    return np.argsort(random.random((count, 64), dtype=np.float32), axis=1)[:, :length]


def _near(random: np.random.Generator, count: int, length: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """`count` sets of squares, all out of sixteen."""
    return np.argsort(random.random((count, 16)), axis=1)[:, :length]


def _text(tables: Sequence[tuple[int, np.ndarray[Any, np.dtype[np.int64]]]]) -> bytes:
    """The League's text but for the last weight, with weights of one digit."""
    parts: list[str] = [str(len(tables))]
    for length, squares in tables:
        parts += [
            str(length),
            str(len(squares)),
            _spaced(squares.ravel().tolist()),
            "1 0 2 " * 3 ** (length - 1),
        ]
    return " ".join(parts)[:-2].encode()


def _spaced(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _file(architecture: dict[str, Any], weights: np.ndarray[Any, Any], view: str = "inversion") -> bytes:
    metadata = {FORMAT: json.dumps({"architecture": architecture, "view": view, "provenance": {}},
                                   separators=(",", ":"))}  # fmt: skip
    return save({"weights": weights.astype(np.float32)}, metadata=metadata)
