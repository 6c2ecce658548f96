"""A submitted file, read in a process of its own with little memory and time, before anything trusts it.

>>> from importlib.resources import files
>>> inspect_file(Path(str(files("outflank") / "data" / "players" / "all-2.player")), "inversion").weights
288

The process also compiles the player and plays a few games: what costs more than the league can afford for
every visitor and 100,000 games is refused, with the figures.

Players from the files that the league keeps.

>>> from outflank.players.built_in import built_in_file
>>> loaded_player(built_in_file("all-2").read_bytes(), "inversion", "mine").name
'mine'
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from outflank.evaluators.league_text import SizeLimits
from outflank.evaluators.storage import VIEWS, View, read_player
from outflank.league.sandbox import die_with, limit_process, lower_priority
from outflank.players.greedy import GreedyPlayer

if TYPE_CHECKING:
    from outflank.league.player_cost import PlayerCost
    from outflank.players.greedy import GreedyPlayer


def loaded_player(content: bytes, view: str, name: str) -> GreedyPlayer:
    """A player from its file, which the league has inspected once already."""
    seen_by = next(known for known in VIEWS if known == view)
    return GreedyPlayer(read_player(content, "the file").evaluator, seen_by, name=name)


MEMORY = 2 << 30  # of address space: the interpreter and its libraries take half a gigabyte of it
CPU_SECONDS = 15
WALL_SECONDS = 60.0
# Ten times the placements that the budget of a game allows: what is larger need not be built to be refused.
LIMITS = SizeLimits(weights=8_000_000, placements=20_000)
LARGEST_ANSWER = 64 << 10
NICENESS = 15  # below those who answer people, above the searches that visitors ask for


@dataclass(frozen=True)
class Inspected:
    """What a player file holds. The cost is measured where the file is not trusted."""

    view: View
    kind: str
    description: str
    weights: int
    cost: PlayerCost | None = None


def inspect_file(path: Path, view: View | None) -> Inspected:
    """What the file holds, seen through the view it names or the given one. ValueError says what is wrong
    with it, in a sentence that can be shown to whoever sent it."""
    process = subprocess.Popen(
        inspection_command(path, view), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=WALL_SECONDS)
    except BaseException as error:
        end_group(process.pid)
        output, _ = process.communicate()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
    return inspection_result(output, process.returncode)


def inspection_command(path: Path, view: View | None) -> list[str]:
    """To be started in a session of its own; what it writes is for inspection_result()."""
    return [sys.executable, "-m", "outflank.league.inspection", str(path), view or "", str(os.getpid())]


def end_group(process: int) -> None:
    """Kill a process that leads a session, and whatever it may have started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process, signal.SIGKILL)
        else:
            os.kill(process, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):  # it is gone
        pass


def inspection_result(output: bytes, code: int | None) -> Inspected:
    """What an inspection has written and ended with; ValueError as in inspect_file."""
    from outflank.league.player_cost import PlayerCost

    stage = "to read"
    for line in output[:LARGEST_ANSWER].splitlines():  # what it is about to do, then the answer
        answer = json.loads(line)
        if "fault" in answer:
            raise ValueError(answer["fault"])
        if "view" in answer:
            return Inspected(**answer | {"cost": PlayerCost(**answer["cost"])})
        stage = answer["stage"]
    if code == -getattr(signal, "SIGXCPU", 0):
        raise ValueError(f"it takes more than {CPU_SECONDS} s of a processor {stage}; is it a player?")
    raise ValueError(
        f"it takes more than {WALL_SECONDS:.0f} s or {MEMORY >> 30} GB of memory {stage}; is it a player?"
    )


def fault_of(error: Exception, path: str) -> str:
    """What is wrong with a file, in a sentence that does not say where it lies here.

    >>> fault_of(ValueError("/tmp/x/player, line 1: not a number"), "/tmp/x/player")
    'the file, line 1: not a number'
    """
    text = str(error).replace(f"{path}: ", "").replace(path, "the file")
    return " ".join(text.split())[:500]


def inspect_here(path: Path, view: str) -> Inspected:
    """As inspect_file, in this process and without measuring: for files that can be trusted."""
    return _read(path, view)[0]


def _read(path: Path, view: str) -> tuple[Inspected, GreedyPlayer]:
    from outflank.evaluators.storage import load_player
    from outflank.players.greedy import GreedyPlayer

    stored = load_player(path, LIMITS)
    if view and stored.view and view != stored.view:
        raise ValueError(f"the file says that its view is {stored.view}, not {view}")
    chosen = stored.view or next((known for known in VIEWS if known == view), None)
    if chosen is None:
        raise ValueError("a League text file does not say its view: choose inversion or negation")
    weights = int(stored.evaluator.weights.size)
    player = GreedyPlayer(stored.evaluator, chosen)
    description = getattr(player.evaluator, "description", "")
    return Inspected(chosen, description.split(",")[0][:40], description[:500], weights), player


def _inspect_and_measure(path: Path, view: str) -> Inspected:
    from outflank.league.player_cost import measured_cost

    _say({"stage": "to read"})
    began = time.process_time()
    found, player = _read(path, view)
    cost = measured_cost(player, time.process_time() - began, lambda stage: _say({"stage": stage}))
    if cost.fault is not None:
        raise ValueError(cost.fault)
    return replace(found, cost=cost)


def _main(path: str, view: str, parent: str) -> None:
    die_with(int(parent))
    limit_process(MEMORY, CPU_SECONDS)
    lower_priority(NICENESS)
    try:
        answer: dict[str, object] = asdict(_inspect_and_measure(Path(path), view))
    except (ValueError, OSError) as error:
        answer = {"fault": fault_of(error, path)}
    except (MemoryError, RecursionError):
        answer = {"fault": f"the file takes more than {MEMORY >> 30} GB of memory to read; is it a player?"}
    _say(answer)


def _say(answer: dict[str, object]) -> None:
    """To whoever started this process; one whole line at a time, for it may be killed at any moment."""
    os.write(1, json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    _main(*sys.argv[1:4])
