"""How the n-tuple system learns: Figure 9."""

from __future__ import annotations

import numpy as np

from outflank.plots.learning_curves import draw_learning_curves
from outflank.studies.inference import mean_interval
from outflank.studies.laboratory import Laboratory
from outflank.studies.outcome import Measured, Outcome


def figure_9(laboratory: Laboratory) -> Outcome:
    """The score against the standard heuristic as games of self-play go by."""
    s = laboratory.settings
    runs = laboratory.learned(s["preset"], {"games": s["games"]})
    logs = [run.log() for run in runs]
    ends = [log[-1]["score"] for log in logs]
    figure = draw_learning_curves({s["preset"]: logs}, "standard-heuristic")
    return Outcome(
        {"score at the end": Measured(float(np.mean(ends)), mean_interval(ends), f"{len(runs)} runs")},
        [laboratory.draw("figure-9", figure, "Mean of the runs with its 95 % interval.")],
    )
