"""`learn --tensorboard`: the event files say what the log says, after a resume too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from outflank.interfaces.cli.learning import event_files
from tests.conftest import Outflank

accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")


def curves(run: Path) -> dict[str, list[tuple[int, float]]]:
    found: Any = accumulator.EventAccumulator(str(run / "tensorboard"), size_guidance={"scalars": 0})
    found.Reload()
    return {tag: [(e.step, e.value) for e in found.Scalars(tag)] for tag in found.Tags()["scalars"]}


def logged(run: Path, key: str) -> list[tuple[int, Any]]:
    from outflank.learners.runs.folder import RunFolder

    entries = [entry for entry in RunFolder(run).log() if entry.get(key) is not None]
    return [(entry["games"], pytest.approx(entry[key])) for entry in entries]


def test_event_files_are_the_log(outflank: Outflank, tmp_path: Path) -> None:
    settings = ("--set=games=2000", "--set=measure_every=1000", "--set=measure_double_games=20")
    made = outflank("learn", "all-2", *settings, "--tensorboard", "--out=run", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    found = curves(tmp_path / "run")
    assert found["score"] == logged(tmp_path / "run", "score")
    assert found["loss"] == logged(tmp_path / "run", "loss")
    assert len(found["ci95/low"]) == len(found["score"]) > 2
    resumed = outflank("resume", "run", "--tensorboard", cwd=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    assert curves(tmp_path / "run") == found


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_files, "find_spec", lambda _: None)
    with pytest.raises(ValueError, match=r"pip install 'outflank\[tensorboard\]'"):
        event_files.check_event_files()
