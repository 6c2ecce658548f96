"""The example scripts run as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from outflank import Match, named_player, write_games
from outflank.games.game import GameRecord
from tests.conftest import ROOT


def test_a_network_is_trained_and_exported(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    games = Match("all-2", "random", double_games=5).games()
    write_games([GameRecord(game) for game in games], tmp_path / "games.txt")
    script = ROOT / "examples" / "train_onnx.py"
    command = [sys.executable, str(script), "games.txt", "net.onnx", "--epochs", "1"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=240)
    player = named_player(f"{tmp_path}/net.onnx")
    assert player.notes == ()  # type: ignore[union-attr]
    assert Match(player, "random", double_games=2).play().games == 4
