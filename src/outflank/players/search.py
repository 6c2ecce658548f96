"""Players that search: to a fixed depth, for a number of nodes or seconds; with a book and a solver.

>>> from outflank import Board, named_player
>>> player = named_player("all-2,depth=3,solve=10")
>>> player.choose(Board.from_transcript("f5d6c3")) in Board.from_transcript("f5d6c3").legal_moves
True

A fixed depth is plain minimax: alpha-beta finds the same values and the same ties (core/playing/players.cpp).
For evaluators written in Python (NumPy, PyTorch, ONNX), and as the slow twin of the core's alpha-beta, there
is minimax in Python, with all leaves in one batch. Nodes or seconds use the selective search
(core/search/search.cpp), whose forward pruning was fitted to the evaluator (search_tuning.py).

>>> minimax_values(named_player("all-2"), Board(), 2) == named_player("all-2,depth=2").judge(Board())
True
"""

from __future__ import annotations

import itertools
import math
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.arguments import check_text, check_type, check_whole
from outflank.board import Board, Square, checked_board
from outflank.evaluators.protocol import BitArray, FloatArray, board_bits
from outflank.pickling import Portable
from outflank.players.analysis import Analysis, AnalyzedMove
from outflank.players.greedy import GreedyPlayer, RandomPlayer, preference_for
from outflank.players.opening_book import OpeningBook
from outflank.players.search_tuning import SearchTuning
from outflank.players.solver import ORDERING_PAYS_FROM, WIN_OR_LOSS, Solution, Solver, solver_ordering
from outflank.players.stopping import run_until
from outflank.suggestions import shown

MOST_LEAVES = 5_000_000
LEAVES_AT_ONCE = 100_000
RESULTS = np.array([_core.value_of_result(difference) for difference in range(-64, 65)])


def minimax_values(player: GreedyPlayer, board: Board, depth: int) -> list[tuple[Square, float]]:
    """The legal moves with their values for the mover, searched this many plies deep."""
    (values,) = minimax_values_of_boards(player, [board], depth)
    return list(zip(board.legal_moves, values.tolist(), strict=True))


def minimax_values_of_boards(player: GreedyPlayer, boards: Sequence[Board], depth: int) -> list[FloatArray]:
    """For each board the values of its legal moves for the mover, searched this many plies deep.

    A ply is a disc placed; a pass does not count. A board at full depth is valued for the side that moved
    last, as at one ply; a game that ended earlier is worth its result, which exceeds any value. The leaves of
    many boards are valued in one call.
    """
    at_once = max(1, LEAVES_AT_ONCE // 10**depth)  # a position has about ten moves
    found: list[FloatArray] = []
    for at in range(0, len(boards), at_once):
        part = boards[at : at + at_once]
        black, white = board_bits(part)
        first, values = _move_values(player, black, white, _movers(part), depth)
        found += np.split(values, first[1:-1].astype(np.intp))
    return found


def _move_values(
    player: GreedyPlayer, black: BitArray, white: BitArray, black_moves: npt.NDArray[np.bool_], plies: int
) -> tuple[npt.NDArray[np.uint32], FloatArray]:
    """Where each board's moves begin, and the moves' values for the side that makes them."""
    first, _, black_after, white_after = _core.afterstates(black, white, black_moves)
    if len(black_after) > MOST_LEAVES:
        raise ValueError("this depth is too large for an evaluator in Python; choose a smaller one")
    black_moved = np.repeat(black_moves, np.diff(first))
    if plies == 1:
        return first, player.values_for_mover(black_after, white_after, black_moved)
    # After a pass, the side to move may be the one that moved last.
    movers = _core.next_movers(black_after, white_after, ~black_moved)
    goes_on = movers >= 0
    values = np.empty(len(movers))
    values[~goes_on] = _results(black_after[~goes_on], white_after[~goes_on], black_moved[~goes_on])
    if goes_on.any():
        moves = movers[goes_on] == 1
        replies, valued = _move_values(player, black_after[goes_on], white_after[goes_on], moves, plies - 1)
        best = np.maximum.reduceat(valued, replies[:-1].astype(np.intp))
        values[goes_on] = np.where(moves == black_moved[goes_on], best, -best)
    return first, values


def _results(black: BitArray, white: BitArray, for_black: npt.NDArray[np.bool_]) -> FloatArray:
    """What finished games are worth to one side."""
    difference = np.bitwise_count(black).astype(np.int64) - np.bitwise_count(white)
    return np.asarray(RESULTS[np.where(for_black, difference, -difference) + 64])


def _movers(boards: Sequence[Board]) -> npt.NDArray[np.bool_]:
    return np.array([board.mover == "black" for board in boards], dtype=bool)


DEEPEST = 60
WARM_UP = 0.001  # seconds
LEAST = 1e-4  # seconds for a solver whose time is up
SEARCH_SHARE = 0.2  # of the time goes to a search first, in case the solver does not finish in the rest


def solve_in_time(seconds: float) -> int:
    """The number of empty squares from which a timed player tries to solve, by default.

    >>> solve_in_time(0.05), solve_in_time(0.2), solve_in_time(10)
    (22, 24, 30)

    From 22, most positions show within 0.05 s who wins; a square more doubles the time (docs/search.md).
    """
    return min(max(round(22 + math.log2(seconds / 0.05)), 0), DEEPEST)


@dataclass(frozen=True)
class SearchLimits:
    """How far to search: until the first of these limits."""

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("depth", self.depth), ("nodes", self.nodes), ("seconds", self.seconds)):
            if not isinstance(value, int | float | None):
                raise TypeError(f"{name} is a number, got {shown(value)}")
            if isinstance(value, float) and name != "seconds":
                raise TypeError(f"{name} is a whole number, got {shown(value)}")
        if self.depth is not None and not 1 <= self.depth <= DEEPEST:
            raise ValueError(f"depth must be within 1..{DEEPEST}, got {self.depth}")
        if self.nodes is not None and not 1 <= self.nodes < 1 << 63:
            raise ValueError(f"nodes must be at least 1, got {self.nodes}")
        if self.seconds is not None and not 0 < self.seconds < 1e6:
            raise ValueError(f"time is in seconds per move and must be above 0, got {self.seconds:g}")

    @property
    def is_fixed_depth(self) -> bool:
        return self.nodes is None and self.seconds is None


@runtime_checkable
class ChoosingPlayer(Protocol):
    """A player outside the core that is no evaluator to search with: a policy, somebody's own player."""

    @property
    def name(self) -> str: ...

    @property
    def core(self) -> None: ...

    def choose(self, board: Board) -> Square: ...

    def preferences(self, boards: Sequence[Board]) -> list[FloatArray]: ...

    def analyze(self, board: Board, all_moves: bool = False) -> Analysis: ...


@dataclass(frozen=True)
class SearchPlayer(Portable):
    """A search with a one-ply player's evaluator, an opening book and an endgame solver."""

    inner: GreedyPlayer | RandomPlayer | ChoosingPlayer
    limits: SearchLimits = field(default_factory=SearchLimits)
    # Boards with this many empty squares or fewer are solved: at the root, and within a fixed-depth search.
    solve: int | None = None
    book: OpeningBook | None = None
    book_best: int = 1  # choose at random among this many best book moves (Kim 2007: three)
    threads: int = 1
    tuning: SearchTuning | None = None
    name: str = "player"

    def __post_init__(self) -> None:
        if not isinstance(self.inner, GreedyPlayer | RandomPlayer | ChoosingPlayer):
            raise TypeError(f"a SearchPlayer has a GreedyPlayer to search with, got {shown(self.inner)}")
        if not isinstance(self.limits, SearchLimits):
            raise TypeError(f"limits are SearchLimits(depth=...), got {shown(self.limits)}")
        check_text("a player's name", self.name)
        check_type("a book is OpeningBook.open(file), or None", self.book, OpeningBook | None)
        check_type("a tuning is SearchTuning.load(file), or None", self.tuning, SearchTuning | None)
        for what in ("book_best", "threads", *(() if self.solve is None else ("solve",))):
            check_whole(what, getattr(self, what))
        if self.solve is not None and not 0 <= self.solve <= DEEPEST:
            raise ValueError(f"solve must be a number of empty squares within 0..{DEEPEST}, got {self.solve}")
        if not 1 <= self.book_best <= 64:
            raise ValueError(f"book_best must be within 1..64, got {self.book_best}")
        if not 1 <= self.threads <= 1024:
            raise ValueError(f"threads must be within 1..1024, got {self.threads}")
        if self.inner.core is None and not self.limits.is_fixed_depth:
            raise ValueError(f"{self.name}: an evaluator in Python plays to a fixed depth only; remove "
                             "nodes and time")  # fmt: skip
        if self.limits.seconds is not None:
            self._prepare()

    def _prepare(self) -> None:
        """Compiles and allocates what a timed player needs, not in the time of its first moves."""
        assert self.limits.seconds is not None
        board = Board()
        if not isinstance(self.inner, RandomPlayer):
            self._searched(board, False, WARM_UP)
        if self.perfect_from > 0:  # its table has its full size from this many empty squares on
            self._solver.solve(board, seconds=WARM_UP)

    @property
    def perfect_from(self) -> int:
        """The number of empty squares from which it plays perfectly, counting the plies of its search."""
        if self.solve is None:
            return 0 if self.limits.seconds is None else solve_in_time(self.limits.seconds)
        ahead = (self.limits.depth or 1) - 1 if self.limits.is_fixed_depth else 0
        return self.solve + ahead if self.solve > 0 else 0

    @property
    def notes(self) -> tuple[str, ...]:
        return getattr(self.inner, "notes", ())

    @cached_property
    def core(self) -> _core.Player | None:
        """The compiled player; None for a timed search, or if the evaluator is written in Python."""
        if self.limits.seconds is not None or self.inner.core is None:
            return None
        return self._core_player(self.limits.depth or (DEEPEST if self.limits.nodes else 1))

    def _core_player(self, depth: int) -> _core.Player:
        ordering = solver_ordering() if self.perfect_from >= ORDERING_PAYS_FROM else None
        assert isinstance(self.inner, GreedyPlayer | RandomPlayer)  # others have no form in the core
        black, white, view = self.inner.core_evaluators
        return _core.player(
            black,
            white,
            view,
            depth=depth,
            nodes=self.limits.nodes or 0,
            prob_cuts=self.tuning.core_prob_cuts if self.tuning else [],
            solve_from=self.solve or 0,
            ordering=ordering,
            book=self.book.core if self.book else None,
            book_best=self.book_best,
        )

    @cached_property
    def _chooser(self) -> _core.Chooser | None:
        return None if self.core is None else _core.Chooser(self.core)

    def choose(self, board: Board) -> Square:
        checked_board(board)
        if self._chooser is not None:
            return Square(
                self._chooser.choose(board.black, board.white, board.mover == "black", secrets.randbits(63))
            )
        if len(board.legal_moves) == 1:  # nothing to think about
            return board.legal_moves[0]
        return self.analyze(board).best

    def judge(self, board: Board) -> list[tuple[Square, float]]:
        """The legal moves with their minimax values for the mover, in the evaluator's own unit."""
        return self.judge_many([checked_board(board)])[0]

    def judge_many(self, boards: list[Board]) -> list[list[tuple[Square, float]]]:
        """As judge, for many boards, on all its threads."""
        depth = self.limits.depth or 1
        if self.inner.core is None:
            assert isinstance(self.inner, GreedyPlayer)
            valued = minimax_values_of_boards(self.inner, boards, depth)
            return [
                list(zip(board.legal_moves, values.tolist(), strict=True))
                for board, values in zip(boards, valued, strict=True)
            ]
        black, white = board_bits(boards)
        first, squares, values = self._core_player(depth).judge(black, white, _movers(boards), self.threads)
        return [
            [(Square(int(s)), float(v)) for s, v in zip(squares[a:b], values[a:b], strict=True)]
            for a, b in itertools.pairwise(first)
        ]

    def preferences(self, boards: Sequence[Board]) -> list[FloatArray]:
        """For each board a number per legal move, the largest for the best ones: so that thousands of games
        are answered at once, and the match breaks ties by its own seed."""
        if self.limits.seconds is not None:
            return [preference_for(board, [self.choose(board)]) for board in boards]
        found = iter(self._searched_preferences([board for board in boards if not self._knows(board)]))
        return [self._known(board) if self._knows(board) else next(found) for board in boards]

    def _searched_preferences(self, boards: Sequence[Board]) -> list[FloatArray]:
        if isinstance(self.inner, GreedyPlayer):
            return minimax_values_of_boards(self.inner, boards, self.limits.depth or 1)
        assert not isinstance(self.inner, RandomPlayer)  # it plays in the core
        return self.inner.preferences(boards)

    def _knows(self, board: Board) -> bool:
        """Whether the book or the solver answers."""
        return 64 - board.discs <= self.perfect_from or (self.book is not None and board in self.book)

    def _known(self, board: Board) -> FloatArray:
        book = self.book.moves(board)[: self.book_best] if self.book is not None else []
        best = [move.square for move in book] or [self._solved(board, False, None)[0].best]
        return preference_for(board, best)

    def with_seconds(self, seconds: float) -> SearchPlayer:
        """The same player with at most this many seconds per move; a fixed depth is not changed."""
        if self.limits.is_fixed_depth:
            return self
        least = min(seconds, self.limits.seconds or seconds)
        return replace(self, limits=replace(self.limits, seconds=least))

    def with_depth(self, depth: int) -> SearchPlayer:
        """The same player with at most this depth; a fixed depth is not changed."""
        if self.limits.is_fixed_depth:
            return self
        return replace(self, limits=replace(self.limits, depth=depth))

    def in_discs(self, value: float, board: Board) -> float:
        """A value as an expected disc difference, if the evaluator has been tuned."""
        return value if self.tuning is None else self.tuning.in_discs(value, board.discs)

    def analyze(self, board: Board, all_moves: bool = False) -> Analysis:
        """The best move, or all moves, with values, expected play and effort."""
        if not checked_board(board).has_moves:
            raise ValueError("the mover has no legal move on this board")
        if not all_moves and (known := self._from_book(board)) is not None:
            return known
        seconds = self.limits.seconds
        if 64 - board.discs > self.perfect_from:
            return self._searched(board, all_moves, seconds)
        if seconds is None:
            return self._solved(board, all_moves, None)[0]
        return self._solved_in_time(board, all_moves, seconds)

    def _solved_in_time(self, board: Board, all_moves: bool, seconds: float) -> Analysis:
        """What is known when the time is up: the exact score, or a move that wins or draws, or a search."""
        began = time.perf_counter()

        def left() -> float:
            return max(seconds - (time.perf_counter() - began), LEAST)

        found = self._searched(board, all_moves, SEARCH_SHARE * seconds)
        nodes = found.nodes
        if not all_moves:  # who wins is known in a fifth of the time
            outcome = self._solver.solve(board, WIN_OR_LOSS, left())
            nodes += outcome.nodes
            found = keeping_the_result(outcome, found)
        exact, finished = self._solved(board, all_moves, left())
        nodes += exact.nodes
        return replace(exact if finished else found, seconds=time.perf_counter() - began, nodes=nodes)

    def _from_book(self, board: Board) -> Analysis | None:
        moves = self.book.moves(board) if self.book is not None else []
        if not moves:
            return None
        move = moves[secrets.randbelow(min(len(moves), self.book_best))]
        found = AnalyzedMove(move.square, move.value_for_mover, False, (move.square,))
        return Analysis((found,), 0, 0, 0.0, True, is_from_book=True)

    @cached_property
    def _searcher(self) -> _core.Searcher:
        assert self.inner.core is not None
        cuts = self.tuning.core_prob_cuts if self.tuning and not self.limits.is_fixed_depth else []
        return _core.Searcher(self.inner.core, 20, self.threads, cuts)

    @cached_property
    def _solver(self) -> Solver:
        return Solver(self.threads)

    def _searched(self, board: Board, all_moves: bool, seconds: float | None) -> Analysis:
        began = time.perf_counter()
        if isinstance(self.inner, RandomPlayer):
            return Analysis.of_choice(self.inner.choose(board))
        if not isinstance(self.inner, GreedyPlayer):
            return self.inner.analyze(board, all_moves)
        if self.inner.core is None:
            values = self.judge(board)
            return Analysis.of_values(values, self.limits.depth or 1, time.perf_counter() - began)
        depth = self.limits.depth or (1 if self.limits.is_fixed_depth else DEEPEST)
        found, depth, nodes = run_until(
            lambda stop: self._searcher.search(
                board.black, board.white, board.mover == "black", depth,
                self.limits.nodes or 1 << 62, stop, all_moves,
            ),
            seconds,
        )  # fmt: skip
        moves = tuple(
            AnalyzedMove(Square(square), self.in_discs(value, board), False, tuple(map(Square, line)))
            for square, value, line in found
        )
        return Analysis(moves, depth, nodes, time.perf_counter() - began, self.tuning is not None)

    def _solved(self, board: Board, all_moves: bool, seconds: float | None) -> tuple[Analysis, bool]:
        """Exact values, and whether they were found in time."""
        began = time.perf_counter()
        nodes, moves = 0, []
        for square in board.legal_moves if all_moves else (None,):
            left = None if seconds is None else max(seconds - (time.perf_counter() - began), LEAST)
            solution = self._solver.solve(board if square is None else board.play(square), seconds=left)
            nodes += solution.nodes
            if not solution.finished:
                return Analysis((), 64 - board.discs, nodes, time.perf_counter() - began, True), False
            moves.append(_exact_move(solution, square))
        moves.sort(key=lambda move: -move.value_for_mover)
        took = time.perf_counter() - began
        return Analysis(tuple(moves), 64 - board.discs, nodes, took, True), True


def keeping_the_result(outcome: Solution, searched: Analysis) -> Analysis:
    """A move that is known to win or to draw rather than one that the search alone prefers."""
    if not outcome.finished or outcome.score_for_mover < 0 or outcome.best in (None, searched.best):
        return searched
    assert outcome.best is not None
    move = AnalyzedMove(outcome.best, float(outcome.score_for_mover), False, outcome.line)
    return replace(searched, moves=(move,), is_in_discs=True)


def _exact_move(solution: Solution, square: Square | None) -> AnalyzedMove:
    """A solved move: the best of the board itself, or `square`, by the solution of the board after it."""
    if square is None:
        assert solution.best is not None
        return AnalyzedMove(solution.best, float(solution.score_for_mover), True, solution.line)
    return AnalyzedMove(square, -float(solution.score_for_mover), True, (square, *solution.line))
