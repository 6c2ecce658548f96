"""Files that are never half-written, and folders that one process writes at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from outflank.suggestions import shown

LOCK = ".lock"
PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # seconds


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: after a crash or a full disk it has its old content or its new one."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _replace(temporary: Path, path: Path) -> None:
    """Windows replaces no file that anybody reads at the moment: a page that shows a run, a virus scanner."""
    for pause in PAUSES if os.name == "nt" else ():
        try:
            temporary.replace(path)
            return
        except PermissionError:
            time.sleep(pause)
    temporary.replace(path)


def as_path(name: str | os.PathLike[str]) -> Path:
    """A file or folder by its name, or an error for anything else, where it is passed.

    >>> as_path(3)
    Traceback (most recent call last):
    TypeError: a file or folder is named by a text or a Path, got 3
    """
    if not isinstance(name, str | os.PathLike) or not str(name):
        raise TypeError(f"a file or folder is named by a text or a Path, got {shown(name)}")
    return Path(name)


@contextmanager
def alone_in(folder: Path, refusal: str) -> Iterator[None]:
    """Hold an existing folder's lock, which ends with the process. If another process holds it: ValueError
    with the given sentence."""
    from filelock import FileLock, Timeout  # which most commands do not need

    try:
        lock = FileLock(folder / LOCK).acquire(blocking=False)
    except Timeout:
        raise ValueError(refusal) from None
    with lock:
        yield
