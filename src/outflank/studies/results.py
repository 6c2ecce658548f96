"""Results: a finished experiment, what it found, how it was made, and the file that holds it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from outflank.files import write_whole
from outflank.plugins import PluginError, blamed
from outflank.studies.experiment import Experiment, Row, RowKind, Scale, find_experiments
from outflank.studies.laboratory import Laboratory, Provenance
from outflank.studies.verdicts import Outcome, Verdict, check_complete, verdict

RESULT = "result.json"


@dataclass(frozen=True)
class Result:
    """A finished experiment: what was found, and how it was made."""

    experiment: Experiment
    scale: Scale
    outcome: Outcome
    folder: Path
    made: Provenance
    settings: dict[str, Any]

    @property
    def verdicts(self) -> list[Verdict]:
        return [verdict(row, self.outcome.findings[row.key]) for row in self.experiment.rows]

    def rows(self, *kinds: RowKind) -> list[Row]:
        """The rows of these kinds."""
        return [row for row in self.experiment.rows if row.kind in kinds]

    @property
    def budget(self) -> str:
        """Which share of the paper's budget was run."""
        paper = self.experiment.budget
        if paper is None:
            return "the paper states none" if self.rows("measured", "own") else "nothing is played"
        if self.scale == "quick":
            return "a trial of the parts"
        low, high = (share * paper.share_of_length(self.settings) for share in self.made.done)
        shares = (
            percent_text(low)
            if percent_text(low) == percent_text(high)
            else f"{percent_text(low)} to {percent_text(high)}"
        )
        runs = len(self.made.seeds)
        of = "" if shares.endswith("times") else " of"
        return f"{shares}{of} the {paper.unit}, {runs_text(runs)} (paper: {paper.runs})"


def reproduce(lab: Laboratory) -> Result:
    """Measure the experiment; cached parts are not measured again."""
    experiment = lab.experiment
    procedure = experiment.load_procedure()
    with blamed(experiment.procedure) if experiment.is_own else nullcontext():
        outcome = procedure(lab)
    if not isinstance(outcome, Outcome):
        raise PluginError(f"{experiment.procedure} must return an Outcome, got {type(outcome).__name__}")
    check_complete(experiment, outcome)
    made = lab.provenance(lab.seconds)
    result = Result(experiment, lab.scale, outcome, lab.folder, made, dict(lab.settings))
    lab.folder.mkdir(parents=True, exist_ok=True)
    write_whole(lab.folder / RESULT, result_json(result))
    return result


def result_json(result: Result) -> bytes:
    """The result file: how it was made, what was found, and the verdicts."""
    record: dict[str, Any] = {
        "experiment": result.experiment.name,
        "scale": result.scale,
        "settings": result.settings,
    }
    verdicts = dict(zip((row.key for row in result.experiment.rows), result.verdicts, strict=True))
    record |= {**result.made.model_dump(), "verdicts": verdicts, **asdict(result.outcome)}
    for finding in record["findings"].values():
        if finding.get("test", "") is None:
            del finding["test"]
    return json.dumps(record, indent=1).encode()


def cached_result(experiment: Experiment, scale: Scale, out: Path) -> Result | None:
    """The earlier result with the present settings, if there is one."""
    try:
        result = read_result(experiment, out / scale / experiment.name)
    except (FileNotFoundError, ValueError, KeyError, TypeError):  # or damaged, or of other rows
        return None
    return result if result.scale == scale and is_current(result) else None


def read_result(experiment: Experiment, folder: Path) -> Result:
    """The result file in a folder, whatever its settings."""
    record = json.loads((folder / RESULT).read_bytes())
    outcome = Outcome.from_json(record)
    check_complete(experiment, outcome)
    made = Provenance.model_validate(record)
    return Result(experiment, record["scale"], outcome, folder, made, record["settings"])


def is_current(result: Result) -> bool:
    """Whether it was made with the experiment's present settings."""
    return bool(result.settings == json.loads(json.dumps(result.experiment.settings(result.scale))))


def results_in(folder: Path, others: Sequence[Experiment] = ()) -> list[Result]:
    """All results in a folder of reports; `others`: experiments that do not come with outflank."""
    known = {one.name: one for one in [*find_experiments(["all"]), *others]}
    return [
        read_result(experiment, folder / experiment.name)
        for experiment in known.values()
        if (folder / experiment.name / RESULT).is_file()
    ]


def runs_text(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


def percent_text(share: float) -> str:
    """
    >>> percent_text(1.0), percent_text(0.1), percent_text(0.00073), percent_text(20.0)
    ('100 %', '10 %', '0.073 %', '20 times')
    """
    if share >= 2:
        return f"{share:,.0f} times"
    return f"{100 * share:,.0f} %" if share >= 0.1 else f"{100 * share:.2g} %"
