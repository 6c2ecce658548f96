"""This build beside an older one of the same machine, in turns within one run.

    git clone . /tmp/before && git -C /tmp/before checkout c27945b && make -C /tmp/before .venv/built
    python -m benchmarks.before_and_after /tmp/before/.venv/bin/python --json benchmarks/before_and_after.json
    python -m benchmarks.core_report

A stored speed of another machine says nothing about this one; that is why the older build runs again. Each
round is a process of its own and counts by its CPU time, because other programs may be running; the best
round of each build counts.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from outflank.benchmarks.timing import ROUNDS, Target, best_rates
from outflank.games.positions import read_endgames
from outflank.machine import machine

# The functions that `outflank bench` calls, under the two names that their modules have had.
PROGRAM = """
import sys, time
from outflank.board import Board
try:
    from outflank.benchmarks import playouts, search
except ImportError:
    from outflank.studies import speed as playouts, search_speed as search
playouts.perf_counter = search.perf_counter = time.process_time
def playing(kind, games):
    heuristic = playouts.named_player("standard-heuristic")
    return playouts._games_per_second(playouts._random_network(kind), heuristic, games, 0.1, 1)
boards = [Board.from_discs(*map(int, discs.split("/"))) for discs in sys.argv[2:]]
print(eval(sys.argv[1]))
"""
FFO = "FFO 20-39, one thread"
# What is timed, its code, its unit, and how many times as fast it was to become.
KERNELS = (
    ("spatial MLP - heuristic", "playing(playouts.SpatialMlp, 500)", "games/s", 4.0),
    ("MLP 64-32-1 - heuristic", "playing(playouts.Mlp, 4_000)", "games/s", 2.5),
    ("Kim 2007: 2 plies of a spatial MLP, book, solver from 4", "search._kim_rate(100)", "games/s", 3.0),
    ("TD, league-champion", "playouts._learning_per_second('league-champion', 6_000)", "games/s", 1.5),
    ("TD self-play, 30 snakes", "playouts._learning_per_second('lucas-2007', 1_500)", "games/s", 1.0),
    (FFO, "len(boards) / search._solving(boards, 1)[1]", "positions/s", 7.9 / 3),
)


def _timing(python: Path, code: str, boards: list[str]) -> Callable[[], float]:
    """A process of a build. `boards`: the mover's discs and the opponent's, as numbers."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OUTFLANK", "PYTHON"))}

    def per_second() -> float:
        command = [python, "-c", PROGRAM, code, *boards]
        done = subprocess.run(command, env=kept, cwd="/", check=True, stdout=subprocess.PIPE, text=True)
        return float(done.stdout)

    return per_second


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path, help="Python of the environment with the older build")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    rows = []
    for name, code, unit, at_least in KERNELS:
        published = [endgame.board for endgame in read_endgames("ffo-20-39")] if name == FFO else []
        boards = [f"{board.mover_discs}/{board.opponent_discs}" for board in published]
        pythons = (arguments.before.absolute(), Path(sys.executable))
        before, now = best_rates([_timing(python, code, boards) for python in pythons], arguments.rounds)
        target = Target(name, now / before, at_least)
        rows.append(asdict(target) | {"before": before, "now": now, "unit": unit, "is_met": target.is_met})
        print(f"{name}: {before:,.2f} {unit} before, {now:,.2f} now, {target.ratio:.2f} times as fast")
    if arguments.json is not None:
        result = {"machine": machine(), "rounds": arguments.rounds, "kernels": rows}
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
