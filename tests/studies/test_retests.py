"""`reproduce --check` tests claims again from their samples, and finds every number that was altered."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outflank.studies.claims import found_again
from outflank.studies.results import results_in
from outflank.studies.verdicts import Claim
from tests.conftest import Outflank

EXPERIMENTS = (
    "lucas-2007/random-moves", "beyond/teaching", "beyond/league-against-strength", "kim-2007/table-6",
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, outflank: Outflank) -> Path:
    out = tmp_path_factory.mktemp("made")
    ran = outflank("reproduce", *EXPERIMENTS, "--scale", "quick", "--seeds", 3, "--out", out)
    assert ran.returncode == 0, ran.stderr
    return out / "quick"


@pytest.fixture
def reports(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "reports", ignore=shutil.ignore_patterns("runs", "parts")))


def test_claims_of_our_own_have_the_samples_of_their_tests(made: Path) -> None:
    for result in results_in(made):
        for row in result.rows("own"):
            claim = result.outcome.findings[row.key]
            if isinstance(claim, Claim):  # or not measured
                assert claim.test is not None, f"{result.experiment.name}, {row.key}"
                assert found_again(claim) == claim


def first_sample(values: Any) -> tuple[Any, Any] | None:
    """Where a list of samples begins, in arguments of any shape."""
    if isinstance(values, dict):
        items: Any = values.items()
    else:
        items = enumerate(values) if isinstance(values, list) else ()
    for key, value in items:
        if isinstance(value, float):
            return values, key
        if (found := first_sample(value)) is not None:
            return found
    return None


def alter_a_sample(finding: dict[str, Any]) -> None:
    place = first_sample(finding["test"]["arguments"])
    assert place is not None
    values, key = place
    values[key] += 0.25


ALTERATIONS: dict[str, Callable[[dict[str, Any]], None]] = {
    "sample": alter_a_sample,
    "evidence": lambda finding: finding.update(evidence=finding["evidence"].replace("0.", "0.9", 1)),
    "holds": lambda finding: finding.update(holds=not finding["holds"]),
    "function": lambda finding: finding["test"].update(function="os:system"),
    "arguments": lambda finding: finding["test"].update(arguments={}),
}


@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_an_altered_claim_is_found(reports: Path, outflank: Outflank, alteration: str) -> None:
    assert outflank("reproduce", "--check", reports).returncode == 0
    for name, key in (("lucas-2007/random-moves", None), ("beyond/teaching", "from nothing")):
        path = reports / name / "result.json"
        before = path.read_text()
        record = json.loads(before)
        key = key or next(key for key, one in record["findings"].items() if one.get("test"))
        ALTERATIONS[alteration](record["findings"][key])
        path.write_text(json.dumps(record))
        ran = outflank("reproduce", "--check", reports)
        assert ran.returncode == 1, (name, key)
        assert f"{name}, {key}: " in " ".join(ran.stdout.split())
        path.write_text(before)


def test_an_altered_run_of_a_number_is_found(reports: Path, outflank: Outflank) -> None:
    path = reports / "kim-2007/table-6/result.json"
    record = json.loads(path.read_text())
    record["findings"]["EV_O vs EV"]["samples"][0] += 0.125
    path.write_text(json.dumps(record))
    ran = outflank("reproduce", "--check", reports)
    assert ran.returncode == 1
    assert "kim-2007/table-6, EV_O vs EV: the file says" in ran.stdout
