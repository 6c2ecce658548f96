"""Timings, and targets for their ratios.

Absolute speeds change from machine to machine and from minute to minute. So measurements that are
compared take turns, several rounds each, and the best round of each counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

ROUNDS = 9


@dataclass(frozen=True)
class Timing:
    """One thing that was timed."""

    name: str
    unit: str
    per_second: float
    threads: int = 1


@dataclass(frozen=True)
class Target:
    """A ratio of two timings of one run, and what it should reach."""

    name: str
    ratio: float
    at_least: float

    @property
    def is_met(self) -> bool:
        return self.ratio >= self.at_least


def best_rates(measurements: Sequence[Callable[[], float]], rounds: int = ROUNDS) -> list[float]:
    """The best round of each measurement; they take turns.

    >>> best_rates([iter([1.0, 3.0]).__next__, iter([5.0, 4.0]).__next__], rounds=2)
    [3.0, 5.0]
    """
    best = [0.0] * len(measurements)
    for _ in range(rounds):
        best = [max(rate, measure()) for rate, measure in zip(best, measurements, strict=True)]
    return best
