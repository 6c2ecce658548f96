"""Runs that earlier code began are resumed and end with the same bytes.

old_runs/ holds two small runs of commit 8168bcc, each interrupted (td, evolution) and uninterrupted
(td-finished, evolution-finished).
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from outflank import create_run, load_player, open_run
from outflank.learners.runs.folder import RunFolder, run_state
from tests.learners.runs.test_runs import contents

OLD_RUNS = Path(__file__).parent / "old_runs"


def as_learned(run: Path) -> dict[str, object]:
    """All that is learned; the intervals of measured scores are worked out anew by each version, and players
    say which version wrote them."""
    found = contents(run)
    for name in ("best.safetensors", "last.safetensors"):
        found[name] = load_player(run / name)
    log = found["log"]
    assert isinstance(log, list)
    intervals = ("ci95", "best_ci95")
    return found | {"log": [{k: v for k, v in entry.items() if k not in intervals} for entry in log]}


@pytest.mark.parametrize("name", ["td", "evolution"])
def test_an_old_run_is_resumed(name: str, tmp_path: Path) -> None:
    finished = OLD_RUNS / f"{name}-finished"
    resumed = tmp_path / "resumed"
    shutil.copytree(OLD_RUNS / name, resumed)
    assert not open_run(resumed).is_finished
    settings, seed = RunFolder.open(finished).settings()
    for run in (open_run(resumed), create_run(tmp_path / "new", settings, seed)):
        for _ in run.steps():
            pass
    assert as_learned(resumed) == as_learned(finished)
    assert as_learned(tmp_path / "new") == as_learned(finished)
    assert run_state("resumed", resumed).state == "finished"
