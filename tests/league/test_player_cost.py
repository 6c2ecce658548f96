"""The budget of a player at upload: what costs too much is refused with the figures, all else is let in."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil  # type: ignore[import-untyped]
import pytest

from outflank import GreedyPlayer, NTupleNetwork, named_player
from outflank.evaluators.storage import StoredPlayer, save_player
from outflank.league import player_cost
from outflank.league.inspection import inspect_file, inspection_command
from outflank.league.player_cost import (
    MOST_BYTES_HELD,
    MOST_COMPILE_SECONDS,
    MOST_GAME_SECONDS,
    MOST_READ_SECONDS,
    PlayerCost,
)
from outflank.players.built_in import BUILT_IN, built_in_file
from tests.league.heavy_players import many_placements, wide_mlp


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_players_cost_far_less_than_they_may(name: str) -> None:
    cost = inspect_file(built_in_file(name), BUILT_IN[name].view).cost
    assert cost is not None
    assert 0 < cost.game_seconds < MOST_GAME_SECONDS / 4
    assert cost.read_seconds + cost.compile_seconds < MOST_READ_SECONDS / 4
    assert 64 <= cost.bytes_held < MOST_BYTES_HELD / 2


@pytest.mark.parametrize("shape", ["rand-5x13", "all-4", "rand-100x7"])
def test_large_networks_are_let_in(tmp_path: Path, shape: str) -> None:
    """Eight million weights, and as many placements as anyone has written of."""
    network = NTupleNetwork.of_shape(shape)
    weights = np.random.default_rng(1).integers(-9, 9, size=network.weights.size).astype(np.float64)
    save_player(StoredPlayer(network.with_weights(weights), "inversion"), tmp_path / "large.safetensors")
    cost = inspect_file(tmp_path / "large.safetensors", None).cost
    assert cost is not None
    assert cost.bytes_held >= 4 * network.weights.size


@pytest.mark.parametrize("hidden", [32, 512])
def test_wide_networks_are_let_in(tmp_path: Path, hidden: int) -> None:
    assert inspect_file(wide_mlp(tmp_path / "wide.safetensors", hidden), None).cost is not None


def test_a_million_placements_are_refused_before_they_are_built(tmp_path: Path) -> None:
    file = many_placements(tmp_path / "many.player")
    with pytest.raises(ValueError, match=r"^the file has 1,000,000 placements; at most 20,000 are accepted$"):
        inspect_file(file, "inversion")


def test_slow_players_are_refused_by_their_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a limit that no machine meets."""
    monkeypatch.setattr(player_cost, "MOST_GAME_SECONDS", 1e-6)
    player = named_player(f"{many_placements(tmp_path / 'many.player', count=19_000)},view=inversion")
    assert isinstance(player, GreedyPlayer)
    cost = player_cost.measured_cost(player, 0.0, lambda _: None)
    assert cost.excess is not None
    assert re.fullmatch(r"it takes 0\.\d+ s per game; the limit is 1e-06 s", cost.excess)


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (PlayerCost(300 << 20, 0, 0, 0), "it holds 300 MB of memory; the limit is 256 MB"),
        (PlayerCost(0, 12.3, 0, 0), "it takes 12 s to read; the limit is 4 s"),
        (PlayerCost(0, 0, 110.0, 0), "it takes 1.1e+02 s to compile; the limit is 4 s"),
        (PlayerCost(0, 0, 0, 0.31), "it takes 0.31 s per game; the limit is 0.0025 s"),
        (PlayerCost(MOST_BYTES_HELD, MOST_READ_SECONDS, MOST_COMPILE_SECONDS, MOST_GAME_SECONDS), None),
    ],
)
def test_what_is_beyond_a_bound_is_said_with_the_figures(cost: PlayerCost, said: str | None) -> None:
    assert cost.excess == said


@pytest.mark.long
def test_a_busy_machine_does_not_count_against_a_player() -> None:
    """Seconds are the process's own: with more to do than there are cores the figures stay what they are."""
    spin = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(spin) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        cost = inspect_file(built_in_file("td-all-rounder"), None).cost
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert cost is not None
    assert cost.game_seconds < MOST_GAME_SECONDS / 2


def test_an_inspection_ends_with_whoever_started_it(tmp_path: Path) -> None:
    """kill -9 of the server leaves no inspection behind."""
    file = many_placements(tmp_path / "many.player", count=1000)
    code = f"""
import subprocess, sys
from pathlib import Path
from outflank.league import player_cost
from outflank.league.inspection import inspection_command
child = subprocess.Popen(inspection_command(Path({str(file)!r}), "inversion"), start_new_session=True)
print(child.pid, flush=True)
child.wait()
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        assert "stage" in parent.stdout.readline()  # it is at work,
        child.suspend()  # and would be for ever
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    gone, alive = psutil.wait_procs([child], timeout=10)
    assert (len(gone), alive) == (1, [])


def test_an_inspection_says_what_it_is_about_to_do() -> None:
    command = inspection_command(built_in_file("all-2"), "inversion")
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [re.findall(r'"stage": "(.*)"', line) for line in lines[:-1]] == [
        ["to read"],
        ["to compile"],
        ["for a few games"],
    ]
