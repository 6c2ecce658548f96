"""Runs of expert iteration: the same bytes on one core, on all, killed and resumed, and on a cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from outflank.learners.runs import expert_iteration_run
from outflank.learners.runs.folder import RunFolder, run_state
from outflank.learners.runs.parallel_runs import create_run, open_run
from tests.conftest import Outflank
from tests.learners.runs.test_runs import COMMAND, contents, kill_and_resume

CHANGES = ["evaluator=deep-3-5:all-3", "stages=4", "games=6000", "generations=6", "solved=6", "replay=3",
           "opponents=self;random;iago", "piece_counters=2", "measure_double_games=50"]  # fmt: skip
LEARN = ["learn", "all-rounder", *(part for change in CHANGES for part in ("--set", change))]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory, outflank: Outflank) -> Path:
    run = tmp_path_factory.mktemp("unbroken") / "run"
    assert outflank(*LEARN, "--out", run).returncode == 0
    return run


def test_every_generation_is_measured(unbroken: Path) -> None:
    log = [json.loads(line) for line in (unbroken / "log.jsonl").read_text().splitlines()]
    assert [entry["iteration"] for entry in log] == list(range(6))
    assert all(entry["error"] > 0 and 0 <= entry["score"] <= 1 for entry in log)
    state = run_state("run", unbroken)
    assert (state.method, state.done, state.total, state.state) == (
        "expert-iteration",
        6000,
        6000,
        "finished",
    )
    assert not (unbroken / "labels").exists()


@pytest.mark.long
def test_killed_at_random_moments(unbroken: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert kill_and_resume(run, [*COMMAND, *LEARN], 5, 0.1) >= 2
    assert contents(run) == contents(unbroken)


def test_on_one_thread_left_within_a_generation(
    unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, seed = RunFolder.open(unbroken).settings()
    monkeypatch.setattr(expert_iteration_run, "BATCH_SECONDS", 0.0)  # the smallest steps
    monkeypatch.setattr(expert_iteration_run, "SAVE_SECONDS", 0.0)
    begun = create_run(tmp_path / "run", settings, seed)
    next(step for step in begun.steps() if step.done >= 2500 and step.entry is None)
    assert len(list((tmp_path / "run" / "labels").iterdir())) > 1
    for _ in open_run(tmp_path / "run").steps():  # without the last step, which was not saved
        pass
    assert contents(tmp_path / "run") == contents(unbroken)


def test_what_cannot_learn_is_refused_before_anything_is_written(tmp_path: Path, outflank: Outflank) -> None:
    for change, complaint in (("evaluator=all-3", "a deep network, such as deep-8-16:logistello, not all-3"),
                              ("evaluator=deep-99-5:all-3", "1 to 32 numbers, got 99"),
                              ("opponents=nobody", "nobody")):  # fmt: skip
        result = outflank("learn", "all-rounder", "--set", change, "--out", tmp_path / "run")
        assert result.returncode == 2
        assert complaint in result.stderr
        assert not (tmp_path / "run").exists()


@pytest.mark.long
def test_begun_here_and_ended_on_a_cluster(unbroken: Path, tmp_path: Path, outflank: Outflank) -> None:
    pytest.importorskip("distributed")
    settings, seed = RunFolder.open(unbroken).settings()
    begun = create_run(tmp_path / "run", settings, seed)
    next(step for step in begun.steps() if step.done >= 2500)
    begun.save()
    result = outflank("resume", tmp_path / "run", "--cluster", "local:2")
    assert (result.returncode, result.stderr) == (0, "")
    assert contents(tmp_path / "run") == contents(unbroken)
