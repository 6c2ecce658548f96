"""What an experiment found, and the verdict on each of the paper's rows.

- *reproduced*: a number agrees by a two-sample test and within a margin that the data could have refused
  (agreement.py); a count is equal; a claim holds by the test named beside it
- *better*: significantly different, on the better side
- *differs*: significantly different; a claim is refuted
- *inconclusive*: the data cannot tell
- *no verdict*: shown, but not comparable: a generation or game that was selected for what it shows, or the
  speed of a machine
- *not measured*: needs a published file that is not part of outflank

>>> found = mean_of_runs([0.5, 0.75, 0.7], alone=(0.4, 0.6))
>>> round(found.value, 2), found.of, found.samples
(0.65, '3 runs', (0.5, 0.75, 0.7))
>>> mean_of_runs([0.5], alone=(0.4, 0.6)).ci95
(0.4, 0.6)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

import numpy as np
from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from outflank.studies import agreement
from outflank.studies.agreement import Agreement
from outflank.studies.experiment import Experiment, Row
from outflank.studies.inference import Samples, mean_interval

Verdict = Literal["reproduced", "better", "differs", "inconclusive", "no verdict", "not measured"]


@dataclass(frozen=True)
class Measured:
    """A number of ours with its 95 % interval, and the sample: "200 games", "10 runs". Of independent
    runs: how many, their standard deviation and values. `games`: of a share, if they are independent."""

    value: float
    ci95: tuple[float, float]
    of: str = ""
    runs: int = 1
    deviation: float = 0.0
    samples: tuple[float, ...] = ()
    games: int | None = None

    @staticmethod
    def spread(samples: Samples) -> tuple[int, float, tuple[float, ...]]:
        """The fields of independent runs."""
        values = np.asarray(samples, dtype=np.float64)
        return values.size, float(values.std(ddof=1)), tuple(values.tolist())

    @classmethod
    def exactly(cls, value: float, of: str = "counted") -> Measured:
        return cls(value, (value, value), of)


@dataclass(frozen=True)
class Claim:
    """Whether a claim holds here (None: the data cannot tell), and the evidence: "U = 3, p = 0.0002, medians
    0.93 and 0.87". `test`: the call that found it, see retested()."""

    holds: bool | None
    evidence: str
    test: dict[str, Any] | None = field(default=None, repr=False, compare=False)


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

    findings: Mapping[str, Finding] = field(default_factory=dict)
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


@dataclass(frozen=True)
class Judgement:
    """A verdict, and the test behind it in words."""

    verdict: Verdict
    test: str = ""


def judge(row: Row, finding: Finding) -> Judgement:
    """
    >>> score = Row(key="a", what="score", paper=0.9584, ci95=(0.9572, 0.9596), margin=0.01, better="higher")
    >>> [judge(score, Measured(x, (x - 0.001, x + 0.001))).verdict for x in (0.95, 0.959, 0.97)]
    ['differs', 'reproduced', 'better']
    >>> judge(score, Measured(0.95, (0.90, 1.0))).verdict  # too wide to tell
    'inconclusive'
    """
    if isinstance(finding, NotMeasured):
        return Judgement("not measured")
    if row.no_verdict:
        return Judgement("no verdict", row.no_verdict)
    if isinstance(finding, Claim):
        outcomes: dict[bool | None, Verdict] = {True: "reproduced", False: "differs", None: "inconclusive"}
        return Judgement(outcomes[finding.holds])
    assert row.paper is not None
    if row.exact:
        return Judgement(
            _told_apart(row, finding.value - row.paper) if finding.value != row.paper else "reproduced"
        )
    if row.error is not None:
        return _within_reading(row, finding)
    found = compare(row, finding)
    low, high = found.ci95
    apart = f"difference {low:+.{row.decimals}f} to {high:+.{row.decimals}f}"
    test = f"{found.test}; {apart}, margin ±{row.margin:g}"
    match found.agrees(row.margin):
        case True:
            return Judgement("reproduced", test)
        case False:
            return Judgement(_told_apart(row, found.difference), test)
        case None:
            return Judgement("inconclusive", test)


def verdict(row: Row, finding: Finding) -> Verdict:
    return judge(row, finding).verdict


def compare(row: Row, ours: Measured) -> Agreement:
    """The two-sample test that fits the kind of number: printed runs, a share of games, an interval."""
    assert row.paper is not None
    if len(row.runs) > 1:
        if len(ours.samples) > 1:
            return agreement.of_runs(row.runs, ours.samples)
        reverse = agreement.of_one_run(ours.value, 0.0, *Measured.spread(row.runs)[:2], row.paper)
        low, high = reverse.ci95
        return Agreement(-reverse.difference, (-high, -low), reverse.p, reverse.test)
    variance = 0.0
    if row.games is not None:
        variance = agreement.variance_of_share(row.paper, row.games)
    elif row.ci95 is not None:
        variance = ((row.ci95[1] - row.ci95[0]) / 2 / agreement.Z) ** 2
    if ours.runs > 1:
        return agreement.of_one_run(row.paper, variance, ours.runs, ours.deviation, ours.value)
    if row.games is not None and ours.games is not None:
        wins = round(2 * row.paper * row.games) / 2  # draws count half
        return agreement.of_shares(wins, row.games, round(2 * ours.value * ours.games) / 2, ours.games)
    error = (ours.ci95[1] - ours.ci95[0]) / 2 / agreement.Z
    return agreement.of_measurements(row.paper, math.sqrt(variance), ours.value, error)


def _within_reading(row: Row, ours: Measured) -> Judgement:
    """A number that the paper rounds or that is read from a figure: our whole interval lies within the error,
    outside it, or neither. Outside, the paper's one run still varies as our runs do: from the nearest number
    that would be read so, Student's test of one against them has to tell them apart too."""
    assert row.paper is not None
    assert row.error is not None
    low, high = ours.ci95
    if low > row.paper + row.error or high < row.paper - row.error:
        outside = "our interval lies outside the paper's"
        if ours.runs > 1:
            nearest = row.paper + math.copysign(row.error, ours.value - row.paper)
            found = agreement.of_one_run(nearest, 0.0, ours.runs, ours.deviation, ours.value)
            outside += f"; {found.test}"
            if found.p >= agreement.SIGNIFICANT:
                return Judgement("inconclusive", outside)
        return Judgement(_told_apart(row, ours.value - row.paper), outside)
    if row.paper - row.error <= low and high <= row.paper + row.error:
        return Judgement("reproduced", "our interval lies within the paper's")
    return Judgement("inconclusive", "our interval is partly within the paper's")


def _told_apart(row: Row, difference: float) -> Verdict:
    return "better" if row.better == ("higher" if difference > 0 else "lower") else "differs"


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
        float(np.mean(samples)), (max(low, within[0]), min(high, within[1])), f"{len(samples)} {unit}s",
        *Measured.spread(samples),
    )  # fmt: skip
