"""The wheel as others get it: in an environment of its own, without a compiler. Run by `make test-wheel`."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from outflank import _cpu
from outflank.core_variants import LEVELS
from tests.conftest import ROOT

WHEEL = os.environ.get("OUTFLANK_WHEEL")
TOOLS = ["hypothesis", "psutil", "pytest", "pytest-timeout"]
CORES = list(LEVELS) if platform.machine() in ("x86_64", "AMD64") else ["portable"]

pytestmark = pytest.mark.skipif(WHEEL is None, reason="no wheel: make test-wheel builds one")


class Environment:
    """A virtual environment with the wheel. Its programs see no others, so there is no compiler."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        self.bin = folder / "bin"
        self.variables = {
            name: value for name, value in os.environ.items() if not name.startswith(("OUTFLANK", "PYTHON"))
        } | {"PATH": str(self.bin)}

    def run(self, program: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.bin / program, *arguments],
            env={**self.variables, **variables},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

    def install(self, *what: str) -> None:
        done = self.run("python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *what)
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    assert WHEEL is not None
    environment = Environment(tmp_path_factory.mktemp("wheel") / "environment")
    start = time.perf_counter()
    environment.install(WHEEL)
    print(f"installed with its dependencies in {time.perf_counter() - start:.1f} s")
    environment.install(*TOOLS)
    which = "import shutil; print([shutil.which(name) for name in ('cc', 'c++', 'gcc', 'clang', 'cmake')])"
    assert environment.run("python", "-c", which).stdout.split() == ["[None,", *["None,"] * 3, "None]"]
    return environment


def test_the_wheel_holds_all_of_the_package_and_nothing_else() -> None:
    assert WHEEL is not None
    with zipfile.ZipFile(WHEEL) as wheel:
        held = {name for name in wheel.namelist() if name.startswith("outflank/") and name[-1] != "/"}
    extensions = {name for name in held if name.endswith((".so", ".pyd"))}
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src/outflank"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert held - extensions == {name.removeprefix("src/") for name in tracked.stdout.splitlines()}
    expected = ["_cpu", *(f"_core_{core}" for core in CORES)]
    assert sorted(Path(name).name.partition(".")[0] for name in extensions) == sorted(expected)


def test_the_wheel_runs_on_systems_of_others() -> None:
    """Its tag promises a C library, not this machine's."""
    assert WHEEL is not None
    assert "manylinux" in Path(WHEEL).name or sys.platform != "linux"


def test_the_version_names_the_core(environment: Environment) -> None:
    best = [core for core in CORES if LEVELS[core] <= _cpu.x86_64_level()][-1]
    default = environment.run("outflank", "--version").stdout
    assert default.endswith(f"(core: {best} of {', '.join(CORES)})\n")
    portable = environment.run("outflank", "--version", OUTFLANK_CORE="Portable").stdout
    assert portable == default.replace(f"core: {best}", "core: portable")


def test_an_unknown_core_is_refused_in_a_sentence(environment: Environment) -> None:
    refused = environment.run("outflank", "score", "all-2", OUTFLANK_CORE="avx3")
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        "outflank: OUTFLANK_CORE=avx3 is not a core of this wheel; unset it, or use portable"
    )
    assert refused.stderr.count("\n") == 1


def test_the_published_score(environment: Environment) -> None:
    """All-2's score of 0.9592 (Jaskowski 2014), by every core to the last digit."""
    scores = set()
    for core in [core for core in CORES if LEVELS[core] <= _cpu.x86_64_level()]:
        done = environment.run("outflank", "score", "all-2", "--json", OUTFLANK_CORE=core)
        scores.add(json.loads(done.stdout)["score"])
    assert len(scores) == 1
    assert scores.pop() == pytest.approx(0.9592, abs=0.002)


def test_the_same_games_on_every_core(environment: Environment) -> None:
    done = environment.run("python", "-m", "tests.golden.each_core")
    assert done.returncode == 0, done.stdout + done.stderr
    # The slow twins take long on a busy machine.
    command = ("python", "-m", "pytest", "tests/contracts", "--timeout", "1200")
    contracts = environment.run(*command, OUTFLANK_CORE="portable", OUTFLANK_EXPECT="portable")
    assert contracts.returncode == 0, contracts.stdout
