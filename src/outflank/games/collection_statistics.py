"""Statistics of a collection of games: results, openings, and stored scores against replayed ones.

>>> from outflank.games.game import Game
>>> record = GameRecord(Game.from_transcript("c4c3d3c5"), result=2)
>>> found = game_statistics([record], opening_moves=3)
>>> found.unfinished, found.openings[0].moves, str(found.exceptions[0].kind)
(1, 'f5f6e6', 'unfinished, another score')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Square, symmetric_square
from outflank.games.game import LONGEST_GAME, START, GameRecord, moves_matrix
from outflank.games.replay import Replays, replay_records


class ScoreKind(StrEnum):
    """How a stored score compares with the moves."""

    as_replayed = "complete, the score is as replayed"
    winner_takes_empties = "complete, the score gives the empty squares to the winner"
    differs = "complete, another score"
    unfinished_as_it_stood = "unfinished, the score of the last board"
    unfinished_differs = "unfinished, another score"
    not_stored = "no stored score"


CONFIRMED = (ScoreKind.as_replayed, ScoreKind.winner_takes_empties)


@dataclass(frozen=True)
class ScoreException:
    """A game whose moves do not confirm its stored score."""

    record: GameRecord
    kind: ScoreKind
    black: int  # discs on the last board
    white: int


@dataclass(frozen=True)
class Opening:
    """The first moves of some games, rotated so that they start with f5."""

    moves: str
    games: int
    black_score: float | None  # average points of Black: win 1, draw 0.5, loss 0


@dataclass(frozen=True)
class GameStatistics:
    games: int
    years: tuple[int, int] | None  # the first and the last
    complete: int  # games played until neither side can move
    unfinished: int
    black_wins: int  # by the stored score; without one, by the board of a complete game
    draws: int
    white_wins: int
    mean_result: float | None  # Black's average disc difference
    shortest: int  # in moves
    mean_moves: float
    longest: int
    other_starts: int  # games from another than the standard start
    kinds: dict[ScoreKind, int]
    exceptions: tuple[ScoreException, ...]
    openings: tuple[Opening, ...]  # the most frequent first


def game_statistics(records: Sequence[GameRecord], opening_moves: int = 6) -> GameStatistics:
    """Counts over a collection; openings that differ by a symmetry of the board are the same."""
    if not 1 <= opening_moves <= LONGEST_GAME:
        raise ValueError(f"an opening has 1 to {LONGEST_GAME} moves, got {opening_moves}")
    replays = replay_records(records)
    kinds = _kinds(records, replays)
    results = _results(records, replays)
    known = results[~np.isnan(results)]
    moves = np.array([len(record.game.moves) for record in records] or [0])
    years = [record.year for record in records if record.year is not None]
    exceptions = [
        ScoreException(record, kind, int(replays.black[i]), int(replays.white[i]))
        for i, (record, kind) in enumerate(zip(records, kinds, strict=True))
        if kind not in (*CONFIRMED, ScoreKind.not_stored)
    ]
    counted = Counter(kinds)
    return GameStatistics(
        games=len(records),
        years=(min(years), max(years)) if years else None,
        complete=int(replays.over.sum()),
        unfinished=int((~replays.over).sum()),
        black_wins=int((known > 0).sum()),
        draws=int((known == 0).sum()),
        white_wins=int((known < 0).sum()),
        mean_result=float(known.mean()) if known.size else None,
        shortest=int(moves.min()),
        mean_moves=float(moves.mean()),
        longest=int(moves.max()),
        other_starts=sum(record.game.start != START for record in records),
        kinds={kind: counted[kind] for kind in ScoreKind if counted[kind]},
        exceptions=tuple(exceptions),
        openings=_openings(records, results, opening_moves),
    )


def _kinds(records: Sequence[GameRecord], replays: Replays) -> list[ScoreKind]:
    kinds = []
    columns = (replays.over, replays.disc_differences, replays.winner_takes_empties)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for record, (over, plain, tournament) in zip(records, rows, strict=True):
        stored = record.result
        if stored is None:
            kinds.append(ScoreKind.not_stored)
        elif not over:
            stood = stored in (plain, tournament)
            kinds.append(ScoreKind.unfinished_as_it_stood if stood else ScoreKind.unfinished_differs)
        elif stored == plain:
            kinds.append(ScoreKind.as_replayed)
        else:
            kinds.append(ScoreKind.winner_takes_empties if stored == tournament else ScoreKind.differs)
    return kinds


def _results(records: Sequence[GameRecord], replays: Replays) -> npt.NDArray[np.float64]:
    """Black's disc difference as stored; otherwise as replayed; NaN if the game is unfinished."""
    stored = np.array([np.nan if r.result is None else r.result for r in records], dtype=np.float64)
    replayed = np.where(replays.over, replays.disc_differences.astype(np.float64), np.nan)
    return np.where(np.isnan(stored), replayed, stored)


def _openings(
    records: Sequence[GameRecord], results: npt.NDArray[np.float64], length: int
) -> tuple[Opening, ...]:
    usual = [i for i, r in enumerate(records) if r.game.start == START and len(r.game.moves) >= length]
    if not usual:
        return ()
    moves = moves_matrix([records[i] for i in usual])[:, :length]
    turned = _TURN_TO_F5[moves[:, :1], moves]
    lines, inverse, counts = np.unique(turned, axis=0, return_inverse=True, return_counts=True)
    points = (np.sign(results[usual]) + 1) / 2
    scored = ~np.isnan(points)
    total = np.bincount(inverse[scored], weights=points[scored], minlength=len(lines))
    decided = np.bincount(inverse[scored], minlength=len(lines))
    order = np.argsort(-counts, kind="stable")
    return tuple(
        Opening(
            "".join(str(Square(int(square))) for square in lines[i]),
            int(counts[i]),
            float(total[i] / decided[i]) if decided[i] else None,
        )
        for i in order
    )


def _turn_to_f5() -> npt.NDArray[np.uint8]:
    """[first move, square]: where the symmetry that takes the first move to f5 takes a square.

    Four of the eight symmetries map the start onto itself; the four first moves are images of each other.
    """
    turn = np.full((64, 64), _core.NO_MOVE, dtype=np.uint8)
    for symmetry in range(8):
        if START.symmetric(symmetry) == START:
            image = [int(symmetric_square(square, symmetry)) for square in range(64)]
            turn[image.index(int(Square("f5")))] = image
    return turn


_TURN_TO_F5 = _turn_to_f5()
