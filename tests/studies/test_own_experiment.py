"""An experiment outside the package learns an evaluator of its own: anew when its code changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Outflank

EVALUATOR = """
import numpy as np
from outflank import WeightedEvaluator

FACTOR = 1.0

class Brain(WeightedEvaluator):
    description = "discs and corners"
    architecture = {"kind": "brain"}
    def __init__(self, weights=None):
        super().__init__(weights, 2)
    def with_weights(self, weights):
        return Brain(weights)
    def values(self, black, white):
        corners = np.uint64(0x8100000000000081)
        sides = [np.stack([np.bitwise_count(discs), np.bitwise_count(discs & corners)], axis=1).astype(float)
                 for discs in (black, white)]
        return FACTOR * (sides[0] - sides[1]) @ self.weights
"""
STUDY = """
from outflank import named_player
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Measured, Outcome

def learned(lab: Laboratory) -> Outcome:
    run, = lab.learn("learn.toml", {"generations": lab.settings["generations"]})
    player = run.player("best", "depth=2", name="learned")
    tally = lab.match("learned", player, named_player("random"), double_games=2)
    with open("measured", "a", encoding="utf-8") as file:
        lab.cached("counted", lambda: file.write("x"))
    return Outcome({"score": Measured(tally.score, tally.ci95)})
"""
LEARN = """
evaluator = "brain:Brain"
method = "evolution-strategy"
parents = 1
offspring = 2
generations = 9
double_games = 2
measure_every = 1
measure_double_games = 2
"""
EXPERIMENT = """
title = "An evaluator of our own learns"
source = "a question of our own"
procedure = "study:learned"
about = "Brain, against random moves."
[settings]
generations = 1
[scales]
quick = {}
standard = {}
paper = {}
[[rows]]
key = "score"
what = "score against random moves"
paper = 0.5
error = 0.5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project, and beside it the folder in which one works."""
    files = {"brain.py": EVALUATOR, "study.py": STUDY, "learn.toml": LEARN, "mine.toml": EXPERIMENT}
    (tmp_path / "project").mkdir()
    for name, text in files.items():
        (tmp_path / "project" / name).write_text(text, encoding="utf-8")
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def _reproduced(outflank: Outflank, folder: Path) -> tuple[dict[str, Any], int, int]:
    """The report, how many runs have been learned so far, and how often the part was worked out."""
    result = outflank(
        "reproduce", "../project/mine.toml", "--scale", "quick", "--out", "out", "--json", cwd=folder
    )
    assert result.returncode == 0, result.stderr
    runs = list((folder / "out" / "quick" / "runs").glob("*/seed-1"))
    return json.loads(result.stdout)["results"][0], len(runs), len((folder / "measured").read_text())


def test_a_run_of_an_own_evaluator_is_learned_anew_when_its_code_changes(
    folder: Path, outflank: Outflank
) -> None:
    first, runs, measured = _reproduced(outflank, folder)
    assert (runs, measured) == (1, 1)
    made = next(folder.rglob("seed-1/best.safetensors")).stat().st_mtime_ns
    again, runs, measured = _reproduced(outflank, folder)
    assert (runs, measured, again["findings"]) == (1, 1, first["findings"])
    assert next(folder.rglob("seed-1/best.safetensors")).stat().st_mtime_ns == made

    evaluator = folder.parent / "project" / "brain.py"
    evaluator.write_text(EVALUATOR.replace("FACTOR = 1.0", "FACTOR = -1.0"), encoding="utf-8")
    _, runs, measured = _reproduced(outflank, folder)
    assert (runs, measured) == (2, 1)  # the study's own code is the same

    study = folder.parent / "project" / "study.py"
    study.write_text(f"{STUDY}\n# counted otherwise\n", encoding="utf-8")
    _, runs, measured = _reproduced(outflank, folder)
    assert (runs, measured) == (2, 2)
