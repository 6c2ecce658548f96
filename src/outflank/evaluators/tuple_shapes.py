"""Shapes of tuples on the board: straight lines, random snakes, rectangles, the classic patterns.

A shape is a list of tables; a table is the list of placements that share its weights: the tuple and
its images under the eight symmetries, each with the squares in the same relative order.

>>> len(shape("all-2")), sum(3 ** len(table[0]) for table in shape("all-1-2-3"))
(32, 966)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from outflank.board import Square, symmetric_square
from outflank.suggestions import shown

Placement = tuple[int, ...]
Table = tuple[Placement, ...]
_NEIGHBOURS = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if (dr, dc) != (0, 0)]


def expansions(squares: Sequence[int]) -> Table:
    """A tuple's images under the eight symmetries, in the order of its squares, each image once.

    >>> len(expansions([0, 1])), len(expansions([3, 4])), len(expansions([27, 36]))
    (8, 8, 4)
    """
    images = (tuple(int(symmetric_square(s, k)) for s in squares) for k in range(8))
    return tuple(dict.fromkeys(images))


def distinct_expansions(squares: Sequence[int]) -> Table:
    """The images that cover different squares, as Jaskowski 2014 lists them in Figure 7: a tuple that a
    symmetry maps onto its reverse is read in one direction only, so there are 8, 4 or 2 of them.

    >>> len(distinct_expansions([0, 1])), len(distinct_expansions([3, 4])), len(distinct_expansions([27, 36]))
    (8, 4, 2)
    """
    by_squares: dict[frozenset[int], Placement] = {}
    for image in expansions(squares):
        by_squares.setdefault(frozenset(image), image)
    return tuple(by_squares.values())


def straight(length: int) -> list[Table]:
    """All straight tuples of a length, systematically placed (Jaskowski 2014, II-E.2)."""
    if not 1 <= length <= 8:
        raise ValueError(f"a straight tuple has 1 to 8 squares, got {length}")
    tables: dict[frozenset[frozenset[int]], Table] = {}
    for row in range(8):
        for column in range(8):
            for row_step, column_step in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last_column = row + (length - 1) * row_step, column + (length - 1) * column_step
                if last_row > 7 or not 0 <= last_column <= 7:
                    continue
                squares = [8 * (row + i * row_step) + column + i * column_step for i in range(length)]
                table = distinct_expansions(squares)
                tables.setdefault(frozenset(frozenset(placement) for placement in table), table)
    return list(tables.values())


def _step(square: int, random: np.random.Generator) -> int:
    """A random neighbour of a square."""
    at = Square(square)
    near = [(at.row + dr, at.column + dc) for dr, dc in _NEIGHBOURS]
    on_board = [8 * row + column for row, column in near if 0 <= row < 8 and 0 <= column < 8]
    return on_board[random.integers(len(on_board))]


def lucas_snakes(count: int, walk: int = 6, seed: int = 1) -> list[Table]:
    """The distinct squares of random walks (Lucas 2007, 3.2): 2 to `walk` squares."""
    random = np.random.default_rng(seed)
    snakes = []
    for _ in range(count):
        squares = [int(random.integers(64))]
        for _ in range(walk - 1):
            squares.append(_step(squares[-1], random))
        snakes.append(expansions(tuple(dict.fromkeys(squares))))
    return snakes


def lucas_walks(count: int, steps: int = 6, seed: int = 1) -> list[Table]:
    """The other reading of the same text: `steps` moves after the start, of whose squares the first
    `steps` distinct ones are kept. It fits the paper's "around 15,000 weights" of thirty."""
    longer = lucas_snakes(count, steps + 1, seed)
    return [expansions(table[0][:steps]) for table in longer]


def snakes(count: int, length: int, seed: int = 1) -> list[Table]:
    """Random walks until they have visited exactly `length` squares (rand-m x n)."""
    if not 1 <= length <= 15:
        raise ValueError(f"a tuple has 1 to 15 squares, got {length}")
    random = np.random.default_rng(seed)
    tables = []
    for _ in range(count):
        at = int(random.integers(64))
        met = {at: None}
        while len(met) < length:
            at = _step(at, random)
            met[at] = None
        tables.append(expansions(tuple(met)))
    return tables


def rectangles(height: int, width: int) -> list[Table]:
    """All rectangles of a size, in both orientations, systematically placed."""
    if not (1 <= height <= 8 and 1 <= width <= 8 and height * width <= 15):
        raise ValueError(f"a rectangle must fit the board and have at most 15 squares, got {height}x{width}")
    tables: dict[frozenset[frozenset[int]], Table] = {}
    for top in range(9 - height):
        for left in range(9 - width):
            squares = [8 * (top + r) + left + c for r in range(height) for c in range(width)]
            table = distinct_expansions(squares)
            tables.setdefault(frozenset(frozenset(placement) for placement in table), table)
    return list(tables.values())


def _names(text: str) -> Placement:
    return tuple(int(Square(name)) for name in text.split())


# The eleven patterns of Logistello (Buro 1997): inner rows, diagonals, corners, edge with X squares.
PATTERNS: dict[str, Placement] = {
    "row-2": _names("a2 b2 c2 d2 e2 f2 g2 h2"),
    "row-3": _names("a3 b3 c3 d3 e3 f3 g3 h3"),
    "row-4": _names("a4 b4 c4 d4 e4 f4 g4 h4"),
    "diagonal-4": _names("a4 b3 c2 d1"),
    "diagonal-5": _names("a5 b4 c3 d2 e1"),
    "diagonal-6": _names("a6 b5 c4 d3 e2 f1"),
    "diagonal-7": _names("a7 b6 c5 d4 e3 f2 g1"),
    "diagonal-8": _names("a8 b7 c6 d5 e4 f3 g2 h1"),
    "corner-3x3": _names("a1 b1 c1 a2 b2 c2 a3 b3 c3"),
    "corner-2x5": _names("a1 b1 c1 d1 e1 a2 b2 c2 d2 e2"),
    "edge-with-x": _names("a1 b1 c1 d1 e1 f1 g1 h1 b2 g2"),
}


def patterns(names: Sequence[str]) -> list[Table]:
    """Named patterns, each with its distinct placements."""
    return [distinct_expansions(PATTERNS[name]) for name in names]


_GRAMMAR: list[tuple[str, str, Callable[[re.Match[str], int], list[Table]]]] = [
    (r"all((?:-\d)+)", "all-2, all-1-2-3",
     lambda m, _: [table for n in m[1][1:].split("-") for table in straight(int(n))]),
    (r"rand-(\d+)x(\d+)", "rand-8x4", lambda m, seed: snakes(int(m[1]), int(m[2]), seed)),
    (r"snakes-(\d+)(?:x(\d+))?", "snakes-30x6",
     lambda m, seed: lucas_snakes(int(m[1]), int(m[2] or 6), seed)),
    (r"walks-(\d+)x(\d+)", "walks-30x6", lambda m, seed: lucas_walks(int(m[1]), int(m[2]), seed)),
    (r"rect-(\d)x(\d)", "rect-2x3", lambda m, _: rectangles(int(m[1]), int(m[2]))),
    (r"logistello", "logistello", lambda _m, _: patterns(list(PATTERNS))),
    ("|".join(PATTERNS), "corner-3x3", lambda m, _: patterns([m[0]])),
]  # fmt: skip


def shape(name: str, seed: int = 1) -> list[Table]:
    """A shape by name: all-2, all-1-2-3, rand-8x4, snakes-30x6, rect-2x3, logistello, corner-3x3 ...

    Shapes joined by + are mixed: `all-3+corner-2x5`. The seed is for random ones.
    """
    if not isinstance(name, str):
        raise TypeError(f"a shape's name is a text such as all-2, got {shown(name)}")
    tables: list[Table] = []
    for part in name.split("+"):
        for pattern, _, build in _GRAMMAR:
            if match := re.fullmatch(pattern, part):
                tables += build(match, seed)
                break
        else:
            known = ", ".join(example for _, example, _ in _GRAMMAR)
            raise ValueError(f"{part!r} is not a shape of tuples; shapes look like {known}")
    return tables
