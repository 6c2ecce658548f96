"""The engine as pages use it: in a worker, behind promises, in Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outflank import Board, NTupleNetwork, named_player
from outflank.evaluators.counted_network import CountedNetwork
from outflank.evaluators.deep_network import DeepNetwork
from outflank.evaluators.storage import StoredPlayer, View, save_player
from outflank.interfaces.page.bundle import bundled
from outflank.interfaces.page.folder import STATIC
from outflank.players.built_in import built_in_file
from outflank.players.opening_book import built_in_book_file
from outflank.players.search_tuning import tuning_file
from outflank.players.solver import ordering_file
from tests.interfaces.web.engine.conftest import Serve

Call = Callable[..., Any]
SETUP = """
<!doctype html><title>engine</title><script type="module">
import { Engine } from "/engine/engine.js";
import * as rules from "/engine/rules.js";
const read = async (name) => new Uint8Array(await (await fetch("/" + name)).arrayBuffer());
const worker = new URLSearchParams(location.search).has("blob")
  ? new Blob([await read("bundle.js")], { type: "text/javascript" }) : "/engine/engine-worker.js";
const engine = await Engine.start({ wasm: "/engine/engine.wasm", worker });
Object.assign(globalThis, { engine, rules, read });
await engine.loadPlayer("all-rounder", await read("all-rounder.safetensors"),
  { view: "inversion", tuning: JSON.parse(new TextDecoder().decode(await read("all-rounder.json"))) });
await engine.loadOrdering(await read("ordering.safetensors"));
globalThis.isReady = true;
</script>"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, serve: Serve) -> str:
    folder = tmp_path_factory.mktemp("engine")
    shutil.copytree(STATIC / "engine", folder / "engine")
    players = [built_in_file(name) for name in ("all-rounder", "all-2", "iago", "standard-heuristic")]
    for path in (*players, built_in_book_file(), tuning_file("all-rounder")):
        shutil.copy(path, folder)
    (folder / "ordering.safetensors").write_bytes(ordering_file())
    (folder / "bundle.js").write_text(bundled("engine/engine-worker.js", lambda p: (STATIC / p).read_text()))
    (folder / "index.html").write_text(SETUP)
    return serve(folder)


@pytest.fixture(scope="module", params=["", "?blob"], ids=["module", "blob"])
def call(request: pytest.FixtureRequest, browser: Any, address: str) -> Iterator[Call]:
    """call("engine.solve(...)", argument): what the page's engine answers."""
    page = browser.new_page()
    page.goto(f"{address}/{request.param}")
    page.wait_for_function("() => globalThis.isReady")

    def run(code: str, argument: object = None) -> Any:
        return page.evaluate(f"async (argument) => {{ {code} }}", argument)

    yield run
    page.close()


MIDDLE = str(Board.from_transcript("f5d6c3d3c4f4f6f3e6e7d7c5b6").text)


def test_fixed_depth_is_the_players_own_search(call: Call) -> None:
    from outflank import named_player
    from outflank.players.search import SearchPlayer

    player = named_player("all-rounder,depth=4")
    assert isinstance(player, SearchPlayer)
    expected = player.analyze(Board(MIDDLE), all_moves=True)
    found = call(
        """
        const options = { player: "all-rounder", depth: 4, allMoves: true };
        return engine.analyze(rules.fromText(argument), options);
        """,
        MIDDLE,
    )
    assert [move["move"] for move in found["moves"]] == [int(move.square) for move in expected.moves]
    assert [move["value"] for move in found["moves"]] == pytest.approx(
        [move.value_for_mover for move in expected.moves], abs=1e-12
    )
    assert [move["line"] for move in found["moves"]] == [list(map(int, move.line)) for move in expected.moves]
    assert (found["depth"], found["nodes"], found["stopped"]) == (expected.depth, expected.nodes, False)


def test_time_is_kept_and_progress_reported(call: Call) -> None:
    found = call(
        """
        const reports = [];
        const began = performance.now();
        const found = await engine.analyze(rules.fromText(argument), { player: "all-rounder", time: 0.5 },
          (progress) => reports.push(progress));
        return { found, reports, took: performance.now() - began };
        """,
        MIDDLE,
    )
    assert found["reports"]
    assert all(report["moves"] for report in found["reports"])
    depths = [report["depth"] for report in found["reports"]]
    assert depths == sorted(depths)
    assert found["found"]["depth"] >= depths[-1] >= 1


def test_stop_returns_what_was_found_and_the_engine_goes_on(call: Call) -> None:
    stopped, queued, after = call(
        """
        const position = rules.fromText(argument);
        const first = new Promise((resolve) => { globalThis.seen = resolve; });
        const hour = { player: "all-rounder", time: 3600 };
        const endless = engine.analyze(position, hour, () => globalThis.seen());
        const queued = engine.analyze(position, hour);
        await first;
        engine.stop();
        const after = engine.analyze(position, { player: "all-rounder", depth: 3 });
        return Promise.all([endless, queued, after]);
        """,
        MIDDLE,
    )
    assert stopped["stopped"]
    assert stopped["moves"]
    assert (queued["stopped"], queued["moves"]) == (True, [])
    assert (after["stopped"], after["depth"]) == (False, 3)


def test_endgames_are_solved_for_every_move(call: Call) -> None:
    board = Board("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X")
    text = board.text
    solved, found = call(
        """
        const position = rules.fromText(argument);
        const options = { player: "all-rounder", depth: 1, solve: 10, allMoves: true };
        return [await engine.solve(position), await engine.analyze(position, options)];
        """,
        text,
    )
    assert (solved["score"], solved["finished"]) == (6, True)
    assert found["exact"]
    assert found["moves"][0]["value"] == 6
    assert len(found["moves"]) == len(board.legal_moves)


def test_the_book_answers_first(call: Call) -> None:
    found, moves = call(
        """
        await engine.loadBook(await read("default.book"));
        const position = rules.play(rules.START, rules.squareNumber("f5"));
        const found = await engine.analyze(position, { player: "all-rounder", time: 5, book: true });
        return [found, await engine.bookMoves(position)];
        """
    )
    assert found["isFromBook"]
    assert found["moves"][0]["move"] == moves[0]["move"]


def test_explanations_add_up_to_the_difference(call: Call) -> None:
    """What the tables add to two moves differs by as much as the moves' values at one ply."""
    for name in ("all-rounder", "heuristic"):
        values, rows = call(
            """
            const file = await read("standard-heuristic.player");
            await engine.loadPlayer("heuristic", file, { view: "negation" });
            const position = rules.fromText(argument.text);
            const values = await engine.values(position, argument.name, 1);
            return [values, await engine.explain(position, values[0].move, values[1].move, argument.name)];
            """,
            {"text": MIDDLE, "name": name},
        )
        assert rows
        assert sum(row["difference"] for row in rows) == pytest.approx(
            values[0]["value"] - values[1]["value"]
        )
        assert sum(row["valueA"] for row in rows) == pytest.approx(values[0]["value"])
        sizes = [abs(row["difference"]) for row in rows]
        assert sizes == sorted(sizes, reverse=True)


def _counted() -> CountedNetwork:
    network = CountedNetwork(NTupleNetwork.of_shape("all-2", stages=3), ("mobility", "frontier"))
    return network.with_weights(np.random.default_rng(4).normal(size=network.weights.size))


def _deep_without_counts() -> DeepNetwork:
    """Its layers see the tables alone."""
    network = DeepNetwork.of_shape("all-2", vector=5, hidden=7, stages=3)
    weights = np.random.default_rng(4).normal(size=network.weights.size)
    for layers in weights[network.table_weights :].reshape(3, -1):
        hidden = 5 + network.inputs * 7  # after the weights of the hidden nodes: their biases
        layers[5 + 5 * 7 : hidden] = 0
        layers[hidden + 7 + 5 : hidden + 7 + network.inputs] = 0
    return network.with_weights(weights)


@pytest.mark.parametrize("view", ["inversion", "negation"])
@pytest.mark.parametrize("make", [_counted, _deep_without_counts])
def test_explanations_of_networks_that_also_count_add_up(
    call: Call, make: Callable[[], CountedNetwork | DeepNetwork], view: View, tmp_path: Path
) -> None:
    """The tables' share and, in a row without squares, what is left for counts of the whole board."""
    network = make()
    save_player(StoredPlayer(network, view), tmp_path / "it.safetensors")
    values, rows, tables = call(
        """
        await engine.loadPlayer("it", Uint8Array.from(argument.file));
        const position = rules.fromText(argument.text);
        const values = await engine.values(position, "it", 1);
        const rows = await engine.explain(position, values[1].move, values[0].move, "it");
        return [values, rows, await engine.tables("it", { most: 2 })];
        """,
        {"text": MIDDLE, "file": list((tmp_path / "it.safetensors").read_bytes())},
    )
    [of_counts] = [row["difference"] for row in rows if not row["squares"]]
    of_all = sum(row["difference"] for row in rows)
    assert of_all == pytest.approx(values[1]["value"] - values[0]["value"])
    largest = abs(rows[0]["difference"])
    assert (abs(of_counts) < 1e-3 * largest) == isinstance(network, DeepNetwork)
    assert len(tables) == 32
    assert all(table["best"][0]["value"] > table["worst"][0]["value"] for table in tables)


def test_tables_have_their_best_configurations(call: Call) -> None:
    from outflank.players.built_in import load_built_in

    network = load_built_in("all-2").evaluator
    assert isinstance(network, NTupleNetwork)
    found = call(
        """
        await engine.loadPlayer("all-2", await read("all-2.player"), { view: "inversion" });
        return [engine.describe("all-2"), await engine.tables("all-2", { most: 9 })];
        """
    )
    description, tables = found
    assert (description["kind"], len(description["tables"])) == ("n-tuple-network", 32)
    assert description["tables"][0] == [list(placement) for placement in network.tables[0]]
    table, weights = next(iter(network.table_weights()))
    assert tables[0]["placements"] == [list(placement) for placement in table]
    order = [one["discs"] for one in tables[0]["best"]]
    assert sorted(order) == sorted(a + b for a in "O-X" for b in "O-X")
    assert [weights[3 * "O-X".index(a) + "O-X".index(b)] for a, b in order] == sorted(weights, reverse=True)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([], "no numbers"),
        ([0] * 40, "neither"),
        (list(b"1 2 3"), "line 1"),
        (list(b"{ 1 { 15 1 { 0 1 2 } } }"), "line 1"),
        (list((200).to_bytes(8, "little") + b'{"a":1}'), "cut off"),
        (list((7).to_bytes(8, "little") + b'{"a":1}'), "not an outflank-player-1"),
        (list(b"1e400 " * 64), "finite"),
    ],
)
def test_what_is_no_player_is_refused_with_a_sentence(call: Call, content: list[int], sentence: str) -> None:
    refused = call(
        """
        try {
          await engine.loadPlayer("bad", Uint8Array.from(argument));
          return "loaded";
        } catch (error) {
          return error.message;
        }
        """,
        content,
    )
    assert sentence in refused
    after = call("return engine.values(rules.START, 'all-rounder')")
    assert len(after) == 4


def test_a_hostile_header_takes_no_memory(call: Call) -> None:
    """Tables whose sizes overflow 32 bits, and a book that claims more entries than it has."""
    refused = call(
        """
        const player = (architecture, weights) => {
          const described = JSON.stringify({ architecture, view: "inversion" });
          const header = JSON.stringify({ __metadata__: { "outflank-player-1": described },
            weights: { dtype: "F32", shape: [weights], data_offsets: [0, 4 * weights] } });
          const bytes = new Uint8Array(8 + header.length + 4 * weights);
          bytes.set(new Uint8Array(new Uint32Array([header.length, 0]).buffer));
          bytes.set(new TextEncoder().encode(header), 8);
          return bytes;
        };
        const tuple = Array.from({ length: 15 }, (_, i) => i);
        const tables = Array.from({ length: 300 }, () => [tuple]);
        const book = await read("default.book");
        const attempts = [
          () => engine.loadPlayer("bad", player({ kind: "n-tuple-network", stages: 61, tables }, 64)),
          () => engine.loadPlayer("bad", player({ kind: "mlp", hidden: 4097 }, 64)),
          () => engine.loadPlayer("bad", player({ kind: "plug-in", evaluator: "a:b", weights: 64 }, 64)),
          () => engine.loadBook(book.subarray(0, 1000)),
          () => engine.loadBook(book.map((byte, i) => (i === 5000 ? byte ^ 1 : byte))),
        ];
        const sentences = [];
        for (const attempt of attempts) {
          sentences.push(await attempt().then(() => "loaded", (error) => error.message));
        }
        return sentences;
        """
    )
    expected = ("does not fit", "hidden nodes", "kind", "cut short", "damaged")
    for sentence, part in zip(refused, expected, strict=True):
        assert part in sentence


def test_players_without_tuning_are_in_discs_too(call: Call) -> None:
    description = call('return engine.loadPlayer("iago", await read("iago.safetensors"))')
    assert not description["isTuned"]
    assert all(discs > 0 for discs in description["discsPerUnit"])
    values = call("return engine.values(rules.fromText(argument), 'iago', 2)", MIDDLE)
    assert max(abs(one["value"]) for one in values) < 64


def test_moves_that_all_win_every_disc_are_still_ranked(call: Call) -> None:
    """Values in discs end at 64; which move is best does not depend on that."""
    moves = "f5d6c3d3c4f4c5b3c2e3f2b5b2f3c7b6c6b4g3a1a2a3a4a5a7d1d2b1e6f6a6a8"
    board = Board.from_transcript(moves).settled()
    found = call(
        """
        const position = rules.fromText(argument);
        return (await engine.analyze(position, { player: "all-rounder", depth: 1, allMoves: true })).moves;
        """,
        board.text,
    )
    judged = dict(named_player("all-rounder").judge(board))  # type: ignore[union-attr]
    assert [one["value"] for one in found[:2]] == [64, 64]
    assert [one["move"] for one in found] == [int(s) for s in sorted(judged, key=judged.get, reverse=True)]  # type: ignore[arg-type]
    assert found[0]["own"] > found[1]["own"]
