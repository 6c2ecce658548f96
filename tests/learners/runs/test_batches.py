"""Runs that learn in batches: the same bytes on one core, on all, killed and resumed, and on a cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.parallel_runs import create_run
from tests.conftest import Outflank
from tests.learners.runs.test_runs import COMMAND, contents, kill_and_resume

CHANGES = [
    "evaluator=all-3", "stages=3", "symmetric=true", "batch=480", "games=6000", "pool=2", "pool_every=1000",
    "output=discs", "target_epsilon=0.0", "solved=4", "measure_every=1000", "measure_double_games=50",
]  # fmt: skip
LEARN = ["learn", "league-champion", *(part for change in CHANGES for part in ("--set", change))]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory, outflank: Outflank) -> Path:
    run = tmp_path_factory.mktemp("unbroken") / "run"
    assert outflank(*LEARN, "--out", run).returncode == 0
    return run


def test_measurements_wait_for_the_end_of_a_batch(unbroken: Path) -> None:
    log = [json.loads(line) for line in (unbroken / "log.jsonl").read_text().splitlines()]
    assert [entry["games"] for entry in log] == [0, 960, 1440, 2400, 3360, 4320, 5280, 6000]


@pytest.mark.long
def test_killed_at_random_moments(unbroken: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert kill_and_resume(run, [*COMMAND, *LEARN], 5, 0.1) >= 2
    assert contents(run) == contents(unbroken)


def test_on_one_thread(unbroken: Path, tmp_path: Path) -> None:
    settings, seed = RunFolder.open(unbroken).settings()
    run = create_run(tmp_path / "run", settings, seed)
    assert [step.done for step in run.steps() if step.entry] == [0, 960, 1440, 2400, 3360, 4320, 5280, 6000]
    assert contents(tmp_path / "run") == contents(unbroken)


@pytest.mark.long
def test_begun_here_and_ended_on_a_cluster(unbroken: Path, tmp_path: Path, outflank: Outflank) -> None:
    pytest.importorskip("distributed")
    settings, seed = RunFolder.open(unbroken).settings()
    begun = create_run(tmp_path / "run", settings, seed)
    next(step for step in begun.steps() if step.done >= 2000)
    begun.save()
    result = outflank("resume", tmp_path / "run", "--cluster", "local:2")
    assert (result.returncode, result.stderr) == (0, "")
    assert contents(tmp_path / "run") == contents(unbroken)
