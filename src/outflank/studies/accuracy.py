"""How a player's values and moves agree with recorded games of experts.

Values: WTHOR files hold, for each game, the score with perfect play from a given number of empty squares; the
scores of other boards are solved. The player's value of the board, in discs, is compared with it. Moves: how
often the player's choice is the move that was made. (Published: 53.0 % by preference learning of n-tuples,
62.7 % by a convolutional network; Liskowski, Jaskowski and Krawiec 2018.)

>>> from outflank import named_player
>>> from outflank.games.game import Game
>>> games = [GameRecord(Game.from_transcript("f5d6c3d3c4f4f6"))]
>>> found = accuracy(named_player("all-2"), games)
>>> found.values is None, found.moves  # the first moves are images of each other
(True, 6)
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

import numpy as np

from outflank.board import Board, Square
from outflank.evaluators.protocol import board_bits
from outflank.games.game import GameRecord
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import with_one_ply_search
from outflank.players.search import SearchPlayer
from outflank.players.solver import Solver

TIE = 1e-6  # values this close count as equal, as in games
BOARDS_AT_A_TIME = 4096
FEWEST_SCORES = 3  # for a line through them


@dataclass(frozen=True)
class ScoredBoard:
    """A board after a move, and its score with perfect play for the side that made it."""

    board: Board
    black_moved: bool
    score: int


@dataclass(frozen=True)
class ValueAccuracy:
    """Static values against exact scores, both in discs for the side that moved last. Values of a
    player that was not tuned (search_tuning.py) are in its own unit: of those the slope finds the scale."""

    positions: int
    empties: tuple[int, ...]  # where the scores are known
    mean_error: float  # absolute
    slope: float  # of the scores on the values: 1 if the scale is right
    correlation: float
    fitted_error: float  # the mean error that is left after that line


@dataclass(frozen=True)
class Accuracy:
    """`values`: None without scores. `predicted`: the share of moves; of n equal choices one
    counts 1/n. Boards with one legal move, and the first, do not count."""

    values: ValueAccuracy | None
    moves: int
    predicted: float


def accuracy(
    player: GreedyPlayer | SearchPlayer,
    records: Sequence[GameRecord],
    scored: Sequence[ScoredBoard] | None = None,
) -> Accuracy:
    """Both, for these games; values by default at the boards whose scores the games hold."""
    search = with_one_ply_search(player) if isinstance(player, GreedyPlayer) else player
    shares = list(_shares(search, records))
    predicted = float(np.mean(shares)) if shares else float("nan")
    known = theoretical_scores(records) if scored is None else scored
    return Accuracy(_values(search, known), len(shares), predicted)


def _decisions(records: Sequence[GameRecord]) -> Iterator[tuple[Board, Square]]:
    for record in records:
        for board, move in zip(record.game.boards, record.game.moves, strict=False):
            decision = board.settled()
            if decision.discs > 4 and len(decision.legal_moves) > 1:
                yield decision, move


def _shares(player: SearchPlayer, records: Sequence[GameRecord]) -> Iterator[float]:
    """For each decision, the probability that the player makes the move that was made."""
    decisions = _decisions(records)
    while some := list(islice(decisions, BOARDS_AT_A_TIME)):
        judged = player.judge_many([board for board, _ in some])
        for (_, made), values in zip(some, judged, strict=True):
            best = max(value for _, value in values)
            ties = [move for move, value in values if value >= best - TIE]
            yield (made in ties) / len(ties)


def theoretical_scores(records: Sequence[GameRecord]) -> list[ScoredBoard]:
    """The boards whose scores the games hold."""
    found = []
    for record in records:
        if record.theoretical is None or record.theoretical_empties is None:
            continue
        if (after := _after_a_move(record, record.theoretical_empties)) is not None:
            board, black_moved = after
            score = record.theoretical if black_moved else -record.theoretical
            found.append(ScoredBoard(board, black_moved, score))
    return found


def solved_scores(
    records: Sequence[GameRecord],
    empties: int,
    threads: int = 1,
    progress: Callable[[int], None] = lambda _: None,
) -> list[ScoredBoard]:
    """The games' boards with this many empty squares, solved."""
    boards = [after for record in records if (after := _after_a_move(record, empties)) is not None]
    own = threading.local()

    def solved(after: tuple[Board, bool]) -> ScoredBoard:
        board, black_moved = after
        if not hasattr(own, "solver"):
            own.solver = Solver()
        score = own.solver.solve(board).score_for_mover
        return ScoredBoard(board, black_moved, score if black_moved == (board.mover == "black") else -score)

    found = []
    with ThreadPoolExecutor(threads) as pool:
        try:
            for scored in pool.map(solved, boards):
                found.append(scored)
                progress(1)
        finally:  # Ctrl-C: what has not begun is not solved
            pool.shutdown(cancel_futures=True)
    return found


def _after_a_move(record: GameRecord, empties: int) -> tuple[Board, bool] | None:
    """The game's board with this many empty squares, and whether Black moved last."""
    boards = record.game.boards
    number = 64 - empties - boards[0].discs  # of the move that led there
    if not 1 <= number < len(boards):
        return None
    return boards[number], boards[number - 1].settled().mover == "black"


def _values(player: SearchPlayer, found: Sequence[ScoredBoard]) -> ValueAccuracy | None:
    if len(found) < FEWEST_SCORES or not isinstance(player.inner, GreedyPlayer):
        return None
    boards = [scored.board for scored in found]
    moved = np.array([scored.black_moved for scored in found])
    raw = player.inner.values_for_mover(*board_bits(boards), moved)
    values = np.array([player.in_discs(float(v), board) for v, board in zip(raw, boards, strict=True)])
    scores = np.array([scored.score for scored in found], dtype=np.float64)
    if np.ptp(values) == 0:
        slope, intercept, correlation = 0.0, float(scores.mean()), 0.0
    else:
        slope, intercept = map(float, np.polyfit(values, scores, 1))
        correlation = float(np.corrcoef(values, scores)[0, 1]) if np.ptp(scores) else 0.0
    return ValueAccuracy(
        positions=len(found),
        empties=tuple(sorted({64 - board.discs for board in boards})),
        mean_error=float(np.abs(values - scores).mean()),
        slope=slope,
        correlation=correlation,
        fitted_error=float(np.abs(slope * values + intercept - scores).mean()),
    )
