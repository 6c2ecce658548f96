"""Shapes against the papers' counts and figures."""

from __future__ import annotations

from itertools import pairwise

import pytest

from outflank import NTupleNetwork, PieceCounter, named_player
from outflank.evaluators.tuple_shapes import PATTERNS, expansions, lucas_snakes, shape, snakes, straight


@pytest.mark.parametrize(
    ("length", "tuples", "weights"), [(1, 10, 30), (2, 32, 288), (3, 24, 648), (4, 21, 1701)]
)
def test_systematic_networks_have_the_papers_sizes(length: int, tuples: int, weights: int) -> None:
    """Jaskowski 2014, Table II and section II-E."""
    assert len(straight(length)) == tuples
    assert NTupleNetwork.of_shape(f"all-{length}").weights.size == weights


def test_mixture() -> None:
    """wj-1-2-3-tuples of Jaskowski 2014, Table III."""
    assert NTupleNetwork.of_shape("all-1-2-3").weights.size == 966
    assert len(shape("all-2+corner-3x3+rand-4x5")) == 32 + 1 + 4


def test_all_2_covers_the_same_squares_as_figure_7() -> None:
    printed = named_player("all-2").evaluator  # type: ignore[union-attr]
    assert isinstance(printed, NTupleNetwork)
    ours = {frozenset(frozenset(p) for p in table) for table in straight(2)}
    assert ours == {frozenset(frozenset(p) for p in table) for table in printed.tables}
    assert sorted(len(table) for table in straight(2)) == sorted(len(table) for table in printed.tables)


def test_expansions_keep_the_order_of_the_squares() -> None:
    """Lucas 2007, Figure 7: the snake 2 11 20 28 34 35 and its images."""
    images = expansions([2, 11, 20, 28, 34, 35])
    assert len(images) == 8
    for image in images:
        steps = [(abs(b // 8 - a // 8), abs(b % 8 - a % 8)) for a, b in pairwise(image)]
        assert [sorted(step) for step in steps] == [[1, 1], [1, 1], [0, 1], [1, 2], [0, 1]]


def test_lucas_snakes_are_walks_of_distinct_squares() -> None:
    lengths = [len(table[0]) for table in lucas_snakes(1000, seed=1)]
    assert min(lengths) == 2
    assert max(lengths) == 6
    for table in lucas_snakes(50, seed=2):
        assert len(set(table[0])) == len(table[0])


def test_snakes_of_exact_length() -> None:
    for table in snakes(50, 5, seed=3):
        squares = table[0]
        assert len(squares) == len(set(squares)) == 5
        for i, square in enumerate(squares[1:], start=1):
            near = [max(abs(square // 8 - s // 8), abs(square % 8 - s % 8)) for s in squares[:i]]
            assert min(near) == 1  # the walk came from a square it had met


def test_seeds() -> None:
    assert shape("rand-8x4", seed=1) == shape("rand-8x4", seed=1) != shape("rand-8x4", seed=2)


def test_rectangles() -> None:
    assert sum(len(table) for table in shape("rect-2x2")) == 49
    assert sum(len(table) for table in shape("rect-2x3")) == 2 * 42


def test_patterns_are_logistellos_eleven() -> None:
    assert len(PATTERNS) == 11
    assert sorted(map(len, PATTERNS.values())) == [4, 5, 6, 7, 8, 8, 8, 8, 9, 10, 10]
    assert sum(len(table) for table in shape("logistello")) == 46


@pytest.mark.parametrize("name", ["all", "all-9", "all-2-x", "rand-8", "rect-9x9", "", "all-2+", "snakes"])
def test_unknown_shapes(name: str) -> None:
    with pytest.raises(ValueError, match=r"not a shape|has 1 to|at most 15|fits the board"):
        shape(name)


def test_ten_classes_of_squares() -> None:
    """Lucas 2007, Figure 4, and the symmetry of the standard heuristic."""
    heuristic = named_player("standard-heuristic").evaluator  # type: ignore[union-attr]
    assert isinstance(heuristic, PieceCounter)
    ten = PieceCounter.symmetric([1, -0.25, 0.1, 0.05, -0.25, 0.01, 0.01, 0.05, 0.02, 0.01])
    assert (ten.square_weights == heuristic.square_weights).all()


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([], "at least one table"),
        ([[]], "no placements"),
        ([[[64]]], "square 64 is outside 0..63"),
        ([[[-1]]], "square -1"),
        ([[[1, 2], [3]]], "differ in length"),
        ([[list(range(16))]], "1 to 15 squares"),
    ],
)
def test_broken_networks(tables: list[list[list[int]]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NTupleNetwork(tables)


def test_stages() -> None:
    with pytest.raises(ValueError, match="1 to 61 stages"):
        NTupleNetwork.of_shape("all-1", stages=0)
    network = NTupleNetwork.of_shape("all-1", stages=61)
    assert network.weights.size == 61 * 30
