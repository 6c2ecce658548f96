"""Fits the search parameters of an evaluator (players/search_tuning.py) from its own games.

Multi-ProbCut (Buro 1997): positions are searched to several depths, and deep values regressed on shallow
ones. Slope and intercept of the line change linearly along the game, the logarithm of the residual deviation
quadratically, so that every position helps to fit every stage. Discs per unit of value: games are played on
from those positions, and the results regressed on the values. Values that were learned in discs need one
factor only: they are smaller than exact scores, as all that is regressed on something uncertain.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board
from outflank.cores import available_cores
from outflank.games.match import Match
from outflank.games.positions import random_openings
from outflank.players.greedy import GreedyPlayer
from outflank.players.search import SearchLimits, SearchPlayer
from outflank.players.search_tuning import CUT_STAGES, STAGES, ProbCut, SearchTuning, middles
from outflank.players.solver import Solver

DEEPEST_FITTED = 10
# The shallow depths tried for each depth, cheapest first. 0 is the value of the move that led to a position,
# which costs nothing; 1 are the values that order its moves. Depths of the same parity predict best.
SHALLOW = {
    1: (0,), 2: (0, 1), 3: (0, 1), 4: (0, 2), 5: (0, 1, 3), 6: (0, 2), 7: (1, 3), 8: (2, 4),
    9: (5,), 10: (6,),
}  # fmt: skip
DEEPEST_CUT = 24
DEEP_FROM = 6  # searches this deep are made of a share of the positions only: they take longest
DEEP_SHARE = 4
NEAR_DISCS = 20.0  # positions further from the middle of a stage do not count for it
MOST_PLAYED_ON = 600  # positions whose results are found
PLIES, EPSILON = 2, 0.07  # of the games that positions are taken from
SOLVED = (20, 21, 22)  # empty squares of the positions whose exact scores give the scale of values in discs
SOLVED_SHARE = 2  # as many positions, divided by this
SOLVED_AT_A_TIME = 8  # between two reports of progress
RANDOM_PLIES, SOLVED_DEPTH = 10, 4  # of the games that these are taken from
OUTLIER = 3.0  # standard deviations
LOG_OF_NORMAL = -0.635  # the mean logarithm of a standard normal deviate's size

Numbers = npt.NDArray[np.float64]
Values = dict[int, Numbers]  # by depth; of the first positions, where there are fewer


@dataclass(frozen=True)
class TuningStep:
    """Progress of the fit: searches done, and in total."""

    done: int
    total: int


@dataclass(frozen=True)
class Sample:
    """A position of a game, with the value of the move that led to it for the position's mover."""

    board: Board
    unsearched: float


def sample_positions(player: GreedyPlayer, count: int, seed: int, threads: int | None = None) -> list[Sample]:
    """One position from each of many games with forced random moves, evenly from all stages."""
    generator = np.random.default_rng(seed)
    samples: list[Sample] = []
    playing = SearchPlayer(player, SearchLimits(depth=PLIES), name=player.name)
    match = Match(playing, playing, double_games=count, epsilon=EPSILON, seed=seed, threads=threads)
    for game in match.games():
        # A search must be able to reach its depth, so the last dozen squares are excluded.
        ply = int(generator.integers(6, 48))
        if ply >= len(game.boards):
            continue
        before, board = game.boards[ply - 1].settled(), game.boards[ply]
        if board.has_moves and board.mover != before.mover and 64 - board.discs > DEEPEST_FITTED:
            samples.append(Sample(board, -_value_of_last_move(player, board)))
        if len(samples) == count:
            break
    return samples


def _value_of_last_move(player: GreedyPlayer, board: Board) -> float:
    """For the side that made it."""
    black, white = (np.array([discs], dtype=np.uint64) for discs in (board.black, board.white))
    return float(player.values_for_mover(black, white, np.array([board.mover == "white"]))[0])


def fit(
    player: GreedyPlayer,
    positions: int = 1200,
    depth: int = 8,
    seed: int = 1,
    threads: int | None = None,
    in_discs: bool = False,
) -> Iterator[TuningStep | SearchTuning]:
    """Yields progress, then the tuning. depth: of the deepest search; two more plies cost about fivefold.
    in_discs: the evaluator learned values in discs, so one factor is fitted for the whole game."""
    if not 4 <= depth <= DEEPEST_FITTED:
        raise ValueError(f"depth must be within 4..{DEEPEST_FITTED}, got {depth}")
    if player.core is None:
        raise ValueError(f"{player.name}: only evaluators of the core search by nodes or time")
    threads = threads or available_cores()
    yield TuningStep(0, 1)
    samples = sample_positions(player, positions, seed, threads)
    boards = [sample.board for sample in samples]
    values: Values = {0: np.array([sample.unsearched for sample in samples])}
    counts = {d: len(boards) // (DEEP_SHARE if d >= DEEP_FROM else 1) for d in range(1, depth + 1)}
    total, done = sum(counts.values()) + len(boards), 0
    for searched, count in counts.items():
        yield TuningStep(done, total)
        values[searched] = _values(player.core, boards[:count], searched, threads)
        done += count
    yield TuningStep(done, total)
    discs = np.array([board.discs for board in boards])
    if in_discs:
        endings = _endings(player, len(boards) // SOLVED_SHARE, seed, threads)
        scores: list[float] = []
        for first in range(0, len(endings), SOLVED_AT_A_TIME):
            yield TuningStep(done + first, total + len(endings))
            scores += _exact_scores(endings[first : first + SOLVED_AT_A_TIME], threads)
        factor = _worth_by_exact_scores(player, endings, scores)
        yield SearchTuning((factor,) * STAGES, _cuts(values, discs))
        return
    results = _results(player, boards[:MOST_PLAYED_ON], seed, threads)
    of_these = slice(len(results))
    worth = _discs_per_unit(player, values[4][of_these], results, discs[of_these])
    yield SearchTuning(worth, _cuts(values, discs))


def _values(player: _core.Player, boards: list[Board], depth: int, threads: int) -> npt.NDArray[np.float64]:
    """The value of each board for its mover, searched to a depth without forward pruning."""

    def of_some(part: list[Board]) -> list[float]:
        searcher = _core.Searcher(player, 18, 1, [])
        return [
            searcher.search(b.black, b.white, b.mover == "black", depth, 1 << 62, None, False)[0][0][1]
            for b in part
        ]

    parts = [boards[i::threads] for i in range(threads)]
    values = np.empty(len(boards))
    with ThreadPoolExecutor(threads) as pool:
        for i, found in enumerate(pool.map(of_some, parts)):
            values[i::threads] = found
    return values


def _results(player: GreedyPlayer, boards: list[Board], seed: int, threads: int) -> npt.NDArray[np.float64]:
    """The disc difference for each board's mover after the game is played on well: weak players do not keep
    an advantage."""
    strong = SearchPlayer(player, SearchLimits(depth=4), solve=11, name="strong")
    match = Match(strong, strong, double_games=len(boards), starts=boards, seed=seed, threads=threads)
    for_first = np.concatenate([batch.disc_differences for batch in match.batches()]).astype(float)
    black = (for_first[0::2] - for_first[1::2]) / 2  # the first player is Black, then White
    sign = np.array([1.0 if board.mover == "black" else -1.0 for board in boards])
    results: npt.NDArray[np.float64] = sign * black
    return results


def _endings(player: GreedyPlayer, count: int, seed: int, threads: int) -> list[Board]:
    """Positions of well-played games that can be solved, each from another opening."""
    strong = SearchPlayer(player, SearchLimits(depth=SOLVED_DEPTH), name="strong")
    starts = random_openings(RANDOM_PLIES, count, seed)
    match = Match(strong, strong, double_games=count, starts=starts, epsilon=0.0, seed=seed, threads=threads)
    boards = []
    for number, game in enumerate(match.games()):
        if number % 2 == 0:  # the other one is the same game, with colours swapped
            empties = SOLVED[number // 2 % len(SOLVED)]
            boards += [board for board in game.boards if 64 - board.discs == empties and board.has_moves]
    return boards


def _exact_scores(boards: list[Board], threads: int) -> list[float]:
    """For each board's mover."""
    solver = Solver(threads)
    return [solver.solve(board).score_for_mover for board in boards]


def _worth_by_exact_scores(player: GreedyPlayer, boards: list[Board], scores: list[float]) -> float:
    """What a unit of value is worth in discs under perfect play."""
    values = -np.array([_value_of_last_move(player, board) for board in boards])
    worth = _slope_through_zero(values, np.array(scores), np.ones_like(values))
    if worth <= 0:
        raise ValueError(f"{player.name}: its values do not predict scores, so they are not in discs")
    return worth


@dataclass(frozen=True)
class _Line:
    """How a shallow value predicts a deep one, along the game."""

    slope: Numbers  # of a polynomial in the time of the game
    intercept: Numbers
    log_sigma: Numbers

    def cut(self, depth: int, shallow: int, discs: float, growth: float = 1.0) -> ProbCut:
        slope, intercept, log_sigma = (
            float(np.polynomial.polynomial.polyval(_time(discs), coefficients))
            for coefficients in (self.slope, self.intercept, self.log_sigma)
        )
        return ProbCut(depth, shallow, slope, intercept, growth * float(np.exp(log_sigma)))


def _time(discs: Numbers | float) -> Numbers:
    """From -1 to 1 along the positions that were sampled; before and after, as at the ends."""
    return np.asarray((np.clip(discs, 10, 52) - 31) / 21, dtype=np.float64)


def _line(shallow: Numbers, deep: Numbers, discs: Numbers) -> _Line | None:
    """Weighted least squares in turn with the fit of the weights: the deviation grows along the game."""
    time = _time(discs)
    terms = np.stack([shallow, shallow * time, np.ones_like(time), time], axis=1)
    sizes = np.stack([np.ones_like(time), time, time**2], axis=1)
    sigma = np.ones_like(time)
    for _ in range(4):
        line = np.linalg.lstsq(terms / sigma[:, None], deep / sigma, rcond=None)[0]
        off = np.abs(deep - terms @ line)
        # A value may be predicted exactly, which has no logarithm.
        logs = np.log(off + 1e-3 * (off.mean() + 1e-9)) - LOG_OF_NORMAL
        log_sigma = np.linalg.lstsq(sizes, logs, rcond=None)[0]
        sigma = np.exp(sizes @ log_sigma)
    spread = float(np.sqrt(np.mean(np.minimum(off / sigma, OUTLIER) ** 2)))
    if line[0] - abs(line[1]) <= 0:
        return None  # the shallow search does not predict the deep one
    log_sigma[0] += np.log(max(spread, 1e-9))
    return _Line(*(np.asarray(part, dtype=np.float64) for part in (line[:2], line[2:], log_sigma)))


def _cuts(values: Values, discs: Numbers) -> tuple[tuple[ProbCut, ...], ...]:
    """By stage of the game."""
    lines: dict[tuple[int, int], _Line] = {}
    for depth in range(1, max(values) + 1):
        for shallow in SHALLOW[depth]:
            count = len(values[depth])
            x, y = values[shallow][:count], values[depth]
            usable = (np.abs(x) < _core.WON_GAME / 2) & (np.abs(y) < _core.WON_GAME / 2)
            found = _line(x[usable], y[usable], discs[:count][usable])
            if found is not None:
                lines[depth, shallow] = found
    return tuple(
        tuple(line.cut(*pair, discs=middle) for pair, line in lines.items())
        + _deeper(lines, max(values), middle)
        for middle in middles(CUT_STAGES)
    )


def _deeper(lines: dict[tuple[int, int], _Line], fitted: int, discs: float) -> tuple[ProbCut, ...]:
    """Cuts deeper than was fitted: from about half the depth, with an error that grows like a random walk, by
    the square root of the plies between."""
    cuts = []
    for depth in range(fitted + 1, DEEPEST_CUT + 1):
        like = max((pair for pair in lines if pair[0] % 2 == depth % 2 and pair[1] > 1), default=None)
        if like is None:
            continue
        shallow = depth // 2 if depth // 2 % 2 == depth % 2 else depth // 2 + 1
        growth = max(1.0, ((depth - shallow) / (like[0] - like[1])) ** 0.5)
        cuts.append(lines[like].cut(depth, shallow, discs, growth))
    return tuple(cuts)


def _discs_per_unit(
    player: GreedyPlayer, values: Numbers, results: Numbers, discs: Numbers
) -> tuple[float, ...]:
    """By stage of the game, from the positions near its middle."""
    usable = np.abs(values) < _core.WON_GAME / 2
    values, results, discs = values[usable], results[usable], discs[usable]
    overall = _slope_through_zero(values, results, np.ones_like(values))
    if overall <= 0:
        raise ValueError(
            f"{player.name}: its values do not predict results, so they cannot be converted to discs"
        )
    near = [np.maximum(0.0, 1 - np.abs(discs - middle) / NEAR_DISCS) for middle in middles(STAGES)]
    slopes = [_slope_through_zero(values, results, weights) for weights in near]
    return tuple(slope if slope > 0 else overall for slope in slopes)


def _slope_through_zero(values: Numbers, results: Numbers, weights: Numbers) -> float:
    """Discs per unit of value; an even position has value zero. Lopsided positions count less: their results
    end at 64 discs, whatever their values are."""
    some = weights > 0
    if not some.any():
        return 0.0
    weights = weights / (values**2 + np.median(np.abs(values[some])) ** 2 + 1e-12)
    square = float((weights * values) @ values)
    return float((weights * values) @ results) / square if square > 0 else 0.0
