"""What a search should know about an evaluator: what its values mean in discs, and how well a shallow
search predicts a deep one (Multi-ProbCut, Buro 1997). Fitted by learners/search_tuning.py.

>>> tuning = SearchTuning.built_in("all-rounder")
>>> tuning.in_discs(0.5, discs=30) > tuning.in_discs(0.25, discs=30) > 0
True
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from outflank import _core
from outflank.files import as_path

STAGES = 4  # of discs per unit
CUT_STAGES = 15
DEEPEST = 60
MOST_CUTS = 10_000


def tuning_file(name: str) -> Path:
    """Where the tuning of a built-in player is, if it has one."""
    return Path(str(files("outflank") / "data" / "tuning" / f"{name}.json"))


@dataclass(frozen=True)
class ProbCut:
    """A search to `depth` is predicted as slope * (a search to `shallow`) + intercept, with error sigma.
    A search to 0 is the value of the move that led to the position."""

    depth: int
    shallow: int
    slope: float
    intercept: float
    sigma: float


@dataclass(frozen=True)
class SearchTuning:
    """Fitted parameters of one evaluator, by stage of the game."""

    discs_per_unit: tuple[float, ...]  # at the end of the game, per unit of value
    prob_cuts: tuple[tuple[ProbCut, ...], ...]

    def in_discs(self, value: float, discs: int) -> float:
        """A search's value of a board with this many discs, as a disc difference at the end."""
        if abs(value) > _core.WON_GAME / 2:  # the search saw the end of the game
            return value - _core.WON_GAME if value > 0 else value + _core.WON_GAME
        # Linear between the middles of the stages, so that no curve jumps.
        return float(np.clip(value * np.interp(discs, middles(STAGES), self.discs_per_unit), -64, 64))

    @property
    def core_prob_cuts(self) -> list[list[_core.ProbCut]]:
        return [[_core.ProbCut(**asdict(cut)) for cut in stage] for stage in self.prob_cuts]

    @classmethod
    def built_in(cls, name: str) -> SearchTuning | None:
        """The tuning of a built-in player, if it has one."""
        path = tuning_file(name)
        return cls.load(path) if path.exists() else None

    @classmethod
    def load(cls, path: str | Path) -> SearchTuning:
        path = as_path(path)
        try:
            return cls.from_json(json.loads(path.read_text(encoding="utf-8")))
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{path} is not a search tuning written by outflank tune: {error}") from None

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SearchTuning:
        cuts = tuple(tuple(ProbCut(**cut) for cut in stage) for stage in data["prob_cuts"])
        discs = tuple(float(number) for number in data["discs_per_unit"])
        if len(discs) != STAGES or not 1 <= len(cuts) <= 61:
            raise ValueError(f"it must have {STAGES} numbers of discs per unit, and cuts of 1 to 61 stages")
        for cut in (cut for stage in cuts for cut in stage):
            if not (0 <= cut.shallow < cut.depth <= DEEPEST) or not isinstance(cut.depth, int):
                raise ValueError(f"a cut needs 0 <= shallow < depth <= {DEEPEST}")
            if not (math.isfinite(cut.intercept) and 0 < cut.slope < math.inf and 0 <= cut.sigma < math.inf):
                raise ValueError("a cut needs a positive slope, and a sigma of at least 0")
        if sum(map(len, cuts)) > MOST_CUTS:
            raise ValueError(f"it may have {MOST_CUTS} cuts at most")
        return cls(discs, cuts)

    def save(self, path: str | Path) -> None:
        as_path(path).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


def stage_of(discs: int) -> int:
    """The stage of the game, as in the core."""
    return max(0, discs - 4) * STAGES // 61


def middles(stages: int) -> list[float]:
    """The number of discs in the middle of each stage."""
    return [4 + (stage + 0.5) * 61 / stages for stage in range(stages)]
