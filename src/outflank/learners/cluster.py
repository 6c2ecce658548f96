"""Pieces of work on a Dask cluster: `--cluster tcp://HOST:8786`, or `--cluster local:2` to start one here.

    with ClusterExecutor.connect("tcp://10.0.0.1:8786") as executor:
        results = executor.map(function, shared, pieces)

What the pieces share is itself a task: its bytes rest with the scheduler until the map is over, one worker
takes them, the others fetch them from there. If that worker dies, the scheduler has the task run again;
scattered data would be lost with it. Workers come and go; without the scheduler nothing goes on.
"""

# mypy: untyped-calls-exclude=distributed
from __future__ import annotations

import asyncio
import logging
import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pkgutil import resolve_name
from threading import Lock
from time import monotonic
from types import TracebackType
from typing import Any, Self, cast
from uuid import uuid4

import cloudpickle  # type: ignore[import-untyped]
import dask.config
from distributed import Client, Future, KilledWorker, LocalCluster, Security
from distributed.comm import CommClosedError
from distributed.comm.core import connect

from outflank import __version__
from outflank.learners.executor import ClusterError, Piece, Result, Shared

CONNECT_SECONDS = 8.0  # for the scheduler to answer
WORKER_SECONDS = 60.0  # for a worker to appear where there is none, at first or after all have died
LOOK_SECONDS = 1.0  # between two looks whether there still are workers
RETRIES = 2  # of a piece that raises: a worker's machine may be at fault, not the piece
ATTEMPTS = 3  # of a map that Dask gave up: pieces whose worker died four times, or results that were lost

_ADDRESS = re.compile(r"(tcp|tls)://([\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})")
_SETTINGS = {
    "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s",
    "distributed.admin.large-graph-warning-threshold": "1PB",  # `shared` travels within the graph on purpose
}


class ClusterExecutor:
    """A Dask cluster. `connect` makes one."""

    def __init__(self, name: str, client: Client, address: str) -> None:
        self._name = name  # as the caller called it
        self._client = client
        self._address = address
        self._owned = ExitStack()  # what close() ends: the client, a local cluster, settings, the quiet
        self._known: set[str] = set()  # workers that have our version
        self._threads: dict[str, int] = {}  # of each worker
        self._look_at_workers()

    @classmethod
    def connect(cls, name: str) -> Self:
        """The cluster of the scheduler at tcp://HOST:PORT or tls://HOST:PORT; or local:N, which starts N
        worker processes of one thread each here."""
        workers = _local_workers(name)
        with ExitStack() as owned:
            owned.enter_context(_quiet())
            owned.enter_context(dask.config.set(_SETTINGS))
            address = owned.enter_context(_local_cluster(workers)).scheduler_address if workers else name
            client = owned.enter_context(_client(address))
            _require_version(f"scheduler {address}", _version_of_scheduler(client))
            executor = cls(name, client, address)
            executor._owned = owned.pop_all()
            return executor

    @property
    def workers(self) -> int:
        """The threads of all workers, when last looked at: at first and before every map."""
        return sum(self._threads.values())

    @property
    def where(self) -> str:
        return f"cluster {self._name} with {self.workers} worker{'s' if self.workers != 1 else ''}"

    def map(
        self, function: Callable[[Shared, Piece], Result], shared: Shared, pieces: Sequence[Piece]
    ) -> list[Result]:
        content = cloudpickle.dumps((function, shared))
        contents = [cloudpickle.dumps(piece) for piece in pieces]
        for _ in range(ATTEMPTS):
            self._require_scheduler()
            try:
                self._look_at_workers()
                return cast(list[Result], self._attempt(content, contents))
            except (KilledWorker, CancelledError):
                continue
            except CommClosedError:
                raise self._gone() from None
            except Exception:
                self._require_scheduler()
                raise  # what the function itself has raised
        self._require_scheduler()
        raise ClusterError(
            f"work on the cluster {self._name} was lost {ATTEMPTS} times, each time with the workers that did "
            "it: look at their logs, perhaps their memory is too small; nothing is lost: the run can be taken "
            f"up with {self._resume_command}"
        )

    def _attempt(self, content: bytes, pieces: list[bytes]) -> list[Any]:
        parcel = self._client.submit(_Parcel, content, pure=False, retries=RETRIES)
        futures: list[Future[Any]] = []
        try:
            futures = self._submitted(parcel, pieces)
            return self._gathered(futures)
        finally:  # done, failed or interrupted: the scheduler may drop them all
            for future in [*futures, parcel]:
                future.release()

    def _submitted(self, parcel: Future[Any], pieces: list[bytes]) -> list[Future[Any]]:
        """Pieces on their way. More than two for each thread are one group to Dask, which deals them out to
        whoever is free (Scheduler.is_rootish). Fewer would all go to the worker that has the parcel and
        wait to be stolen; so they name a worker, which is only a wish."""
        name = f"piece-{uuid4().hex}"
        keys = [(name, number) for number in range(len(pieces))]
        if len(pieces) > 2 * self.workers:
            return self._client.map(_run, pieces, parcel=parcel, key=keys, pure=False, retries=RETRIES)
        places = cycle([worker for worker, threads in self._threads.items() for _ in range(threads)])
        return [
            self._client.submit(
                _run, piece, parcel, key=key, workers=[place], allow_other_workers=True, retries=RETRIES
            )
            for piece, key, place in zip(pieces, keys, places, strict=False)
        ]

    def _gathered(self, futures: list[Future[Any]]) -> list[Any]:
        """The results, as soon as all are there; the first exception, as soon as it is there."""
        loop = cast(Any, self._client.loop).asyncio_loop
        gathering = asyncio.run_coroutine_threadsafe(self._client.gather(futures, asynchronous=True), loop)
        try:
            alone_since = None
            while not wait([gathering], timeout=LOOK_SECONDS).done:
                if self._client.nthreads():
                    alone_since = None
                    continue
                alone_since = alone_since or monotonic()
                if monotonic() > alone_since + WORKER_SECONDS:
                    raise ClusterError(
                        f"all workers of {self._name} are gone, and no new one came within "
                        f"{WORKER_SECONDS:.0f} seconds; nothing is lost: start workers with "
                        f"{self._worker_command} and go on with {self._resume_command}"
                    )
            return cast(list[Any], gathering.result())
        finally:
            gathering.cancel()

    def _look_at_workers(self) -> None:
        """Who is there. A worker not seen before must be of our version: another could play other games."""
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
        unknown = [worker for worker in threads if worker not in self._known]
        if unknown:
            found = self._client.run(resolve_name, "outflank:__version__", workers=unknown, on_error="return")
            for worker, version in found.items():
                if not isinstance(version, OSError):  # an OSError: it has left since, or is asked again
                    _require_version(f"worker {worker}", version)
                    self._known.add(worker)
        self._threads = threads

    def _require_scheduler(self) -> None:
        if self._client.status != "running":
            raise self._gone() from None

    def _gone(self) -> ClusterError:
        return ClusterError(
            f"the scheduler {self._name} is gone; nothing is lost: the run can be taken up with "
            f"{self._resume_command} once it is back, or without --cluster on this machine alone"
        )

    @property
    def _worker_command(self) -> str:
        return f"`dask worker {self._address} --nworkers -1 --nthreads 1`"

    @property
    def _resume_command(self) -> str:
        return f"`outflank resume RUN --cluster {self._name}`"

    def close(self) -> None:
        self._owned.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Parcel:
    """The function and what its pieces share, opened once in each worker process: all pieces there get
    the same object, and what it has cached in itself does not travel on to the next worker."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._opened: tuple[Callable[[Any, Any], Any], Any] | None = None
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[_Parcel], tuple[bytes]]:
        return _Parcel, (self._content,)

    def opened(self) -> tuple[Callable[[Any, Any], Any], Any]:
        with self._lock:
            if self._opened is None:
                self._opened = pickle.loads(self._content)
            return self._opened


def _run(piece: bytes, parcel: _Parcel) -> Any:
    function, shared = parcel.opened()
    return function(shared, pickle.loads(piece))


def _local_workers(name: str) -> int | None:
    """N of local:N; None of a scheduler's address."""
    if (local := re.fullmatch(r"local:(\d{1,4})", name)) and int(local[1]) > 0:
        return int(local[1])
    if (remote := _ADDRESS.fullmatch(name)) and 0 < int(remote[3]) < 65536:
        return None
    raise ValueError(f"a cluster is tcp://HOST:PORT, tls://HOST:PORT or local:WORKERS, got {name!r}")


def _client(address: str) -> Client:
    try:
        with ThreadPoolExecutor(1) as pool:  # a thread of its own: the caller's may run an event loop
            pool.submit(asyncio.run, _shake_hands(address)).result()
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TypeError, ValueError) as error:  # TypeError: tls:// without certificates
        reason = "" if isinstance(error, OSError) else f" ({error})"
        raise ClusterError(
            f"no Dask scheduler answers at {address}{reason}: start one with `dask scheduler`, "
            "or leave --cluster out to use this machine alone"
        ) from None


async def _shake_hands(address: str) -> None:
    """Client would wait for ever for the first word of somebody who is not of Dask."""
    arguments = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, CONNECT_SECONDS, **arguments), CONNECT_SECONDS)
    await comm.close()


def _version_of_scheduler(client: Client) -> object:
    """It must have our version too: it reads the tasks before it hands them on."""
    try:
        return client.run_on_scheduler(resolve_name, "outflank:__version__")
    except Exception as error:
        return error


def _require_version(who: str, found: object) -> None:
    if isinstance(found, Exception):
        raise ClusterError(
            f"{who} cannot import outflank ({found}): install outflank[cluster] {__version__} there"
        )
    if found != __version__:
        raise ClusterError(f"{who} has outflank {found}, but here is {__version__}: they must be the same")


def _local_cluster(workers: int) -> LocalCluster:
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    )  # fmt: skip


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask logs to stderr what our exceptions say, and much else."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
