"""Executors: pieces of work on this process's threads, or on a Dask cluster.

>>> def raised(base, power):
...     return base ** power
>>> with executor_for(None, threads=2) as executor:
...     executor.where, executor.map(raised, 2, [1, 2, 3])
('2 threads', [2, 4, 8])

A piece of work is a pure function of what all pieces share and of the piece itself, so the results are the
same wherever, and however often, it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from time import thread_time
from typing import Generic, Protocol, Self, TypeVar

from outflank.arguments import check_whole
from outflank.cores import available_cores

Shared = TypeVar("Shared")
Piece = TypeVar("Piece")
Result = TypeVar("Result")


class ClusterError(OSError):
    """The cluster cannot be used, or no longer; the run can be resumed from its checkpoint."""


class Executor(Protocol):
    """Runs pieces of work. Close it when done, or use it as a context manager."""

    @property
    def workers(self) -> int:
        """How many pieces run at once."""
        ...

    @property
    def where(self) -> str:
        """For a log: "2 threads", "cluster tcp://10.0.0.1:8786 with 3 workers"."""
        ...

    def map(
        self, function: Callable[[Shared, Piece], Result], shared: Shared, pieces: Sequence[Piece]
    ) -> list[Result]:
        """function(shared, piece) for every piece, in the order of the pieces.

        `function` is pure and defined at the top of a module; it releases the GIL where it computes.
        `shared` may be large, such as a generation's weights: it is sent once to each worker. Pieces and
        results are small. An exception in a piece is raised here unchanged, and pieces not yet started are
        dropped.
        """
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ThreadExecutor(Executor):
    """Threads of this process; by default one per core. A single thread is the caller's own."""

    def __init__(self, threads: int | None = None) -> None:
        self._threads = available_cores() if threads is None else threads
        check_whole("threads", self._threads)
        if self._threads < 1:
            raise ValueError(f"threads must be at least 1, got {threads}")
        self._pool = ThreadPoolExecutor(self._threads, "piece") if self._threads > 1 else None

    @property
    def workers(self) -> int:
        return self._threads

    @property
    def where(self) -> str:
        return f"{self.workers} thread{'s' if self.workers > 1 else ''}"

    def map(
        self, function: Callable[[Shared, Piece], Result], shared: Shared, pieces: Sequence[Piece]
    ) -> list[Result]:
        if self._pool is None:
            return [function(shared, piece) for piece in pieces]
        futures = [self._pool.submit(function, shared, piece) for piece in pieces]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
            for future in futures:
                if future.done():  # all are, unless one has failed, which is raised at once
                    future.result()
            return [future.result() for future in futures]
        finally:  # after an exception or Ctrl-C: those not yet started
            for future in futures:
                future.cancel()

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


class _Timed(Generic[Shared, Piece, Result]):
    """A function that also returns the seconds of a core that a piece took."""

    def __init__(self, function: Callable[[Shared, Piece], Result]) -> None:
        self._function = function
        self.__qualname__ = getattr(function, "__qualname__", "")  # a cluster remembers its time by this

    def __call__(self, shared: Shared, piece: Piece) -> tuple[Result, float]:
        began = thread_time()
        return self._function(shared, piece), thread_time() - began


class CoreClock(Executor):
    """Seconds of one core since `start`: of the caller's thread, and of pieces wherever they run. Other work
    on the machine, which makes real time longer, hardly changes them.

    >>> clock = CoreClock(ThreadExecutor(1))
    >>> clock.start()
    >>> _ = clock.map(lambda base, power: base ** power, 2, [1, 2, 3])
    >>> clock.seconds > 0
    True
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.start()

    def start(self) -> None:
        self._began, self._elsewhere = thread_time(), 0.0

    @property
    def seconds(self) -> float:
        return thread_time() - self._began + self._elsewhere

    @property
    def workers(self) -> int:
        return self._executor.workers

    @property
    def where(self) -> str:
        return self._executor.where

    def map(
        self, function: Callable[[Shared, Piece], Result], shared: Shared, pieces: Sequence[Piece]
    ) -> list[Result]:
        began = thread_time()
        found = self._executor.map(_Timed(function), shared, pieces)
        # A single thread is the caller's own: what it did here must not count twice.
        self._elsewhere += sum(seconds for _, seconds in found) - (thread_time() - began)
        return [result for result, _ in found]

    def close(self) -> None:
        self._executor.close()


def executor_for(cluster: str | None, threads: int | None = None) -> Executor:
    """None: threads of this process. "tcp://HOST:PORT": the Dask cluster of that scheduler. "local:2": two
    worker processes on this machine, ended by close()."""
    if cluster is None:
        return ThreadExecutor(threads)
    if threads is not None:
        raise ValueError("threads are for this process only; a cluster uses all threads of its workers")
    try:
        from outflank.learners.execution.cluster import ClusterExecutor
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("outflank"):
            raise
        raise ClusterError(
            f"a cluster needs Dask ({error.name} is missing): pip install 'outflank[cluster]'"
        ) from None
    return ClusterExecutor.connect(cluster)
