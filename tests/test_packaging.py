"""What is released: the source distribution, the workflows that build and publish, the cores of a wheel."""

from __future__ import annotations

import ast
import importlib.util
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from outflank import _core, _cpu, core_variants
from outflank.core_variants import NATIVE, SWITCH, chosen
from tests.conftest import ROOT, Outflank

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WHEEL = ["portable", "avx2", "avx512"]


def _run(*command: str | Path) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _tracked(*folders: str) -> set[str]:
    listed = _run("git", "ls-files", "--cached", "--others", "--exclude-standard", *folders)
    return {name for name in listed.splitlines() if (ROOT / name).exists()}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_the_source_distribution_holds_all_that_is_needed(tmp_path: Path) -> None:
    _run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path, ROOT)
    (archive,) = tmp_path.iterdir()
    with tarfile.open(archive) as sources:
        held = {name.partition("/")[2] for name in sources.getnames()}
    needed = _tracked("src", "core", "bindings", "tests", "examples") | {
        "CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md",
    }  # fmt: skip
    assert needed <= held
    assert held - _tracked() == {"PKG-INFO"}  # nothing that was made here


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_a_wheel_holds_the_whole_package(tmp_path: Path) -> None:
    """Without its extensions, which take minutes to build; test_wheel.py has the whole."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-C", "wheel.cmake=false"]
    _run(*build, "--outdir", tmp_path, ROOT)
    (file,) = tmp_path.iterdir()
    with zipfile.ZipFile(file) as wheel:
        held = {name for name in wheel.namelist() if name.startswith("outflank/")}
    assert held == {name.removeprefix("src/") for name in _tracked("src/outflank")}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflows(workflow: Path) -> None:
    """By the schema that GitHub publishes; their targets of make and their paths exist."""
    _run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", workflow)
    text = workflow.read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = set(re.findall(r"run: make ([\w-]+)", text))
    called |= {name for listed in re.findall(r"target: \[(.*)\]", text) for name in listed.split(", ")}
    assert called <= targets
    for path in re.findall(r"(?:\./|python )(\.github/[\w./-]+)", text):
        assert (ROOT / path).exists(), path


def test_wheels_are_configured_for_every_system() -> None:
    """cibuildwheel reads its part of pyproject.toml."""
    for platform, architecture, wheels in [
        ("linux", "x86_64", "manylinux_x86_64"),
        ("linux", "aarch64", "manylinux_aarch64"),
        ("macos", "arm64", "macosx_arm64"),
        ("windows", "AMD64", "win_amd64"),
    ]:
        command = ["-m", "cibuildwheel", "--print-build-identifiers", "--platform", platform]
        listed = _run(sys.executable, *command, "--archs", architecture).split()
        assert listed == [f"cp3{minor}-{wheels}" for minor in (11, 12)]


def test_a_release_needs_one_version_everywhere(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("release_notes", ROOT / ".github" / "release_notes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for file in [*module.VERSIONS, "CHANGELOG.md"]:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    with pytest.raises(ValueError, match=r"the tag is v9\.9\.9, but pyproject\.toml says 0"):
        module.release_notes("v9.9.9", tmp_path)
    changes = (tmp_path / "CHANGELOG.md").read_text()
    tag = "v" + _run(sys.executable, "-c", "import outflank; print(outflank.__version__)").strip()
    (tmp_path / "CHANGELOG.md").write_text(changes.replace("[Unreleased]", f"[{tag[1:]}] - 2027-01-01"))
    assert module.release_notes(tag, tmp_path).startswith("### Added")


def test_text_is_read_and_written_as_utf_8() -> None:
    """Windows has another encoding by default. (The linter's rule knows fewer calls.)"""
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("read_text", "write_text"):
                named = {keyword.arg for keyword in node.keywords}
                assert "encoding" in named, f"{path}, line {node.lineno}: which encoding?"


def test_the_best_core_that_a_machine_can_run() -> None:
    assert [chosen(WHEEL, level) for level in range(5)] == [
        "portable", "portable", "portable", "avx2", "avx512",
    ]  # fmt: skip
    assert chosen(["portable"], machine_level=0) == "portable"  # on ARM
    assert chosen([NATIVE], machine_level=4, native_level=4) == NATIVE
    for wanted in WHEEL:
        assert chosen(WHEEL, 4, wanted) == wanted


@pytest.mark.parametrize(
    ("present", "level", "wanted", "sentence"),
    [
        (WHEEL, 3, "avx512", "=avx512 needs AVX-512, which this machine lacks; unset it, or use portable or"),
        (WHEEL, 1, "avx2", "=avx2 needs AVX2, which this machine lacks; unset it, or use portable"),
        (WHEEL, 4, "sse", "=sse is not a core of this wheel; unset it, or use portable or avx2 or avx512"),
        ([NATIVE], 4, "avx2", "=avx2 is not there: outflank was built from source, for this machine alone; "),
        ([NATIVE], 3, "", "outflank was built for a machine with AVX-512, which this one lacks; install"),
    ],
)  # fmt: skip
def test_cores_that_cannot_be_had(present: list[str], level: int, wanted: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        chosen(present, level, wanted, native_level=4)


def test_the_level_of_this_machine() -> None:
    """As Linux lists its features, which leaves out those whose registers it does not save."""
    if not Path("/proc/cpuinfo").exists() or _cpu.x86_64_level() == 0:
        pytest.skip("not Linux on x86-64")
    flags = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    v3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave", "sse4_2", "popcnt", "cx16"}
    v4 = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
    assert _cpu.x86_64_level() == (4 if v3 | v4 <= flags else 3 if v3 <= flags else 1)


def test_a_build_from_source_has_one_core(outflank: Outflank, monkeypatch: pytest.MonkeyPatch) -> None:
    if core_variants.installed() != (NATIVE,):
        pytest.skip("this is a wheel")
    assert outflank("--version").stdout.rstrip().endswith(f"(core: native, {_core.tuned_for()})")
    monkeypatch.setenv(SWITCH, "portable")
    refused = outflank("score", "all-2")
    assert refused.returncode == 2
    assert refused.stderr.startswith("outflank: OUTFLANK_CORE=portable is not there: outflank was built from")
    assert refused.stderr.count("\n") == 1
