"""The hybrid of temporal differences and evolution: Figure 4."""

from __future__ import annotations

from outflank.studies.kim_2007.champion import champion_settings
from outflank.studies.laboratory import Laboratory
from outflank.studies.outcome import Measured, Outcome


def figure_4(laboratory: Laboratory) -> Outcome:
    """How fitness grows along the generations."""
    runs = laboratory.learned(*champion_settings(laboratory.scale))
    weights = runs[0].player().evaluator.weights.size
    return Outcome({"weights": Measured.exactly(weights)})
