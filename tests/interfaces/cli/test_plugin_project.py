"""The template project, installed as anybody would, through every command that takes a plug-in's name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT, Outflank

PROJECT = ROOT / "examples" / "plugin"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A working folder; the project is installed where Python finds it."""
    source, site = (tmp_path_factory.mktemp(name) for name in ("source", "site"))
    shutil.copytree(PROJECT, source / "plugin")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    options = ["--no-deps", "--no-build-isolation", "--target", str(site)]
    subprocess.run([*pip, *options, str(source / "plugin")], check=True, timeout=240)
    working = tmp_path_factory.mktemp("working")
    for name in ("mine.toml", "learn.toml"):
        shutil.copy(PROJECT / name, working)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)
        yield working


def test_score(folder: Path, outflank: Outflank) -> None:
    names = ("mine:corners", "my-corners", "my-mobility", "my-regions")
    result = outflank("score", *names, "--double-games", 2, "--json", cwd=folder)
    assert result.returncode == 0, result.stderr
    reports = json.loads(result.stdout)
    assert [report["player"] for report in reports] == list(names)
    assert reports[0]["wins"] == reports[1]["wins"]
    assert "did you mean my-corners" in outflank("score", "my-corner", cwd=folder).stderr


def test_match(folder: Path, outflank: Outflank) -> None:
    result = outflank(
        "match", "mine:Mobility", "my-corners,depth=2", "--double-games", 2, "--json", cwd=folder
    )
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert (report["player"], report["opponent"]) == ("mine:Mobility", "my-corners,depth=2")


def test_tournament(folder: Path, outflank: Outflank) -> None:
    command = ("tournament", "mine:corners,depth=2", "mine:Mobility", "all-2", "--double-games", 1, "--json")
    result = outflank(*command, "--out", "t", cwd=folder)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["partial"] is False
    stored = json.loads((folder / "t" / "tournament.json").read_text())["players"]
    assert len(stored["mine:Mobility"]["mine:Mobility"]) == 64  # the digest of its code


def test_engine(folder: Path) -> None:
    command = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()"]
    result = subprocess.run(
        [*command, "engine", "mine:Mobility"], input="genmove black\nquit\n", cwd=folder, timeout=120,
        capture_output=True, text=True,
    )  # fmt: skip
    assert result.stdout.startswith("= D3"), result.stderr


def test_analyze(folder: Path, outflank: Outflank) -> None:
    for player in ("mine:Mobility", "mine:corners,depth=2"):
        result = outflank("analyze", "f5d6c3", "--player", player, "--json", cwd=folder)
        assert result.returncode == 0, result.stderr
        report = json.loads(result.stdout)
        assert (report["player"], len(report["moves"])) == (player, 3)


def test_rate(folder: Path, outflank: Outflank) -> None:
    """An own evaluator and an own player, each against rungs of the ladder."""
    names = ("my-corners", "mine:Mobility")
    result = outflank("rate", *names, "--within", 300, "--json", cwd=folder)
    assert result.returncode == 0, result.stderr
    assert [rated["player"] for rated in json.loads(result.stdout)] == list(names)
    assert outflank("rate", "mine:Mobilty", cwd=folder).returncode == 2


def test_learn(folder: Path, outflank: Outflank) -> None:
    """An own optimiser, measure and evaluator; killed and resumed, the run ends with the same bytes."""
    quick = ("--set", "measure_double_games=2", "--set", "population=4")
    whole = outflank("learn", "learn.toml", "--out", "whole", *quick, cwd=folder)
    assert whole.returncode == 0, whole.stderr
    assert "outflank score mine:Regions,weights=whole/best.safetensors\n" in whole.stdout
    settings = (folder / "whole" / "settings.toml").read_text()
    assert 'method = "mine:Ga"' in settings
    assert 'optimiser_options = { "step" = 0.3 }' in settings
    shutil.copytree(folder / "whole", folder / "again")
    (folder / "again" / "checkpoint.safetensors").unlink()  # as if killed before the first generation ended
    resumed = outflank("resume", "again", cwd=folder)
    assert resumed.returncode == 0, resumed.stderr
    for name in ("best.safetensors", "last.safetensors", "checkpoint.safetensors"):
        assert (folder / "whole" / name).read_bytes() == (folder / "again" / name).read_bytes()
    file = "whole/best.safetensors"
    learned = outflank("score", f"mine:Regions,weights={file}", "--double-games", 2, "--json", cwd=folder)
    assert learned.returncode == 0, learned.stderr
    alone = outflank("score", file, cwd=folder)
    assert alone.returncode == 2
    assert "weights of the plug-in mine:Regions" in alone.stderr


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (("optimiser=mine:corners",), "mine:corners failed: TypeError"),
        (("optimiser=mine:Gaa",), "'Gaa' is not a name in mine; did you mean Ga?"),
        (("optimiser=evolution-strateg",), "is not a method; did you mean evolution-strategy?"),
        (("optimiser_options={stepp = 1}",), "mine:Ga failed: TypeError"),
        (("optimiser_options=3",), "optimiser_options must be a table of options"),
        (("sigma=1",), "sigma means nothing to mine:Ga"),
        (("fitness=mine:Mobility",), "mine:Mobility failed: TypeError"),
        (("evaluator=mine:corners",), "no weights to learn"),
        (("td_games=5",), "is written in Python, which td_games cannot use"),
        (("watch=all-2",), "is written in Python, which watch cannot use"),
    ],
)
def test_what_cannot_learn_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch, changes: tuple[str, ...], message: str
) -> None:
    from outflank import create_run
    from outflank.learners.runs.settings import load_preset, parse_changes

    monkeypatch.setattr(sys, "path", [str(PROJECT / "src"), *sys.path])
    monkeypatch.chdir(folder)
    Path("bad.toml").write_text(
        Path("learn.toml").read_text(encoding="utf-8").replace('optimiser = "mine:Ga"\n', ""),
        encoding="utf-8",
    )
    given = {"optimiser": "mine:Ga"} | parse_changes(changes)
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        create_run(Path("never"), load_preset("bad.toml", given).settings, 1)
    assert not Path("never").exists()


UNSAFE = """
import numpy as np
from mine import Ga

class Forgets(Ga):
    def state(self):
        return {"rows": self._rows}
    def restore(self, state):
        self._rows = state["rows"]

class Draws(Ga):
    def ask(self):
        return np.random.default_rng().normal(size=self._rows.shape)

class Mixes(Ga):
    def restore(self, state):
        super().restore(state)
        self._seed += 1

class Flat(Ga):
    def ask(self):
        return np.zeros(4)

class Lists(Ga):
    def state(self):
        return [self._rows]

class Words(Ga):
    def state(self):
        return super().state() | {"name": "Ga"}

class Strict(Ga):
    def restore(self, state):
        self._seed = state["seed"]
"""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Forgets", "generation must count the tells, restored or not: after one it is 1, and 0 restored"),
        ("Draws", "asked twice, ask() must return the same"),
        ("Mixes", "restored from state(), ask() returns other weights"),
        ("Flat", "ask() must return an array with rows of 4 weights, got one of shape (4,)"),
        ("Lists", "state() must return a dictionary of arrays, got list"),
        ("Words", "state() must return arrays of numbers, but 'name' holds <U2"),
        ("Strict", "KeyError: 'seed' (unsafe.py, line "),
    ],
)
def test_a_run_that_could_not_be_resumed_is_not_begun(
    folder: Path, outflank: Outflank, name: str, message: str
) -> None:
    (folder / "unsafe.py").write_text(UNSAFE)
    refused = outflank("learn", "learn.toml", "--set", f"optimiser=unsafe:{name}", "--out", name, cwd=folder)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert refused.stderr.startswith(f"outflank: unsafe:{name} failed: ")
    assert message in refused.stderr
    assert not (folder / name).exists()


def test_what_holds_data_takes_no_plug_in(folder: Path, outflank: Outflank) -> None:
    for command, message in (
        (("page", "mine:corners", "--out", "p"), "mine:corners is a plug-in, which is code"),
        (("serve", "--with", "mine:corners", "--port", 0), "mine:corners is a plug-in, which is code"),
        (("convert", "mine:Regions", "r.onnx"), "mine:Regions is written in Python: it has no weights that"),
        (("show", "my-corners"), "my-corners is written in Python: it has no weights that"),
    ):
        refused = outflank(*command, cwd=folder)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.startswith(f"outflank: {message}")


def test_reproduce(folder: Path, outflank: Outflank) -> None:
    for procedure in ("mine.study:depths", "my-depths"):
        text = (folder / "mine.toml").read_text().replace("mine.study:depths", procedure)
        (folder / "own.toml").write_text(text)
        result = outflank("reproduce", "own.toml", "--scale", "quick", "--json", cwd=folder)
        assert result.returncode == 0, result.stderr
        assert "score at 2" in result.stdout
    (folder / "own.toml").write_text(text.replace("my-depths", "mine.study:depth"))
    wrong = outflank("reproduce", "own.toml", "--scale", "quick", cwd=folder)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "did you mean depths?" in wrong.stderr
