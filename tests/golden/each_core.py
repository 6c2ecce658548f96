"""Golden games on each core of the installed outflank that this machine can run.

`python -m tests.golden.each_core`; what else pytest is to run on each of them may follow.
"""

from __future__ import annotations

import os
import subprocess
import sys

from outflank import _cpu
from outflank.core_variants import LEVELS, SWITCH, installed


def main() -> None:
    run = []
    for core in installed():
        if LEVELS.get(core, 0) > _cpu.x86_64_level():
            print(f"{core}: not on this machine", flush=True)
            continue
        print(f"{core}:", flush=True)
        environment = {**os.environ, SWITCH: core, "OUTFLANK_EXPECT": core}
        command = [sys.executable, "-m", "pytest", "tests/golden", *sys.argv[1:]]
        subprocess.run(command, env=environment, check=True)
        run.append(core)
    print(f"the same games on {', '.join(run)}")


if __name__ == "__main__":
    main()
