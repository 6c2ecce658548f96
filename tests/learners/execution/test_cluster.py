"""Pieces of work on a Dask cluster: a real scheduler and real workers, and what happens when they die."""

from __future__ import annotations

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import dask.config
import numpy as np
import psutil  # type: ignore[import-untyped]
import pytest

from outflank.learners.execution import cluster
from outflank.learners.execution.cluster import ClusterExecutor
from outflank.learners.execution.executor import ClusterError, Executor, ThreadExecutor, executor_for
from tests.conftest import ROOT
from tests.learners.execution.dask_processes import DaskProcesses, wait_until
from tests.learners.execution.pieces import (
    Population,
    begun,
    fail_at_three,
    kill_always,
    kill_once,
    league_games,
    object_identities,
    process,
    square_slowly,
    total,
)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    with DaskProcesses(tmp_path_factory.mktemp("lab"), workers=2) as processes:
        yield processes


@pytest.fixture
def executor(lab: DaskProcesses) -> Iterator[Executor]:
    """On a scheduler with two workers, whatever the test before did to them."""
    lab.workers = [worker for worker in lab.workers if worker.poll() is None]
    while len(lab.workers) < 2:
        lab.start_worker()
    with executor_for(lab.address) as made:
        yield made


@pytest.fixture
def meanwhile() -> Iterator[Callable[[Callable[[], object]], None]]:
    """Runs something in a thread while the test waits for its results."""
    threads: list[threading.Thread] = []

    def start(action: Callable[[], object]) -> None:
        threads.append(threading.Thread(target=action))
        threads[-1].start()

    yield start
    for thread in threads:
        thread.join()


def test_the_same_as_on_threads(executor: Executor, lab: DaskProcesses) -> None:
    population = np.random.default_rng(1).normal(size=(5, 64))
    pieces = [(row, seed) for row in range(5) for seed in range(4)]
    with ThreadExecutor(2) as threads:
        assert executor.map(league_games, population, pieces) == threads.map(league_games, population, pieces)
    assert executor.map(league_games, population, []) == []
    assert executor.workers == 2
    assert executor.where == f"cluster {lab.address} with 2 workers"


@pytest.mark.parametrize("pieces", [2, 4, 30])
def test_every_process_has_one_copy_of_what_is_shared(executor: Executor, pieces: int) -> None:
    """Few pieces are spread as well as many. All pieces in a process see one object, which keeps what it
    has cached; the cache, which cannot be pickled, does not travel to the next worker."""
    seen = executor.map(object_identities, Population([1.0]), [0.1 if pieces < 30 else 0.01] * pieces)
    assert len({pid for pid, _, _ in seen}) == 2
    assert len(set(seen)) == 2


def test_large_shared_data(executor: Executor) -> None:
    weights = np.ones(2_000_000)  # 16 MB: Dask warns above 10 MB, and a warning fails the test
    assert executor.map(total, weights, [1, 2]) == [2_000_001.0, 2_000_002.0]


def test_an_exception_arrives_as_it_is(
    executor: Executor, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(ValueError, match=r"^a piece must not be 3$"):
        executor.map(fail_at_three, tmp_path, [0, 3, *range(5, 100)])
    assert len(begun(tmp_path)) < 50
    with pytest.raises(FileNotFoundError, match=r"book\.txt") as raised:
        executor.map(fail_at_three, tmp_path, [4])
    assert not isinstance(raised.value, ClusterError)
    assert executor.map(square_slowly, tmp_path, [2]) == [4]
    gc.collect()  # asyncio complains when forgotten errors are collected
    assert caplog.records == []


def test_interrupt(
    executor: Executor,
    tmp_path: Path,
    meanwhile: Callable[[Callable[[], object]], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    def interrupt() -> None:
        wait_until(lambda: begun(tmp_path))
        os.kill(os.getpid(), signal.SIGINT)

    meanwhile(interrupt)
    with pytest.raises(KeyboardInterrupt):
        executor.map(square_slowly, tmp_path, range(100))
    assert executor.map(process, None, [0.0])
    assert len(begun(tmp_path)) < 50
    gc.collect()  # asyncio complains when forgotten errors are collected
    assert caplog.records == []


def test_a_worker_is_killed(
    executor: Executor, tmp_path: Path, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    killed: list[int] = []

    def kill_one() -> None:
        wait_until(lambda: len(begun(tmp_path)) > 4)
        killed.append(begun(tmp_path)[-1][1])
        os.kill(killed[0], signal.SIGKILL)

    meanwhile(kill_one)
    assert executor.map(square_slowly, tmp_path, range(20)) == [n**2 for n in range(20)]
    by_killed = {piece for piece, pid in begun(tmp_path) if pid == killed[0]}
    by_other = {piece for piece, pid in begun(tmp_path) if pid != killed[0]}
    assert by_killed & by_other  # what it had begun was begun again


def test_all_workers_are_killed_and_one_comes(
    executor: Executor, lab: DaskProcesses, tmp_path: Path, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    """With them goes every copy of what is shared."""

    def replace() -> None:
        wait_until(lambda: len({pid for _, pid in begun(tmp_path)}) == 2)
        lab.kill_workers()
        lab.start_worker()

    meanwhile(replace)
    assert executor.map(square_slowly, tmp_path, range(20)) == [n**2 for n in range(20)]
    assert len({pid for _, pid in begun(tmp_path)}) == 3
    assert executor.map(process, None, [0.0]) == [lab.workers[0].pid]
    assert executor.workers == 1


@pytest.mark.parametrize(
    ("at_start", "sentence"),
    [
        ("import outflank; outflank.__version__ = '9.9'", r"has outflank 9\.9, but this is \d+\.\d+\.\d+"),
        (
            "import sys; sys.modules['outflank'] = None",
            r"cannot import outflank .*: install outflank\[cluster\]",
        ),
    ],
)
def test_other_versions(
    executor: Executor, lab: DaskProcesses, tmp_path: Path, at_start: str, sentence: str
) -> None:
    """A worker that would perhaps play other games: noticed when it joins, and by the next who connects."""
    (tmp_path / "sitecustomize.py").write_text(at_start)
    worker = lab.start_worker(python_path=str(tmp_path))
    with pytest.raises(ClusterError, match=rf"^worker tcp://127\.0\.0\.1:\d+ {sentence}"):
        executor.map(process, None, [0.0])
    with pytest.raises(ClusterError, match=rf"^worker tcp://127\.0\.0\.1:\d+ {sentence}"):
        executor_for(lab.address)
    worker.kill()
    worker.wait()


def test_a_scheduler_dies(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    meanwhile: Callable[[Callable[[], object]], None],
) -> None:
    """And before that, its workers: none at first, later none again."""
    pieces = tmp_path / "pieces"
    pieces.mkdir()

    def once_begun(action: Callable[[], None]) -> Callable[[], None]:
        for path in pieces.iterdir():
            path.unlink()

        def act() -> None:
            wait_until(lambda: begun(pieces))
            action()

        return act

    with DaskProcesses(tmp_path) as lab:
        monkeypatch.setattr(cluster, "WORKER_SECONDS", 0.5)
        with pytest.raises(ClusterError, match=rf"no workers.*`dask worker {lab.address} --nworkers -1"):
            executor_for(lab.address)
        monkeypatch.setattr(cluster, "WORKER_SECONDS", 60)
        lab.start_worker()
        with executor_for(lab.address) as executor:
            monkeypatch.setattr(cluster, "WORKER_SECONDS", 0.5)
            meanwhile(once_begun(lab.kill_workers))
            with pytest.raises(
                ClusterError, match=r"all workers .* are gone.*nothing is lost.*`outflank resume"
            ):
                executor.map(square_slowly, pieces, range(100))
            monkeypatch.setattr(cluster, "WORKER_SECONDS", 60)
            lab.start_worker()
            meanwhile(once_begun(lab.kill_scheduler))
            gone = rf"^the scheduler {lab.address} is gone; nothing is lost.*`outflank resume RUN --cluster"
            with pytest.raises(ClusterError, match=gone):
                executor.map(square_slowly, pieces, range(100))
            with pytest.raises(ClusterError, match=gone):
                executor.map(square_slowly, pieces, range(100))
    assert capfd.readouterr() == ("", "")


def test_no_scheduler(
    monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    """A server that is not a scheduler: one that says nothing, one of another protocol; and none."""
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        address = f"tcp://127.0.0.1:{stranger.getsockname()[1]}"
        sentence = f"no Dask scheduler answers at {address}: start one with"
        with pytest.raises(ClusterError, match=sentence):
            executor_for(address)
        stranger.accept()[0].close()

        def greet() -> None:
            with stranger.accept()[0] as connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")

        meanwhile(greet)
        with pytest.raises(ClusterError, match=sentence):
            executor_for(address)
    with pytest.raises(ClusterError, match=sentence):
        executor_for(address)
    with pytest.raises(ClusterError, match=r"no Dask scheduler answers at tls://.*TLS"):
        executor_for(address.replace("tcp", "tls"))


def test_many_short_pieces(executor: Executor) -> None:
    """They share tasks, once it is known how short they are; the order stays."""
    for count in (1, 7, 100, 101, 350):
        pieces = list(range(1, count + 1))
        assert executor.map(divmod, 1000, pieces) == [divmod(1000, piece) for piece in pieces]


@pytest.mark.parametrize(
    "address",
    ["", "local", "local:0", "local:-1", "local:x", "lab", "lab:8786", "http://lab:8786", "tcp://lab",
     "tcp://lab:port", "tcp://lab:0", "tcp://lab:65536", "tcp://:8786", "tcp://lab:8786/x", "tcp://a b:1"],
)  # fmt: skip
def test_bad_addresses(address: str) -> None:
    with pytest.raises(
        ValueError, match="a cluster is tcp://HOST:PORT, tls://HOST:PORT or local:WORKERS, got"
    ):
        executor_for(address)


@pytest.mark.long
def test_pieces_that_kill_their_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dask gives such a piece up, here after the first death; it is submitted anew, but not for ever."""
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), executor_for("local:1") as executor:
        assert executor.map(kill_once, tmp_path, range(3)) == [0, 1, 2]
        assert begun(tmp_path)
        monkeypatch.setattr(cluster, "ATTEMPTS", 1)
        with pytest.raises(ClusterError, match=r"cluster local:1 was lost 1 times.*nothing is lost"):
            executor.map(kill_always, None, [0])


LOCAL = """
import os, signal, sys
from outflank.learners.execution.executor import executor_for
from tests.learners.execution.pieces import process
if __name__ == "__main__":
    with executor_for("local:2") as executor:
        print(*sorted(set(executor.map(process, None, [0.05] * 10))), flush=True)
        if "die" in sys.argv:
            os.kill(os.getpid(), signal.SIGKILL)
        if "interrupt" in sys.argv:  # as Ctrl-C does: it reaches the workers, too
            signal.signal(signal.SIGINT, lambda *_: sys.exit("interrupted"))
            os.killpg(0, signal.SIGINT)
            executor.map(process, None, [0.1] * 1000)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("how", "code", "stderr"),
    [("close", 0, ""), ("die", -signal.SIGKILL, ""), ("interrupt", 1, "interrupted\n")],
)
def test_a_local_cluster_leaves_nothing_behind(how: str, code: int, stderr: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(LOCAL)
    result = subprocess.run(
        [sys.executable, "-W", "error", str(script), how],
        capture_output=True, text=True, timeout=60, env=os.environ | {"PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (code, stderr)
    workers = [int(pid) for pid in result.stdout.split()]
    assert len(workers) == 2
    wait_until(lambda: not any(map(psutil.pid_exists, workers)))


def test_closing_ends_the_local_workers() -> None:
    executor = ClusterExecutor.connect("local:1")
    [worker] = executor.map(process, None, [0.0])
    assert psutil.pid_exists(worker)
    executor.close()
    assert not psutil.pid_exists(worker)
    executor.close()  # once more does no harm
