"""A short walk through the commands of an installed outflank: python -m tests.smoke

Wheels are tested by it on every system (pyproject.toml, cibuildwheel), so it needs nothing but outflank and
Python's own library. The first command that does not do what it should ends it, with what it printed.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = 300.0  # for one command, on a slow machine that has just started
LEARN = ("--set", "games=2000", "--set", "measure_every=1000", "--set", "measure_double_games=50")
GTP = "boardsize 8\nclear_board\ngenmove black\nquit\n"


class Walk:
    """Commands in one folder, one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.commands = 0

    def run(self, *words: str, expect: str = "", code: int = 0, typed: str = "") -> str:
        """What `outflank WORDS` prints, which must contain `expect`."""
        began = time.perf_counter()
        result = subprocess.run(
            [_program(), *words], cwd=self._folder, input=typed, capture_output=True, text=True,
            encoding="utf-8", errors="replace", timeout=SECONDS, check=False,
        )  # fmt: skip
        shown = result.stdout + result.stderr
        if result.returncode != code or expect not in shown or "Traceback" in shown:
            raise SystemExit(f"outflank {' '.join(words)}\nended with {result.returncode}:\n{shown}")
        self.commands += 1
        print(f"{time.perf_counter() - began:6.1f} s  outflank {' '.join(words)}", flush=True)
        return result.stdout

    def has(self, *names: str) -> None:
        """Files that the commands so far have written."""
        for name in names:
            if not (self._folder / name).is_file():
                raise SystemExit(f"{name} was not written")


def _program() -> str:
    """The command that was installed beside this Python, or the one on the PATH."""
    found = shutil.which("outflank", path=str(Path(sys.executable).parent)) or shutil.which("outflank")
    if found is None:
        raise SystemExit("there is no command outflank beside this Python or on the PATH")
    return found


def walk(folder: Path) -> int:
    """How many commands did what they should: all of them."""
    outflank = Walk(folder)
    outflank.run("--version", expect="(core: ")
    outflank.run("players", expect="all-rounder")
    score = json.loads(outflank.run("score", "all-2", "--double-games", "500", "--json"))["score"]
    if not 0.9 < score < 1:
        raise SystemExit(f"all-2 scores {score}, and should score about 0.96")
    outflank.run("match", "all-2,depth=2", "random", "--double-games", "10", "--record", "games.jsonl")
    outflank.run("games", "import", "games.jsonl", "--out", "games.sgf", expect="20 games")
    outflank.run("games", "stats", "games.sgf", expect="Black won")
    outflank.run("tournament", "all-2", "positional", "random", "--double-games", "5", "--out", "cup")
    outflank.run("learn", "all-2", *LEARN, "--out", "run", expect="outflank score")
    outflank.has("run/best.safetensors", "run/log.jsonl")
    outflank.run("score", str(Path("run") / "best.safetensors"), "--double-games", "50")
    outflank.run("plot", "run", "--out", "curve.png")
    outflank.run("analyze", "f5d6c3d3c4", "--player", "all-2,depth=3", expect="better")
    outflank.run("page", "all-2", "--out", "page")
    outflank.has("curve.png", "page/index.html")
    outflank.run("engine", "all-2", typed=GTP, expect="= ")
    # From almost the end of a game, so that the engine is asked a few times only.
    outflank.run("games", "openings", "--random-plies", "54", "--count", "1", "--out", "start.txt")
    engine = f"gtp:{_program()} engine all-2"
    outflank.run("match", engine, "random", "--double-games", "1", "--starts", "start.txt", expect="win")
    outflank.run("score", "al-2", code=2, expect="did you mean all-2")
    return outflank.commands


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        print(f"{walk(Path(name))} commands, all as they should be")
