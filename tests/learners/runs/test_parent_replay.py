from pathlib import Path

import numpy as np
import pytest

from outflank import create_run, open_run
from outflank.learners.runs.evolution_run import EvolutionRun
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.parent_replay import earlier_parents
from outflank.learners.runs.settings import load_preset, parse_changes
from tests.learners.runs.test_runs import contents

QUICKLY = ["depth=1", "watch=[]", "measure_double_games=1"]


def evolved(path: Path, *changes: str, preset: str = "chong-2003") -> EvolutionRun:
    settings = load_preset(preset, parse_changes(changes)).settings
    assert isinstance(settings, EvolutionSettings)
    run = EvolutionRun.create(path, settings, seed=3)
    for _ in run.steps():
        pass
    return run


def test_parents_of_an_earlier_generation_are_those_that_a_shorter_run_ends_with(tmp_path: Path) -> None:
    longer = evolved(tmp_path / "longer", "generations=4", *QUICKLY)
    shorter = evolved(tmp_path / "shorter", "generations=2", *QUICKLY)
    found = earlier_parents(longer.folder, [2, 4])
    assert np.array_equal(found[2], shorter.optimiser.parents)
    assert np.array_equal(found[4], longer.optimiser.parents)
    assert not np.array_equal(found[2], found[4])


def test_strategies_that_draw_their_parents_are_found_again_too(tmp_path: Path) -> None:
    run = evolved(
        tmp_path / "run", "generations=3", "double_games=1", "measure_double_games=1",
        preset="jaskowski-2014-all-2",
    )  # fmt: skip
    assert np.array_equal(earlier_parents(run.folder, [3])[3], run.optimiser.parents)


def test_a_generation_that_is_not_there_is_refused(tmp_path: Path) -> None:
    run = evolved(tmp_path / "run", "generations=1", *QUICKLY)
    with pytest.raises(ValueError, match="generations 1 to 1"):
        earlier_parents(run.folder, [2])


def test_a_log_that_does_not_record_who_survived_is_refused(tmp_path: Path) -> None:
    run = evolved(tmp_path / "run", "generations=1", *QUICKLY)
    run.folder.rewrite_log(
        [{key: value for key, value in e.items() if key != "kept"} for e in run.folder.log()]
    )
    with pytest.raises(ValueError, match="who survived"):
        earlier_parents(run.folder, [1])


def test_other_searches_are_refused(tmp_path: Path) -> None:
    settings = load_preset("all-2-evolved").settings
    folder = RunFolder.create(tmp_path / "run", settings, seed=1)
    with pytest.raises(ValueError, match="self-adaptive or evolution-strategy"):
        earlier_parents(folder, [1])


@pytest.mark.parametrize("preset", ["chong-2003", "jaskowski-2014-all-2"])
def test_a_run_without_its_checkpoint_goes_on_from_its_log(preset: str, tmp_path: Path) -> None:
    small: dict[str, object] = {
        "generations": 6,
        "parents": 3,
        "offspring": 3,
        "measure_every": 2,
        "measure_double_games": 5,
    }
    small |= {"depth": 1, "watch": []} if preset == "chong-2003" else {"double_games": 3}
    settings = load_preset(preset, small).settings
    for name, stop in (("whole", 6), ("sent", 3)):
        for step in create_run(tmp_path / name, settings, 1).steps():
            if step.done == stop:
                break
    for file in (tmp_path / "sent").glob("*.safetensors"):
        file.unlink()
    run = open_run(tmp_path / "sent")
    assert run.done == 3
    assert (tmp_path / "sent" / "best.safetensors").is_file()
    for _ in run.steps():
        pass
    assert contents(tmp_path / "sent") == contents(tmp_path / "whole")
