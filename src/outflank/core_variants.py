"""Which build of the core this machine runs.

A wheel holds the core for several levels of its architecture, and the best one that processor and system can
run is loaded. A build from source holds one, tuned for the machine it was built on. The environment variable
OUTFLANK_CORE names another one: all variants play the same games, only faster or slower.

>>> chosen(["portable", "avx2", "avx512"], machine_level=3)
'avx2'
>>> chosen(["portable", "avx2", "avx512"], machine_level=3, wanted="portable")
'portable'
>>> chosen(["portable", "avx2", "avx512"], machine_level=3, wanted="avx512")
Traceback (most recent call last):
ValueError: OUTFLANK_CORE=avx512 needs AVX-512, which this machine lacks; unset it, or use portable or avx2
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from importlib.machinery import ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_loader
from types import ModuleType

SWITCH = "OUTFLANK_CORE"
# The level of the x86-64 psABI that each needs, best last; 0 on any machine of its architecture.
LEVELS = {"portable": 0, "avx2": 3, "avx512": 4}
NATIVE = "native"  # needs what the machine had that it was built on
_INSTRUCTIONS = {3: "AVX2", 4: "AVX-512"}


@cache
def installed() -> tuple[str, ...]:
    """The variants that this installation holds, best last."""
    return tuple(name for name in (*LEVELS, NATIVE) if _file(name) is not None)


def chosen(present: Sequence[str], machine_level: int, wanted: str = "", native_level: int = 0) -> str:
    """The best variant that a machine can run, or the one that is wanted."""
    needs = {name: native_level if name == NATIVE else LEVELS[name] for name in present}
    runnable = [name for name in present if needs[name] <= machine_level]
    if not runnable:
        raise ValueError(
            f"outflank was built for a machine with {_INSTRUCTIONS[native_level]}, which this one lacks; "
            "install it again on this machine, or install the wheel"
        )
    if not wanted:
        return runnable[-1]
    if wanted in runnable:
        return wanted
    if wanted in present:
        problem = f"needs {_INSTRUCTIONS[needs[wanted]]}, which this machine lacks"
    elif NATIVE in present:
        problem = "is not there: outflank was built from source, for this machine alone"
    else:
        problem = "is not a core of this wheel"
    raise ValueError(f"{SWITCH}={wanted} {problem}; unset it, or use {' or '.join(runnable)}")


def load(name: str) -> ModuleType:
    """The variant for this machine, as the module of this name."""
    if not installed():
        raise ImportError("outflank's core has not been built; install outflank with pip")
    from outflank import _cpu

    wanted = os.environ.get(SWITCH, "").strip().lower()
    file = _file(chosen(installed(), _cpu.x86_64_level(), wanted, _cpu.native_level()))
    assert file is not None
    loader = ExtensionFileLoader(name, file)
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def _file(variant: str) -> str | None:
    spec = find_spec(f"outflank._core_{variant}")
    return spec.origin if spec is not None else None
