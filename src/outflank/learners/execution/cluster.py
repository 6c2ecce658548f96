"""A Dask cluster as an executor: `--cluster tcp://HOST:8786`, or `--cluster local:2` to start one here.

    with ClusterExecutor.connect("tcp://10.0.0.1:8786") as executor:
        results = executor.map(function, shared, pieces)

What the pieces share is itself a task: its bytes stay with the scheduler until the map is over, one worker
runs the task, the others fetch the result from there. If that worker dies, the scheduler runs the task again;
scattered data would be lost with the worker. Workers may come and go; without the scheduler nothing works.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from ctypes import CDLL
from itertools import cycle
from math import ceil
from pkgutil import resolve_name
from threading import Lock
from time import monotonic
from typing import Any, ClassVar, Self, cast
from uuid import uuid4

import cloudpickle  # type: ignore[import-untyped]
import dask.config
from distributed import Client, Future, KilledWorker, LocalCluster, Security
from distributed.comm.core import CommClosedError, connect

from outflank import __version__
from outflank.learners.execution.executor import ClusterError, Executor, Piece, Result, Shared

# mypy: untyped-calls-exclude=distributed

CONNECT_SECONDS = 8.0  # for the scheduler to answer
WORKER_SECONDS = 60.0  # for a worker to appear where there is none, at first or after all have died
POLL_SECONDS = 1.0  # between two checks that there still are workers
# Dask takes some 2.5 ms of computing per task, so pieces that took less than this last time share one: tasks
# of this much computing at first, and of less towards the end.
TASK_SECONDS, LAST_TASK_SECONDS = 0.1, 0.025
KEPT_BYTES = 1 << 26  # of freed memory, by a worker
RETRIES = 2  # of a piece that raises: the worker's machine may be at fault, not the piece
ATTEMPTS = 3  # of a map that Dask gave up: pieces whose worker died four times, or lost results
VERSION = "outflank:__version__"

_ADDRESS = re.compile(r"(tcp|tls)://([\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})")
_SETTINGS = {
    "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s",
    "distributed.admin.large-graph-warning-threshold": "1PB",  # what is shared is in the graph on purpose
    "distributed.worker.profile.enabled": False,  # in local workers: no profile samples, and
    "distributed.admin.tick.interval": "200ms",  # fewer wake-ups; they took 8 % of a busy worker's time
}


def connected(name: str, owned: ExitStack) -> tuple[Client, str]:
    """A client of the named cluster, and its scheduler's address. `owned` closes what is opened here."""
    workers = _local_workers(name)
    owned.enter_context(_quiet())
    owned.enter_context(dask.config.set(_SETTINGS))
    address = owned.enter_context(_local_cluster(workers)).scheduler_address if workers else name
    client = owned.enter_context(_client(address))
    _require_version(f"scheduler {address}", _version_of_scheduler(client))
    return client, address


def workers_of_our_version(client: Client, workers: list[str]) -> set[str]:
    """The workers that still answer. All must have our version: another may play other games."""
    found = client.run(resolve_name, VERSION, workers=workers, on_error="return")
    here = {worker: version for worker, version in found.items() if not isinstance(version, OSError)}
    for worker, version in here.items():
        _require_version(f"worker {worker}", version)
    return set(here)


def dask_setup(_: object) -> None:
    """Dask calls this in each local worker: Ctrl-C is for the run, which then ends the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _local_workers(name: str) -> int | None:
    """N of local:N; None for a scheduler's address."""
    if (local := re.fullmatch(r"local:(\d{1,4})", name)) and int(local[1]) > 0:
        return int(local[1])
    if (remote := _ADDRESS.fullmatch(name)) and 0 < int(remote[3]) < 65536:
        return None
    raise ValueError(f"a cluster is tcp://HOST:PORT, tls://HOST:PORT or local:WORKERS, got {name!r}")


def _client(address: str) -> Client:
    try:
        with ThreadPoolExecutor(1) as pool:  # on its own thread: the caller's may run an event loop
            pool.submit(asyncio.run, _shake_hands(address)).result()
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:  # whatever Dask raises for a server of another protocol
        tells = isinstance(error, ImportError) or address.startswith("tls://")  # versions; certificates
        raise ClusterError(
            f"no Dask scheduler answers at {address}{f' ({error})' if tells else ''}: start one with "
            "`dask scheduler`, or leave --cluster out to use this machine alone"
        ) from None


async def _shake_hands(address: str) -> None:
    """With a timeout: Client would wait for ever for a server that is not Dask."""
    arguments = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, CONNECT_SECONDS, **arguments), CONNECT_SECONDS)
    await comm.close()


def _version_of_scheduler(client: Client) -> object:
    """It must have our version too: it unpickles the tasks before it passes them on."""
    try:
        return client.run_on_scheduler(resolve_name, VERSION)
    except Exception as error:
        return error


def _require_version(who: str, found: object) -> None:
    if isinstance(found, Exception):
        raise ClusterError(
            f"{who} cannot import outflank ({found}): install outflank[cluster] {__version__} there"
        )
    if found != __version__:
        raise ClusterError(f"{who} has outflank {found}, but this is {__version__}: they must be the same")


def _local_cluster(workers: int) -> LocalCluster:
    try:
        return LocalCluster(
            n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL, preload=[__name__],
        )  # fmt: skip
    except (OSError, RuntimeError) as error:
        raise ClusterError(
            f"the {workers} local workers did not start ({error}); a script must guard its "
            "code by `if __name__ == '__main__':`, since each worker imports it"
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Silences Dask, which logs to stderr what our exceptions say, and much else."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


class ClusterExecutor(Executor):
    """A Dask cluster. `connect` makes one."""

    def __init__(self, name: str, client: Client, address: str) -> None:
        self._name = name  # as the caller gave it
        self._client = client
        self._address = address
        self._owned = ExitStack()  # what close() ends: the client, a local cluster, Dask settings
        self._known: set[str] = set()  # workers that have our version
        self._threads: dict[str, int] = {}  # of each worker
        self._seconds: dict[str, float] = {}  # per piece last time, by function name
        self._update_workers()

    @classmethod
    def connect(cls, name: str) -> Self:
        """The cluster of the scheduler at tcp://HOST:PORT or tls://HOST:PORT; or local:N, which starts N
        worker processes of one thread each here."""
        with ExitStack() as owned:
            executor = cls(name, *connected(name, owned))
            executor._owned = owned.pop_all()
            return executor

    @property
    def workers(self) -> int:
        """The threads of all workers, as of the start and of every map."""
        return sum(self._threads.values())

    @property
    def where(self) -> str:
        return f"cluster {self._name} with {self.workers} worker{'s' if self.workers != 1 else ''}"

    def map(
        self, function: Callable[[Shared, Piece], Result], shared: Shared, pieces: Sequence[Piece]
    ) -> list[Result]:
        started = monotonic()
        name = getattr(function, "__qualname__", "")
        tasks = [
            cloudpickle.dumps(some)
            for some in self._shared_out(pieces, self._seconds.get(name, TASK_SECONDS))
        ]
        done = self._attempts(cloudpickle.dumps((function, shared)), tasks)
        self._seconds[name] = (monotonic() - started) * max(1, self.workers) / max(1, len(pieces))
        return [result for results in done for result in results]

    def _shared_out(self, pieces: Sequence[Piece], seconds: float) -> Iterator[Sequence[Piece]]:
        """Smaller tasks towards the end (guided self-scheduling: Polychronopoulos and Kuck, 1987): the last
        ones decide how long workers wait for each other. `seconds`: per piece."""
        most, fewest = ceil(TASK_SECONDS / seconds), ceil(LAST_TASK_SECONDS / seconds)
        at = 0
        while at < len(pieces):
            share = (len(pieces) - at) // (3 * max(1, self.workers))
            size = max(fewest, min(most, share))
            yield pieces[at : at + size]
            at += size

    def _attempts(self, content: bytes, tasks: list[bytes]) -> list[list[Any]]:
        for _ in range(ATTEMPTS):
            self._require_scheduler()
            try:
                self._update_workers()
                return self._attempt(content, tasks)
            except (KilledWorker, CancelledError):
                continue
            except CommClosedError:
                raise self._gone() from None
            except Exception:
                self._require_scheduler()
                raise  # what the function itself has raised
        self._require_scheduler()
        raise ClusterError(
            f"work on the cluster {self._name} was lost {ATTEMPTS} times, each time with the workers that "
            "did it: look at their logs, perhaps they need more memory; nothing is lost: continue with "
            f"{self._resume_command}"
        )

    def _attempt(self, content: bytes, tasks: list[bytes]) -> list[list[Any]]:
        parcel = self._client.submit(_Parcel, content, pure=False, retries=RETRIES)
        futures: list[Future[Any]] = []
        try:
            futures = self._submitted(parcel, tasks)
            return self._gathered(futures)
        finally:  # done, failed or interrupted: the scheduler may drop them all
            for future in [*futures, parcel]:
                future.release()

    def _submitted(self, parcel: Future[Any], tasks: list[bytes]) -> list[Future[Any]]:
        """More than two tasks per thread are one group to Dask, which assigns them to free workers
        (Scheduler.is_rootish). Fewer would all go to the worker that has the parcel and wait to be stolen; so
        they name a preferred worker."""
        name = f"pieces-{uuid4().hex}"
        keys = [(name, number) for number in range(len(tasks))]
        if len(tasks) > 2 * self.workers:
            return self._client.map(_run, tasks, parcel=parcel, key=keys, pure=False, retries=RETRIES)
        places = cycle([worker for worker, threads in self._threads.items() for _ in range(threads)])
        return [
            self._client.submit(
                _run, task, parcel, key=key, workers=[place], allow_other_workers=True, retries=RETRIES
            )
            for task, key, place in zip(tasks, keys, places, strict=False)
        ]

    def _gathered(self, futures: list[Future[Any]]) -> list[list[Any]]:
        """All results, or the first exception as soon as it occurs."""
        loop = cast(Any, self._client.loop).asyncio_loop
        gathering = asyncio.run_coroutine_threadsafe(self._client.gather(futures, asynchronous=True), loop)
        alone_since = None
        while not wait([gathering], timeout=POLL_SECONDS).done:
            if self._client.nthreads():
                alone_since = None
                continue
            alone_since = alone_since or monotonic()
            if monotonic() > alone_since + WORKER_SECONDS:
                raise ClusterError(
                    f"all workers of {self._name} are gone, and no new one came within {WORKER_SECONDS:.0f} "
                    f"seconds; nothing is lost: start workers with {self._worker_command} and continue with "
                    f"{self._resume_command}"
                )
        return cast(list[list[Any]], gathering.result())

    def _update_workers(self) -> None:
        """Update the list of workers: at least one, and all of our version."""
        threads = self._client.nthreads()
        if not threads:
            try:
                self._client.wait_for_workers(1, timeout=WORKER_SECONDS)
            except TimeoutError:
                raise ClusterError(
                    f"the cluster {self._name} has no workers, and none came within {WORKER_SECONDS:.0f} "
                    f"seconds: start some with {self._worker_command}"
                ) from None
            threads = self._client.nthreads()
        if unknown := [worker for worker in threads if worker not in self._known]:
            self._known |= workers_of_our_version(self._client, unknown)
        self._threads = threads

    def _require_scheduler(self) -> None:
        if self._client.status != "running":
            raise self._gone() from None

    def _gone(self) -> ClusterError:
        return ClusterError(
            f"the scheduler {self._name} is gone; nothing is lost: continue with "
            f"{self._resume_command} once it is back, or without --cluster on this machine alone"
        )

    @property
    def _worker_command(self) -> str:
        return f"`dask worker {self._address} --nworkers -1 --nthreads 1`"

    @property
    def _resume_command(self) -> str:
        return f"`outflank resume RUN --cluster {self._name}` (or the same command, if it was not a run)"

    def close(self) -> None:
        self._owned.close()


class _Parcel:
    """The function and what its pieces share, unpickled once per worker process: all pieces there get the
    same object, also those of later calls with the same content, and what it caches is not sent to other
    workers."""

    _lock: ClassVar = Lock()
    _latest: ClassVar[tuple[bytes, tuple[Callable[[Any, Any], Any], Any]] | None] = None

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __reduce__(self) -> tuple[type[_Parcel], tuple[bytes]]:
        return _Parcel, (self._content,)

    def opened(self) -> tuple[Callable[[Any, Any], Any], Any]:
        with _Parcel._lock:
            if _Parcel._latest is None or _Parcel._latest[0] != self._content:
                _keep_freed_memory()
                _Parcel._latest = self._content, pickle.loads(self._content)
            return _Parcel._latest[1]


def _keep_freed_memory() -> None:
    """Dask tells glibc to return freed memory to the system at once. A worker compiles one network after the
    other, megabytes each: with fresh memory, whose pages are filled in one by one, that takes four times as
    long."""
    trim_threshold, mmap_threshold = -1, -3  # M_TRIM_THRESHOLD and M_MMAP_THRESHOLD of malloc.h
    mallopt = getattr(CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(trim_threshold, KEPT_BYTES)
        mallopt(mmap_threshold, KEPT_BYTES // 2)


def _run(pieces: bytes, parcel: _Parcel) -> list[Any]:
    function, shared = parcel.opened()
    return [function(shared, piece) for piece in pickle.loads(pieces)]
