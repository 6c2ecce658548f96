"""The core in WebAssembly finds exactly what the native core finds: values to the last bit, choices, lines,
node counts, solved scores, book moves. In Node and in Chromium."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outflank import Board, Mlp, SpatialMlp, _core
from outflank.evaluators.counted_network import CountedNetwork
from outflank.evaluators.deep_network import DeepNetwork
from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.protocol import board_bits
from outflank.evaluators.storage import StoredPlayer, save_player
from outflank.interfaces.page.folder import STATIC
from outflank.players.built_in import BUILT_IN, built_in_file, load_built_in
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player
from outflank.players.opening_book import OpeningBook, built_in_book_file
from outflank.players.search_tuning import SearchTuning
from outflank.players.solver import ROOT_WEIGHT, ordering_file, ordering_network, solver_ordering
from tests.interfaces.web.engine.conftest import Serve

HERE = Path(__file__).parent
TUNED = ("all-rounder", "td-all-rounder")
POSITIONS = 4000
DEPTHS = {1: POSITIONS, 2: 300, 3: 60, 4: 20}
BITS = 20  # of the solver's table in the module


def positions(count: int, seed: int) -> list[Board]:
    """Of random games, which go through every stage and pass now and then."""
    chance = random.Random(seed)
    found: list[Board] = []
    while len(found) < count:
        board = Board()
        while not board.is_over and len(found) < count:
            found.append(board := board.settled())
            board = board.play(chance.choice(board.legal_moves))
    chance.shuffle(found)
    return found


def endgames(empties: int, count: int) -> list[Board]:
    return [board for board in positions(4000, empties) if 64 - board.discs == empties][:count]


def row(board: Board) -> list[int]:
    halves = [half for discs in (board.black, board.white) for half in (discs & 0xFFFFFFFF, discs >> 32)]
    return [*halves, int(board.mover == "white")]


def mlps() -> dict[str, StoredPlayer]:
    """The kinds that no built-in player has."""
    chance = np.random.default_rng(1)
    mlp = Mlp(chance.normal(0, 0.2, 2113))
    spatial = SpatialMlp(chance.normal(0, 0.2, 5900), discs_per_unit=3)
    counted = CountedNetwork.of_shape("all-2+mobility+frontier", stages=3)
    deep = DeepNetwork.of_shape("all-3", vector=5, hidden=7, stages=2).random(1, 0.02)
    doubled = DoubledFunction(load_built_in("all-2").evaluator, mlp)  # type: ignore[arg-type]
    return {
        "mlp": StoredPlayer(mlp, "inversion"),
        "spatial": StoredPlayer(spatial, "negation"),
        "doubled": StoredPlayer(doubled, "doubled"),
        "counted": StoredPlayer(counted.with_weights(chance.normal(size=counted.weights.size)), "inversion"),
        "deep": StoredPlayer(deep, "negation"),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Player files, the book, and the scripts of the engine and of this test."""
    made = tmp_path_factory.mktemp("engine")
    for name in BUILT_IN:
        shutil.copy(built_in_file(name), made)
    for name, player in mlps().items():
        save_player(player, made / f"{name}.safetensors")
    shutil.copy(built_in_book_file(), made)
    (made / "ordering.safetensors").write_bytes(ordering_file())
    shutil.copytree(STATIC / "engine", made / "engine")
    shutil.copy(HERE / "core_results.js", made)
    shutil.copy(HERE / "node_results.mjs", made)
    (made / "package.json").write_text('{"type": "module"}')  # for Node, which would have to guess
    return made


@pytest.fixture(scope="module")
def jobs(folder: Path) -> dict[str, Any]:
    tunings = {name: SearchTuning.built_in(name) for name in TUNED}
    cuts = {
        name: [[vars(cut) for cut in stage] for stage in tuning.prob_cuts]
        for name, tuning in tunings.items()
        if tuning is not None
    }
    assert list(cuts) == list(TUNED)
    views = {name: player.view for name, player in BUILT_IN.items()} | {
        name: player.view or "negation" for name, player in mlps().items()
    }
    players = [
        {
            "name": name, "file": next(folder.glob(f"{name}.*")).name, "view": view,
            "cuts": cuts.get(name), "depths": list(DEPTHS.items()),
        }
        for name, view in views.items()
    ]  # fmt: skip
    searches = [
        {"player": name, "position": i, "prunes": prunes, "tableBits": 16, **limits}
        for name in TUNED
        for i in range(20)
        for prunes, limits in (
            (True, {"nodes": 20_000}),
            (False, {"depth": 5}),
            (True, {"depth": 6, "allMoves": True}),
        )
    ] + [{"player": "mlp", "position": i, "depth": 3, "tableBits": 12} for i in range(5)]
    ends = [
        board
        for empties, count in ((8, 60), (12, 40), (15, 8), (19, 2))
        for board in endgames(empties, count)
    ]
    return {
        "folder": str(folder),
        "positions": [row(board) for board in positions(POSITIONS, 1)],
        "players": players,
        "searches": searches,
        "endgames": [row(board) for board in ends],
        "ordering": {
            "file": "ordering.safetensors", "discsPerUnit": [1] * ordering_network().stages,
            "weight": ROOT_WEIGHT,
        },
        "book": built_in_book_file().name,
        "bookPositions": 500,
    }  # fmt: skip


def native_player(name: str) -> GreedyPlayer:
    if name in BUILT_IN:
        found = named_player(name)
        assert isinstance(found, GreedyPlayer)
        return found
    stored = mlps()[name]
    return GreedyPlayer(stored.evaluator, stored.view or "negation", name)


def digest(numbers: list[float]) -> str:
    return hashlib.sha256(np.array(numbers, dtype="<f8").tobytes()).hexdigest()


def judged(name: str, boards: list[Board], depth: int) -> dict[str, str]:
    black, white = board_bits(boards)
    movers = np.array([board.mover == "black" for board in boards])
    core = _core.player(*native_player(name).core_evaluators, depth=depth)
    first, squares, values = core.judge(black, white, movers, os.cpu_count() or 1)
    best: list[float] = []
    for a, b in pairwise(first):
        ties = squares[a:b][values[a:b] >= values[a:b].max() - _core.TIE]
        best += [len(ties), *ties.tolist()]
    interleaved = np.stack([squares.astype(np.float64), values], axis=1)
    return {"values": digest(interleaved.ravel().tolist()), "best": digest(best)}


@pytest.fixture(scope="module")
def expected(jobs: dict[str, Any]) -> dict[str, Any]:
    """What the native core finds, in the shape of core_results.js."""
    boards = positions(POSITIONS, 1)
    players: dict[str, Any] = {}
    for player in jobs["players"]:
        name = player["name"]
        found = {str(depth): judged(name, boards[:count], depth) for depth, count in DEPTHS.items()}
        searched = [native_search(name, boards, job) for job in jobs["searches"] if job["player"] == name]
        players[name] = {"found": found, "searched": searched}
    solver = _core.EndgameSolver(BITS, solver_ordering(), 1)
    solved = []
    for mine, theirs in (movers_and_opponents(one) for one in jobs["endgames"]):
        score, line, nodes, finished = solver.solve(mine, theirs)
        solved.append({"finished": finished, "score": score, "nodes": nodes, "line": line})
    book = OpeningBook.open("default")
    in_book = [
        [
            {
                "move": int(m.square),
                "value": m.value_for_mover,
                "leavesBook": m.is_deviation,
                "games": m.games,
            }
            for m in book.moves(board)
        ]
        for board in boards[: jobs["bookPositions"]]
    ]
    return {"players": players, "solved": solved, "inBook": in_book, "rulesAgree": True}


def movers_and_opponents(one: list[int]) -> tuple[int, int]:
    black, white = one[0] | one[1] << 32, one[2] | one[3] << 32
    return (white, black) if one[4] else (black, white)


def native_search(name: str, boards: list[Board], job: dict[str, Any]) -> dict[str, Any]:
    tuning = SearchTuning.built_in(name)
    cuts = tuning.core_prob_cuts if tuning and job.get("prunes") else []
    core = native_player(name).core
    assert core is not None
    searcher = _core.Searcher(core, job["tableBits"], 1, cuts)
    board = boards[job["position"]]
    moves, depth, nodes = searcher.search(
        board.black, board.white, board.mover == "black", job.get("depth", 60), job.get("nodes", 1 << 62),
        None, job.get("allMoves", False),
    )  # fmt: skip
    return {
        "depth": depth,
        "nodes": nodes,
        "moves": [{"move": move, "value": value, "line": line} for move, value, line in moves],
    }


def compare(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, player in expected["players"].items():
        assert found["players"][name] == player, name
    assert found["solved"] == expected["solved"]
    assert found["inBook"] == expected["inBook"]
    assert any(expected["inBook"])
    assert found["rulesAgree"]


def test_in_node(folder: Path, jobs: dict[str, Any], expected: dict[str, Any], tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    (tmp_path / "jobs.json").write_text(json.dumps(jobs))
    command = [node, str(folder / "node_results.mjs"), str(tmp_path / "jobs.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    compare(json.loads(done.stdout), expected)


IN_CHROMIUM = """
async (jobs) => {
  const [{ Core }, rules, { results }] = await Promise.all(
    ['/engine/core.js', '/engine/rules.js', '/core_results.js'].map((path) => import(path)));
  const read = async (name) => new Uint8Array(await (await fetch('/' + name)).arrayBuffer());
  const module = await WebAssembly.compile(await read('engine/engine.wasm'));
  return results({ Core, rules }, module, read, jobs);
}"""


def test_in_chromium(
    folder: Path, jobs: dict[str, Any], expected: dict[str, Any], browser: Any, serve: Serve
) -> None:
    (folder / "index.html").write_text("<!doctype html><title>engine</title>")
    page = browser.new_page()
    page.goto(serve(folder))
    compare(page.evaluate(IN_CHROMIUM, jobs), expected)
    page.close()
