"""Every example in docstrings and in the README is run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import shlex
from pathlib import Path

import pytest

import outflank
from tests.conftest import ROOT
from tests.conftest import Outflank as Run

README = (ROOT / "README.md").read_text()
MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(outflank.__path__, "outflank.")
    if "_core" not in name and ".peers" not in name
]


@pytest.mark.parametrize("name", ["outflank", *MODULES])
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def _blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("block", _blocks("python"))
def test_readme_python(block: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
                       tmp_path: Path) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    assert capsys.readouterr().out


COMMANDS = [
    line.removeprefix("$ outflank")
    for block in _blocks("console")
    for line in block.splitlines()
    if line.startswith("$ outflank") and " bench" not in line  # that one takes a minute
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all commands: a later one uses what an earlier one made."""
    made = tmp_path_factory.mktemp("readme")
    (made / "my.player").write_text(" ".join(["0.5"] * 64))
    return made


@pytest.mark.parametrize("line", COMMANDS)
def test_readme_commands(line: str, outflank: Run, folder: Path) -> None:
    arguments = shlex.split(line, comments=True)
    if arguments[0] in ("score", "match") and "--double-games" not in arguments:
        arguments += ["--double-games", "200"]
    if "../shared" in line and not (ROOT.parent / "shared").is_dir():
        pytest.skip("../shared is not there")
    arguments = [argument.replace("../shared", str(ROOT.parent / "shared")) for argument in arguments]
    result = outflank(*arguments, cwd=folder)
    assert result.returncode == 0, result.stderr


def test_readme_has_examples() -> None:
    assert _blocks("python")
    assert COMMANDS
