"""What a player says of a board: its moves with values and the play it expects."""

from __future__ import annotations

from dataclasses import dataclass

from outflank.board import Square


@dataclass(frozen=True)
class JudgedMove:
    """A move and what it is worth to the mover."""

    square: Square
    value_for_mover: float
    exact: bool  # solved: the disc difference at the end under perfect play
    line: tuple[Square, ...]  # the play expected from this move on; passes are left out


@dataclass(frozen=True)
class Analysis:
    """The moves of a board, best first: all of them, or the best alone."""

    moves: tuple[JudgedMove, ...]
    depth: int
    nodes: int
    seconds: float
    is_in_discs: bool  # values are expected disc differences, not the evaluator's own unit

    @property
    def best(self) -> Square:
        return self.moves[0].square

    @property
    def value_for_mover(self) -> float:
        return self.moves[0].value_for_mover

    @property
    def exact(self) -> bool:
        return self.moves[0].exact

    @property
    def principal_variation(self) -> tuple[Square, ...]:
        return self.moves[0].line
