"""A real PostgreSQL server on loopback, for as long as the tests run."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Debian keeps the server's programs out of the path; a server does not run as root.
FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def programs() -> Path | None:
    """The folder with initdb and postgres; None if PostgreSQL is not installed."""
    found = shutil.which("initdb")
    folders = [*FOLDERS, *([Path(found).resolve().parent] if found else [])]
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


@contextmanager
def running_server() -> Iterator[str]:
    """The URL of an empty database.

    Its folder is not one of pytest's: every run of pytest closes their parent to other users, and a server
    that can no longer reach its files stops.
    """
    with tempfile.TemporaryDirectory(prefix="outflank-postgres-") as name:
        yield from _running_server(Path(name))


def _running_server(folder: Path) -> Iterator[str]:
    bin_folder = programs()
    assert bin_folder is not None
    user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    data = folder / "data"
    if user:
        shutil.chown(folder, "postgres", "postgres")
    run = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | user
    subprocess.run([bin_folder / "initdb", "-D", data, "-U", "outflank", "--auth=trust", "--no-sync",
                    "-E", "UTF8"], check=True, **run)  # type: ignore[call-overload]  # fmt: skip
    port = _free_port()
    server = subprocess.Popen(
        [bin_folder / "postgres", "-D", data, "-p", str(port), "-c", "listen_addresses=127.0.0.1",
         "-c", f"unix_socket_directories={folder}", "-c", "fsync=off"], **run)  # type: ignore[call-overload]  # fmt: skip
    try:
        _wait_for(bin_folder, port, server)
        yield f"postgresql://outflank@127.0.0.1:{port}/postgres"
    finally:
        server.send_signal(signal.SIGINT)  # "fast": does not wait for whoever is still connected
        server.wait(timeout=30)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(bin_folder: Path, port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        ready = subprocess.run([bin_folder / "pg_isready", "-h", "127.0.0.1", "-p", str(port)],
                               capture_output=True, check=False)  # fmt: skip
        if ready.returncode == 0:
            return
        assert server.poll() is None, "PostgreSQL did not start"
        time.sleep(0.1)
    raise TimeoutError("PostgreSQL did not answer")
