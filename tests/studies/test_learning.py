"""Runs that stop at a share of their length, travel to workers, and end with the same bytes all the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from outflank.learners.execution.executor import Executor, executor_for
from outflank.learners.runs.parallel_runs import create_run, open_run
from outflank.learners.runs.settings import load_preset
from outflank.studies import learning
from outflank.studies.experiment import Experiment, find_experiments
from outflank.studies.jaskowski_2014.architectures import evolved, performances
from outflank.studies.laboratory import Laboratory
from outflank.studies.learning import Parcel, UpTo, advance, progress
from outflank.studies.report import paper_report
from outflank.studies.results import reproduce

TD = ("piece-counter", {"games": 3_000, "measure_every": 500, "measure_double_games": 5})
EVOLUTION = (
    "jaskowski-2014-all-2",
    {"generations": 12, "double_games": 2, "measure_every": 4, "measure_double_games": 5},
)
HYBRID = (
    "kim-2007-hybrid",
    {"seed_games": 300, "generations": 4, "population": 6, "double_games": 5, "measure_double_games": 5},
)
KINDS = pytest.mark.parametrize(
    ("preset", "changes"), [TD, EVOLUTION, HYBRID], ids=["td", "evolution", "hybrid"]
)
PLAYERS = ("last.safetensors", "best.safetensors")


def whole(path: Path, preset: str, changes: dict[str, Any]) -> Path:
    run = create_run(path, load_preset(preset, changes).settings, seed=3)
    for _ in run.steps():
        pass
    return path


def same_players(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in PLAYERS)


def partial_experiment() -> Experiment:
    (found,) = find_experiments(["jaskowski-2014/all-2-in-full"])
    return found


def test_a_run_stops_at_the_first_measurement_after_its_share(tmp_path: Path) -> None:
    run = create_run(tmp_path / "run", load_preset(*EVOLUTION).settings, seed=3)
    part = UpTo(run, 0.4)  # of 12 generations: 5, and 8 is measured
    assert [step.done for step in part.steps()][-1] == 8
    assert part.is_finished
    assert progress(tmp_path / "run") == pytest.approx(8 / 12)
    assert list(UpTo(open_run(tmp_path / "run"), 0.4).steps()) == []
    assert not UpTo(open_run(tmp_path / "run"), 0.7).is_finished


@KINDS
def test_a_run_that_stopped_at_shares_is_the_whole_run(
    tmp_path: Path, preset: str, changes: dict[str, Any]
) -> None:
    create_run(tmp_path / "run", load_preset(preset, changes).settings, seed=3)
    for share in (0.1, 0.3, 0.31, 0.9, 1.0):
        for _ in UpTo(open_run(tmp_path / "run"), share).steps():
            pass
    assert progress(tmp_path / "run") == 1
    assert same_players(tmp_path / "run", whole(tmp_path / "whole", preset, changes))


@KINDS
def test_a_run_that_travels_step_by_step_is_the_whole_run(
    tmp_path: Path, preset: str, changes: dict[str, Any]
) -> None:
    create_run(tmp_path / "run", load_preset(preset, changes).settings, seed=3)
    for _ in range(200):
        parcel, _, finished = advance(0.0, Parcel.of(tmp_path / "run", 1.0))
        parcel.unpack(tmp_path / "run")
        if finished:
            break
    assert finished
    assert same_players(tmp_path / "run", whole(tmp_path / "whole", preset, changes))


def test_a_partial_result_says_so_and_is_continued(tmp_path: Path) -> None:
    experiment = partial_experiment()
    part = reproduce(Laboratory(experiment, "quick", tmp_path, share=0.3))
    assert part.made.done == pytest.approx((1 / 3, 1 / 3))
    going_on = reproduce(Laboratory(experiment, "quick", tmp_path))
    at_once = reproduce(Laboratory(experiment, "quick", tmp_path / "other"))
    assert going_on.made.done == (1, 1)
    assert going_on.outcome.findings == at_once.outcome.findings
    assert going_on.outcome.findings != part.outcome.findings


@pytest.mark.parametrize("name", ["figure-4", "figure-5", "figure-6", "table-4"])
def test_architectures_are_compared_after_equally_many_games(tmp_path: Path, name: str) -> None:
    """Also if some of their runs are further, or finished: those of all-2 are those of all-2-in-full."""
    full = reproduce(Laboratory(partial_experiment(), "quick", tmp_path, seeds=2))
    assert not full.outcome.remarks
    (experiment,) = find_experiments([f"jaskowski-2014/{name}"])
    lab = Laboratory(experiment, "quick", tmp_path, share=0.3, seeds=2)
    result = reproduce(lab)
    most = 1 / 3 if name == "figure-4" else 1.0  # it has no all-2
    assert result.made.done == pytest.approx((1 / 3, most))
    (remark,) = result.outcome.remarks
    assert "The runs are not finished: they have 33 " in remark
    assert "All are compared after the 200 games that the shortest has." in remark
    assert "--share 0.33`" in paper_report("jaskowski-2014", [result])
    if name == "table-4":
        runs = evolved(lab, ["all-2-inv", "all-3-inv"])
        for one, of_name in zip(performances(lab, runs)["all-2-inv"], runs["all-2-inv"], strict=True):
            assert one.score == next(e["score"] for e in of_name.log() if e["games"] == 200)


def test_the_last_runs_of_evolution_have_all_cores_and_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for cores in (1, 2):
        monkeypatch.setattr(learning, "available_cores", lambda cores=cores: cores)
        runs = Laboratory(partial_experiment(), "quick", tmp_path / str(cores), seeds=3).learn(*EVOLUTION)
        found.append([(run.path / name).read_bytes() for run in runs for name in PLAYERS])
    assert found[0] == found[1]


def test_only_experiments_that_can_be_are_reported_in_part(tmp_path: Path) -> None:
    (chong,) = find_experiments(["chong-2003/figure-2a"])
    with pytest.raises(ValueError, match="chong-2003/figure-2a needs whole runs"):
        Laboratory(chong, "quick", tmp_path, share=0.5)
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        Laboratory(partial_experiment(), "quick", tmp_path, share=0)


@pytest.mark.long
def test_runs_of_one_experiment_advance_together(tmp_path: Path) -> None:
    """Stopped at any time, no run is far ahead of another."""
    shares: list[list[float]] = []
    lab = Laboratory(partial_experiment(), "quick", tmp_path, share=0.5, seeds=3)
    changes = {"generations": 64, "double_games": 1, "measure_every": 1, "measure_double_games": 1}
    lab._show = lambda _: shares.append([progress(path) for path in sorted(tmp_path.glob("quick/runs/*/*"))])
    runs = lab.learn("jaskowski-2014-all-2", changes)
    assert [run.done for run in runs] == [0.5] * 3
    assert all(max(now) <= max(2 * min(now), 2 / 64) + 1 / 64 for now in shares if len(now) == 3)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Executor]:
    with executor_for("local:2") as executor:
        yield executor


@pytest.mark.parametrize(
    "name",
    [
        "lucas-2007/figure-6",  # parts that learn
        "lucas-2007/figure-10",  # TD runs and parts that play
        "kim-2007/figure-6",  # runs of evolution, and judged games
        "kim-2007/table-6",  # populations
        "chong-2003/iago",  # replayed parents
        "chong-2003/figure-2b",  # matches of searching players
        "jaskowski-2014/figure-4",  # more runs than workers
        "jaskowski-2014/expected-utility",  # games of one individual
    ],
)
def test_a_cluster_finds_the_same(tmp_path: Path, cluster: Executor, name: str) -> None:
    (experiment,) = find_experiments([name])
    here = reproduce(Laboratory(experiment, "quick", tmp_path / "here"))
    there = reproduce(Laboratory(experiment, "quick", tmp_path / "there", cluster=cluster))
    assert there.outcome == here.outcome
    for path in sorted((tmp_path / "here").rglob("*.safetensors")):
        assert path.read_bytes() == (tmp_path / "there" / path.relative_to(tmp_path / "here")).read_bytes()
