"""Examples for supervised learning: boards of a network's games, labelled by its search or the solver.

Which boards, and how deep the search, is in the settings of the learner: learners/teacher.py and
learners/expert_iteration.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.evaluators.protocol import CoreEvaluator
from outflank.learners.execution.executor import Executor
from outflank.pickling import Portable

# Black's discs (the side that moved last), White's, and what the board is worth to Black, in discs.
Examples = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.float32]]
PIECE = 128  # games


class LabelSettings(Protocol):
    """How games are played and their boards labelled; what each means is said where it is set."""

    @property
    def random_plies(self) -> int: ...
    @property
    def epsilon(self) -> float: ...
    @property
    def play_depth(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def solved(self) -> int: ...
    @property
    def side_moves(self) -> float: ...


@dataclass(frozen=True)
class LabelTotals:
    """What some games taught. The error is that of the last fit, if there was one."""

    games: int = 0
    examples: int = 0
    error: float | None = None  # root mean square, in discs


class Opponents(Protocol):
    """Players that the network meets, made anew by every worker; None: itself."""

    def cores(self) -> list[_core.Player | None]: ...


@dataclass(frozen=True)
class Labeller(Portable):
    """What a worker needs to play and label games."""

    settings: LabelSettings
    seed: int
    evaluator: CoreEvaluator
    empties: tuple[int, int]  # fewest and most of the boards that are labelled
    opponents: Opponents | None = None

    @cached_property
    def core_settings(self) -> _core.LabelSettings:
        core = _core.LabelSettings()
        for key in ("random_plies", "epsilon", "play_depth", "depth", "solved", "side_moves"):
            setattr(core, key, getattr(self.settings, key))
        core.fewest_empties, core.most_empties = self.empties
        core.seed = self.seed
        core.opponents = self.opponents.cores() if self.opponents else []
        return core

    def get_ready(self) -> None:
        """Compile before threads want it."""
        _ = self.evaluator.core, self.core_settings

    def label(self, executor: Executor, first: int, games: int, end: int) -> tuple[int, list[Examples]]:
        """Label at least this many games, in whole pieces, but none from number `end` on; how many those
        were, and their examples."""
        firsts = range(first, min(end, first + games), PIECE)
        pieces = [(number, min(PIECE, end - number)) for number in firsts]
        return sum(count for _, count in pieces), executor.map(label_piece, self, pieces)


def label_piece(labeller: Labeller, piece: tuple[int, int]) -> Examples:
    """The examples of games number piece[0], ..."""
    return _core.label_games(labeller.evaluator.core, labeller.core_settings, *piece)


def joined(examples: Sequence[Examples]) -> Examples:
    """Many as one."""
    black, white, discs = (np.concatenate(parts) for parts in zip(*examples, strict=True))
    return black, white, discs
