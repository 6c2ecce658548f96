"""Pieces of work on threads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from outflank.cores import available_cores
from outflank.learners.execution.executor import CoreClock, ThreadExecutor, executor_for
from tests.learners.execution.pieces import begun, compute, fail_at_three, league_games, square_slowly


def test_results_do_not_depend_on_the_threads() -> None:
    population = np.random.default_rng(1).normal(size=(5, 64))
    pieces = [(row, seed) for row in range(5) for seed in range(4)]
    with ThreadExecutor(1) as one, ThreadExecutor(3) as three:
        expected = one.map(league_games, population, pieces)
        assert three.map(league_games, population, pieces) == expected
        assert three.map(league_games, population, pieces[::-1]) == expected[::-1]
    assert len(set(expected)) > 10  # the pieces differ, so their order shows


def test_all_cores_by_default() -> None:
    with executor_for(None) as executor:
        assert executor.workers == available_cores()
    with executor_for(None, threads=1) as executor:
        assert executor.where == "1 thread"
        assert executor.map(divmod, 7, []) == []


def test_pieces_run_at_once() -> None:
    barrier = threading.Barrier(3, timeout=30)
    with ThreadExecutor(3) as executor:
        assert sorted(executor.map(lambda b, _: b.wait(), barrier, range(3))) == [0, 1, 2]


@pytest.mark.parametrize("threads", [1, 2])
def test_seconds_of_a_core_are_those_of_the_work_wherever_it_is_done(threads: int) -> None:
    with CoreClock(ThreadExecutor(threads)) as clock:
        compute(None, 0.2)  # before the clock starts
        clock.start()
        clock.map(compute, None, [0.1, 0.1])
        compute(None, 0.1)
        assert 0.3 <= clock.seconds < 0.5  # neither waiting counts, nor anything twice


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_arrives_as_it_is_and_drops_the_rest(threads: int, tmp_path: Path) -> None:
    with ThreadExecutor(threads) as executor:
        with pytest.raises(ValueError, match=r"^a piece must not be 3$"):
            executor.map(fail_at_three, tmp_path, [0, 1, 3, *range(5, 100)])
        assert executor.map(square_slowly, tmp_path, [2]) == [4]  # it can go on
    assert len(begun(tmp_path)) < 20


@pytest.mark.parametrize("threads", [1, 2])
def test_interrupt(threads: int, tmp_path: Path) -> None:
    def interrupt() -> None:
        while not begun(tmp_path):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    with ThreadExecutor(threads) as executor:
        interrupter = threading.Thread(target=interrupt)
        interrupter.start()
        with pytest.raises(KeyboardInterrupt):
            executor.map(square_slowly, tmp_path, range(100))
        interrupter.join()
    assert len(begun(tmp_path)) < 50


@pytest.mark.parametrize("threads", [0, -1])
def test_bad_threads(threads: int) -> None:
    with pytest.raises(ValueError, match=f"threads must be at least 1, got {threads}"):
        executor_for(None, threads)


def test_threads_are_not_for_a_cluster() -> None:
    with pytest.raises(ValueError, match="threads are for this process only"):
        executor_for("local:2", threads=2)


def test_without_the_extra() -> None:
    """Dask is loaded only where it is asked for; where it is missing, the error says what to install."""
    code = """
import sys
sys.modules["distributed"] = None  # an import now fails as if it were not installed
from outflank.learners.execution.executor import executor_for
with executor_for(None, 2) as executor:
    print(executor.map(divmod, 7, [2, 4]), "dask" in sys.modules)
try:
    executor_for("tcp://127.0.0.1:8786")
except OSError as error:
    print(error)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stderr == ""
    assert result.stdout.splitlines() == [
        "[(3, 1), (1, 3)] False",
        "a cluster needs Dask (distributed is missing): pip install 'outflank[cluster]'",
    ]
