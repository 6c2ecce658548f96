"""The version of outflank and the machine, for the record of a measurement."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version as installed
from pathlib import Path

from outflank.cores import available_cores


@cache
def version() -> str:
    return installed("outflank")


@cache
def machine() -> str:
    """Processor, cores, system and Python: "AMD EPYC 9R14, 2 cores, Linux, Python 3.11.2"."""
    cores = available_cores()
    return (
        f"{_processor()}, {cores} core{'s' if cores > 1 else ''}, {platform.system()}, "
        f"Python {platform.python_version()}"
    )


def _processor() -> str:
    """Its model name on Linux; elsewhere its architecture."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
