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
from outflank.cores import available_cores
from outflank.evaluators.deep_network import DeepNetwork
from outflank.evaluators.protocol import CoreEvaluator
from outflank.games.positions import read_start_positions
from outflank.learners.architectures import Architecture, learnable
from outflank.learners.execution.executor import Executor, ThreadExecutor
from outflank.learners.fitness.population import core_of
from outflank.learners.validation import PlayerNames, SettingsModel, Whole, setting
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player

FloatVector = npt.NDArray[np.float32]
# The number of lessons and the points of each game; each lesson's black and white discs, sign and target.
Lessons = tuple[
    npt.NDArray[np.uint8], npt.NDArray[np.float64], npt.NDArray[np.uint64], npt.NDArray[np.uint64],
    npt.NDArray[np.float64], npt.NDArray[np.float64],
]  # fmt: skip
SELF = "self"  # among the opponents: the learner plays both sides


class TdSettings(SettingsModel):
    """Everything that determines what is learned, except the seed."""

    # What learns.
    evaluator: str = setting("logistello", "piece-counter, mlp-32, spatial-mlp or a shape of tuples.")
    stages: Whole = setting(1, "Game stages, each with its own tables (n-tuples only).", ge=1, le=61)
    view: Literal["inversion", "negation"] = setting("inversion", "How the evaluator serves both colours.")
    # None like false: see final_board.
    symmetric: bool | None = setting(None, "Mirror-image entries of a table share one weight.")
    initial_weights: float = setting(0.0, "Weights start uniform within plus or minus this.", ge=0, le=1e6)

    # From which games it learns.
    games: Whole = setting(1_000_000, "Games to learn from.", ge=1)
    opponents: PlayerNames = setting((), "Fixed players or self, one drawn per game; none: self-play.")
    pool: Whole = setting(0, "Number of earlier selves that join the opponents.", ge=0, le=1000)
    pool_every: Whole = setting(50_000, "Games between two additions to the pool.", ge=1)
    epsilon: float = setting(0.1, "Probability of a forced random move, learner.", ge=0, le=1)
    opponent_epsilon: float = setting(0.1, "Probability of a forced random move, opponents.", ge=0, le=1)
    starts: str = setting("", "File of start positions; empty: the usual start.")
    random_plies: Whole = setting(0, "Games open with up to this many random moves.", ge=0, le=50)

    # How it learns.
    output: Literal["logistic", "tanh", "discs"] = setting(
        "logistic", "Log loss, squared error (Lucas 2007), or log loss of discs."
    )
    disc_unit: float | None = setting(None, "output = discs: a logistic unit in discs; 8.", ge=0.01, le=1000)
    solved: Whole | None = setting(None, "Targets are exact from this many empty squares.", ge=1, le=20)
    depth: Whole | None = setting(None, "Plies of minimax that choose moves and find targets; 1.", ge=1, le=8)
    successor: Literal["own", "every-board"] = setting("own", "Learn from own boards, or from all in turn.")
    expected_target: bool = setting(True, "Target: expectation over forced random moves, or the move made.")
    target_epsilon: float | None = setting(None, "Another epsilon for that expectation.", ge=0, le=1)
    # None like true: runs of earlier versions end with the same bytes.
    final_board: bool | None = setting(None, "False: the board before the final one learns the result.")
    random_moves_teach: bool | None = setting(None, "False: no board learns from a forced random move.")
    trace: float = setting(0.0, "Lambda of TD(lambda).", ge=0, le=1)
    alpha: float = setting(0.1, "Learning rate of a weight.", gt=0)
    final_alpha: float | None = setting(None, "Learning rate at the end, if it is to fall linearly.", ge=0)
    batch: Whole | None = setting(None, "Games played with the same weights, on all cores.", ge=2, le=65_536)
    coherence: bool = setting(True, "Temporal-coherence rates: weights whose changes cancel out slow down.")

    # How it is measured.
    measure_every: Whole = setting(50_000, "Games between two measurements.", ge=1)
    measure_double_games: Whole = setting(2_000, "Double games per measurement.", ge=1)
    measure_against: str = setting("standard-heuristic", "Opponent in measurements.")
    measure_epsilon: float = setting(0.1, "Probability of a forced random move in measurements.", ge=0, le=1)

    @model_validator(mode="after")
    def _combinations(self) -> Self:
        if self.successor == "every-board" and (set(self.opponents) - {SELF} or self.pool):
            raise ValueError(
                "successor = every-board learns from both sides' boards, so it needs self-play: remove the "
                "opponents and the pool, or set successor = own"
            )
        if self.target_epsilon is not None and not self.expected_target:
            raise ValueError("target_epsilon is for expected_target = true")
        if self.random_moves_teach is False and (self.expected_target or self.trace > 0):
            raise ValueError("random_moves_teach = false is for expected_target = false and trace = 0")
        if self.disc_unit is not None and self.output != "discs":
            raise ValueError("disc_unit is for output = discs")
        if Architecture.named(self.evaluator, self.stages).is_mlp and self.initial_weights == 0:
            raise ValueError(
                "an MLP whose weights all start at zero learns nothing; set initial_weights, for example 0.1"
            )
        return self

    def end_of_batch(self, games: int) -> int:
        """The number of games at the end of the batch in which this many have been played.

        >>> [TdSettings(batch=64, games=150).end_of_batch(games) for games in (1, 64, 65, 130)]
        [64, 64, 128, 150]
        """
        return games if self.batch is None else min(-(-games // self.batch) * self.batch, self.games)


def new_evaluator(settings: TdSettings, seed: int) -> CoreEvaluator:
    """The evaluator before it has learned anything. The seed places random tuples and weights."""
    empty = Architecture.named(settings.evaluator, settings.stages).new(seed)
    if not isinstance(empty, CoreEvaluator):
        raise ValueError(f"{settings.evaluator} is written in Python, so it learns by evolution only")
    if settings.initial_weights == 0:
        return empty
    bound = settings.initial_weights
    if isinstance(empty, DeepNetwork):
        return empty.random(seed, bound)
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

    def __init__(
        self,
        settings: TdSettings,
        seed: int,
        evaluator: CoreEvaluator | None = None,
        executor: Executor | None = None,
    ) -> None:
        """`evaluator`: one to continue with, instead of a new one. `executor`: where the games of a batch are
        played; without one, on the caller's thread."""
        self.settings = settings
        self.executor = ThreadExecutor(1) if executor is None else executor
        # On this machine the core has threads of its own, which share the learning too.
        on_threads = isinstance(self.executor, ThreadExecutor)
        self._threads = self.executor.workers if on_threads else available_cores()
        self._is_local = on_threads
        self.seed = seed
        self.games = 0
        self.evaluator = evaluator or new_evaluator(settings, seed)
        self.core = learnable(self.evaluator, settings.coherence, bool(settings.symmetric))
        self.pool: list[FloatVector] = []
        self._opponents = [
            None if name == SELF else core_of(named_player(name)) for name in settings.opponents
        ]
        self._pool_players: list[_core.Player] = []
        self._core_settings = _core_settings(settings, seed)

    def play(self, games: int) -> TdTotals:
        """Learn from the next games, in whole batches; earlier selves join the pool on the way."""
        total = TdTotals()
        s = self.settings
        end = s.end_of_batch(self.games + games)
        while self.games < end:
            before = self.games
            joins = s.end_of_batch((before // s.pool_every + 1) * s.pool_every) if s.pool else end
            count = min(joins, end) - before
            total += TdTotals(count, *self._learn(before, count))
            self.games += count
            if s.pool and self.games // s.pool_every > before // s.pool_every:
                self.set_pool([*self.pool, self.core.weights()][-s.pool :])
        return total

    def _learn(self, first: int, count: int) -> tuple[int, float, float]:
        """Updates, sum of squared errors and points of these games."""
        if self._is_local or self.settings.batch is None:
            return _core.td_learn(
                self.core, self._all_opponents, self._core_settings, first, count, self._threads
            )
        sums = TdTotals()
        for start in range(first, first + count, self.settings.batch):
            size = min(self.settings.batch, first + count - start)
            for piece, lessons in self._played(start, size):
                learned = _core.td_learn_from(self.core, self._core_settings, piece, *lessons, self._threads)
                sums += TdTotals(0, *learned)
        return sums.updates, sums.squared_error, sums.points

    def _played(self, first: int, count: int) -> list[tuple[int, Lessons]]:
        """The games of a batch, played by the workers: numbers of games with what the next ones teach."""
        each = max(1, -(-count // self.executor.workers))
        pieces = [(at, min(each, first + count - at)) for at in range(first, first + count, each)]
        actor = TdActor(self.settings, self.seed, self.core.weights(), tuple(self.pool))
        taught = self.executor.map(play_piece, actor, pieces)
        return list(zip((at for at, _ in pieces), taught, strict=True))

    @property
    def _all_opponents(self) -> list[_core.Player | None]:
        return [*self._opponents, *self._pool_players]

    def play_with_present_weights(self, first: int, count: int) -> Lessons:
        """What games teach, without learning it."""
        return _core.td_play(self.core, self._all_opponents, self._core_settings, first, count, self._threads)

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


@dataclass(frozen=True)
class TdActor:
    """What a worker needs to play games of a batch."""

    settings: TdSettings
    seed: int
    weights: FloatVector
    pool: tuple[FloatVector, ...]


def play_piece(actor: TdActor, piece: tuple[int, int]) -> Lessons:
    """Games number piece[0], ... : what they teach."""
    # It does not learn, so it needs no rates, and no images of entries.
    plain = actor.settings.model_copy(update={"symmetric": None, "coherence": False})
    learner = TdLearner(plain, actor.seed)
    learner.core.set_weights(actor.weights)
    learner.set_pool(list(actor.pool))
    return learner.play_with_present_weights(*piece)


def _core_settings(settings: TdSettings, seed: int) -> _core.TdSettings:
    core = _core.TdSettings()
    core.view = _core.View[settings.view]
    core.successor = _core.Successor[settings.successor.replace("-", "_")]
    core.output = _core.Output[settings.output]
    for key in ("expected_target", "trace", "alpha", "games", "epsilon", "opponent_epsilon", "random_plies"):
        setattr(core, key, getattr(settings, key))
    core.final_board = settings.final_board is not False
    core.random_moves_teach = settings.random_moves_teach is not False
    core.final_alpha = settings.alpha if settings.final_alpha is None else settings.final_alpha
    core.target_epsilon = settings.epsilon if settings.target_epsilon is None else settings.target_epsilon
    core.disc_unit = settings.disc_unit or core.disc_unit
    core.solved = settings.solved or 0
    core.depth = settings.depth or 1
    core.batch = settings.batch or 1
    core.seed = seed
    if settings.starts:
        boards = read_start_positions(settings.starts)
        core.set_starts(
            np.array([board.black for board in boards], dtype=np.uint64),
            np.array([board.white for board in boards], dtype=np.uint64),
            np.array([board.mover == "black" for board in boards]),
        )
    return core
