"""Games that a person can replay, and a fingerprint of many more: they must never change by accident.

Every core of a wheel runs this too: every machine plays the same games.
"""

from __future__ import annotations

import hashlib
import os
import platform
from pathlib import Path

import numpy as np
import pytest

from outflank import (
    Game,
    GreedyPlayer,
    Match,
    Mlp,
    NTupleNetwork,
    Player,
    RandomPlayer,
    SpatialMlp,
    _core,
    named_player,
)

GAMES = Path(__file__).with_name("games.txt")


def _players() -> dict[str, Player]:
    def network(evaluator: NTupleNetwork | Mlp | SpatialMlp, name: str) -> Player:
        weights = np.random.default_rng(1).uniform(-0.2, 0.2, evaluator.weights.size)
        return GreedyPlayer(evaluator.with_weights(weights), "inversion", name)

    return {
        "random": RandomPlayer(),
        "standard-heuristic": named_player("standard-heuristic"),
        "all-2": named_player("all-2"),
        "logistello": network(NTupleNetwork.of_shape("logistello", stages=4), "logistello"),
        "mlp": network(Mlp(), "mlp"),
        "spatial-mlp": network(SpatialMlp(), "spatial-mlp"),
    }


PLAYERS = _players()
FINGERPRINTS = {
    "random": "a6c852681243af61",
    "standard-heuristic": "5615d798489b0658",
    "all-2": "bbbbffa02809170a",
    "logistello": "6b0b61ca309cea32",
    "mlp": "4fbf2009376c2b2c",
    "spatial-mlp": "95af6cdf8e678e2e",
}


def _match(name: str, double_games: int) -> Match:
    return Match(
        PLAYERS[name], PLAYERS["standard-heuristic"], double_games=double_games, epsilon=0.1, seed=2014
    )


@pytest.mark.parametrize("name", PLAYERS)
def test_golden_games(name: str) -> None:
    expected = [line.split() for line in GAMES.read_text().splitlines() if line.startswith(f"{name} ")]
    games = list(_match(name, 1).games())
    assert [[name, game.transcript, f"{game.final.disc_difference:+d}"] for game in games] == expected
    for _, transcript, difference in expected:
        assert Game.from_transcript(transcript).final.disc_difference == int(difference)


@pytest.mark.parametrize("name", PLAYERS)
def test_fingerprint_of_a_thousand_games(name: str) -> None:
    digest = hashlib.sha256()
    for batch in _match(name, 500).batches(record=True):
        assert batch.moves is not None
        digest.update(batch.moves.tobytes())
    assert digest.hexdigest()[:16] == FINGERPRINTS[name]


def test_the_build_under_test_is_the_one_asked_for() -> None:
    """each_core.py runs these tests on every core of a wheel; all others run on one for this machine."""
    expected = os.environ.get("OUTFLANK_EXPECT", "native")
    assert expected == _core.VARIANT
    if expected != "native" and platform.machine() in ("x86_64", "AMD64"):
        built_for = {"portable": "any machine", "avx2": "AVX2", "avx512": "AVX-512"}
        assert _core.tuned_for() == built_for[expected]
    elif Path("/proc/cpuinfo").exists() and platform.machine() == "x86_64":
        flags = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
        level = "AVX-512" if "avx512vl" in flags else "AVX2" if "avx2" in flags else "any machine"
        assert _core.tuned_for() == level
    else:
        pytest.skip("what this machine has is not known")


def test_the_golden_file_holds_two_games_of_every_player() -> None:
    names = [line.split()[0] for line in GAMES.read_text().splitlines() if not line.startswith("#")]
    assert sorted(names) == sorted([*PLAYERS, *PLAYERS])
    assert PLAYERS.keys() == FINGERPRINTS.keys()
