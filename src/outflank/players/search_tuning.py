"""What a search should know about an evaluator: what its values mean in discs, and how well a shallow
search predicts a deep one (Multi-ProbCut, Buro 1997). Fitted by learners/search_tuning.py.

>>> tuning = SearchTuning.built_in("all-rounder")
>>> tuning.in_discs(0.5, discs=30) > tuning.in_discs(0.25, discs=30) > 0
True
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from outflank import _core

STAGES = 4


@dataclass(frozen=True)
class ProbCut:
    """A search to `depth` is predicted as slope * (a search to `shallow`) + intercept, with error sigma."""

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
        middles = [4 + (stage + 0.5) * 61 / STAGES for stage in range(STAGES)]
        return float(np.clip(value * np.interp(discs, middles, self.discs_per_unit), -64, 64))

    @property
    def core_prob_cuts(self) -> list[list[_core.ProbCut]]:
        return [[_core.ProbCut(**asdict(cut)) for cut in stage] for stage in self.prob_cuts]

    @classmethod
    def built_in(cls, name: str) -> SearchTuning | None:
        """The tuning of a built-in player, if it has one."""
        path = Path(str(files("outflank") / "data" / "tuning" / f"{name}.json"))
        return cls.load(path) if path.exists() else None

    @classmethod
    def load(cls, path: str | Path) -> SearchTuning:
        try:
            return cls.from_json(json.loads(Path(path).read_text(encoding="utf-8")))
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{path} is not a search tuning written by outflank tune: {error}") from None

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> SearchTuning:
        cuts = tuple(tuple(ProbCut(**cut) for cut in stage) for stage in data["prob_cuts"])
        discs = tuple(float(number) for number in data["discs_per_unit"])
        if len(discs) != STAGES or len(cuts) != STAGES:
            raise ValueError(f"it must have {STAGES} stages")
        if any(cut.shallow < 1 or cut.shallow >= cut.depth or cut.slope <= 0 for s in cuts for cut in s):
            raise ValueError("a cut needs 1 <= shallow < depth and a positive slope")
        return cls(discs, cuts)

    def save(self, path: str | Path) -> None:
        Path(path).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


def stage_of(discs: int) -> int:
    """The stage of the game, as in the core."""
    return max(0, discs - 4) * STAGES // 61
