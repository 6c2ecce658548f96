"""Expert iteration (Anthony, Tian and Barber 2017): a network learns what its own search finds, then searches
with what it has learned.

In each generation the network plays games, against itself and others; the boards after their moves are
labelled by its search, or by the solver near the end; and it is fitted to the labels of the latest
generations by stochastic gradient descent. It starts from nothing, so the first generations label late boards
alone, from where a search reaches solved ones; each generation reaches as far back as one search more.

>>> settings = ExpertIterationSettings(evaluator="deep-2-4:all-2", games=400, generations=4, solved=8)
>>> [(g.first, g.games, g.most_empties) for g in generations_of(settings)]
[(0, 75, 11), (75, 89, 14), (164, 107, 17), (271, 129, 59)]
>>> learner = ExpertIteration(settings, seed=1)
>>> while not learner.is_finished:
...     totals = learner.play()
>>> learner.learned().description
'deep n-tuple network, 32 tuples of 2, 2-4-1 in 20 stages'
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from outflank import _core
from outflank.evaluators.deep_network import DeepNetwork
from outflank.evaluators.piece_counter import PieceCounter
from outflank.learners.architectures import Architecture, learnable
from outflank.learners.execution.executor import Executor, ThreadExecutor
from outflank.learners.fitness.population import core_of
from outflank.learners.labels import Examples, Labeller, LabelTotals, joined
from outflank.learners.td import SELF
from outflank.learners.validation import PlayerNames, SettingsModel, Whole, setting
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player

GROWTH = 1.2  # of the games of each generation over those of the one before
LONGEST_GAME = 60
CHUNK = 1 << 16  # examples that are learned at one rate
FALLS_FROM = 0.6  # of a fit: the rate is constant before, and falls to LAST_RATE of it
LAST_RATE = 0.02


class ExpertIterationSettings(SettingsModel):
    """Everything that determines what is learned, except the seed."""

    method: Literal["expert-iteration"] = setting("expert-iteration", "Learn what its own search finds.")

    # What learns.
    evaluator: str = setting("deep-8-16:logistello+rect-2x4", "A deep network: entry, hidden nodes, tuples.")
    stages: Whole = setting(20, "Game stages, each with its own layers.", ge=1, le=61)
    symmetric: bool = setting(True, "Mirror-image entries of a table share their weights.")

    # From which games it learns.
    games: Whole = setting(1_000_000, "Games to take boards from, in all generations.", ge=1)
    generations: Whole = setting(24, "Generations, each a fifth longer than the one before.", ge=1, le=1000)
    opponents: PlayerNames = setting((), "Fixed players or self, one drawn per game; none: self-play.")
    piece_counters: Whole = setting(0, "Random piece counters that join the opponents.", ge=0, le=1000)
    random_plies: Whole = setting(20, "Games open with up to this many random moves.", ge=0, le=50)
    epsilon: float = setting(0.1, "Probability of a forced random move after that.", ge=0, le=1)
    play_depth: Whole = setting(1, "Plies of minimax that choose the other moves.", ge=1, le=8)
    side_moves: float = setting(0.3, "Share of moves beside which a random one is labelled too.", ge=0, le=1)

    # How boards are labelled.
    depth: Whole = setting(3, "Plies of minimax that give labels; odd, see docs/learning.md.", ge=1, le=12)
    solved: Whole = setting(12, "Labels are exact from this many empty squares.", ge=0, le=24)

    # How weights are fitted.
    replay: Whole = setting(1, "Generations, the latest ones, from whose examples it learns.", ge=1, le=1000)
    passes: Whole = setting(3, "Passes over these examples.", ge=1, le=100)
    alpha: float = setting(0.08, "Learning rate of the layers; tables learn at a quarter of it.", gt=0)

    # How it is measured.
    measure_double_games: Whole = setting(2_000, "Double games per measurement, after each generation.", ge=1)
    measure_against: str = setting("standard-heuristic", "Opponent in measurements.")
    measure_epsilon: float = setting(0.1, "Probability of a forced random move in measurements.", ge=0, le=1)


@dataclass(frozen=True)
class Generation:
    """The games between two fits, and how many empty squares the boards that are labelled may have."""

    number: int
    first: int  # game
    games: int
    most_empties: int

    @property
    def end(self) -> int:
        return self.first + self.games


def generations_of(settings: ExpertIterationSettings) -> Iterator[Generation]:
    """The last one labels boards of the whole game, however few generations there are."""
    sizes = GROWTH ** np.arange(settings.generations)
    ends = np.rint(np.cumsum(sizes) * settings.games / sizes.sum()).astype(int).tolist()
    for number, (first, end) in enumerate(zip([0, *ends], ends, strict=False)):
        reach = settings.solved + settings.depth * (number + 1)
        if number == settings.generations - 1:
            reach = LONGEST_GAME
        yield Generation(number, first, end - first, min(reach, LONGEST_GAME - 1))


@dataclass(frozen=True)
class ManyOpponents:
    """The opponents of the settings and random piece counters, half of which like corners."""

    names: tuple[str, ...]
    piece_counters: int
    seed: int

    def cores(self) -> list[_core.Player | None]:
        random = np.random.default_rng([self.seed, self.piece_counters])
        weights = random.normal(size=(self.piece_counters, 10))
        weights[::2, 0] = 1 + 3 * abs(weights[::2, 0])
        drawn = [GreedyPlayer(PieceCounter.symmetric().with_weights(row), "inversion") for row in weights]
        fixed = [None if name == SELF else core_of(named_player(name)) for name in self.names]
        return [*fixed, *(player.core for player in drawn)]


class ExpertIteration:
    """Learns generation after generation. Its weights after n games depend on settings and seed alone."""

    def __init__(
        self, settings: ExpertIterationSettings, seed: int, executor: Executor | None = None
    ) -> None:
        """`executor`: where games are played and labelled; without one, on the caller's thread."""
        self.settings = settings
        self.seed = seed
        self.executor = ThreadExecutor(1) if executor is None else executor
        empty = Architecture.named(settings.evaluator, settings.stages).new(seed)
        if not isinstance(empty, DeepNetwork):
            wanted = "a deep network, such as deep-8-16:logistello"
            raise ValueError(f"expert iteration learns {wanted}, not {settings.evaluator}")
        self.network = empty.random(seed)
        self.generations = tuple(generations_of(settings))
        self.games = 0
        self.examples: dict[int, list[Examples]] = {}  # of each generation that the next fit learns from
        self._labeller: Labeller | None = None

    @property
    def is_finished(self) -> bool:
        return self.games >= self.settings.games

    @property
    def generation(self) -> Generation:
        """The one under way."""
        return next(generation for generation in self.generations if self.games < generation.end)

    def replayed(self, number: int) -> range:
        """The generations from whose examples this one learns, beside its own."""
        return range(max(0, number + 1 - self.settings.replay), number)

    def play(self, games: int = 1) -> LabelTotals:
        """Label at least this many games, in whole pieces, but no more than the generation has; fit at its
        end."""
        generation = self.generation
        if self._labeller is None:
            s = self.settings
            opponents = ManyOpponents(tuple(s.opponents), s.piece_counters, self.seed)
            self._labeller = Labeller(s, self.seed, self.network, (1, generation.most_empties), opponents)
            self._labeller.get_ready()
        played, found = self._labeller.label(self.executor, self.games, games, generation.end)
        self.examples.setdefault(generation.number, []).extend(found)
        self.games += played
        error = self._fit(generation) if self.games == generation.end else None
        return LabelTotals(played, sum(len(labels) for _, _, labels in found), error)

    def _fit(self, generation: Generation) -> float | None:
        """Fit the network to the examples of this generation and those before it that are replayed; the root
        mean square error of the last pass, each example's from before its step."""
        self._labeller = None
        black, white, discs = joined([piece for pieces in self.examples.values() for piece in pieces])
        kept = () if self.is_finished else self.replayed(generation.number + 1)
        self.examples = {number: pieces for number, pieces in self.examples.items() if number in kept}
        count = len(discs)
        if count == 0:
            return None
        s = self.settings
        learning = learnable(self.network, coherent=True, symmetric=s.symmetric)
        random = np.random.default_rng([self.seed, generation.number])
        squared = 0.0
        for number in range(s.passes):
            order = random.permutation(count)
            squared = 0.0
            for first in range(0, count, CHUNK):
                some = order[first : first + CHUNK]
                progress = (number + first / count) / s.passes
                share = max(min(1.0, (1 - progress) / (1 - FALLS_FROM)), LAST_RATE)
                alpha = s.alpha * share
                squared += len(some) * _core.descend(learning, black[some], white[some], discs[some], alpha)
        self.network = self.network.with_weights(learning.weights())
        return float((squared / count) ** 0.5)

    def learned(self) -> DeepNetwork:
        """The evaluator as it is now."""
        return self.network

    def player(self, name: str = "learned") -> GreedyPlayer:
        """The player as it is now."""
        return GreedyPlayer(self.network, "inversion", name)
