"""One-ply players: each legal move is valued by the board after it.

>>> from outflank import Board, named_player
>>> [str(square) for square, _ in named_player("all-2").judge(Board())]
['d3', 'c4', 'f5', 'e6']
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.arguments import check_text
from outflank.board import Board, Square, checked_board
from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.protocol import (
    BitArray,
    CoreEvaluator,
    Evaluator,
    FloatArray,
    board_bits,
    checked_bits,
)
from outflank.evaluators.storage import View, check_view
from outflank.pickling import Portable
from outflank.players.analysis import Analysis
from outflank.suggestions import shown

CoreEvaluators = tuple[_core.Evaluator | None, _core.Evaluator | None, View]


@runtime_checkable
class Player(Protocol):
    """Anything that chooses a legal move; it is only asked when there is one."""

    @property
    def name(self) -> str: ...

    def choose(self, board: Board) -> int: ...


@runtime_checkable
class PreferringPlayer(Protocol):
    """A player that answers many boards at once: for each a number per legal move, the largest for the best
    ones. The match breaks ties by its own seed."""

    def preferences(self, boards: Sequence[Board]) -> list[FloatArray]: ...


def preference_for(board: Board, best: Collection[int]) -> FloatArray:
    """A number per legal move: these are the best, whatever the others are worth."""
    return np.array([1.0 if square in best else 0.0 for square in board.legal_moves])


@runtime_checkable
class HistoryPlayer(Player, Protocol):
    """A player that needs the moves of a game so far, passes left out, not the board alone."""

    def choose_after(self, start: Board, moves: Sequence[Square]) -> int: ...


@dataclass(frozen=True)
class RandomPlayer(Portable):
    """Every legal move with the same probability."""

    name: str = "random"

    def __post_init__(self) -> None:
        check_text("a player's name", self.name)

    @property
    def core_evaluators(self) -> CoreEvaluators:
        return None, None, "inversion"

    @cached_property
    def core(self) -> _core.Player:
        return _core.player(*self.core_evaluators)

    def choose(self, board: Board) -> Square:
        moves = checked_board(board).legal_moves
        return moves[np.random.default_rng().integers(len(moves))]


@dataclass(frozen=True)
class GreedyPlayer(Portable):
    """An evaluator seen through a view: inversion, negation, or doubled (one evaluator per colour)."""

    evaluator: Evaluator | DoubledFunction
    view: View = "inversion"
    name: str = "player"
    notes: tuple[str, ...] = ()  # for the user: how this player was read

    def __post_init__(self) -> None:
        check_text("a player's name", self.name)
        if not isinstance(self.evaluator, Evaluator | DoubledFunction):
            hint = "; wrap it: FunctionEvaluator(function)" if callable(self.evaluator) else ""
            raise TypeError(f"a GreedyPlayer has an evaluator, got {shown(self.evaluator)}{hint}")
        check_view(self.view)
        if (self.view == "doubled") != isinstance(self.evaluator, DoubledFunction):
            raise ValueError("the view doubled needs two evaluators (a DoubledFunction), the others need one")

    @property
    def core_evaluators(self) -> CoreEvaluators:
        """The evaluators for Black and White in their compiled form; None if they are written in Python."""
        if isinstance(self.evaluator, DoubledFunction):
            return self.evaluator.for_black.core, self.evaluator.for_white.core, "doubled"
        core = self.evaluator.core if isinstance(self.evaluator, CoreEvaluator) else None
        return core, core, self.view

    @cached_property
    def core(self) -> _core.Player | None:
        """The compiled player; None if its evaluator is written in Python."""
        return _core.player(*self.core_evaluators) if self.core_evaluators[0] is not None else None

    def values_for_mover(
        self, black: BitArray, white: BitArray, black_moved: npt.NDArray[np.bool_]
    ) -> FloatArray:
        """What boards are worth to the side that moved last: the higher, the better."""
        checked_bits(black, white)
        if isinstance(self.evaluator, DoubledFunction):
            for_black = self.evaluator.for_black.values(black, white)
            return np.where(black_moved, for_black, self.evaluator.for_white.values(black, white))
        if self.view == "negation":
            values = self.evaluator.values(black, white)
            return np.where(black_moved, values, -values)
        return self.evaluator.values(np.where(black_moved, black, white), np.where(black_moved, white, black))

    def judge(self, board: Board) -> list[tuple[Square, float]]:
        """The legal moves with their values for the mover."""
        moves = checked_board(board).legal_moves
        black, white = board_bits([board.play(move) for move in moves])
        values = self.values_for_mover(black, white, np.full(len(moves), board.mover == "black"))
        return [(move, float(value)) for move, value in zip(moves, values, strict=True)]

    def analyze(self, board: Board, all_moves: bool = False) -> Analysis:
        """The best move, or all moves, with values; the first is drawn at random from the best ones."""
        began = time.perf_counter()
        found = Analysis.of_values(self.judge(board), 1, time.perf_counter() - began)
        return found.with_ties_broken(all_moves)

    def choose(self, board: Board) -> Square:
        """A best move; ties, values within 1e-6 of the best, are broken at random."""
        return self.analyze(board).best
