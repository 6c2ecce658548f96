"""Files that are never half there, and folders that one process writes at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that after a crash or a full disk it has its old content or its new one."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def alone_in(folder: Path, refusal: str) -> Iterator[None]:
    """Keep other processes out of a folder that is there; the system forgets it if we die. A process that
    comes second gets a ValueError with the given sentence."""
    try:
        import fcntl
    except ImportError:  # Windows: two processes would do the same work, and only waste time
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(refusal) from None
        yield
    finally:
        os.close(descriptor)
