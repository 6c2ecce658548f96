"""What an experiment found, and the verdict on each of the paper's rows.

The rule. A number of the paper has an interval: the printed one; or Wilson's 95 % interval of a share of so
many games; or the error of reading it from a figure; an exact number has none. Ours has a 95 % interval.

- *reproduced*: the two intervals share a value (exact numbers: they are equal); a claim holds by the test
  named beside it
- *better*: ours lies wholly on the better side of the paper's
- *differs*: anything else, with the reason or with what was tried
- *not measured*: a published file that is not part of outflank was not there
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from outflank.studies.experiment import Experiment, Row
from outflank.studies.inference import share_interval

Verdict = Literal["reproduced", "better", "differs", "not measured"]


@dataclass(frozen=True)
class Measured:
    """A number of ours with its 95 % interval, and of how much: "200 games", "10 runs"."""

    value: float
    ci95: tuple[float, float]
    of: str = ""

    @classmethod
    def exactly(cls, value: float, of: str = "counted") -> Measured:
        return cls(value, (value, value), of)


@dataclass(frozen=True)
class Judged:
    """Whether a claim holds here, and by which evidence: "U = 3, p = 0.0002, medians 0.93 and 0.87"."""

    holds: bool
    evidence: str


@dataclass(frozen=True)
class Missing:
    """Not measured, for want of a published file."""

    why: str


Finding = Measured | Judged | Missing


@dataclass(frozen=True)
class Drawn:
    """A picture in the experiment's folder."""

    file: str
    caption: str


@dataclass(frozen=True)
class Tabled:
    """A table beside the rows: the whole of a published table beside ours, say."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass
class Outcome:
    """What a procedure returns: a finding for every row's key, pictures, tables, remarks."""

    findings: dict[str, Finding] = field(default_factory=dict)
    figures: list[Drawn] = field(default_factory=list)
    tables: list[Tabled] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "findings": {key: asdict(finding) for key, finding in self.findings.items()},
            "figures": [asdict(figure) for figure in self.figures],
            "tables": [asdict(table) for table in self.tables],
            "remarks": self.remarks,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Outcome:
        return cls(
            {key: _finding(value) for key, value in stored["findings"].items()},
            [Drawn(**figure) for figure in stored["figures"]],
            [Tabled(**table) for table in stored["tables"]],
            list(stored["remarks"]),
        )


def _finding(stored: Mapping[str, Any]) -> Finding:
    if "why" in stored:
        return Missing(stored["why"])
    if "holds" in stored:
        return Judged(stored["holds"], stored["evidence"])
    low, high = stored["ci95"]
    return Measured(stored["value"], (low, high), stored["of"])


def check_complete(experiment: Experiment, outcome: Outcome) -> None:
    """Every row of the paper has a finding of its kind."""
    for row in experiment.rows:
        finding = outcome.findings.get(row.key)
        if finding is None:
            raise ValueError(f"{experiment.name}: {experiment.procedure} found nothing for row {row.key!r}")
        if isinstance(finding, Measured) != (row.paper is not None) and not isinstance(finding, Missing):
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
    if isinstance(finding, Missing):
        return "not measured"
    if isinstance(finding, Judged):
        return "reproduced" if finding.holds else "differs"
    low, high = paper_interval(row)
    ours_low, ours_high = finding.ci95
    if ours_low <= high and low <= ours_high:
        return "reproduced"
    is_higher = ours_low > high
    return "better" if row.better == ("higher" if is_higher else "lower") else "differs"
