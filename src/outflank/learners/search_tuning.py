"""Fits the search parameters of an evaluator (players/search_tuning.py) from its own games.

Multi-ProbCut (Buro 1997): positions are searched to several depths; deep values are regressed on shallow ones
by stage of the game, and the residual deviation says how far a shallow search may be trusted. Discs per unit
of value: games are played on from those positions, and the results regressed on the values.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board
from outflank.cores import available_cores
from outflank.games.match import Match
from outflank.players.greedy import GreedyPlayer
from outflank.players.search import SearchLimits, SearchPlayer
from outflank.players.search_tuning import STAGES, ProbCut, SearchTuning, stage_of

DEEPEST_FITTED = 10
# The shallow depth for each depth; of the same parity, since odd and even depths differ.
SHALLOW = {3: 1, 4: 2, 5: 1, 6: 2, 7: 3, 8: 4, 9: 3, 10: 4}
DEEPEST_CUT = 24
EPSILON = 0.1  # of the games that positions are taken from
FEWEST = 20  # positions of a stage to fit a line to

Values = dict[int, npt.NDArray[np.float64]]  # by depth


@dataclass(frozen=True)
class TuningStep:
    """Progress of the fit: searches done, and in total."""

    done: int
    total: int


def sample_positions(player: GreedyPlayer, count: int, seed: int) -> list[Board]:
    """One position from each of many games with forced random moves, evenly from all stages."""
    generator = np.random.default_rng(seed)
    boards = []
    match = Match(player, player, double_games=(count + 1) // 2, epsilon=EPSILON, seed=seed)
    for game in match.games():
        # A search must be able to reach its depth, so the last dozen squares are excluded.
        ply = int(generator.integers(4, 48))
        board = game.boards[min(ply, len(game.boards) - 1)].settled()
        if board.has_moves and 64 - board.discs > DEEPEST_FITTED:
            boards.append(board)
    return boards[:count]


def fit(
    player: GreedyPlayer,
    positions: int = 1000,
    depth: int = DEEPEST_FITTED,
    seed: int = 1,
    threads: int | None = None,
) -> Iterator[TuningStep | SearchTuning]:
    """Yields progress, then the tuning. depth: of the deepest search; two more plies cost about tenfold."""
    if not 4 <= depth <= DEEPEST_FITTED:
        raise ValueError(f"depth must be within 4..{DEEPEST_FITTED}, got {depth}")
    if player.core is None:
        raise ValueError(f"{player.name}: only evaluators of the core search by nodes or time")
    threads = threads or available_cores()
    boards = sample_positions(player, positions, seed)
    stages = np.array([stage_of(board.discs) for board in boards])
    depths = range(1, depth + 1)
    values: Values = {}
    for searched in depths:
        yield TuningStep((searched - 1) * len(boards), (len(depths) + 1) * len(boards))
        values[searched] = _values(player.core, boards, searched, threads)
    yield TuningStep(len(depths) * len(boards), (len(depths) + 1) * len(boards))
    results = _results(player, boards, seed, threads)
    cuts = tuple(_cuts(values, stages == stage) for stage in range(STAGES))
    yield SearchTuning(_discs_per_unit(player, values[4], results, stages), cuts)


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
    """The disc difference for each board's mover after the game is played on at two plies."""
    strong = SearchPlayer(player, SearchLimits(depth=2), solve=12, name="strong")
    match = Match(strong, strong, double_games=len(boards), starts=boards, seed=seed, threads=threads)
    for_first = np.concatenate([batch.disc_differences for batch in match.batches()]).astype(float)
    black = (for_first[0::2] - for_first[1::2]) / 2  # the first player is Black, then White
    sign = np.array([1.0 if board.mover == "black" else -1.0 for board in boards])
    results: npt.NDArray[np.float64] = sign * black
    return results


def _cuts(values: Values, of_stage: npt.NDArray[np.bool_]) -> tuple[ProbCut, ...]:
    fitted = {}
    for depth, shallow in SHALLOW.items():
        if depth not in values:
            break
        won = (np.abs(values[depth]) > _core.WON_GAME / 2) | (np.abs(values[shallow]) > _core.WON_GAME / 2)
        x, y = values[shallow][of_stage & ~won], values[depth][of_stage & ~won]
        if len(x) < FEWEST or x.std() == 0:
            continue
        slope, intercept = np.polyfit(x, y, 1)
        sigma = float(np.std(y - slope * x - intercept, ddof=2))
        if slope > 0:
            fitted[depth] = ProbCut(depth, shallow, float(slope), float(intercept), sigma)
    for depth in range(max(values) + 1, DEEPEST_CUT + 1):
        like = max((fit for fit in fitted if fit <= max(values) and fit % 2 == depth % 2), default=None)
        if like is not None:
            fitted[depth] = _extrapolated(fitted[like], depth)
    return tuple(fitted[depth] for depth in sorted(fitted))


def _extrapolated(cut: ProbCut, depth: int) -> ProbCut:
    """A cut deeper than was fitted: from half the depth, with an error that grows like a random walk, by the
    square root of the plies between."""
    shallow = depth // 2 if depth // 2 % 2 == depth % 2 else depth // 2 + 1
    growth = ((depth - shallow) / (cut.depth - cut.shallow)) ** 0.5
    return replace(cut, depth=depth, shallow=shallow, sigma=cut.sigma * max(1.0, growth))


def _discs_per_unit(
    player: GreedyPlayer,
    values: npt.NDArray[np.float64],
    results: npt.NDArray[np.float64],
    stages: npt.NDArray[np.int_],
) -> tuple[float, ...]:
    """By stage; where a stage's values predict nothing, the slope of the whole game."""
    usable = np.abs(values) < _core.WON_GAME / 2
    overall = _slope_through_zero(values[usable], results[usable])
    if overall <= 0:
        raise ValueError(
            f"{player.name}: its values do not predict results, so they cannot be converted to discs"
        )
    of_stage = [usable & (stages == stage) for stage in range(STAGES)]
    slopes = [_slope_through_zero(values[some], results[some]) for some in of_stage]
    return tuple(slope if slope > 0 else overall for slope in slopes)


def _slope_through_zero(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> float:
    """Discs per unit of value; an even position has value zero."""
    return float(x @ y / (x @ x)) if x @ x > 0 else 0.0
