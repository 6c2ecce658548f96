"""A submitted file, read in a process of its own with little memory and time, before anything trusts it.

>>> from importlib.resources import files
>>> inspect_file(Path(str(files("outflank") / "data" / "players" / "all-2.player")), "inversion").weights
288
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from outflank.evaluators.storage import VIEWS, View

MEMORY = 2 << 30  # of address space: the interpreter and its libraries take half a gigabyte of it
CPU_SECONDS = 20
WALL_SECONDS = 60
MOST_WEIGHTS = 8_000_000


@dataclass(frozen=True)
class Inspected:
    """What a player file holds."""

    view: View
    kind: str
    description: str
    weights: int


def inspect_file(path: Path, view: View | None) -> Inspected:
    """What the file holds, seen through the view it names or the given one. ValueError says what is wrong
    with it, in a sentence that can be shown to whoever sent it."""
    command = [sys.executable, "-m", "outflank.league.inspection", str(path), view or ""]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=WALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise ValueError("the file takes too long to read; is it a player?") from None
    try:
        answer = json.loads(ran.stdout)
    except ValueError:  # it was killed at its limits
        raise ValueError("the file takes too much memory or time to read; is it a player?") from None
    if "fault" in answer:
        raise ValueError(answer["fault"])
    return Inspected(**answer)


def fault_of(error: Exception, path: str) -> str:
    """What is wrong with a file, in a sentence that does not say where it lies here.

    >>> fault_of(ValueError("/tmp/x/player, line 1: not a number"), "/tmp/x/player")
    'the file, line 1: not a number'
    """
    text = str(error).replace(f"{path}: ", "").replace(path, "the file")
    return " ".join(text.split())[:500]


def inspect_here(path: Path, view: str) -> Inspected:
    """As inspect_file, in this process: for files that can be trusted."""
    from outflank.evaluators.storage import load_player
    from outflank.players.greedy import GreedyPlayer

    stored = load_player(path)
    if view and stored.view and view != stored.view:
        raise ValueError(f"the file says that its view is {stored.view}, not {view}")
    chosen = stored.view or next((known for known in VIEWS if known == view), None)
    if chosen is None:
        raise ValueError("a League text file does not say its view: choose inversion or negation")
    weights = int(stored.evaluator.weights.size)
    if weights > MOST_WEIGHTS:
        raise ValueError(f"it has {weights:,} weights; the league takes at most {MOST_WEIGHTS:,}")
    player = GreedyPlayer(stored.evaluator, chosen)
    description = getattr(player.evaluator, "description", "")
    return Inspected(chosen, description.split(",")[0][:40], description[:500], weights)


def _limit() -> None:
    """Systems without limits (Windows) read with the wall clock alone."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _main(path: str, view: str) -> None:
    _limit()
    try:
        answer: dict[str, object] = asdict(inspect_here(Path(path), view))
    except (ValueError, OSError) as error:
        answer = {"fault": fault_of(error, path)}
    except (MemoryError, RecursionError):
        answer = {"fault": "the file takes too much memory to read; is it a player?"}
    sys.stdout.write(json.dumps(answer))  # to inspect_file, which started this process


if __name__ == "__main__":
    _main(*sys.argv[1:3])
