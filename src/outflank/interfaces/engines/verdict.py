"""What a player thinks of a board, by whatever it offers: `analyze`, `judge`, or `choose` alone.

>>> from outflank import Board, named_player
>>> verdict = verdict_on(named_player("all-2"), Board.from_transcript("f5d6c3d3c4"))
>>> verdict.name, verdict.depth, verdict.value_for_mover is None
('B3', '1', False)
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

from outflank.board import Board, Square
from outflank.players.greedy import Player
from outflank.players.search import SearchPlayer


class Analysis(Protocol):
    """What a searching player's `analyze(board)` returns."""

    @property
    def best(self) -> Square: ...
    @property
    def value_for_mover(self) -> float: ...
    @property
    def exact(self) -> bool: ...
    @property
    def principal_variation(self) -> tuple[Square, ...]: ...
    @property
    def depth(self) -> int: ...
    @property
    def nodes(self) -> int: ...


@dataclass(frozen=True)
class Verdict:
    """A move with its value in the player's own unit; in discs if exact. No move is a pass."""

    move: Square | None
    value_for_mover: float | None
    seconds: float
    exact: bool = False
    plies: int = 0
    nodes: int = 0
    variation: tuple[Square, ...] = ()

    @property
    def name(self) -> str:
        return "PA" if self.move is None else str(self.move).upper()

    @property
    def depth(self) -> str:
        """As NBoard writes it: 100% is an exact solution."""
        return "100%" if self.exact else str(self.plies)

    @property
    def line(self) -> str:
        """The moves expected, without blanks."""
        further = self.variation[1:] if self.variation[:1] == (self.move,) else ()
        return "-".join([self.name, *(str(move).upper() for move in further)])


def verdict_on(player: Player, board: Board) -> Verdict:
    """The player's move on a board, a pass where it has none, and what it thinks of it."""
    if not board.has_moves:
        return _without_a_move(player, board)
    began = time.perf_counter()
    if (analyze := getattr(player, "analyze", None)) is not None:
        return _of_analysis(analyze(board), began)
    move = Square(player.choose(board))
    judge = getattr(player, "judge", None)
    value = dict(judge(board))[move] if judge is not None else None
    return Verdict(move, value, time.perf_counter() - began, plies=1)


def best_verdicts(player: Player, board: Board, count: int) -> list[Verdict]:
    """The best moves, best first: as many as asked for, or as the player can tell apart."""
    if isinstance(player, SearchPlayer) and count > 1 and board.has_moves:
        found = player.analyze(board, all_moves=True)
        return [
            Verdict(m.square, m.value_for_mover, found.seconds, m.exact, found.depth, found.nodes, m.line)
            for m in found.moves[:count]
        ]
    best = verdict_on(player, board)
    if count < 2 or best.move is None or best.value_for_mover is None:
        return [best]
    began = time.perf_counter()
    if (judge := getattr(player, "judge", None)) is not None and not hasattr(player, "analyze"):
        seconds = time.perf_counter() - began
        others = [Verdict(move, value, seconds, plies=1) for move, value in judge(board) if move != best.move]
    else:
        others = [_of_successor(player, board, move) for move in board.legal_moves if move != best.move]
    return [best, *sorted(others, key=_worth, reverse=True)][:count]


def _worth(verdict: Verdict) -> float:
    assert verdict.value_for_mover is not None
    return verdict.value_for_mover


def _of_analysis(analysis: Analysis | Any, began: float) -> Verdict:
    return Verdict(
        Square(analysis.best),
        analysis.value_for_mover,
        time.perf_counter() - began,
        analysis.exact,
        analysis.depth,
        analysis.nodes,
        tuple(analysis.principal_variation),
    )


def _of_successor(player: Player, board: Board, move: Square) -> Verdict:
    """A move by what the player thinks of the board after it."""
    after = board.play(move)
    answer = verdict_on(player, after)
    value = None if answer.value_for_mover is None else -answer.value_for_mover
    variation = (move, *answer.variation)
    return Verdict(move, value, answer.seconds, answer.exact, answer.plies + 1, answer.nodes, variation)


def _without_a_move(player: Player, board: Board) -> Verdict:
    if board.is_over:
        difference = board.disc_difference if board.mover == "black" else -board.disc_difference
        return Verdict(None, float(difference), 0.0, exact=True)
    after = verdict_on(player, board.pass_turn())
    value = None if after.value_for_mover is None else -after.value_for_mover
    return Verdict(None, value, after.seconds, after.exact, after.plies, after.nodes)
