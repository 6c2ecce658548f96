"""The board to play on. The rules live here alone: the browser asks what a transcript leads to.

Stateless: an answer follows from the request, and from chance where several moves are equally good.
"""

from __future__ import annotations

import secrets
from typing import Annotated, Literal

import anyio.to_thread
from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from outflank.board import Board, Colour, squares_in
from outflank.games.game import Game
from outflank.interfaces.web.api import FAULTS, PlayerId, TheLeague, TheTable
from outflank.interfaces.web.judging import DEEPEST, Judged, MoveJudged, evaluations_for_black, judged_moves
from outflank.interfaces.web.players_at_hand import PlayerAtHand, PlayersAtHand
from outflank.interfaces.web.rendering import page

LONGEST = 400  # characters of a transcript: 60 moves, and room for spaces
SEARCHES = 2  # deep searches at once, so that they leave time for everything else
MOST_WAITING = 40
BUSY = "too many deep searches are under way; try again in a moment, or choose a smaller depth"
Outcome = Literal["black", "white", "draw"]

router = APIRouter()


class Desk:
    """What playing needs beside the league: players in memory, and turns for those that search."""

    def __init__(self, players: PlayersAtHand) -> None:
        self.players = players
        self.searches = anyio.CapacityLimiter(SEARCHES)


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


@router.get("/play", include_in_schema=False)
def play_page(table: TheTable) -> Response:
    """The page; what is played is in its address, which its script reads."""
    return page("play.html", active="/play", title="Play", players=table.rows(), deepest=DEEPEST)


@router.get("/api/v1/play", responses={**FAULTS, 503: FAULTS[429]})
async def play(
    request: Request,
    response: Response,
    league: TheLeague,
    player: PlayerId | None = None,
    moves: Annotated[str, Query(max_length=LONGEST)] = "",
    depth: Annotated[int, Query(ge=1, le=DEEPEST)] = 1,
    values: bool = False,
) -> PlayAnswer:
    """The board after the moves (such as f5d6c3; passes are not written) and what a player makes of it:
    its evaluation along the game and, with values=1, the value of each legal move and its choice."""
    response.headers["Cache-Control"] = "no-store"
    try:
        game = Game.from_transcript(moves)
    except ValueError as error:
        raise HTTPException(422, f"moves: {error}") from None
    if player is None:
        if values:
            raise HTTPException(422, "values are a player's: add player=ID")
        return answer(game, None, 1, False)
    found = await run_in_threadpool(league.player, player)
    desk: Desk = request.app.state.desk
    at_hand = desk.players.known(found.digest, found.view)
    if at_hand is not None and not at_hand.is_slow and (depth == 1 or not values):
        return await run_in_threadpool(answer, game, at_hand, depth, values)
    if desk.searches.statistics().tasks_waiting >= MOST_WAITING:
        raise HTTPException(503, BUSY)

    def load_and_answer() -> PlayAnswer:
        return answer(game, desk.players.load(found.id, found.digest, found.view), depth, values)

    return await anyio.to_thread.run_sync(load_and_answer, limiter=desk.searches)


def answer(game: Game, at_hand: PlayerAtHand | None, depth: int, with_values: bool) -> PlayAnswer:
    """What a game looks like to the browser."""
    positions = positions_of(game, at_hand)
    final = game.final.settled()
    judged: Judged | None = None
    if at_hand is not None and with_values and final.has_moves:
        judged = judged_moves(at_hand.player, final, depth)
    return PlayAnswer(
        **positions[-1].model_dump(), transcript=game.transcript, is_over=not final.has_moves,
        outcome=final.outcome, positions=positions,
        values=[_value(move) for move in judged.moves] if judged else None,
        choice=_choice(judged) if judged else None, depth=judged.depth if judged else None,
    )  # fmt: skip


def positions_of(game: Game, at_hand: PlayerAtHand | None) -> list[PositionAnswer]:
    """All boards of a game, the start first."""
    boards = game.boards
    evaluations = evaluations_for_black(at_hand.player, game) if at_hand else [None] * len(boards)
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


def _value(move: MoveJudged) -> MoveValue:
    return MoveValue(square=str(move.square), value=move.value, discs=move.discs)


def _choice(judged: Judged) -> MoveValue:
    """One of the best moves, at random, as in the league's games."""
    square = secrets.choice(judged.best)
    return next(_value(move) for move in judged.moves if move.square == square)
