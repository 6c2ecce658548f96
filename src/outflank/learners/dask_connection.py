"""How to reach a Dask cluster, or start one on this machine; and who may take part in it."""

# mypy: untyped-calls-exclude=distributed
from __future__ import annotations

import asyncio
import logging
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pkgutil import resolve_name

import dask.config
from distributed import Client, LocalCluster, Security
from distributed.comm.core import connect

from outflank import __version__
from outflank.learners.executor import ClusterError

CONNECT_SECONDS = 8.0  # for the scheduler to answer
VERSION = "outflank:__version__"

_ADDRESS = re.compile(r"(tcp|tls)://([\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})")
_SETTINGS = {
    "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s",
    "distributed.admin.large-graph-warning-threshold": "1PB",  # what is shared is in the graph on purpose
    "distributed.worker.profile.enabled": False,  # in local workers: no samples nobody looks at, and
    "distributed.admin.tick.interval": "200ms",  # fewer wakings; they took 8 % of a busy worker's time
}


def connected(name: str, owned: ExitStack) -> tuple[Client, str]:
    """A client of the cluster of that name, and its scheduler's address. `owned` ends what is begun here."""
    workers = _local_workers(name)
    owned.enter_context(_quiet())
    owned.enter_context(dask.config.set(_SETTINGS))
    address = owned.enter_context(_local_cluster(workers)).scheduler_address if workers else name
    client = owned.enter_context(_client(address))
    _require_version(f"scheduler {address}", _version_of_scheduler(client))
    return client, address


def of_our_version(client: Client, workers: list[str]) -> set[str]:
    """Those of the workers that are still there. All must have our version: another may play other games."""
    found = client.run(resolve_name, VERSION, workers=workers, on_error="return")
    here = {worker: version for worker, version in found.items() if not isinstance(version, OSError)}
    for worker, version in here.items():
        _require_version(f"worker {worker}", version)
    return set(here)


def dask_setup(_: object) -> None:
    """Dask calls this in each local worker: Ctrl-C in a terminal is for the run, which then ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


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
    except Exception as error:  # whatever Dask makes of a server that speaks another language
        tells = isinstance(error, ImportError) or address.startswith("tls://")  # versions; certificates
        raise ClusterError(
            f"no Dask scheduler answers at {address}{f' ({error})' if tells else ''}: start one with "
            "`dask scheduler`, or leave --cluster out to use this machine alone"
        ) from None


async def _shake_hands(address: str) -> None:
    """Within the time; Client would wait for ever for the first word of a server that is not of Dask."""
    arguments = Security().get_connection_args("client")
    comm = await asyncio.wait_for(connect(address, CONNECT_SECONDS, **arguments), CONNECT_SECONDS)
    await comm.close()


def _version_of_scheduler(client: Client) -> object:
    """It must have our version too: it reads the tasks before it hands them on."""
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
        raise ClusterError(f"{who} has outflank {found}, but here is {__version__}: they must be the same")


def _local_cluster(workers: int) -> LocalCluster:
    try:
        return LocalCluster(
            n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL, preload=[__name__],
        )  # fmt: skip
    except (OSError, RuntimeError) as error:
        raise ClusterError(
            f"the {workers} local workers did not start ({error}); a script must keep what it does under "
            "`if __name__ == '__main__':`, since each worker imports it"
        ) from None


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
