"""Runs of a teacher: the same bytes on one core, on all, killed and resumed, and on a cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from outflank.learners.runs import teacher_run
from outflank.learners.runs.folder import RunFolder, run_state
from outflank.learners.runs.parallel_runs import create_run, open_run
from tests.conftest import Outflank
from tests.learners.runs.test_runs import COMMAND, contents, kill_and_resume

# A short TD run learns the player to start from.
SEED = """
evaluator = "all-3"
stages = 2
symmetric = true
batch = 256
games = 1500
output = "discs"
measure_double_games = 20
"""
CHANGES = ["evaluator=all-3+mobility", "stages=21", "games=12000", "sweeps=2", "depth=3", "solved=6",
           "measure_double_games=50"]  # fmt: skip


@pytest.fixture(scope="module")
def learn(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    preset = tmp_path_factory.mktemp("preset") / "seed.toml"
    preset.write_text(SEED, encoding="utf-8")
    changes = [*CHANGES, f"seed_preset={preset}"]
    return ["learn", "teacher", *(part for change in changes for part in ("--set", change))]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory, learn: list[str], outflank: Outflank) -> Path:
    run = tmp_path_factory.mktemp("unbroken") / "run"
    assert outflank(*learn, "--out", run).returncode == 0
    return run


def test_every_stage_is_logged_and_sweeps_are_measured(unbroken: Path) -> None:
    log = [json.loads(line) for line in (unbroken / "log.jsonl").read_text().splitlines()]
    assert [(entry["sweep"], entry["stage"]) for entry in log] == [
        (sweep, stage) for sweep in (0, 1) for stage in range(20, -1, -1)
    ]
    assert ["score" in entry for entry in log] == ([False] * 20 + [True]) * 2
    assert log[-1]["games"] == 12000
    state = run_state("run", unbroken)
    assert (state.method, state.done, state.total, state.state) == ("teacher", 12000, 12000, "finished")


@pytest.mark.long
def test_killed_at_random_moments(unbroken: Path, learn: list[str], tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert kill_and_resume(run, [*COMMAND, *learn], 5, 0.1) >= 2
    assert contents(run) == contents(unbroken)
    assert contents(run / "seed") == contents(unbroken / "seed")


def test_the_seed_run_is_finished_first(unbroken: Path) -> None:
    log = [json.loads(line) for line in (unbroken / "seed" / "log.jsonl").read_text().splitlines()]
    assert log[-1]["games"] == 1500
    assert (unbroken / "seed" / "last.safetensors").is_file()


def test_on_one_thread_left_within_a_stage(
    unbroken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, seed = RunFolder.open(unbroken).settings()
    monkeypatch.setattr(teacher_run, "BATCH_SECONDS", 0.0)  # the smallest steps, on a fast machine too
    begun = create_run(tmp_path / "run", settings, seed)
    next(step for step in begun.steps() if step.done >= 2500 and step.entry is None)
    begun.save()
    for _ in open_run(tmp_path / "run").steps():
        pass
    assert contents(tmp_path / "run") == contents(unbroken)


def test_a_seed_preset_must_fit(tmp_path: Path, outflank: Outflank) -> None:
    for preset, complaint in (("all-2", "other tuples"), ("chong-2003", "temporal differences"),
                              ("mlp", "n-tuple network")):  # fmt: skip
        changes = ["--set", "evaluator=all-3", "--set", f"seed_preset={preset}"]
        result = outflank("learn", "teacher", *changes, "--out", tmp_path / "run")
        assert result.returncode == 2
        assert complaint in result.stderr
        assert not (tmp_path / "run").exists()


@pytest.mark.long
def test_begun_here_and_ended_on_a_cluster(unbroken: Path, tmp_path: Path, outflank: Outflank) -> None:
    pytest.importorskip("distributed")
    settings, seed = RunFolder.open(unbroken).settings()
    begun = create_run(tmp_path / "run", settings, seed)
    next(step for step in begun.steps() if step.done >= 3000)
    begun.save()
    result = outflank("resume", tmp_path / "run", "--cluster", "local:2")
    assert (result.returncode, result.stderr) == (0, "")
    assert contents(tmp_path / "run") == contents(unbroken)
