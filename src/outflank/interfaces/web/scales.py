"""Intervals drawn side by side: where a value lies on a scale that all of them share.

>>> scale = Scale.of([(0.31, 0.35), (0.95, 0.96)])
>>> scale.low, scale.high, round(scale.x(0.8), 3), scale.ticks
(0.3, 1.0, 71.429, (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0))
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

Interval = tuple[float, float]
WIDTH = 100.0
FEWEST_STEPS = 4


@dataclass(frozen=True)
class Scale:
    """From the lowest to the highest edge, widened to round numbers."""

    low: float
    high: float
    step: float

    @classmethod
    def of(cls, intervals: Iterable[Interval]) -> Scale:
        """The scale on which all of them fit; from 0 to 1 if there are none."""
        known = [edge for interval in intervals for edge in interval if math.isfinite(edge)]
        lowest, highest = (min(known), max(known)) if known else (0.0, 1.0)
        step = _round_step(max(highest - lowest, 1e-6) / FEWEST_STEPS)
        first, last = math.floor(lowest / step + 1e-9), math.ceil(highest / step - 1e-9)
        return cls(_plain(first * step), _plain(max(last, first + 1) * step), step)

    def x(self, value: float) -> float:
        """Where it lies, from 0 to 100."""
        return round(WIDTH * (min(max(value, self.low), self.high) - self.low) / (self.high - self.low), 3)

    @property
    def ticks(self) -> tuple[float, ...]:
        count = round((self.high - self.low) / self.step)
        return tuple(_plain(self.low + n * self.step) for n in range(count + 1))


def _round_step(least: float) -> float:
    """The largest of 1, 2, 5, 10, 20, ... that is not above it.

    >>> _round_step(0.17), _round_step(73.0)
    (0.1, 50.0)
    """
    power = 10.0 ** math.floor(math.log10(least))
    return _plain(max(factor for factor in (1, 2, 5) if factor * power <= least * (1 + 1e-9)) * power)


def _plain(value: float) -> float:
    return round(value, 9) + 0.0
