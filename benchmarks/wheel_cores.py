"""The cores of a wheel beside a build from source, in turns within one run.

    make wheel
    .venv/bin/python -m benchmarks.wheel_cores build/wheelhouse/*.whl [--rounds 9] [--json FILE]

The wheel is installed in an environment of its own, whose programs see no compiler. Games per second of CPU
time of all-2 against the standard heuristic, one thread; the best round of each core counts. With
`--json benchmarks/wheel_cores.json`, `python -m benchmarks.core_report` writes the table of
benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from outflank import _cpu
from outflank.benchmarks.timing import ROUNDS, Target, Timing, best_rates
from outflank.core_variants import LEVELS
from outflank.machine import machine

# A core of a wheel, over the core that was built for this machine.
AT_LEAST = {"portable": 0.4, "avx2": 0.8, "avx512": 0.8}
SOURCE = "source build"
PROGRAM = """
from outflank import Match
from time import process_time
match = Match("all-2", "standard-heuristic", double_games=20_000, epsilon=0.1, threads=1)
match.play()  # compiles the network and warms the caches
began = process_time()
match.play()
print(40_000 / (process_time() - began))
"""


def installed(wheel: Path, folder: Path) -> tuple[Path, float]:
    """Python of a new environment with the wheel, and how many seconds pip took."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    began = time.perf_counter()
    subprocess.run(
        [*command, "--only-binary", ":all:", wheel],
        env=_variables(python),
        check=True,
        stderr=subprocess.PIPE,
    )
    return python, time.perf_counter() - began


def _variables(python: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OUTFLANK", "PYTHON"))}
    return kept | {"PATH": str(python.parent)}


def _playing(python: Path, core: str | None) -> Callable[[], float]:
    variables = _variables(python) | ({} if core is None else {"OUTFLANK_CORE": core})

    def games_per_second() -> float:
        done = subprocess.run(
            [python, "-c", PROGRAM], env=variables, cwd="/", check=True, stdout=subprocess.PIPE, text=True
        )
        return float(done.stdout)

    return games_per_second


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    cores = [core for core, level in LEVELS.items() if level <= _cpu.x86_64_level()]
    with tempfile.TemporaryDirectory() as folder:
        python, seconds = installed(arguments.wheel.resolve(), Path(folder) / "environment")
        load = os.getloadavg()[0]  # of the minute in which it was installed
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu_seconds = used.ru_utime + used.ru_stime
        measured = [_playing(Path(sys.executable), None), *(_playing(python, core) for core in cores)]
        source, *rates = best_rates(measured, arguments.rounds)
    timings = [
        Timing(name, "games", rate) for name, rate in zip([SOURCE, *cores], [source, *rates], strict=True)
    ]
    targets = [
        Target(f"{core} over the {SOURCE}", rate / source, AT_LEAST[core])
        for core, rate in zip(cores, rates, strict=True)
    ]
    print(f"installed with its dependencies in {seconds:.1f} s")
    for timing in timings:
        print(f"{timing.name}: {timing.per_second:,.0f} games/s")
    for target in targets:
        print(f"{target.name}: {target.ratio:.2f}, at least {target.at_least}")
    if arguments.json is not None:
        result = {
            "machine": machine(),
            "install_seconds": seconds,
            "install_cpu_seconds": cpu_seconds,
            "load": round(load, 1),
            "timings": [asdict(timing) for timing in timings],
            "targets": [asdict(target) | {"is_met": target.is_met} for target in targets],
        }
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
