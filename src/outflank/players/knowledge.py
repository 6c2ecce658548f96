"""Knowledge on top of an evaluator: exact endings (the book is in opening_book.py).

>>> from outflank import Board
>>> board = Board("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X")
>>> solution = Solver().solve(board)
>>> solution.score_for_mover, solution.best
(6, Square('h5'))
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache

from outflank import _core
from outflank.board import Board, Square
from outflank.evaluators.protocol import CoreEvaluator
from outflank.players.built_in import load_built_in
from outflank.players.stopping import run_until

WIN_OR_LOSS = (-1, 1)  # the window that asks only who wins
# A unit of all-rounder's value orders moves like so many replies of the opponent's. Of 0.25, 0.5, 1, 2,
# 4, 6 and 12, this gave the fewest nodes over FFO 20-39.
ORDERING_WEIGHT = 4.0
ORDERING_PAYS_FROM = 13  # empty squares; as in core/endgame.cpp


@dataclass(frozen=True)
class Solution:
    """A position under perfect play on both sides."""

    # Disc difference for the mover at the end; empty squares go to the winner, as in tournaments.
    # Asked only who wins: a bound, whose sign counts.
    score_for_mover: int
    line: tuple[Square, ...]  # best play to the end; passes are left out
    best: Square | None  # the mover's best move; None: it must pass, or the game is over
    nodes: int
    seconds: float
    finished: bool = True  # False: it was stopped in time, and the score is not known


class Solver:
    """Solves endings exactly; the more empty squares, the longer: threefold for each, about.

    Its moves are ordered by the evaluator of all-rounder. The score is the same whatever the threads;
    with several, which of equally good moves is found may differ.
    """

    def __init__(self, threads: int = 1, table_bits: int = 22) -> None:
        self._core = _core.EndgameSolver(table_bits, solver_ordering(), ORDERING_WEIGHT, threads)
        self.threads = threads

    def solve(
        self, board: Board, window: tuple[int, int] = (-64, 64), seconds: float | None = None
    ) -> Solution:
        """The exact score if it lies within the window, else a bound on that side."""
        began = time.perf_counter()
        score, line, nodes, finished = run_until(
            lambda stop: self._core.solve(board.mover_discs, board.opponent_discs, *window, stop), seconds
        )
        squares = tuple(map(Square, line))
        best = squares[0] if squares and board.has_moves else None
        return Solution(score, squares, best, nodes, time.perf_counter() - began, finished)


@cache
def solver_ordering() -> _core.Evaluator:
    """The evaluator that says which moves a solver tries first."""
    evaluator = load_built_in("all-rounder").evaluator
    assert isinstance(evaluator, CoreEvaluator)
    return evaluator.core
