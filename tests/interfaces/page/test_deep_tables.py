"""Deep networks in a page: small, and read by the core as they were."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from outflank.board import symmetric_square
from outflank.evaluators.deep_network import DeepNetwork
from outflank.evaluators.storage import StoredPlayer, load_player, save_player
from outflank.interfaces.page.folder import STATIC
from outflank.interfaces.page.packing import FLOATS, TABLES, Packed, pack_file

UNPACK = """
import { readFileSync, writeFileSync } from "node:fs";
import { unpacked } from "./unpack.js";
const packed = Function("return " + readFileSync("packed.txt", "utf8"))();
writeFileSync("unpacked.safetensors", await unpacked(packed));
"""


def learned(shape: str, *, stages: int = 3, share: float = 0.5, seed: int = 1) -> DeepNetwork:
    """As learning leaves a network: entries equal to their mirror images, many of them never met, others met
    once or a thousand times."""
    network = DeepNetwork.of_shape(shape, vector=8, hidden=16, stages=stages).random(seed)
    chance = np.random.default_rng(seed)
    tables = []
    for placements in network.placements:
        length = placements.shape[1]
        entries = chance.normal(size=(3**length, 8)) * chance.gamma(2, 0.05, size=(3**length, 1))
        entries[chance.random(3**length) >= share] = 0
        tables.append(_tied(entries, [int(square) for square in placements[0]]))
    layers = network.weights[network.table_weights :]
    return network.with_weights(np.concatenate([np.concatenate(tables).ravel(), layers]).astype(np.float32))


def _tied(entries: np.ndarray, squares: list[int]) -> np.ndarray:
    digits = np.array(np.unravel_index(np.arange(len(entries)), (3,) * len(squares)))
    found = entries
    for turn in range(1, 8):
        image = [int(symmetric_square(square, turn)) for square in squares]
        if set(image) == set(squares):
            mirrored = np.ravel_multi_index(
                tuple(digits[squares.index(square)] for square in image), (3,) * len(squares)
            )
            found = np.where((mirrored < np.arange(len(entries)))[:, None], found[mirrored], found)
    return found


def in_browser(packed: Packed, folder: Path) -> DeepNetwork:
    """What the page's script makes of it."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    shutil.copy(STATIC / "page" / "unpack.js", folder)
    (folder / "package.json").write_text(json.dumps({"type": "module"}))
    (folder / "run.js").write_text(UNPACK)
    (folder / "packed.txt").write_text(packed.literal, encoding="utf-8")
    subprocess.run([node, "run.js"], cwd=folder, check=True)
    network = load_player(folder / "unpacked.safetensors").evaluator
    assert isinstance(network, DeepNetwork)
    return network


def packed_file(network: DeepNetwork, folder: Path) -> Packed:
    path = folder / "deep.safetensors"
    save_player(StoredPlayer(network, "inversion"), path)
    return pack_file(path.name, path.read_bytes())


@pytest.mark.parametrize("is_tied", [True, False])
def test_the_core_plays_what_it_would_play_from_the_file(
    is_tied: bool, tmp_path: Path, board_arrays: tuple[np.ndarray, np.ndarray]
) -> None:
    network = learned("logistello")
    if not is_tied:  # in one table
        weights = network.weights.copy()
        weights[8 * 5 + 3] += 0.25
        network = network.with_weights(weights.astype(np.float32))
    packed = packed_file(network, tmp_path)
    assert packed.filter == TABLES
    assert packed.more["isTied"] == [is_tied, *[True] * (len(network.placements) - 1)]
    found = in_browser(packed, tmp_path)
    assert not np.array_equal(found.weights, network.weights)  # whole numbers of 16 bits
    np.testing.assert_array_equal(found.values(*board_arrays), network.values(*board_arrays))


def test_numbers_that_would_change_the_step_are_stored_as_floats(tmp_path: Path) -> None:
    network = learned("all-2")
    weights = network.weights.copy()
    weights[0] = np.nextafter(np.float32(-4), np.float32(0))  # rounds to -32768 steps: -4, a larger step
    packed = packed_file(network.with_weights(weights), tmp_path)
    assert packed.filter == FLOATS
    np.testing.assert_array_equal(in_browser(packed, tmp_path).weights, weights)
