"""The values of a board's legal moves, to a depth and within seconds.

>>> from outflank import Board, named_player
>>> values = move_values(named_player("all-2"), Board(), depth=2)
>>> values.depth, sorted(str(move.square) for move in values.moves)
(2, ['c4', 'd3', 'e6', 'f5'])
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outflank import _core
from outflank.board import Board, Square
from outflank.evaluators.protocol import board_bits
from outflank.games.game import Game
from outflank.players.analysis import Analysis, AnalyzedMove
from outflank.players.greedy import GreedyPlayer
from outflank.players.stopping import run_until

DEEPEST = 6
PLAYED_OUT = 10  # empty squares from which the deepest search goes on to the end of the game
SECONDS = 2.0  # after which the last depth that was finished counts
TABLE_BITS = 16  # of a search that lives for one request


def move_values(player: GreedyPlayer, board: Board, depth: int) -> Analysis:
    """All moves of a board that has one; values in the evaluator's own unit, or exact where the end was seen.

    A value that is not a finite number becomes minus infinity.
    """
    began = time.perf_counter()
    if depth == 1 or player.core is None:
        found, reached = player.judge(board), 1
    else:
        found, reached = _searched(player.core, board, depth)
    numbers = [(square, value if math.isfinite(value) else -math.inf) for square, value in found]
    analysis = Analysis.of_values(numbers, reached, time.perf_counter() - began)
    sees_end = reached >= 64 - board.discs
    return (
        analysis
        if depth == 1
        else replace(analysis, moves=tuple(_exact(m, sees_end) for m in analysis.moves))
    )


def evaluations_for_black(player: GreedyPlayer, game: Game) -> list[float | None]:
    """The player's value of each board of a game, for Black.

    A player values boards for the side that moved last, and most overrate that side. So a board is valued
    for either side, and half the difference is the evaluation: the curve does not zigzag from move to move.
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


def _exact(move: AnalyzedMove, sees_end: bool) -> AnalyzedMove:
    """In discs, where a search found the result of the game."""
    discs = abs(move.value_for_mover) - _core.WON_GAME
    if 1 <= discs <= 64 and discs == int(discs):
        return replace(move, value_for_mover=math.copysign(discs, move.value_for_mover), exact=True)
    return replace(move, exact=sees_end and move.value_for_mover == 0)
