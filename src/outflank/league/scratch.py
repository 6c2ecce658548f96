"""Temporary folders that do not outlive their process for long.

>>> with scratch_folder() as folder:
...     folder.is_dir()
True
>>> folder.exists()
False

A process that is killed leaves its folders behind, so each process keeps its own in one folder, on which it
holds a lock for as long as it lives: whoever finds such a folder unlocked may remove it. The lock is the
operating system's and ends with the process, whereas process IDs are used again.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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
