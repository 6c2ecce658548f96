"""The core in WebAssembly beside the native core, and the time until a page answers its first move.

    .venv/bin/python -m benchmarks.browser [--rounds 5] [--json]

Nodes per second of CPU time, native and in Node, in turns within one run, so that both meet the same load of
the machine; the search is by nodes with all-rounder, the solver solves endgames exactly. Native: one thread,
tuned for this machine. Then Chromium opens the folder of `outflank page` from file://, and a first move is
answered at one ply.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from outflank import Board, _core
from outflank.interfaces.page.folder import STATIC, named_page_player, page_files, write_page
from outflank.players.built_in import built_in_file
from outflank.players.names import named_player
from outflank.players.search_tuning import SearchTuning, tuning_file
from outflank.players.solver import ROOT_WEIGHT, ordering_file, ordering_network, solver_ordering

CHROMIUM = Path("/usr/bin/chromium")
TABLE_BITS = 19
SEARCH_NODES = 300_000
EMPTIES = 17
NODE_PROGRAM = """
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Core } from "./engine/core.js";
import { fromText } from "./engine/rules.js";
const module = new WebAssembly.Module(readFileSync("engine/engine.wasm"));
const player = readFileSync("all-rounder.safetensors");
const searcher = await Core.create(module);
searcher.loadPlayer(player, "inversion");
searcher.setProbCuts(JSON.parse(readFileSync("all-rounder.json")).prob_cuts);
const solver = await Core.create(module);
const { nodes, tableBits, discsPerUnit, weight } = JSON.parse(process.argv[2]);
solver.loadPlayer(readFileSync("ordering.safetensors"), "inversion");
solver.setOrdering(discsPerUnit, weight);
const work = {
  search: (position) => searcher.search(position, { nodes, prunes: true, tableBits }).nodes,
  solve: (position) => solver.solve(position).nodes,
};
for await (const line of createInterface({ input: process.stdin })) {
  const { kind, boards } = JSON.parse(line);
  const before = process.cpuUsage();
  const visited = boards.reduce((sum, board) => sum + work[kind](fromText(board)), 0);
  const { user } = process.cpuUsage(before);
  console.log(JSON.stringify([visited, user / 1e6]));
}
"""


def boards_with(empties: int, count: int, seed: int) -> list[Board]:
    chance = random.Random(seed)
    found: list[Board] = []
    while len(found) < count:
        board = Board()
        while not board.is_over and 64 - board.discs > empties:
            board = board.settled().play(chance.choice(board.settled().legal_moves))
        if not board.is_over:
            found.append(board.settled())
    return found


class Native:
    """The core of this installation, on one thread."""

    def __init__(self) -> None:
        tuning = SearchTuning.built_in("all-rounder")
        assert tuning is not None
        core = named_player("all-rounder").core
        assert core is not None
        self._searcher = _core.Searcher(core, TABLE_BITS, 1, tuning.core_prob_cuts)
        self._solver = _core.EndgameSolver(20, solver_ordering(), 1)

    def visit(self, kind: str, boards: list[Board]) -> tuple[int, float]:
        """Nodes, and seconds of CPU time in user mode."""
        before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        nodes = sum(self._nodes(kind, board) for board in boards)
        return nodes, resource.getrusage(resource.RUSAGE_SELF).ru_utime - before

    def _nodes(self, kind: str, board: Board) -> int:
        if kind == "solve":
            return self._solver.solve(board.mover_discs, board.opponent_discs)[2]
        return self._searcher.search(
            board.black, board.white, board.mover == "black", 60, SEARCH_NODES, None, False
        )[2]


class InNode:
    """The module in Node."""

    def __init__(self, node: str, folder: Path) -> None:
        shutil.copytree(STATIC / "engine", folder / "engine")
        for path in (built_in_file("all-rounder"), tuning_file("all-rounder")):
            shutil.copy(path, folder)
        (folder / "ordering.safetensors").write_bytes(ordering_file())
        (folder / "package.json").write_text('{"type": "module"}')
        (folder / "run.js").write_text(NODE_PROGRAM)
        options = {
            "nodes": SEARCH_NODES, "tableBits": TABLE_BITS,
            "discsPerUnit": [1] * ordering_network().stages, "weight": ROOT_WEIGHT,
        }  # fmt: skip
        self._process = subprocess.Popen(
            [node, "run.js", json.dumps(options)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def visit(self, kind: str, boards: list[Board]) -> tuple[int, float]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        job = {"kind": kind, "boards": [board.text for board in boards]}
        print(json.dumps(job), file=self._process.stdin, flush=True)
        nodes, seconds = json.loads(self._process.stdout.readline())
        return nodes, seconds

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)


def speeds(node: str, rounds: int) -> dict[str, Any]:
    """Millions of nodes per second of CPU time, and the module's share of the native speed: medians."""
    work = {"search": boards_with(36, 4, 1), "solve": boards_with(EMPTIES, 3, 2)}
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        native, module = Native(), InNode(node, Path(folder))
        for kind, boards in work.items():
            rates: list[tuple[float, float]] = []
            for number in range(rounds + 1):
                pair = []
                for engine in (native, module):
                    nodes, seconds = engine.visit(kind, boards)
                    pair.append(nodes / max(seconds, 1e-6) / 1e6)
                if number > 0:  # the first compiles the module's functions for good
                    rates.append((pair[0], pair[1]))
                print(
                    f"{kind} {number}: native {pair[0]:.2f}, WebAssembly {pair[1]:.2f} M nodes/s",
                    file=sys.stderr,
                )
            report[kind] = {
                "native": statistics.median(a for a, _ in rates),
                "webassembly": statistics.median(b for _, b in rates),
                "share": statistics.median(b / a for a, b in rates),
            }
        module.close()
    return report


def first_moves(rounds: int) -> list[float]:
    """Seconds from opening the page until its first answer, each time in a new browser."""
    from playwright.sync_api import sync_playwright

    seconds: list[float] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_folder = Path(folder) / "page"
        write_page(page_files([named_page_player("all-rounder")]), page_folder)
        address = (page_folder / "index.html").as_uri() + "#white=player-all-rounder"
        for _ in range(rounds):
            chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
            page = chromium.new_page(reduced_motion="reduce")
            began = time.perf_counter()
            page.goto(address)
            page.click('.cell[data-square="f5"] .square')
            page.wait_for_function("() => document.querySelectorAll('#moves .move').length === 2")
            seconds.append(time.perf_counter() - began)
            chromium.close()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    node = shutil.which("node")
    report: dict[str, Any] = {"load": os.getloadavg()[0], "tuned for": _core.tuned_for()}
    report |= speeds(node, options.rounds) if node else {"speeds": "Node is not installed"}
    report["first move (s)"] = (
        sorted(first_moves(options.rounds)) if CHROMIUM.exists() else "Chromium is not installed"
    )
    if options.json:
        print(json.dumps(report, indent=2))
        return
    for kind in ("search", "solve"):
        if kind in report:
            row = report[kind]
            share = f"{row['share']:.2f} of the native {row['native']:.2f}"
            print(f"{kind}: {row['webassembly']:.2f} M nodes/s, {share}")
    print(f"first move in Chromium: {report['first move (s)']} s; load of the machine {report['load']:.1f}")


if __name__ == "__main__":
    main()
