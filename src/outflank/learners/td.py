"""Temporal-difference learning: its settings, and the evaluator that learns in the core.

>>> settings = TdSettings(evaluator="all-2", games=2000, opponents=("standard-heuristic",))
>>> learner = TdLearner(settings, seed=1)
>>> learner.play(2000).updates > 50000
True
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import model_validator

from outflank import _core
from outflank.evaluators.protocol import CoreEvaluator
from outflank.games.positions import read_start_positions
from outflank.learners.architectures import Architecture, learnable
from outflank.learners.fitness.population import core_of
from outflank.learners.validation import Field, PlayerNames, SettingsModel, Whole
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player

FloatVector = npt.NDArray[np.float32]
SELF = "self"  # among the opponents: the learner plays both sides


class TdSettings(SettingsModel):
    """Everything that determines what is learned, except the seed."""

    # What learns.
    evaluator: str = Field(
        default="logistello",
        description="Architecture: piece-counter, mlp-32, spatial-mlp or a shape of tuples.",
    )
    stages: Whole = Field(
        default=1, ge=1, le=61, description="Game stages, each with its own tables (n-tuples only)."
    )
    view: Literal["inversion", "negation"] = Field(
        default="inversion", description="How the evaluator serves both colours."
    )
    initial_weights: float = Field(
        default=0.0, ge=0, lt=1e6, description="Weights start uniform within plus or minus this."
    )

    # From which games it learns.
    games: Whole = Field(default=1_000_000, ge=1, description="Games to learn from.")
    opponents: PlayerNames = Field(
        default=(), description="Fixed players or self, one drawn per game; none: self-play."
    )
    pool: Whole = Field(
        default=0, ge=0, le=1000, description="Number of earlier selves that join the opponents."
    )
    pool_every: Whole = Field(default=50_000, ge=1, description="Games between two additions to the pool.")
    epsilon: float = Field(
        default=0.1, ge=0, le=1, description="Probability of a forced random move of the learner."
    )
    opponent_epsilon: float = Field(
        default=0.1, ge=0, le=1, description="Probability of a forced random move of its opponents."
    )
    starts: str = Field(default="", description="File of start positions; empty: the usual start.")
    random_plies: Whole = Field(
        default=0, ge=0, le=50, description="Games open with up to this many random moves."
    )

    # How it learns.
    output: Literal["logistic", "tanh"] = Field(
        default="logistic", description="Loss: logistic is log loss, tanh squared error (Lucas 2007)."
    )
    successor: Literal["own", "every-board"] = Field(
        default="own", description="Learn from each side's own boards, or from every board in turn."
    )
    expected_target: bool = Field(
        default=True,
        description="Target the expectation over forced random moves, not the move that was made.",
    )
    trace: float = Field(default=0.0, ge=0, le=1, description="Lambda of TD(lambda).")
    alpha: float = Field(default=0.1, gt=0, description="Learning rate of a weight.")
    final_alpha: float | None = Field(
        default=None, ge=0, description="Learning rate at the end, if it is to fall linearly."
    )
    coherence: bool = Field(
        default=True, description="Temporal-coherence rates: weights whose changes cancel out slow down."
    )

    # How it is measured.
    measure_every: Whole = Field(default=50_000, ge=1, description="Games between two measurements.")
    measure_double_games: Whole = Field(default=2_000, ge=1, description="Double games per measurement.")
    measure_against: str = Field(default="standard-heuristic", description="Opponent in measurements.")
    measure_epsilon: float = Field(
        default=0.1, ge=0, le=1, description="Probability of a forced random move in measurements."
    )

    @model_validator(mode="after")
    def _combinations(self) -> Self:
        if self.successor == "every-board" and (set(self.opponents) - {SELF} or self.pool):
            raise ValueError(
                "successor = every-board learns from both sides' boards, so it needs self-play: remove the "
                "opponents and the pool, or set successor = own"
            )
        if Architecture.named(self.evaluator, self.stages).is_mlp and self.initial_weights == 0:
            raise ValueError(
                "an MLP whose weights all start at zero learns nothing; set initial_weights, for example 0.1"
            )
        return self


def new_evaluator(settings: TdSettings, seed: int) -> CoreEvaluator:
    """The evaluator before it has learned anything. The seed places random tuples and weights."""
    empty = Architecture.named(settings.evaluator, settings.stages).new(seed)
    if settings.initial_weights == 0:
        return empty
    bound = settings.initial_weights
    drawn = np.random.default_rng(seed).uniform(-bound, bound, empty.weights.size)
    return empty.with_weights(drawn.astype(np.float32))


@dataclass(frozen=True)
class TdTotals:
    """Sums over some games of learning."""

    games: int = 0
    updates: int = 0
    squared_error: float = 0.0
    points: float = 0.0

    def __add__(self, other: TdTotals) -> TdTotals:
        return TdTotals(*(mine + its for mine, its in zip(astuple(self), astuple(other), strict=True)))

    @property
    def loss(self) -> float:
        """Mean squared difference between value and target, both within -1..1."""
        return self.squared_error / self.updates if self.updates else float("nan")


class TdLearner:
    """Learns game after game. Its weights after n games depend on the settings and the seed alone."""

    def __init__(self, settings: TdSettings, seed: int, evaluator: CoreEvaluator | None = None) -> None:
        """`evaluator`: one to continue with, instead of a new one."""
        self.settings = settings
        self.seed = seed
        self.games = 0
        self.evaluator = evaluator or new_evaluator(settings, seed)
        self.core = learnable(self.evaluator, settings.coherence)
        self.pool: list[FloatVector] = []
        self._opponents = [
            None if name == SELF else core_of(named_player(name)) for name in settings.opponents
        ]
        self._pool_players: list[_core.Player] = []
        self._core_settings = _core_settings(settings, seed)

    def play(self, games: int) -> TdTotals:
        """Learn from the next games; earlier selves join the pool on the way."""
        total = TdTotals()
        s = self.settings
        while games > 0:
            count = min(games, s.pool_every - self.games % s.pool_every) if s.pool else games
            learned = _core.td_learn(
                self.core, [*self._opponents, *self._pool_players], self._core_settings, self.games, count
            )
            total += TdTotals(count, *learned)
            self.games += count
            games -= count
            if s.pool and self.games % s.pool_every == 0:
                self.set_pool([*self.pool, self.core.weights()][-s.pool :])
        return total

    def set_pool(self, pool: list[FloatVector]) -> None:
        self.pool = pool
        cores = [self._evaluator(weights).core for weights in pool]
        self._pool_players = [_core.player(core, core, self.settings.view) for core in cores]

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


def _core_settings(settings: TdSettings, seed: int) -> _core.TdSettings:
    core = _core.TdSettings()
    core.view = _core.View[settings.view]
    core.successor = _core.Successor[settings.successor.replace("-", "_")]
    core.output = _core.Output[settings.output]
    for key in ("expected_target", "trace", "alpha", "games", "epsilon", "opponent_epsilon", "random_plies"):
        setattr(core, key, getattr(settings, key))
    core.final_alpha = settings.alpha if settings.final_alpha is None else settings.final_alpha
    core.seed = seed
    if settings.starts:
        boards = read_start_positions(settings.starts)
        core.set_starts(
            np.array([board.black for board in boards], dtype=np.uint64),
            np.array([board.white for board in boards], dtype=np.uint64),
            np.array([board.mover == "black" for board in boards]),
        )
    return core
