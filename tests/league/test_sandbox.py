"""Temporary folders: those of killed processes are removed, those of living ones never."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outflank.league import sandbox
from outflank.league.sandbox import remove_left_behind, scratch_folder

HOLDER = """
import sys
from outflank.league.sandbox import scratch_folder
with scratch_folder() as folder:
    (folder / "player").write_text("content")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(sandbox, "_ours", {})
    return tmp_path


def holder() -> tuple[subprocess.Popen[str], Path]:
    """A process that has a folder until its input ends."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True)  # fmt: skip
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def ended(process: subprocess.Popen[str]) -> None:
    process.communicate()


def test_what_a_killed_process_left_is_removed(temporary: Path) -> None:
    living, kept = holder()
    killed, left = holder()
    assert remove_left_behind() == 0  # both live
    killed.kill()
    ended(killed)
    assert left.is_dir()
    assert remove_left_behind() == 1
    assert not left.parent.exists()
    assert (kept / "player").read_text() == "content"
    ended(living)
    assert list(temporary.iterdir()) == []  # whoever ends in order leaves nothing


def test_a_process_removes_what_others_left_when_it_needs_a_folder_itself(temporary: Path) -> None:
    killed, left = holder()
    killed.kill()
    ended(killed)
    with scratch_folder() as ours:
        assert not left.exists()
        assert remove_left_behind() == 0
        assert ours.is_dir()
    assert len(list(temporary.iterdir())) == 1  # this process's own, until it ends


def test_only_folders_of_ours_are_removed(temporary: Path) -> None:
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "lock").touch()
    (temporary / "outflank-link").symlink_to(elsewhere)
    (temporary / "outflank-file").write_text("a file")
    (temporary / "outflank-new").mkdir()
    old = temporary / "outflank-old"
    old.mkdir()
    long_ago = time.time() - 2 * sandbox.UNLOCKED_SECONDS
    os.utime(old, (long_ago, long_ago))
    assert remove_left_behind() == 1
    assert sorted(path.name for path in temporary.iterdir()) == [
        "elsewhere", "outflank-file", "outflank-link", "outflank-new",
    ]  # fmt: skip


def test_a_folder_that_somebody_swept_away_is_made_again(temporary: Path) -> None:
    with scratch_folder() as first:
        pass
    (first.parent / "lock").unlink()
    first.parent.rmdir()
    with scratch_folder() as second:
        assert second.is_dir()
        assert second.parent.parent == temporary
