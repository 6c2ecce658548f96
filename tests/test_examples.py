"""Notebooks and examples run as they are; tests/test_documentation.py runs the commands of their README."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from outflank import Match, named_player, write_games
from outflank.games.game import GameRecord
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
LARGEST_NOTEBOOK = 350_000  # bytes, with the outputs that are stored in it


def test_a_network_is_trained_and_exported(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    games = Match("all-2", "random", double_games=5).games()
    write_games([GameRecord(game) for game in games], tmp_path / "games.txt")
    script = EXAMPLES / "train_onnx.py"
    command = [sys.executable, str(script), "games.txt", "net.onnx", "--epochs", "1"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=240)
    player = named_player(f"{tmp_path}/net.onnx")
    assert player.notes == ()  # type: ignore[union-attr]
    assert Match(player, "random", double_games=2).play().games == 4


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path) -> None:
    """With fewer games, where a cell has a number of double games to play; in a process of its own."""
    if "torch" in path.read_text(encoding="utf-8"):
        pytest.importorskip("torch", reason="the notebook needs PyTorch")
    pytest.importorskip("nbconvert")
    text = path.read_text(encoding="utf-8").replace("DOUBLE_GAMES = 100", "DOUBLE_GAMES = 10")
    copy = tmp_path / path.name
    copy.write_text(text)
    command = ["-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", copy.name]
    result = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-4000:]
    assert _figures(copy) == _figures(path)


def _figures(path: Path) -> int:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return sum("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_small_and_clean(path: Path) -> None:
    """`make notebooks` stores what they show; no error, no path of the machine that ran them."""
    text = path.read_text(encoding="utf-8")
    cells = json.loads(text)["cells"]
    assert path.stat().st_size < LARGEST_NOTEBOOK
    assert cells[0]["cell_type"] == "markdown"
    assert "".join(cells[0]["source"]).startswith("# ")
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        assert cell["metadata"] == {}
        assert all(output["output_type"] != "error" for output in cell["outputs"])
    assert "/home/" not in text
    assert "/work/" not in text


def test_the_readme_lists_all_examples() -> None:
    listed = (EXAMPLES / "README.md").read_text()
    files = [*EXAMPLES.glob("*.py"), *NOTEBOOKS]
    assert [file.name for file in files if f"]({file.name})" not in listed] == []
    for script in EXAMPLES.glob("*.py"):
        assert ast.get_docstring(ast.parse(script.read_text())), script.name
