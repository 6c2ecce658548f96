"""Experiments run one after another; finished ones are not run again.

>>> from outflank.studies.experiment import find_experiments
>>> procedure_of(find_experiments(["lucas-2007/figure-9"])[0]).__name__
'figure_9'
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from outflank.evaluators.whole_files import write_whole
from outflank.studies.experiment import Experiment, Scale
from outflank.studies.laboratory import Laboratory
from outflank.studies.outcome import Outcome, Verdict, check_complete, verdict

RESULT = "result.json"
MADE = ("version", "seeds", "machine", "finished", "seconds")


@dataclass(frozen=True)
class Result:
    """A finished experiment: what was found, with what, when."""

    experiment: Experiment
    scale: Scale
    outcome: Outcome
    folder: Path
    made: dict[str, Any]  # version, seeds, machine, finished, seconds

    @property
    def verdicts(self) -> list[Verdict]:
        return [verdict(row, self.outcome.findings[row.key]) for row in self.experiment.rows]


def reproduce(laboratory: Laboratory) -> Result:
    """Measure the experiment; parts that are kept are used, so that this is quick where all are."""
    experiment = laboratory.experiment
    outcome = procedure_of(experiment)(laboratory)
    check_complete(experiment, outcome)
    made = laboratory.provenance(laboratory.seconds)
    record = {"experiment": experiment.name, "scale": laboratory.scale, "settings": laboratory.settings}
    record |= {**made, **outcome.as_json()}
    laboratory.folder.mkdir(parents=True, exist_ok=True)
    write_whole(laboratory.folder / RESULT, json.dumps(record, indent=1).encode())
    return Result(experiment, laboratory.scale, outcome, laboratory.folder, made)


def kept_result(experiment: Experiment, scale: Scale, out: Path) -> Result | None:
    """The result of an earlier time with the present settings, if there is one."""
    folder = out / scale / experiment.name
    try:
        record = json.loads((folder / RESULT).read_bytes())
        if record["settings"] != json.loads(json.dumps(experiment.settings(scale))):
            return None
        outcome = Outcome.from_json(record)
        check_complete(experiment, outcome)
        made = {key: record[key] for key in MADE}
    except (FileNotFoundError, ValueError, KeyError, TypeError):  # or damaged, or of other rows
        return None
    return Result(experiment, scale, outcome, folder, made)


def procedure_of(experiment: Experiment) -> Callable[[Laboratory], Outcome]:
    """The function in outflank/studies that an experiment names."""
    module, _, function = experiment.procedure.rpartition(".")
    try:
        found: Callable[[Laboratory], Outcome]
        found = getattr(import_module(f"outflank.studies.{module}"), function)
    except (ModuleNotFoundError, AttributeError):
        raise ValueError(f"{experiment.name}: there is no procedure {experiment.procedure}") from None
    return found
