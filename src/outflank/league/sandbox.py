"""Limits that a process sets itself before it touches untrusted files, and temporary folders that do not
outlive their process for long.

>>> with scratch_folder() as folder:
...     folder.is_dir()
True
>>> folder.exists()
False

A killed process leaves its folders behind. So each process keeps its own in one folder and holds a lock there
as long as it lives: an unlocked folder may be removed. (The lock ends with the process; IDs are reused.)
Windows has neither these limits nor this clean-up; there the parent ends a process by the clock.
"""

from __future__ import annotations

import atexit
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

from filelock import BaseFileLock, FileLock, Timeout

PR_SET_PDEATHSIG = 1  # linux/prctl.h
AUTOGROUP = Path("/proc/self/autogroup")
PREFIX = "outflank-"
LOCK = "lock"
UNLOCKED_SECONDS = 3600.0  # for which a folder without a lock stays: it is new, or another version's
IS_WINDOWS = os.name == "nt"

_ours: dict[int, Path] = {}  # by process: a fork starts with its parent's
_locks: list[BaseFileLock] = []  # held until the process ends
_making = threading.Lock()


def limit_process(memory: int, cpu_seconds: int | None = None) -> None:
    """Limit the address space (bytes) and the CPU time (then it is killed); no core dumps."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    if cpu_seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))  # SIGXCPU, then SIGKILL
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def die_with(parent: int) -> None:
    """End this process when its parent ends, for whatever reason (Linux only)."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)


def lower_priority(niceness: int) -> None:
    """Yield the CPU to whoever answers people. Where Linux schedules by session first (autogroup), niceness
    only counts within a session, so the session's is set too."""
    if hasattr(os, "nice"):
        os.nice(niceness)
    with suppress(OSError):
        AUTOGROUP.write_text(str(niceness), encoding="utf-8")


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder, removed at the end."""
    with tempfile.TemporaryDirectory(dir=_folder_of_this_process()) as folder:
        yield Path(folder)


def remove_left_behind() -> int:
    """Remove the folders of dead processes; the number removed."""
    removed = 0
    for folder in () if IS_WINDOWS else Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # others clean up too
            removed += _is_ours(folder) and _removed(folder)
    return removed


def _folder_of_this_process() -> Path:
    with _making:
        ours = _ours.get(os.getpid())
        if ours is None or not ours.is_dir():
            remove_left_behind()
            ours = _ours[os.getpid()] = Path(tempfile.mkdtemp(prefix=PREFIX))
            atexit.register(_remove, ours, os.getpid())
            if not IS_WINDOWS:
                lock = FileLock(ours / "lock.new")  # renamed once it is held: no one finds it unlocked
                lock.acquire()
                (ours / "lock.new").rename(ours / LOCK)
                _locks.append(lock)
        return ours


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # not a fork of it
        shutil.rmtree(folder, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    """Owned by this user, and a real folder: a symbolic link would lead elsewhere."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _removed(folder: Path) -> bool:
    if not (folder / LOCK).exists():
        if folder.lstat().st_mtime > time.time() - UNLOCKED_SECONDS:
            return False
        shutil.rmtree(folder)
        return True
    try:
        with FileLock(folder / LOCK).acquire(blocking=False):
            shutil.rmtree(folder)
    except Timeout:  # its process is alive
        return False
    return True
