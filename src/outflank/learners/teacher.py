"""Supervised learning: an n-tuple network fitted to labels that its own search and the solver give.

The network learns the end of games first, whose boards are solved. Boards of the stage before are searched
into what has been learned already, and so on to the first move: one sweep. The next sweep takes its boards
from games of the better player. Each stage is fitted by least squares, towards the stage after it where there
are few examples (core/learning/least_squares.hpp).

>>> settings = TeacherSettings(evaluator="all-2", stages=20, games=2000, sweeps=2, depth=4, solved=4)
>>> learner = TeacherLearner(settings, seed=1)
>>> [(block.sweep, block.stage, block.games) for block in learner.blocks][18:22]
[(0, 1, 20), (0, 0, 20), (1, 19, 80), (1, 18, 80)]
>>> while not learner.is_finished:
...     totals = learner.play()
>>> bool(abs(learner.learned().weights).max() > 1)
True
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import model_validator

from outflank import _core
from outflank.cores import available_cores
from outflank.evaluators.counted_network import CountedNetwork
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.learners.architectures import Architecture
from outflank.learners.execution.executor import Executor, ThreadExecutor
from outflank.learners.labels import Examples, Labeller, LabelTotals, joined
from outflank.learners.validation import SettingsModel, Whole, setting
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player

FloatVector = npt.NDArray[np.float32]
Network = NTupleNetwork | CountedNetwork
GROWTH = 4  # of the games of each sweep over those of the sweep before


class TeacherSettings(SettingsModel):
    """Everything that determines what is learned, except the seed."""

    method: Literal["teacher"] = setting("teacher", "Fit values to labels by search and solver.")

    # What learns.
    evaluator: str = setting("logistello", "A shape of tuples.")
    stages: Whole = setting(30, "Game stages, each with its own tables.", ge=1, le=61)
    symmetric: bool = setting(True, "Mirror-image entries of a table share one weight.")

    seed_player: str = setting("", "A player with the same tuples to start from; empty: from nothing.")
    seed_preset: str = setting("", "Or a preset of temporal differences that learns such a player first.")
    seed_games: Whole | None = setting(None, "Games of that preset, if other than its own.", ge=1)

    # From which games it learns.
    games: Whole = setting(1_000_000, "Games to take boards from, in all sweeps.", ge=1)
    sweeps: Whole = setting(
        3, "Sweeps from the end of the game to its start, each four times as long.", ge=1, le=8
    )
    random_plies: Whole = setting(20, "Games open with up to this many random moves.", ge=0, le=50)
    epsilon: float = setting(0.1, "Probability of a forced random move after that.", ge=0, le=1)
    play_depth: Whole = setting(1, "Plies of minimax that choose the other moves.", ge=1, le=8)
    side_moves: float = setting(0.3, "Share of moves beside which a random one is labelled too.", ge=0, le=1)

    # How boards are labelled.
    depth: Whole = setting(3, "Plies of minimax that give labels; odd, see docs/learning.md.", ge=1, le=12)
    solved: Whole = setting(12, "Labels are exact from this many empty squares.", ge=0, le=24)

    # How weights are fitted.
    ridge: float = setting(3.0, "How many examples the weights of the next stage count for.", gt=0, le=1e6)
    iterations: Whole = setting(30, "Steps of conjugate gradients.", ge=1, le=1000)
    grid: float = setting(0.03125, "Weights are multiples of this many discs: smaller files.", ge=0, le=1)

    # How it is measured.
    measure_double_games: Whole = setting(2_000, "Double games per measurement, after each sweep.", ge=1)
    measure_against: str = setting("standard-heuristic", "Opponent in measurements.")
    measure_epsilon: float = setting(0.1, "Probability of a forced random move in measurements.", ge=0, le=1)

    @model_validator(mode="after")
    def _searches_leave_the_stage(self) -> Self:
        longest = -(-61 // self.stages)
        if self.depth < longest:
            raise ValueError(
                f"with {self.stages} stages, of up to {longest} moves, depth must be at least {longest}: "
                "labels come from the stages after the one that is learned"
            )
        if self.seed_player and self.seed_preset:
            raise ValueError("seed_player and seed_preset exclude each other")
        if self.seed_games is not None and not self.seed_preset:
            raise ValueError("seed_games is for seed_preset")
        return self


@dataclass(frozen=True)
class Block:
    """The games from which one stage is learned in one sweep."""

    sweep: int
    stage: int
    first: int  # game
    games: int
    empties: tuple[int, int]  # fewest and most of the boards that are labelled

    @property
    def end(self) -> int:
        return self.first + self.games


def blocks_of(settings: TeacherSettings) -> Iterator[Block]:
    """All blocks in the order in which they are learned: later stages first."""
    shares = [GROWTH**sweep for sweep in range(settings.sweeps) for _ in range(settings.stages)]
    ends = np.cumsum(shares) * settings.games // sum(shares)
    for number, end in enumerate(map(int, ends)):
        sweep, from_last = divmod(number, settings.stages)
        stage = settings.stages - 1 - from_last
        discs = [n for n in range(4, 65) if (n - 4) * settings.stages // 61 == stage]
        first = int(ends[number - 1]) if number else 0
        yield Block(sweep, stage, first, end - first, (64 - discs[-1], 64 - discs[0]))


class TeacherLearner:
    """Learns stage after stage. Its weights after n games depend on the settings and the seed alone."""

    def __init__(
        self,
        settings: TeacherSettings,
        seed: int,
        executor: Executor | None = None,
        start: NTupleNetwork | None = None,
    ) -> None:
        """`executor`: where games are played and labelled; without one, on the caller's thread. `start`: the
        network of the seed preset."""
        self.settings = settings
        self.seed = seed
        self.executor = ThreadExecutor(1) if executor is None else executor
        on_threads = isinstance(self.executor, ThreadExecutor)
        self._threads = self.executor.workers if on_threads else available_cores()
        empty = Architecture.named(settings.evaluator, settings.stages).new(seed)
        if not isinstance(empty, NTupleNetwork | CountedNetwork):
            raise ValueError(f"a teacher fits n-tuple networks, not {settings.evaluator}")
        self.network: Network = empty
        self._counts = list(empty.counts) if isinstance(empty, CountedNetwork) else []
        self.blocks = tuple(blocks_of(settings))
        self.weights = np.zeros((settings.stages, empty.weights_of_one_stage), dtype=np.float32)
        self.seed_network = start or _seed_network(settings)
        if self.seed_network is not None:
            self.weights[:] = spread_over_stages(self.seed_network, self.network)
        self.games = 0
        self.examples: list[Examples] = []  # of the block under way
        self._labeller: Labeller | None = None

    @property
    def is_finished(self) -> bool:
        return self.games >= self.settings.games

    @property
    def block(self) -> Block:
        """The block under way."""
        return next(block for block in self.blocks if self.games < block.end)

    def play(self, games: int = 1) -> LabelTotals:
        """Label at least this many games, in whole pieces, but no more than the block has; fit at its end."""
        block = self.block
        if self._labeller is None:
            self._labeller = Labeller(self.settings, self.seed, self.learned(), block.empties)
            self._labeller.get_ready()
        played, found = self._labeller.label(self.executor, self.games, games, block.end)
        self.examples += found
        self.games += played
        error = self._fit(block) if self.games == block.end else None
        return LabelTotals(played, sum(len(labels) for _, _, labels in found), error)

    def _fit(self, block: Block) -> float | None:
        """Fit the block's stage. Until the earlier stages are learned, they are like this one."""
        self._labeller = None
        black, white, discs = joined(self.examples)
        self.examples = []
        s = self.settings
        prior = self._prior(block, black, white, discs)
        if not len(discs):
            fitted, error = prior, None
        else:
            fitted, squared, _ = _core.fit_stage(
                self.network.placements, self._counts, black, white, discs, prior, s.ridge, s.iterations,
                s.symmetric, self._threads,
            )  # fmt: skip
            error = squared**0.5
        if s.grid:
            fitted = (np.rint(fitted / s.grid) * s.grid).astype(np.float32)
        self.weights[block.stage] = fitted
        if block.sweep == 0 and self.seed_network is None:
            self.weights[: block.stage] = fitted
        return error

    def _prior(
        self, block: Block, black: npt.NDArray[np.uint64], white: npt.NDArray[np.uint64], discs: FloatVector
    ) -> FloatVector:
        """What the weights are fitted towards: in the first sweep the stage after this one. Later, or if a
        player is given, the stage's own, times the one factor that fits the labels best."""
        if block.sweep == 0 and self.seed_network is None:
            later: FloatVector = self.weights[min(block.stage + 1, self.settings.stages - 1)]
            return later
        own = self.weights[block.stage]
        values = self.learned().values(black, white)
        size = float(values @ values)
        factor = float(values @ discs) / size if size else 1.0
        return np.asarray(own * max(factor, 0.0), dtype=np.float32)

    def learned(self) -> Network:
        """The evaluator as it is now."""
        return self.network.with_weights(self.weights.ravel())

    def player(self, name: str = "learned") -> GreedyPlayer:
        """The player as it is now."""
        return GreedyPlayer(self.learned(), "inversion", name)


def _seed_network(settings: TeacherSettings) -> NTupleNetwork | None:
    return network_named(settings.seed_player) if settings.seed_player else None


def network_named(name: str) -> NTupleNetwork:
    """The network of a player, by its name or file."""
    player = named_player(name)
    evaluator = player.evaluator if isinstance(player, GreedyPlayer) else None
    if not isinstance(evaluator, NTupleNetwork):
        raise ValueError(f"{name} is not an n-tuple network, so a teacher cannot start from it")
    return evaluator


def spread_over_stages(source: NTupleNetwork, target: Network) -> npt.NDArray[np.float32]:
    """The weights of a network for another with the same tuples but more stages, and perhaps counts. Between
    the middles of the source's stages weights are interpolated, so that values do not jump."""
    tuples = target if isinstance(target, NTupleNetwork) else target.network
    if source.tables != tuples.tables:
        raise ValueError("the player to start from has other tuples")
    by_stage = source.weights.reshape(source.stages, -1)
    spread = np.zeros((target.stages, target.weights_of_one_stage), dtype=np.float32)
    for stage in range(target.stages):
        at = (stage + 0.5) / target.stages * source.stages - 0.5
        low = int(np.clip(np.floor(at), 0, source.stages - 1))
        high = min(low + 1, source.stages - 1)
        share = min(max(at - low, 0.0), 1.0)
        spread[stage, : by_stage.shape[1]] = (1 - share) * by_stage[low] + share * by_stage[high]
    return spread
