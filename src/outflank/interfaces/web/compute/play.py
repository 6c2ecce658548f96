"""A game as the browser sees it: its boards, and what a player thinks of them. The rules live here alone.

>>> from outflank import named_player
>>> play_response(Game.from_transcript("f5d6"), None, depth=1, with_values=False).legal
['c3', 'c4', 'c5', 'c6', 'c7']
>>> found = move_values(named_player("all-2"), Board(), depth=2)
>>> found.depth, sorted(str(move.square) for move in found.moves)
(2, ['c4', 'd3', 'e6', 'f5'])
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outflank import _core
from outflank.board import Board, Square, squares_in
from outflank.evaluators.protocol import board_bits
from outflank.games.game import Game
from outflank.interfaces.response_models import MoveValue, PlayResponse, PositionResponse
from outflank.players.analysis import Analysis, AnalyzedMove
from outflank.players.greedy import GreedyPlayer
from outflank.players.stopping import run_until

DEEPEST = 6
PLAYED_OUT = 10  # empty squares from which the deepest search goes on to the end of the game
SECONDS = 2.0  # then the last completed depth counts
TABLE_BITS = 16  # of a search that lives for one request


def play_response(game: Game, player: GreedyPlayer | None, depth: int, with_values: bool) -> PlayResponse:
    positions = _positions(game, player)
    final = game.final.settled()
    analysis: Analysis | None = None
    if player is not None and with_values and final.has_moves:
        analysis = move_values(player, final, depth)
    return PlayResponse(
        **positions[-1].model_dump(), transcript=game.transcript, is_over=not final.has_moves,
        outcome=final.outcome, positions=positions,
        values=[_value(move) for move in analysis.moves] if analysis else None,
        # At random among the best, as in the league's games.
        choice=_value(secrets.choice(analysis.best_moves)) if analysis else None,
        depth=analysis.depth if analysis else None,
    )  # fmt: skip


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
    """The player's evaluation of each board of a game, for Black.

    A player evaluates boards for whoever moved last, and most overrate a board they have just moved to. So
    each board is evaluated for both sides, and half the difference does not jump from move to move.
    """
    black, white = board_bits(list(game.boards))
    is_black = np.ones(len(black), dtype=bool)
    for_black = player.values_for_mover(black, white, is_black)
    for_white = player.values_for_mover(black, white, ~is_black)
    with np.errstate(all="ignore"):  # values may be as large as floats get
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


def _value(move: AnalyzedMove) -> MoveValue:
    value = move.value_for_mover
    has_unit = math.isfinite(value) and not move.exact
    return MoveValue(
        square=str(move.square), value=value if has_unit else None, discs=int(value) if move.exact else None
    )


def _positions(game: Game, player: GreedyPlayer | None) -> list[PositionResponse]:
    """All boards of a game, the start first."""
    boards = game.boards
    evaluations = evaluations_for_black(player, game) if player else [None] * len(boards)
    first = _position(boards[0], evaluations[0])
    later = [
        _position(board, evaluation, str(move), before.settled())
        for before, move, board, evaluation in zip(
            boards, game.moves, boards[1:], evaluations[1:], strict=False
        )
    ]
    return [first, *later]


def _position(
    board: Board, evaluation: float | None, move: str | None = None, before: Board | None = None
) -> PositionResponse:
    turn = board.settled()
    is_over = not turn.has_moves
    flipped = (before.black & board.white) | (before.white & board.black) if before else 0
    return PositionResponse(
        move=move, mover=before.mover if before else None,
        flipped=[str(square) for square in squares_in(flipped)],
        passed=board.mover if turn.mover != board.mover else None, squares=board.text[:64],
        turn=None if is_over else turn.mover, legal=[str(square) for square in turn.legal_moves],
        black=board.black.bit_count(), white=board.white.bit_count(), disc_difference=board.disc_difference,
        evaluation=None if is_over else evaluation,
    )  # fmt: skip
