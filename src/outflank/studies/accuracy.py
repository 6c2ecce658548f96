"""How a player's values and moves agree with recorded games of experts.

Values: WTHOR files hold, for each game, the score with perfect play from a given number of empty squares. The
player's value of that board, in discs, is compared with it. Moves: how often the player's choice is the move
that was made. (Published: 53.0 % by preference learning of n-tuples, 62.7 % by a convolutional network;
Liskowski, Jaskowski and Krawiec 2018.)

>>> from outflank import named_player
>>> from outflank.games.game import Game
>>> games = [GameRecord(Game.from_transcript("f5d6c3d3c4f4f6"))]
>>> found = accuracy(named_player("all-2"), games)
>>> found.values is None, found.moves  # the first moves are images of each other
(True, 6)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from outflank.board import Board, Square
from outflank.evaluators.protocol import board_bits
from outflank.games.game import GameRecord
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import with_one_ply_search
from outflank.players.search import SearchPlayer

TIE = 1e-6  # values this close count as equal, as in games
BOARDS_AT_A_TIME = 4096
FEWEST_SCORES = 3  # for a line through them


@dataclass(frozen=True)
class ValueAccuracy:
    """Static values against theoretical scores, both in discs for the side that moved last. Values of a
    player that was not tuned (search_tuning.py) are in its own unit: of those the slope finds the scale."""

    positions: int
    empties: tuple[int, ...]  # where the theoretical scores are known
    mean_error: float  # absolute
    slope: float  # of the scores on the values: 1 if the scale is right
    correlation: float
    fitted_error: float  # the mean error that is left after that line


@dataclass(frozen=True)
class Accuracy:
    """`values`: None without theoretical scores. `predicted`: the share of moves; of n equal choices one
    counts 1/n. Boards with one legal move, and the first, do not count."""

    values: ValueAccuracy | None
    moves: int
    predicted: float


def accuracy(player: GreedyPlayer | SearchPlayer, records: Sequence[GameRecord]) -> Accuracy:
    """Both, for these games."""
    search = with_one_ply_search(player) if isinstance(player, GreedyPlayer) else player
    shares = list(_shares(search, records))
    predicted = float(np.mean(shares)) if shares else float("nan")
    return Accuracy(_values(search, records), len(shares), predicted)


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


def _scored(records: Sequence[GameRecord]) -> Iterator[tuple[Board, bool, int]]:
    """Boards with known scores: whether Black moved last, and the score for the side that did."""
    for record in records:
        if record.theoretical is None or record.theoretical_empties is None:
            continue
        boards = record.game.boards
        number = 64 - record.theoretical_empties - boards[0].discs  # of the move that led there
        if 1 <= number < len(boards):
            black_moved = boards[number - 1].settled().mover == "black"
            yield boards[number], black_moved, record.theoretical if black_moved else -record.theoretical


def _values(player: SearchPlayer, records: Sequence[GameRecord]) -> ValueAccuracy | None:
    found = list(_scored(records))
    if len(found) < FEWEST_SCORES or not isinstance(player.inner, GreedyPlayer):
        return None
    boards = [board for board, _, _ in found]
    raw = player.inner.values_for_mover(*board_bits(boards), np.array([black for _, black, _ in found]))
    values = np.array([player.in_discs(float(v), board) for v, board in zip(raw, boards, strict=True)])
    scores = np.array([score for _, _, score in found], dtype=np.float64)
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
