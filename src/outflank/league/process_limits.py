"""Limits that a process sets for itself before it touches what others have sent. Systems without them
(Windows) rely on the process that started it, which ends it by the clock."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
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
