"""Whole runs on a real cluster on loopback: same bytes as here, also when a worker or the scheduler dies."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Outflank
from tests.learners.execution.dask_processes import DaskProcesses, wait_until
from tests.learners.runs.test_runs import COMMAND, contents

SETTINGS = ["--set", "generations=10", "--set", "offspring=30", "--set", "double_games=200",
            "--set", "measure_every=4", "--set", "measure_double_games=200"]  # fmt: skip
LEARN = ["learn", "jaskowski-2014-all-2", *SETTINGS]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory, outflank: Outflank) -> dict[str, object]:
    run = tmp_path_factory.mktemp("unbroken") / "run"
    assert outflank(*LEARN, "--out", run).returncode == 0
    return contents(run)


def start(run: Path, address: str) -> subprocess.Popen[str]:
    """A run on a cluster as a process of its own, left once it has got going."""
    process = subprocess.Popen(
        [*COMMAND, *LEARN, "--out", str(run), "--cluster", address],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    log = run / "log.jsonl"
    wait_until(lambda: process.poll() is not None or (log.exists() and log.read_bytes().count(b"\n") >= 2))
    return process


@pytest.mark.long
def test_a_worker_killed_in_the_middle_of_a_generation(unbroken: dict[str, object], tmp_path: Path) -> None:
    with DaskProcesses(tmp_path, workers=2) as lab:
        process = start(tmp_path / "run", lab.address)
        assert process.poll() is None, process.communicate()
        lab.workers[0].send_signal(signal.SIGKILL)
        _, stderr = process.communicate(timeout=120)
    assert (process.returncode, stderr) == (0, "")
    assert contents(tmp_path / "run") == unbroken


@pytest.mark.long
def test_the_scheduler_gone(unbroken: dict[str, object], tmp_path: Path, outflank: Outflank) -> None:
    run = tmp_path / "run"
    with DaskProcesses(tmp_path, workers=2) as lab:
        process = start(run, lab.address)
        lab.kill_scheduler()
        stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 2, stdout
    assert stderr.startswith("outflank: ")
    assert lab.address in stderr
    assert "outflank resume" in stderr
    assert "Traceback" not in stderr
    # The checkpoint is complete: resumed without a cluster, the run ends as any other.
    assert outflank("resume", run).returncode == 0
    assert contents(run) == unbroken


@pytest.mark.long
def test_begun_here_and_ended_on_workers_started_for_it(
    unbroken: dict[str, object], tmp_path: Path, outflank: Outflank
) -> None:
    run = tmp_path / "run"
    process = subprocess.Popen([*COMMAND, *LEARN, "--out", str(run)], stdout=subprocess.DEVNULL)
    wait_until(lambda: (run / "log.jsonl").exists() and (run / "log.jsonl").stat().st_size > 0)
    process.kill()
    process.wait()
    result = outflank("resume", run, "--cluster", "local:2")
    assert (result.returncode, result.stderr) == (0, "")
    assert contents(run) == unbroken
