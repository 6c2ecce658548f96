"""What an experiment found, and the verdict on each of the paper's rows.

The rule. A number of the paper has an interval: the printed one, Wilson's 95 % interval of a share of games,
or the error of reading it from a figure; an exact number has none. Ours has a 95 % interval.

- *reproduced*: the two intervals overlap (exact numbers: they are equal); a claim holds by the test
  named beside it
- *better*: ours lies entirely on the better side of the paper's
- *differs*: anything else, with the reason or with what was tried
- *not measured*: needs a published file that is not part of outflank

>>> found = mean_of_runs([0.5, 0.75, 0.7], alone=(0.4, 0.6))
>>> round(found.value, 2), found.of
(0.65, '3 runs')
>>> mean_of_runs([0.5], alone=(0.4, 0.6))
Measured(value=0.5, ci95=(0.4, 0.6), of='1 run')
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from typing import Any, Literal

import numpy as np
from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from outflank.studies.experiment import Experiment, Row
from outflank.studies.inference import mean_interval, share_interval

Verdict = Literal["reproduced", "better", "differs", "not measured"]


@dataclass(frozen=True)
class Measured:
    """A number of ours with its 95 % interval, and the sample: "200 games", "10 runs"."""

    value: float
    ci95: tuple[float, float]
    of: str = ""

    @classmethod
    def exactly(cls, value: float, of: str = "counted") -> Measured:
        return cls(value, (value, value), of)


@dataclass(frozen=True)
class Claim:
    """Whether a claim holds here, and the evidence: "U = 3, p = 0.0002, medians 0.93 and 0.87"."""

    holds: bool
    evidence: str


@dataclass(frozen=True)
class NotMeasured:
    """A published file is missing."""

    why: str


Finding = Measured | Claim | NotMeasured


@dataclass(frozen=True)
class ResultFigure:
    """A figure in the experiment's folder."""

    file: str
    caption: str


@dataclass(frozen=True)
class ResultTable:
    """A table below the rows: a whole published table beside ours, say."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass
class Outcome:
    """What a procedure returns: a finding for the key of every row, figures, tables, remarks."""

    findings: dict[str, Finding] = field(default_factory=dict)
    figures: list[ResultFigure] = field(default_factory=list)
    tables: list[ResultTable] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @classmethod
    def from_json(cls, record: Any) -> Outcome:
        """From a result file; its other fields are ignored."""
        return TypeAdapter(cls).validate_python(record)


def check_complete(experiment: Experiment, outcome: Outcome) -> None:
    """Every row of the paper has a finding of its kind."""
    for row in experiment.rows:
        finding = outcome.findings.get(row.key)
        if finding is None:
            raise ValueError(f"{experiment.name}: {experiment.procedure} found nothing for row {row.key!r}")
        if isinstance(finding, Measured) != (row.paper is not None) and not isinstance(finding, NotMeasured):
            raise ValueError(
                f"{experiment.name}: row {row.key!r} needs a {'test' if row.claim else 'number'}"
            )


def paper_interval(row: Row) -> tuple[float, float]:
    """
    >>> low, high = paper_interval(Row(key="a", what="wins", paper=0.675, games=200))
    >>> round(low, 3), round(high, 3)
    (0.607, 0.736)
    """
    assert row.paper is not None
    if row.ci95 is not None:
        return row.ci95
    if row.games is not None:
        return share_interval(row.paper * row.games, row.games)
    error = row.error or 0.0
    return row.paper - error, row.paper + error


def verdict(row: Row, finding: Finding) -> Verdict:
    """
    >>> score = Row(key="score", what="score", paper=0.9584, ci95=(0.9572, 0.9596), better="higher")
    >>> [verdict(score, Measured(x, (x - 0.001, x + 0.001))) for x in (0.95, 0.959, 0.97)]
    ['differs', 'reproduced', 'better']
    """
    if isinstance(finding, NotMeasured):
        return "not measured"
    if isinstance(finding, Claim):
        return "reproduced" if finding.holds else "differs"
    low, high = paper_interval(row)
    ours_low, ours_high = finding.ci95
    if ours_low <= high and low <= ours_high:
        return "reproduced"
    is_higher = ours_low > high
    return "better" if row.better == ("higher" if is_higher else "lower") else "differs"


SCORES = (0.0, 1.0)  # what a score can be


def mean_of_runs(
    samples: Sequence[float],
    alone: tuple[float, float],
    unit: str = "run",
    within: tuple[float, float] = (-math.inf, math.inf),
) -> Measured:
    """The mean of the runs with Student's interval, or one run with the interval of its own games; clipped to
    what is possible, a score to 1 say.

    >>> mean_of_runs([0.0, 1.0], alone=(0.0, 1.0), within=SCORES).ci95
    (0.0, 1.0)
    """
    if len(samples) == 1:
        return Measured(float(samples[0]), alone, f"1 {unit}")
    low, high = mean_interval(samples)
    return Measured(
        float(np.mean(samples)), (max(low, within[0]), min(high, within[1])), f"{len(samples)} {unit}s"
    )


def lies_above(what: str, found: Measured, bound: float, decimals: int = 3) -> Claim:
    """The whole 95 % interval is above the bound.

    >>> lies_above("gain", Measured(0.5, (0.25, 0.75), "3 runs"), 0)
    Claim(holds=True, evidence='gain 0.500, 95 % interval 0.250 to 0.750 of 3 runs')
    """
    return Claim(found.ci95[0] > bound, describe(what, found, decimals))


def lies_below(what: str, found: Measured, bound: float, decimals: int = 3) -> Claim:
    """The whole 95 % interval is below the bound."""
    return Claim(found.ci95[1] < bound, describe(what, found, decimals))


def describe(what: str, found: Measured, decimals: int = 3) -> str:
    """A finding in words."""
    value, low, high = (f"{x:.{decimals}f}" for x in (found.value, *found.ci95))
    return f"{what} {value}, 95 % interval {low} to {high} of {found.of}"
