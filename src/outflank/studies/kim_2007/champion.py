"""The evolved network of Kim's hybrid: temporal differences, then the genetic search of Figure 2.

>>> champion_settings("standard")
('kim-2007-hybrid', {})

Kim's own network, kjkim-mlp-3, won the CEC 2006 competition; its weights are lost. Every experiment that
needs it takes this one, whatever its own settings, so that it is learned once.
"""

from __future__ import annotations

from typing import Any

from outflank.studies.experiment import Scale, find_experiments
from outflank.studies.laboratory import Laboratory, Learned

CHAMPION_SEED = 1
SEED_PLAYER = "seed/best"  # of a run: what the genetic search began with


def champion_settings(scale: Scale) -> tuple[str, dict[str, Any]]:
    """The preset, and what is changed in it: as Figure 4 has it, which shows how it evolves."""
    settings = find_experiments(["kim-2007/figure-4"])[0].settings(scale)
    return settings["preset"], settings["changes"]


def evolved_champion(laboratory: Laboratory) -> Learned:
    """The run: `player("best")` is the evolved network, `player(SEED_PLAYER)` what it began with."""
    preset, changes = champion_settings(laboratory.scale)
    return laboratory.learned(preset, changes, seeds=(CHAMPION_SEED,))[0]
