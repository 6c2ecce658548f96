"""Inspection of submitted files in a separate process with little memory and time, before they are trusted.

>>> from importlib.resources import files
>>> inspect_file(Path(str(files("outflank") / "data" / "players" / "all-2.player")), "inversion").weights
288

The process also compiles the player and plays a few games: one that costs more than the league can afford is
refused, with the figures. Accepted files are loaded directly:

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

from outflank.evaluators.league_text import SizeLimits
from outflank.evaluators.onnx.network import OnnxEvaluator, OnnxNetwork, looks_like_onnx
from outflank.evaluators.storage import VIEWS, View, file_content, read_player
from outflank.league.player_cost import PlayerCost, measured_cost
from outflank.league.sandbox import die_with, limit_process, lower_priority
from outflank.players.greedy import GreedyPlayer

MEMORY = 2 << 30  # of address space: the interpreter and its libraries take half a gigabyte of it
CPU_SECONDS = 15
WALL_SECONDS = 60.0
# Ten times the placements that the budget of a game allows: larger networks are refused unbuilt.
LIMITS = SizeLimits(weights=8_000_000, placements=20_000)
LARGEST_ANSWER = 64 << 10
NICENESS = 15  # below the server and its quick tasks, above visitors' searches


def loaded_player(content: bytes, view: str, name: str) -> GreedyPlayer:
    """A player from its file, which was inspected when it was submitted."""
    seen_by = next(known for known in VIEWS if known == view)
    if looks_like_onnx(content):
        return GreedyPlayer(OnnxEvaluator(OnnxNetwork(content, "the file")), seen_by, name=name)
    return GreedyPlayer(read_player(content, "the file").evaluator, seen_by, name=name)


@dataclass(frozen=True)
class Inspected:
    """The contents of a player file. The cost is measured for untrusted files."""

    view: View
    kind: str
    description: str
    weights: int
    cost: PlayerCost | None = None


def inspect_file(path: Path, view: View | None) -> Inspected:
    """The file's contents, with the view it names or the given one. ValueError says what is wrong with it, in
    a sentence for its sender."""
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
    """To be started in a new session; its output is for inspection_result()."""
    return [sys.executable, "-m", "outflank.league.inspection", str(path), view or "", str(os.getpid())]


def end_group(process: int) -> None:
    """Kill a session leader and all its children."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process, signal.SIGKILL)
        else:
            os.kill(process, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):  # it is gone
        pass


def inspection_result(output: bytes, code: int | None) -> Inspected:
    """From the output and exit code of an inspection; ValueError as in inspect_file."""
    stage = "to read"
    for line in output[:LARGEST_ANSWER].splitlines():  # stages as they begin, then the result
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"])
        if "view" in answer:
            return Inspected(**answer | {"cost": PlayerCost(**answer["cost"])})
        stage = answer["stage"]
    if code == -getattr(signal, "SIGXCPU", 0):
        raise ValueError(f"it takes more than {CPU_SECONDS} s of CPU time {stage}; is it a player?")
    raise ValueError(
        f"it takes more than {WALL_SECONDS:.0f} s or {MEMORY >> 30} GB of memory {stage}; is it a player?"
    )


def error_sentence(error: Exception, path: str) -> str:
    """What is wrong with a file, in a sentence without its path on this machine.

    >>> error_sentence(ValueError("/tmp/x/player, line 1: not a number"), "/tmp/x/player")
    'the file, line 1: not a number'
    """
    text = str(error).replace(f"{path}: ", "").replace(path, "the file")
    return " ".join(text.split())[:500]


def inspect_here(path: Path, view: str) -> Inspected:
    """As inspect_file, in this process and without measuring: for trusted files."""
    return _read(path, view)[0]


def _read(path: Path, view: str) -> tuple[Inspected, GreedyPlayer]:
    content = file_content(path)
    if looks_like_onnx(content):
        return _read_onnx(content, str(path), view)
    stored = read_player(content, str(path), LIMITS)
    if view and stored.view and view != stored.view:
        raise ValueError(f"the file says that its view is {stored.view}, not {view}")
    chosen = stored.view or next((known for known in VIEWS if known == view), None)
    if chosen is None:
        raise ValueError("a League text file does not say its view: choose inversion or negation")
    weights = int(stored.evaluator.weights.size)
    player = GreedyPlayer(stored.evaluator, chosen)
    description = getattr(player.evaluator, "description", "")
    return Inspected(chosen, description.split(",")[0][:40], description[:500], weights), player


def _read_onnx(content: bytes, source: str, view: str) -> tuple[Inspected, GreedyPlayer]:
    network = OnnxNetwork(content, source)
    if all(output.kind == "policy" for output in network.model.outputs):
        raise ValueError("the file is a policy; a player of the league gives a value to a board")
    evaluator = OnnxEvaluator(network)
    stated = network.view or ("inversion" if evaluator.is_for_next else None)
    if view and stated and view != stated:
        raise ValueError(f"the file says that its view is {stated}, not {view}")
    chosen = stated or next((known for known in VIEWS[:2] if known == view), None)
    if chosen is None:
        raise ValueError("the file does not say its view: choose inversion or negation")
    weights = network.model.weights
    if weights > LIMITS.weights:
        raise ValueError(f"the file has {weights:,} weights; at most {LIMITS.weights:,} are accepted")
    found = Inspected(chosen, "ONNX network", evaluator.description, weights)
    return found, GreedyPlayer(evaluator, chosen)


def _inspect_and_measure(path: Path, view: str) -> Inspected:
    _say({"stage": "to read"})
    began = time.process_time()
    found, player = _read(path, view)
    cost = measured_cost(player, time.process_time() - began, lambda stage: _say({"stage": stage}))
    if cost.excess is not None:
        raise ValueError(cost.excess)
    return replace(found, cost=cost)


def _main(path: str, view: str, parent: str) -> None:
    die_with(int(parent))
    limit_process(MEMORY, CPU_SECONDS)
    lower_priority(NICENESS)
    try:
        answer: dict[str, object] = asdict(_inspect_and_measure(Path(path), view))
    except (ValueError, OSError) as error:
        answer = {"error": error_sentence(error, path)}
    except (MemoryError, RecursionError):
        answer = {"error": f"the file takes more than {MEMORY >> 30} GB of memory to read; is it a player?"}
    _say(answer)


def _say(answer: dict[str, object]) -> None:
    """To the parent; one whole line at a time, for this process may be killed at any moment."""
    os.write(1, json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    _main(*sys.argv[1:4])
