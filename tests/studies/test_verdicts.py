"""The verdicts, and experiments as files."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from outflank.studies.experiment import Row, experiment_names, find_experiments, read_experiment
from outflank.studies.verdicts import (
    Claim,
    Measured,
    NotMeasured,
    Outcome,
    ResultFigure,
    ResultTable,
    check_complete,
    paper_interval,
    verdict,
)

WHOLE = """
title = "A table"
source = "Nobody 2000"
procedure = "lucas_2007.learning_curve:figure_9"
about = "Nothing."
[settings]
games = 5
[scales.quick]
games = 1
[scales.standard]
seeds = 3
[scales.paper]
[[rows]]
key = "a"
what = "a number"
paper = 0.0
error = 0.1
"""


@pytest.mark.parametrize(
    ("paper", "ours", "better", "expected"),
    [
        ({"exact": True}, (5.0, 5.0), None, "reproduced"),
        ({"exact": True}, (4.0, 4.0), None, "differs"),
        ({"exact": True}, (4.0, 4.0), "lower", "better"),
        ({"error": 1.0}, (6.0, 7.0), None, "reproduced"),  # they share 6
        ({"error": 1.0}, (6.5, 7.0), None, "differs"),
        ({"error": 1.0}, (6.5, 7.0), "higher", "better"),
        ({"error": 1.0}, (6.5, 7.0), "lower", "differs"),
        ({"error": 1.0}, (0.0, 10.0), "higher", "reproduced"),
        ({"ci95": (4.5, 5.5)}, (4.0, 4.4), "lower", "better"),
    ],
)
def test_a_number_is_judged_by_intervals(
    paper: dict[str, object], ours: tuple[float, float], better: str | None, expected: str
) -> None:
    row = Row.model_validate({"key": "a", "what": "a", "paper": 5.0, "better": better, **paper})
    assert verdict(row, Measured(sum(ours) / 2, ours)) == expected


def test_a_claim_holds_or_differs() -> None:
    row = Row(key="a", claim="it is so")
    assert verdict(row, Claim(True, "seen")) == "reproduced"
    assert verdict(row, Claim(False, "not seen")) == "differs"
    assert verdict(row, NotMeasured("a file")) == "not measured"


def test_a_share_of_games_has_wilsons_interval() -> None:
    low, high = paper_interval(Row(key="a", what="a", paper=0.5, games=100))
    assert (round(low, 4), round(high, 4)) == (0.4038, 0.5962)


def test_an_outcome_is_read_back_as_it_was_stored() -> None:
    outcome = Outcome(
        {"a": Measured(0.5, (0.4, 0.6), "9 games"), "b": Claim(False, "no"), "c": NotMeasured("gone")},
        [ResultFigure("a.png", "A picture.")], [ResultTable("T", ["x"], [["1"]])], ["Remarkable."],
    )  # fmt: skip
    assert Outcome.from_json(asdict(outcome)) == outcome


def test_an_experiment_is_read_with_the_scale_over_the_settings(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(WHOLE)
    (experiment,) = find_experiments([str(tmp_path / "mine.toml")])
    assert (experiment.name, experiment.paper) == ("own/mine", "own")
    assert experiment.settings("quick") == {"games": 1}
    assert (experiment.settings("paper"), experiment.seeds("standard")) == ({"games": 5}, 3)
    check_complete(experiment, Outcome({"a": Measured.exactly(0)}))
    with pytest.raises(ValueError, match="found nothing for row 'a'"):
        check_complete(experiment, Outcome())
    with pytest.raises(ValueError, match="row 'a' needs a number"):
        check_complete(experiment, Outcome({"a": Claim(True, "")}))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title =", "titel =", "title: Field required"),
        ("error = 0.1", "", "a number has one of exact, games, ci95"),
        ("error = 0.1", "error = 0.1\ngames = 5", "a number has one of exact, games, ci95"),
        ("paper = 0.0", 'claim = "so"', "a claim none"),
        ("[scales.paper]", "", "the scale paper is missing"),
        ("[scales.paper]", "[scales.huge]", "scales.huge"),
        ("[[rows]]", "[rows]", "rows: Input should be a valid list"),
        ("title =", "title", "is not TOML"),
        ('procedure = "lucas', 'procedure = "../lucas', "procedure"),
    ],
)
def test_a_broken_experiment_is_refused_with_its_fault(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(WHOLE.replace(old, new))
    with pytest.raises(ValueError, match=message):
        read_experiment("own/mine", path)


def test_experiments_are_found_by_paper_and_by_name() -> None:
    names = experiment_names()
    assert [one.name for one in find_experiments(["all"])] == list(names)
    assert {one.paper for one in find_experiments(["lucas-2007"])} == {"lucas-2007"}
    with pytest.raises(ValueError, match="lucas-2007/figure-9"):
        find_experiments(["lucas-2007/figure-99"])
