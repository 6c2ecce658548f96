"""Temporal-difference learning: its settings, and the evaluator that learns in the core.

>>> settings = TdSettings(evaluator="all-2", games=2000, opponents=("standard-heuristic",))
>>> learner = TdLearner(settings, seed=1)
>>> learner.play(2000).updates > 50000
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.evaluators.mlp import PARTS, Mlp, SpatialMlp
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.piece_counter import CLASS_OF_SQUARE, PieceCounter
from outflank.evaluators.protocol import CoreEvaluator
from outflank.games.positions import read_start_positions
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player

FloatVector = npt.NDArray[np.float32]


@dataclass(frozen=True)
class TdSettings:
    """Everything that decides what is learned, but the seed."""

    # What learns: piece-counter, piece-counter-10, mlp, mlp-HIDDEN, spatial-mlp, or a shape of tuples
    # (all-2, snakes-30x6, logistello, all-3+corner-2x5, ...).
    evaluator: str = "logistello"
    stages: int = 1  # game stages, each with its own tables (n-tuple networks only)
    view: Literal["inversion", "negation"] = "inversion"
    initial_weights: float = 0.0  # weights begin uniform within plus or minus this (an MLP needs some)

    # From which games it learns.
    games: int = 1_000_000
    opponents: tuple[str, ...] = ()  # fixed players or `self`, one drawn for each game; none: self-play
    pool: int = 0  # so many earlier selves join the opponents,
    pool_every: int = 50_000  # a new one after so many games
    epsilon: float = 0.1  # forced random moves of the learner,
    opponent_epsilon: float = 0.1  # and of its opponents
    starts: str = ""  # a file of start positions; empty: the start of the game
    random_plies: int = 0  # games open with 0 to so many random moves

    # How it learns.
    output: Literal["logistic", "tanh"] = "logistic"  # log loss, or squared error (Lucas 2007)
    successor: Literal["own", "every-board"] = "own"  # each side's own boards, or all boards in turn
    expected_target: bool = True  # expect forced random moves, or learn from the move that was made
    trace: float = 0.0  # lambda of TD(lambda)
    alpha: float = 0.1  # learning rate of a weight,
    final_alpha: float | None = None  # at the end, if it is to fall; linear between
    coherence: bool = True  # temporal-coherence rates: each weight slows down when its changes cancel out

    # How it is watched: the score against a player, every so many games.
    measure_every: int = 50_000
    measure_double_games: int = 2_000
    measure_against: str = "standard-heuristic"
    measure_epsilon: float = 0.1

    def __post_init__(self) -> None:
        for problem, broken in _problems(self).items():
            if broken:
                raise ValueError(problem)


def _problems(s: TdSettings) -> dict[str, bool]:
    """What is wrong with settings: a sentence, and whether it applies."""
    within = {"epsilon": s.epsilon, "opponent_epsilon": s.opponent_epsilon, "trace": s.trace,
              "measure_epsilon": s.measure_epsilon}  # fmt: skip
    whole = {"games": s.games, "measure_every": s.measure_every, "pool_every": s.pool_every,
             "measure_double_games": s.measure_double_games}  # fmt: skip
    alphas = [s.alpha] + ([] if s.final_alpha is None else [s.final_alpha])
    return (
        {f"{key} must be within 0..1, got {value}": not 0 <= value <= 1 for key, value in within.items()}
        | {f"{key} must be at least 1, got {value}": value < 1 for key, value in whole.items()}
        | {
            f"alpha must be positive and final_alpha not negative, got {alphas}": not all(np.isfinite(alphas))
            or s.alpha <= 0
            or min(alphas) < 0,
            f"view must be inversion or negation, got {s.view!r}": s.view not in ("inversion", "negation"),
            f"output must be logistic or tanh, got {s.output!r}": s.output not in ("logistic", "tanh"),
            f"successor must be own or every-board, got {s.successor!r}": s.successor
            not in ("own", "every-board"),
            "successor = every-board learns from both sides' boards, so it needs self-play: remove the"
            " opponents and the pool, or set successor = own": s.successor == "every-board"
            and bool(set(s.opponents) - {"self"} or s.pool),
            f"stages must be within 1..61, got {s.stages}": not 1 <= s.stages <= 61,
            "stages are for n-tuple networks; this evaluator has none": s.stages > 1
            and _simple_kind(s.evaluator) is not None,
            f"random_plies must be within 0..50, got {s.random_plies}": not 0 <= s.random_plies <= 50,
            f"pool must be within 0..1000, got {s.pool}": not 0 <= s.pool <= 1000,
            f"initial_weights must not be negative, got {s.initial_weights}": not 0
            <= s.initial_weights
            < 1e6,
            "an MLP whose weights all begin at zero learns nothing; set initial_weights, for example 0.1": (
                s.initial_weights == 0 and _simple_kind(s.evaluator) in ("mlp", "spatial-mlp")
            ),
        }
    )


def _simple_kind(name: str) -> str | None:
    """mlp, spatial-mlp or piece-counter; None for a shape of tuples."""
    match = re.fullmatch(r"(mlp|spatial-mlp|piece-counter)(-\d+)?", name)
    return match[1] if match else None


def new_evaluator(settings: TdSettings, seed: int) -> CoreEvaluator:
    """The evaluator before it has learned anything. The seed places random tuples and weights."""
    empty: CoreEvaluator
    match settings.evaluator:
        case "piece-counter":
            empty = PieceCounter()
        case "piece-counter-10":
            empty = PieceCounter.symmetric()
        case "spatial-mlp":
            empty = SpatialMlp()
        case name if found := re.fullmatch(r"mlp(?:-(\d+))?", name):
            empty = Mlp(hidden=int(found[1] or 32))
        case name:
            empty = NTupleNetwork.of_shape(name, stages=settings.stages, seed=seed)
    if settings.initial_weights == 0:
        return empty
    reach = settings.initial_weights
    drawn = np.random.default_rng(seed).uniform(-reach, reach, empty.weights.size)
    return empty.with_weights(drawn.astype(np.float32))


def learnable(evaluator: CoreEvaluator, coherent: bool) -> _core.Learnable:
    """The evaluator's learning form in the core, with its weights."""
    if isinstance(evaluator, PieceCounter):
        places = list(CLASS_OF_SQUARE) if evaluator.is_symmetric else list(range(64))
        made = _core.learning_piece_counter(places, evaluator.weights.size, coherent)
    elif isinstance(evaluator, NTupleNetwork):
        made = _core.learning_network(evaluator.placements, evaluator.stages, coherent)
    elif isinstance(evaluator, Mlp):
        hidden = evaluator.hidden
        biases = list(range(64 * hidden, 65 * hidden))
        made = _core.learning_mlp(
            list(evaluator.nodes), list(range(64 * hidden)), biases, 65 * hidden, False, coherent
        )
    elif isinstance(evaluator, SpatialMlp):
        made = _learnable_spatial_mlp(coherent)
    else:
        raise ValueError(f"{evaluator.description} cannot learn by temporal differences")
    made.set_weights(evaluator.weights.astype(np.float32))
    return made


def _learnable_spatial_mlp(coherent: bool) -> _core.Learnable:
    """The places of its weights follow SpatialMlp: for each part its squares, then a bias."""
    places = np.full((64, len(PARTS)), -1)
    biases = []
    at = 0
    for node, part in enumerate(PARTS):
        places[list(part), node] = range(at, at + len(part))
        biases.append(at + len(part))
        at += len(part) + 1
    return _core.learning_mlp(
        [64, len(PARTS), 40, 10, 1], places.ravel().tolist(), biases, at, True, coherent
    )


@dataclass(frozen=True)
class Progress:
    """What some games of learning came to."""

    games: int = 0
    updates: int = 0
    squared_error: float = 0.0
    points: float = 0.0

    def __add__(self, other: Progress) -> Progress:
        return Progress(
            self.games + other.games,
            self.updates + other.updates,
            self.squared_error + other.squared_error,
            self.points + other.points,
        )

    @property
    def loss(self) -> float:
        """Mean squared difference between value and target, both within -1..1."""
        return self.squared_error / self.updates if self.updates else float("nan")


class TdLearner:
    """Learns game after game. What it is after n games depends on the settings and the seed alone."""

    def __init__(self, settings: TdSettings, seed: int, evaluator: CoreEvaluator | None = None) -> None:
        """`evaluator`: one to go on with, instead of a new one of the settings' kind."""
        self.settings = settings
        self.seed = seed
        self.games = 0
        self.evaluator = evaluator or new_evaluator(settings, seed)
        self.core = learnable(self.evaluator, settings.coherence)
        self.pool: list[FloatVector] = []
        self._opponents = [_core_player(name) for name in settings.opponents]
        self._selves: list[_core.Player | None] = []
        self._core_settings = _core_settings(settings, seed)

    def play(self, games: int) -> Progress:
        """Learn from the next games; earlier selves join the pool on the way."""
        total = Progress()
        while games > 0:
            s = self.settings
            count = min(games, s.pool_every - self.games % s.pool_every) if s.pool else games
            updates, squared_error, points = _core.td_learn(
                self.core, self._opponents + self._selves, self._core_settings, self.games, count
            )
            total += Progress(count, updates, squared_error, points)
            self.games += count
            games -= count
            if s.pool and self.games % s.pool_every == 0:
                self.set_pool([*self.pool, self.core.weights()][-s.pool :])
        return total

    def set_pool(self, pool: list[FloatVector]) -> None:
        self.pool = pool
        self._selves = [self._frozen(weights).core for weights in pool]

    def learned(self) -> CoreEvaluator:
        """The evaluator as it is now."""
        return self._evaluator(self.core.weights())

    def player(self, name: str = "learned") -> GreedyPlayer:
        """The player as it is now."""
        return GreedyPlayer(self.learned(), self.settings.view, name)

    def _evaluator(self, weights: FloatVector) -> CoreEvaluator:
        if not np.isfinite(weights).all():
            raise ValueError(
                f"the weights became infinite or NaN after {self.games:,} games: alpha ="
                f" {self.settings.alpha:g} is too large for this evaluator; try a tenth of it"
            )
        return self.evaluator.with_weights(weights)

    def _frozen(self, weights: FloatVector) -> _FrozenSelf:
        return _FrozenSelf(self._evaluator(weights), self.settings.view)


@dataclass(frozen=True)
class _FrozenSelf:
    evaluator: CoreEvaluator
    view: Literal["inversion", "negation"]

    @property
    def core(self) -> _core.Player:
        return _core.player(self.evaluator.core, self.evaluator.core, self.view)


def _core_player(name: str) -> _core.Player | None:
    if name == "self":
        return None
    core = named_player(name).core
    assert core is not None  # players made of names live in the core
    return core


def _core_settings(settings: TdSettings, seed: int) -> _core.TdSettings:
    core = _core.TdSettings()
    core.view = _core.View.inversion if settings.view == "inversion" else _core.View.negation
    core.successor = _core.Successor.own if settings.successor == "own" else _core.Successor.every_board
    core.output = _core.Output.logistic if settings.output == "logistic" else _core.Output.tanh
    core.expected_target = settings.expected_target
    core.trace = settings.trace
    core.alpha = settings.alpha
    core.final_alpha = settings.alpha if settings.final_alpha is None else settings.final_alpha
    core.games = settings.games
    core.epsilon = settings.epsilon
    core.opponent_epsilon = settings.opponent_epsilon
    core.random_plies = settings.random_plies
    core.seed = seed
    if settings.starts:
        boards = read_start_positions(settings.starts)
        core.set_starts(
            np.array([board.black for board in boards], dtype=np.uint64),
            np.array([board.white for board in boards], dtype=np.uint64),
            np.array([board.mover == "black" for board in boards]),
        )
    return core
