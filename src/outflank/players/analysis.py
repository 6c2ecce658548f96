"""What a player thinks of a position: its moves with values, and the play it expects.

>>> from outflank import Board, named_player
>>> analysis = analyze(named_player("all-2"), Board.from_transcript("f5d6c3d3c4"))
>>> str(analysis.best), analysis.depth, analysis.has_values
('b3', 1, True)
>>> analyze(named_player("random"), Board()).has_values
False
"""

from __future__ import annotations

import math
import secrets
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from outflank import _core
from outflank.board import Board, Square

if TYPE_CHECKING:
    from outflank.players.greedy import Player


@dataclass(frozen=True)
class AnalyzedMove:
    """A move and what it is worth to the mover."""

    square: Square
    value_for_mover: float  # NaN if the player has no value for it
    exact: bool  # solved: the disc difference at the end under perfect play
    line: tuple[Square, ...]  # the expected play from this move on, passes left out


@dataclass(frozen=True)
class Analysis:
    """The moves of a board, best first: all of them, or the best alone."""

    moves: tuple[AnalyzedMove, ...]
    depth: int
    nodes: int
    seconds: float
    is_in_discs: bool  # values are expected disc differences, not in the evaluator's own unit
    is_from_book: bool = False

    @classmethod
    def of_choice(cls, square: Square, seconds: float = 0.0) -> Analysis:
        """A move by a player that gives no values."""
        return cls((AnalyzedMove(square, math.nan, False, (square,)),), 1, 0, seconds, False)

    @classmethod
    def of_values(cls, values: list[tuple[Square, float]], depth: int, seconds: float) -> Analysis:
        """Moves with values in the evaluator's own unit, in any order."""
        ranked = sorted(values, key=lambda move: -move[1])
        moves = tuple(AnalyzedMove(square, value, False, (square,)) for square, value in ranked)
        return cls(moves, depth, 0, seconds, False)

    @property
    def best(self) -> Square:
        return self.moves[0].square

    @property
    def best_moves(self) -> tuple[AnalyzedMove, ...]:
        """The best move and those within 1e-6 of it."""
        first = self.moves[0]
        least = first.value_for_mover - _core.TIE
        return tuple(m for m in self.moves if m.exact == first.exact and m.value_for_mover >= least) or (
            first,
        )

    def with_ties_broken(self, all_moves: bool) -> Analysis:
        """The first move drawn at random from the best ones; the other moves too, or it alone."""
        first = secrets.choice(self.best_moves)
        others = tuple(move for move in self.moves if move is not first)
        return replace(self, moves=(first, *others) if all_moves else (first,))

    @property
    def value_for_mover(self) -> float:
        return self.moves[0].value_for_mover

    @property
    def has_values(self) -> bool:
        return not math.isnan(self.value_for_mover)

    @property
    def exact(self) -> bool:
        return self.moves[0].exact

    @property
    def principal_variation(self) -> tuple[Square, ...]:
        return self.moves[0].line


@runtime_checkable
class AnalyzingPlayer(Protocol):
    """A player that gives values: a search, or an evaluator at one ply."""

    def analyze(self, board: Board, all_moves: bool = False) -> Analysis: ...


def analyze(player: Player, board: Board, all_moves: bool = False) -> Analysis:
    """What any player thinks of a board with a legal move; of a player without values, its choice."""
    if isinstance(player, AnalyzingPlayer):
        return player.analyze(board, all_moves)
    began = time.perf_counter()
    square = Square(player.choose(board))
    return Analysis.of_choice(square, time.perf_counter() - began)
