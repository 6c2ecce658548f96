"""A game as the browser sees it: its boards, and what a player makes of them. The rules live here alone.

>>> play_answer(Game.from_transcript("f5d6"), None, depth=1, with_values=False).legal
['c3', 'c4', 'c5', 'c6', 'c7']
"""

from __future__ import annotations

import math
import secrets
from typing import Literal

from pydantic import BaseModel

from outflank.board import Board, Colour, squares_in
from outflank.games.game import Game
from outflank.interfaces.web.compute.move_values import evaluations_for_black, move_values
from outflank.players.analysis import Analysis, AnalyzedMove
from outflank.players.greedy import GreedyPlayer

Outcome = Literal["black", "white", "draw"]


class PositionAnswer(BaseModel):
    """A board of a game: before the first move, or after a move."""

    move: str | None  # that led here
    mover: Colour | None  # who made it
    flipped: list[str]  # discs that it turned over
    passed: Colour | None  # who has to pass now
    squares: str  # 64 characters from a1, b1, ... to h8: X black, O white, - empty
    turn: Colour | None  # None: the game is over
    legal: list[str]
    black: int  # discs
    white: int
    disc_difference: int  # Black's minus White's
    evaluation: float | None  # for Black, by the player without search, in its own unit; none at the end


class MoveValue(BaseModel):
    """What a move is worth to the mover: in the evaluator's own unit, or in discs where the end was seen."""

    square: str
    value: float | None
    discs: int | None


class PlayAnswer(PositionAnswer):
    """The board after a transcript, and the game that led there."""

    transcript: str
    is_over: bool
    outcome: Outcome | None
    positions: list[PositionAnswer]  # of the whole game, the start first and this one last
    values: list[MoveValue] | None  # best first; if asked for
    choice: MoveValue | None  # what the player would play; if asked for
    depth: int | None  # that the values were searched to


def play_answer(game: Game, player: GreedyPlayer | None, depth: int, with_values: bool) -> PlayAnswer:
    """What a game looks like to the browser."""
    positions = _positions(game, player)
    final = game.final.settled()
    analysis: Analysis | None = None
    if player is not None and with_values and final.has_moves:
        analysis = move_values(player, final, depth)
    return PlayAnswer(
        **positions[-1].model_dump(), transcript=game.transcript, is_over=not final.has_moves,
        outcome=final.outcome, positions=positions,
        values=[_value(move) for move in analysis.moves] if analysis else None,
        # One of the best moves, at random, as in the league's games.
        choice=_value(secrets.choice(analysis.best_moves)) if analysis else None,
        depth=analysis.depth if analysis else None,
    )  # fmt: skip


def _positions(game: Game, player: GreedyPlayer | None) -> list[PositionAnswer]:
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
) -> PositionAnswer:
    turn = board.settled()
    is_over = not turn.has_moves
    turned = (before.black & board.white) | (before.white & board.black) if before else 0
    return PositionAnswer(
        move=move, mover=before.mover if before else None,
        flipped=[str(square) for square in squares_in(turned)],
        passed=board.mover if turn.mover != board.mover else None, squares=board.text[:64],
        turn=None if is_over else turn.mover, legal=[str(square) for square in turn.legal_moves],
        black=board.black.bit_count(), white=board.white.bit_count(), disc_difference=board.disc_difference,
        evaluation=None if is_over else evaluation,
    )  # fmt: skip


def _value(move: AnalyzedMove) -> MoveValue:
    value = move.value_for_mover
    has_unit = math.isfinite(value) and not move.exact
    return MoveValue(
        square=str(move.square), value=value if has_unit else None, discs=int(value) if move.exact else None
    )
