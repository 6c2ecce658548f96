"""One-ply players: each legal move is judged by the board after it.

>>> from outflank import Board, named_player
>>> [str(square) for square, _ in named_player("all-2").judge(Board())]
['d3', 'c4', 'f5', 'e6']
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board, Square
from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.protocol import BitArray, CoreEvaluator, Evaluator, FloatArray, board_bits
from outflank.evaluators.storage import VIEWS, View

CoreEvaluators = tuple[_core.Evaluator | None, _core.Evaluator | None, View]


@runtime_checkable
class Player(Protocol):
    """Anything that chooses a legal move. It is asked only when there is one."""

    @property
    def name(self) -> str: ...

    def choose(self, board: Board) -> int: ...


@dataclass(frozen=True)
class RandomPlayer:
    """Every legal move with the same probability."""

    name: str = "random"

    @property
    def core_evaluators(self) -> CoreEvaluators:
        return None, None, "inversion"

    @cached_property
    def core(self) -> _core.Player:
        return _core.player(*self.core_evaluators)

    def choose(self, board: Board) -> Square:
        return board.legal_moves[np.random.default_rng().integers(len(board.legal_moves))]


@dataclass(frozen=True)
class GreedyPlayer:
    """An evaluator seen through a view: inversion, negation, or doubled (one evaluator a colour)."""

    evaluator: Evaluator | DoubledFunction
    view: View = "inversion"
    name: str = "player"
    notes: tuple[str, ...] = ()  # what a user should know about how this player was read

    def __post_init__(self) -> None:
        if self.view not in VIEWS:
            raise ValueError(f"view must be {', '.join(VIEWS[:-1])} or {VIEWS[-1]}, got {self.view!r}")
        if (self.view == "doubled") != isinstance(self.evaluator, DoubledFunction):
            raise ValueError("the view doubled needs two evaluators (a DoubledFunction), the others need one")

    @property
    def core_evaluators(self) -> CoreEvaluators:
        """The evaluators for Black and for White as the core knows them; None where they live in Python."""
        if isinstance(self.evaluator, DoubledFunction):
            return self.evaluator.for_black.core, self.evaluator.for_white.core, "doubled"
        core = self.evaluator.core if isinstance(self.evaluator, CoreEvaluator) else None
        return core, core, self.view

    @cached_property
    def core(self) -> _core.Player | None:
        """The form that plays in the core; None for an evaluator that lives in Python."""
        return _core.player(*self.core_evaluators) if self.core_evaluators[0] is not None else None

    def values_for_mover(
        self, black: BitArray, white: BitArray, black_moved: npt.NDArray[np.bool_]
    ) -> FloatArray:
        """What boards are worth to whoever moved last: the higher, the better."""
        if isinstance(self.evaluator, DoubledFunction):
            for_black = self.evaluator.for_black.values(black, white)
            return np.where(black_moved, for_black, self.evaluator.for_white.values(black, white))
        if self.view == "negation":
            values = self.evaluator.values(black, white)
            return np.where(black_moved, values, -values)
        return self.evaluator.values(np.where(black_moved, black, white), np.where(black_moved, white, black))

    def judge(self, board: Board) -> list[tuple[Square, float]]:
        """The legal moves with their values for the mover."""
        moves = board.legal_moves
        black, white = board_bits([board.play(move) for move in moves])
        values = self.values_for_mover(black, white, np.full(len(moves), board.mover == "black"))
        return [(move, float(value)) for move, value in zip(moves, values, strict=True)]

    def choose(self, board: Board) -> Square:
        """A best move; ties, values within 1e-6 of the best, are broken at random."""
        judged = self.judge(board)
        best = max(value for _, value in judged)
        ties = [move for move, value in judged if value >= best - _core.TIE]
        return ties[np.random.default_rng().integers(len(ties))]
