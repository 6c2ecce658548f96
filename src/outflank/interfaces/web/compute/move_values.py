"""What a player makes of a board: values of the legal moves, to a depth and within seconds.

>>> from outflank import Board, named_player
>>> judged = judged_moves(named_player("all-2"), Board(), depth=2)
>>> judged.depth, sorted(str(move.square) for move in judged.moves)
(2, ['c4', 'd3', 'e6', 'f5'])
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outflank import _core
from outflank.board import Board, Square
from outflank.evaluators.protocol import board_bits
from outflank.games.game import Game
from outflank.players.greedy import GreedyPlayer
from outflank.players.stopping import run_until

DEEPEST = 6
PLAYED_OUT = 10  # empty squares from which the deepest search goes on to the end of the game
SECONDS = 2.0  # after which the last depth that was finished counts
TABLE_BITS = 16  # of a search that lives for one request


@dataclass(frozen=True)
class MoveJudged:
    """A move's worth to the mover: in the evaluator's own unit, or in discs where the end was seen."""

    square: Square
    value: float | None
    discs: int | None


@dataclass(frozen=True)
class Judged:
    """The legal moves, best first; those that are equally good; the depth that was reached."""

    moves: tuple[MoveJudged, ...]
    best: tuple[Square, ...]
    depth: int


def judged_moves(player: GreedyPlayer, board: Board, depth: int) -> Judged:
    """The board must have a legal move."""
    if depth == 1 or player.core is None:
        found, reached = player.judge(board), 1
    else:
        found, reached = _searched(player.core, board, depth)
    numbers = [(square, value if math.isfinite(value) else -math.inf) for square, value in found]
    numbers.sort(key=lambda move: -move[1])  # stable: equally good moves stay in the board's order
    top = numbers[0][1]
    best = tuple(square for square, value in numbers if value >= top - _core.TIE)
    sees_end = reached >= 64 - board.discs and depth > 1
    moves = tuple(MoveJudged(square, *_unit(value, depth > 1, sees_end)) for square, value in numbers)
    return Judged(moves, best, reached)


def evaluations_for_black(player: GreedyPlayer, game: Game) -> list[float | None]:
    """Each board of a game as the player judges it, seen from Black's side.

    A player judges boards for whoever moved last, and most think the better of any board for having
    moved. So a board is judged for either side, and half the difference is the evaluation: what is left
    does not jump up and down from move to move.
    """
    black, white = board_bits(list(game.boards))
    is_black = np.ones(len(black), dtype=bool)
    for_black = player.values_for_mover(black, white, is_black)
    for_white = player.values_for_mover(black, white, ~is_black)
    with np.errstate(all="ignore"):  # values may be as large as numbers are
        halves: Sequence[float] = (for_black / 2 - for_white / 2).tolist()
    return [value if math.isfinite(value) else None for value in halves]


def _searched(core: _core.Player, board: Board, depth: int) -> tuple[list[tuple[Square, float]], int]:
    empty = 64 - board.discs
    plies = empty if depth == DEEPEST and empty <= PLAYED_OUT else depth
    searcher = _core.Searcher(core, TABLE_BITS, 1, [])
    found, reached, _ = run_until(
        lambda stop: searcher.search(
            board.black, board.white, board.mover == "black", plies, 1 << 62, stop, True
        ),
        SECONDS,
    )
    return [(Square(square), value) for square, value, _ in found], reached


def _unit(value: float, was_searched: bool, sees_end: bool) -> tuple[float | None, int | None]:
    """A value as it is, or as the disc difference that a search found at the end of the game."""
    if not math.isfinite(value):
        return None, None
    beyond = abs(value) - _core.WON_GAME
    if was_searched and 1 <= beyond <= 64 and beyond == int(beyond):
        return None, int(math.copysign(beyond, value))
    return (None, 0) if sees_end and value == 0 else (value, None)
