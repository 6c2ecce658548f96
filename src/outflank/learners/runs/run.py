"""Runs: learn, measure, log and save, so that a run can be killed at any moment and resumed.

A run's weights after n games depend on its settings and seed alone, so a resumed run ends with the same bytes
as one that was never stopped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.protocol import CoreEvaluator
from outflank.evaluators.storage import StoredPlayer, save_player
from outflank.games.match import Match
from outflank.learners.expert_iteration import ExpertIterationSettings
from outflank.learners.preferences import PreferenceSettings
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.settings import settings_toml
from outflank.learners.td import TdSettings
from outflank.learners.teacher import TeacherSettings
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player

BATCH_SECONDS = 0.3
LAST, BEST = "last.safetensors", "best.safetensors"

GameSettings = TypeVar(
    "GameSettings", TdSettings, PreferenceSettings, TeacherSettings, ExpertIterationSettings
)


@dataclass(frozen=True)
class RunProgress:
    """The state of a run after a batch of games or a generation; `entry` is its log entry, if any."""

    done: int
    entry: dict[str, Any] | None = None


class Run(Protocol):
    """A learning process in a folder."""

    folder: RunFolder
    seed: int
    unit: str  # what is counted: games or generations

    @property
    def games(self) -> int:
        """Games learned from so far."""
        ...

    @property
    def done(self) -> int: ...

    @property
    def total(self) -> int: ...

    @property
    def is_finished(self) -> bool: ...

    def steps(self) -> Iterator[RunProgress]:
        """Learn to the end, step by step."""
        ...

    def save(self) -> None:
        """Save what is not saved yet, before the run is left."""
        ...


class LearnerRun(ABC, Generic[GameSettings]):
    """What the runs of learners that count games share: settings, opponent, best score, time."""

    unit = "games"
    learned_by: ClassVar[str]  # as players say it

    def __init__(self, folder: RunFolder, kind: type[GameSettings]) -> None:
        self.folder = folder
        settings, self.seed = folder.settings()
        assert isinstance(settings, kind)
        self.settings: GameSettings = settings
        self._measure_against = named_player(settings.measure_against)
        self._best = -1.0
        self._seconds = 0.0

    @property
    @abstractmethod
    def games(self) -> int: ...

    @property
    def done(self) -> int:
        return self.games

    @property
    def total(self) -> int:
        return self.settings.games

    @property
    def is_finished(self) -> bool:
        return self.games >= self.total

    def _score(self, player: GreedyPlayer) -> dict[str, Any]:
        """Score the player and save it as the last one, and as the best one if it is; the log's entries."""
        s = self.settings
        # The games learned from use this run's seed, so measurements need another.
        seed = (self.seed + 0x5EED) % (1 << 64)
        match = Match(player, self._measure_against, double_games=s.measure_double_games,
                      epsilon=s.measure_epsilon, seed=seed, threads=1)  # fmt: skip
        tally = match.play()
        provenance = {"learned by": self.learned_by, "games": self.games, "seed": self.seed,
                      "settings": settings_toml(s, self.seed)}  # fmt: skip
        assert isinstance(player.evaluator, CoreEvaluator | DoubledFunction)
        stored = StoredPlayer(player.evaluator, player.view, provenance)
        save_player(stored, self.folder.path / LAST)
        if tally.score > self._best:
            self._best = tally.score
            save_player(stored, self.folder.path / BEST)
        return {"score": tally.score, "ci95": list(tally.ci95)}

    @property
    def _speed(self) -> dict[str, Any]:
        """The log's entries."""
        per_second = round(self.games / self._seconds, 1) if self._seconds else None
        return {"games_per_second": per_second, "seconds": round(self._seconds, 3)}
