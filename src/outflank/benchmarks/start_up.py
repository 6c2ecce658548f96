"""How long a command takes from the shell: the interpreter, imports, and for `score` a network and games."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from time import perf_counter

from outflank.benchmarks.timing import Target, Timing, best_rates

ROUNDS = 5
RUN = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()"]
HELP, SCORE = "outflank --help", "outflank score all-2 --double-games 1"
SECONDS = {HELP: 0.25, SCORE: 0.6}  # at most


def time_start_up() -> Iterator[Timing]:
    rates = best_rates([partial(_per_second, command) for command in SECONDS], ROUNDS)
    for command, rate in zip(SECONDS, rates, strict=True):
        yield Timing(command, "starts", rate)


def start_up_targets(timings: list[Timing]) -> Iterator[Target]:
    rate = {timing.name: timing.per_second for timing in timings}
    for command, seconds in SECONDS.items():
        yield Target(f"{seconds:g} s over `{command}`", seconds * rate[command], 1.0)


def _per_second(command: str) -> float:
    began = perf_counter()
    subprocess.run([*RUN, *command.split()[1:]], stdout=subprocess.DEVNULL, check=True)
    return 1 / (perf_counter() - began)
