"""Temporary folders that do not outlive their process for long.

>>> with scratch_folder() as folder:
...     folder.is_dir()
True
>>> folder.exists()
False

A process that is killed leaves its folders behind, so each process keeps its own in one folder, on which it
holds a lock for as long as it lives: whoever finds such a folder unlocked may remove it. The lock is the
operating system's and ends with the process, whereas process IDs are used again.

Limits that a process sets for itself before it touches what others have sent. Systems without them
(Windows) rely on the process that started it, which ends it by the clock.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1  # linux/prctl.h
AUTOGROUP = Path("/proc/self/autogroup")


def limit_process(memory: int, cpu_seconds: int | None = None) -> None:
    """So many bytes of address space, so many seconds of a processor (then it is killed), no core dumps."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if cpu_seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))  # SIGXCPU, then SIGKILL
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def die_with(parent: int) -> None:
    """End this process when the one that started it ends, however that comes (Linux alone)."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before this process could say so
        os._exit(1)


def step_back(niceness: int) -> None:
    """Leave the processors to whoever answers people. Where Linux shares them between sessions first
    (autogroup), a process's own niceness counts only within its session, so the session steps back too."""
    if hasattr(os, "nice"):
        os.nice(niceness)
    with contextlib.suppress(OSError):
        AUTOGROUP.write_text(str(niceness))


try:
    import fcntl
except ImportError:  # Windows, where nothing is removed that was left behind
    fcntl = None  # type: ignore[assignment]

PREFIX = "outflank-"
LOCK = "lock"
UNLOCKED_SECONDS = 3600.0  # that a folder without a lock stays: it is being made, or another version's

_ours: dict[int, Path] = {}  # by process: a fork begins with what its parent had
_locks: list[int] = []  # open as long as the process lives
_making = threading.Lock()


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder, removed at the end."""
    with tempfile.TemporaryDirectory(dir=_folder_of_this_process()) as folder:
        yield Path(folder)


def remove_left_behind() -> int:
    """Remove the folders of processes that are gone, and say how many there were."""
    if fcntl is None:
        return 0
    removed = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # others clean up too
            removed += _is_ours_to_remove(folder) and _removed(folder)
    return removed


def _folder_of_this_process() -> Path:
    with _making:
        ours = _ours.get(os.getpid())
        if ours is None or not ours.is_dir():
            remove_left_behind()
            ours = _ours[os.getpid()] = Path(tempfile.mkdtemp(prefix=PREFIX))
            atexit.register(_remove, ours, os.getpid())
            if fcntl is not None:
                new = ours / "lock.new"  # it gets its name when it is locked: nobody finds it otherwise
                lock = os.open(new, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
                fcntl.flock(lock, fcntl.LOCK_EX)
                new.rename(ours / LOCK)
                _locks.append(lock)
        return ours


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # not a fork of it
        shutil.rmtree(folder, ignore_errors=True)


def _is_ours_to_remove(folder: Path) -> bool:
    """Of this user, and a folder itself: a link would lead elsewhere."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _removed(folder: Path) -> bool:
    try:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        if folder.lstat().st_mtime > time.time() - UNLOCKED_SECONDS:
            return False
        shutil.rmtree(folder)
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
        return True
    except BlockingIOError:  # its process lives
        return False
    finally:
        os.close(lock)
