"""Networks that are legal and meant to hurt: played within bounds of memory, or refused in a sentence."""

from __future__ import annotations

import random
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from outflank import GreedyPlayer, NTupleNetwork, league_match, load_player

FOLDED = 256 << 20  # CompileLimits::folded_bytes in the core


def wide_and_narrow(placements: int) -> str:
    """One table of 13 squares and one of a single square: in 32 bits, the offsets of the folded form wrap
    at 2,694 placements of each; with fewer it would take tens of gigabytes."""
    squares = random.Random(1)
    wide = "\n".join(" ".join(map(str, squares.sample(range(64), 13))) for _ in range(placements))
    narrow = " ".join(str(i % 64) for i in range(placements))
    return f"2 13 {placements}\n{wide}\n{'0 ' * 3**13}\n1 {placements}\n{narrow}\n0 1 2"


@pytest.mark.parametrize("placements", [300, 2694])
def test_offsets_that_wrapped_32_bits(placements: int, tmp_path: Path) -> None:
    path = tmp_path / "crafted.player"
    path.write_text(wide_and_narrow(placements))
    network = load_player(path).evaluator
    assert isinstance(network, NTupleNetwork)
    assert network.core.bytes < FOLDED
    assert network.bytes_held >= network.core.bytes + network.weights.nbytes
    boards = np.random.default_rng(1).integers(0, 1 << 63, size=(2, 20), dtype=np.uint64)
    black, white = boards[0], boards[1] & ~boards[0]
    np.testing.assert_allclose(network.values(black, white), network.values_plainly(black, white))
    assert league_match(GreedyPlayer(network, "inversion"), double_games=2, threads=2).play().games == 4


def test_a_network_beyond_the_bound_is_refused_before_it_is_made() -> None:
    with pytest.raises(ValueError, match="at most 134,217,728 weights"):
        NTupleNetwork([[list(range(15))]] * 9, stages=3)


def test_overflowing_sums_are_refused() -> None:
    with pytest.raises(ValueError, match="the weights are too large"):
        _ = NTupleNetwork([[[0], [1]]], [1e308, -1e308, 1e308]).core


def _limited(command: list[str], megabytes: int) -> subprocess.CompletedProcess[str]:
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    code = "from outflank.interfaces.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *command],
        capture_output=True, text=True, preexec_fn=limit, timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="limits on address space are Linux's")
@pytest.mark.parametrize("command", [
    "match td-all-rounder,solve=20 random --double-games 8 --threads 64",
    "match td-all-rounder,nodes=1000 random --double-games 8 --threads 64",
    "solve '--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X' --threads 64",
])  # fmt: skip
@pytest.mark.long
def test_out_of_memory_in_threads_is_a_sentence(command: str) -> None:
    codes = set()
    for megabytes in (550, 600, 700, 1000):
        ran = _limited(shlex.split(command), megabytes)
        codes.add(ran.returncode)
        if ran.returncode != 0:
            assert ran.returncode == 2, ran
            assert ran.stderr.splitlines()[-1] == "outflank: there is not enough memory for this"
            assert "Traceback" not in ran.stderr
    assert 2 in codes
