"""What several learning runs say together: their mean, and whether it is above or below something.

>>> found = of_runs([0.5, 0.75, 0.7], alone=(0.4, 0.6))
>>> round(found.value, 2), found.of
(0.65, '3 runs')
>>> of_runs([0.5], alone=(0.4, 0.6))
Measured(value=0.5, ci95=(0.4, 0.6), of='1 run')
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from outflank.studies.inference import mean_interval
from outflank.studies.outcome import Judged, Measured

SCORES = (0.0, 1.0)  # what a score can be


def of_runs(
    samples: Sequence[float],
    alone: tuple[float, float],
    unit: str = "run",
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Measured:
    """The mean of the runs with Student's interval, of one run with the interval of its own games; what
    cannot be, a score above 1 say, is cut off.

    >>> of_runs([0.0, 1.0], alone=(0.0, 1.0), within=SCORES).ci95
    (0.0, 1.0)
    """
    if len(samples) == 1:
        return Measured(float(samples[0]), alone, f"1 {unit}")
    low, high = mean_interval(samples)
    return Measured(
        float(np.mean(samples)), (max(low, within[0]), min(high, within[1])), f"{len(samples)} {unit}s"
    )


def lies_above(what: str, found: Measured, bound: float, decimals: int = 3) -> Judged:
    """The whole 95 % interval is above the bound.

    >>> lies_above("gain", Measured(0.5, (0.25, 0.75), "3 runs"), 0)
    Judged(holds=True, evidence='gain 0.500, 95 % interval 0.250 to 0.750 of 3 runs')
    """
    return Judged(found.ci95[0] > bound, told(what, found, decimals))


def lies_below(what: str, found: Measured, bound: float, decimals: int = 3) -> Judged:
    """The whole 95 % interval is below the bound."""
    return Judged(found.ci95[1] < bound, told(what, found, decimals))


def told(what: str, found: Measured, decimals: int = 3) -> str:
    """A finding in words."""
    value, low, high = (f"{x:.{decimals}f}" for x in (found.value, *found.ci95))
    return f"{what} {value}, 95 % interval {low} to {high} of {found.of}"
