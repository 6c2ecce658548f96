"""The verdicts, and experiments as files."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from outflank.studies.experiment import Row, experiment_names, find_experiments, read_experiment
from outflank.studies.inference import share_interval
from outflank.studies.verdicts import (
    Claim,
    Judgement,
    Measured,
    NotMeasured,
    Outcome,
    ResultFigure,
    ResultTable,
    check_complete,
    judge,
    mean_of_runs,
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
        ({"error": 1.0}, (4.5, 5.5), None, "reproduced"),
        ({"error": 1.0}, (5.9, 7.0), None, "inconclusive"),  # partly within
        ({"error": 1.0}, (6.5, 7.0), None, "differs"),
        ({"error": 1.0}, (6.5, 7.0), "higher", "better"),
        ({"error": 1.0}, (6.5, 7.0), "lower", "differs"),
        ({"error": 1.0}, (0.0, 10.0), "higher", "inconclusive"),
        ({"ci95": (4.9, 5.1), "margin": 0.5}, (4.4, 4.6), "lower", "better"),
        ({"ci95": (4.9, 5.1), "margin": 0.5}, (4.9, 5.1), "lower", "reproduced"),
        ({"ci95": (4.9, 5.1), "margin": 0.05}, (4.9, 5.1), "lower", "inconclusive"),  # wider than the margin
        ({"ci95": (0.0, 10.0), "margin": 0.5}, (4.9, 5.1), None, "inconclusive"),  # the paper cannot tell
    ],
)
def test_a_number_is_judged_by_its_kind(
    paper: dict[str, object], ours: tuple[float, float], better: str | None, expected: str
) -> None:
    row = Row.model_validate({"key": "a", "what": "a", "paper": 5.0, "better": better, **paper})
    assert verdict(row, Measured(sum(ours) / 2, ours)) == expected


def test_a_claim_holds_or_differs() -> None:
    row = Row(key="a", claim="it is so")
    assert verdict(row, Claim(True, "seen")) == "reproduced"
    assert verdict(row, Claim(False, "not seen")) == "differs"
    assert verdict(row, Claim(None, "too few")) == "inconclusive"
    assert verdict(row, NotMeasured("a file")) == "not measured"


def share(paper: float, games: int, ours: float, our_games: int, margin: float = 0.05) -> str:
    row = Row(key="a", what="wins", paper=paper, games=games, margin=margin)
    wins = ours * our_games
    return verdict(row, Measured(ours, share_interval(wins, our_games), games=our_games))


def test_half_of_ten_games_do_not_reproduce_ten_of_ten() -> None:
    assert share(1.0, 10, 0.5, 10) == "differs"  # Fisher: p = 0.03
    assert share(1.0, 10, 0.6, 10) == "inconclusive"  # p = 0.09
    assert share(1.0, 10, 1.0, 10) == "inconclusive"  # equal, but seven of ten would not have been refused


def test_equal_shares_are_reproduced_by_enough_games_only() -> None:
    assert share(0.7, 200, 0.7, 200) == "inconclusive"
    assert share(0.7, 2_000, 0.7, 2_000) == "reproduced"
    assert share(0.7, 2_000, 0.74, 2_000) == "differs"
    assert share(0.7, 2_000, 0.72, 2_000, margin=0.1) == "reproduced"


RUNS = [0.93, 0.94, 0.95, 0.94, 0.93, 0.95, 0.94, 0.94, 0.93, 0.95]


def of_runs(ours: list[float], paper: list[float] = RUNS, margin: float = 0.02) -> str:
    mean = sum(paper) / len(paper)
    row = Row(key="a", what="score", paper=mean, runs=tuple(paper), margin=margin, better="higher")
    return verdict(row, mean_of_runs(ours, (ours[0], ours[0])))


def test_printed_runs_are_compared_as_two_samples() -> None:
    assert of_runs(RUNS[::-1]) == "reproduced"
    assert of_runs([x - 0.01 for x in RUNS]) == "differs"  # within the margin, and yet told apart
    assert of_runs([x + 0.01 for x in RUNS]) == "better"
    assert of_runs([0.80, 1.0, 0.94]) == "inconclusive"  # three runs that vary a lot
    assert of_runs([0.94], margin=0.01) == "inconclusive"  # one run of ours against ten
    assert of_runs([0.5]) == "differs"


def test_two_tests_that_contradict_each_other_tell_nothing() -> None:
    """Welch p = 0.026, Mann-Whitney p = 0.075: Table IV's all-1 by negation, and our first ten runs of it."""
    paper = [0.5799, 0.5584, 0.5821, 0.5650, 0.6588, 0.5780, 0.6678, 0.6097, 0.5713, 0.5752]
    ours = [0.5120, 0.5999, 0.5948, 0.5326, 0.5626, 0.6024, 0.5778, 0.5309, 0.4871, 0.4985]
    assert of_runs(ours, paper) == "inconclusive"
    assert of_runs([x - 0.05 for x in ours], paper) == "differs"


def test_one_run_that_is_read_from_the_text_varies_as_ours_do() -> None:
    """Outside the interval of our mean is not outside what one run of ours may reach."""
    row = Row(key="a", what="fitness", paper=630, error=5)
    four = mean_of_runs([430.0, 480.0, 500.0, 540.0], (0, 1000))
    assert judge(row, four).test.startswith(
        "our interval lies outside the paper's; one run against 4, Student"
    )
    assert verdict(row, four) == "inconclusive"
    assert verdict(row, mean_of_runs([485.0, 488.0, 490.0, 492.0], (0, 1000))) == "differs"
    assert verdict(row, mean_of_runs([629.0, 630.0, 631.0, 632.0], (0, 1000))) == "reproduced"


def test_one_run_of_the_paper_varies_as_ours_do() -> None:
    """Intervals that overlap are not agreement, nor is one run that lies within a wide spread."""
    row = Row(key="a", what="score", paper=0.6375, games=800, better="higher")
    narrow = mean_of_runs([0.50, 0.51, 0.52, 0.50, 0.51, 0.52], (0.0, 1.0))
    wide = mean_of_runs([0.45, 0.75, 0.55, 0.60, 0.70, 0.65], (0.0, 1.0))
    assert verdict(row, narrow) == "differs"
    assert verdict(row, wide) == "inconclusive"
    assert judge(row, wide).test.startswith("one run against 6, Student p = ")
    near = mean_of_runs([0.6375 + x / 1000 for x in range(-3, 4)], (0.0, 1.0))
    assert verdict(row, near) == "reproduced"  # 800 games tell 0.05 from nothing


def test_a_selected_number_has_no_verdict() -> None:
    row = Row(key="a", what="points", paper=1.0, games=20, no_verdict="selected for what it shows")
    assert judge(row, Measured(0.45, (0.26, 0.66), games=20)) == Judgement(
        "no verdict", "selected for what it shows"
    )


def test_definitions_are_counts_and_what_says_so() -> None:
    assert Row(key="a", what="weights", paper=288, exact=True).kind == "definition"
    assert Row(key="a", claim="the weights are symmetric", definition=True).kind == "definition"
    assert Row(key="a", claim="it learns").kind == "measured"
    assert Row(key="a", claim="another method learns", own=True).kind == "own"
    with pytest.raises(ValueError, match="only a claim"):
        Row(key="a", what="score", paper=0.5, error=0.1, own=True)


def test_a_reason_belongs_to_its_scale() -> None:
    row = Row.model_validate({"key": "a", "claim": "so", "differs": "0.34 here."})
    assert (row.differs.at("standard"), row.differs.at("paper")) == ("0.34 here.", "")
    row = Row.model_validate({"key": "a", "claim": "so", "differs": {"any": "It cannot.", "paper": "0.4."}})
    assert (row.differs.at("standard"), row.differs.at("paper")) == ("It cannot.", "It cannot. 0.4.")


def test_a_budget_is_a_share_of_the_paper_s() -> None:
    for experiment in find_experiments(["all"]):
        if experiment.budget is not None:
            assert experiment.budget.share_of_length(experiment.settings("paper")) >= 1, experiment.name
            assert experiment.seeds("paper") >= 1


def test_a_generation_of_chong_is_never_judged_by_its_numbers() -> None:
    for number in (3, 4, 5, 6):
        (experiment,) = find_experiments([f"chong-2003/figure-{number}"])
        assert all(row.no_verdict for row in experiment.rows)


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
        ("error = 0.1", "", "a number has one of exact, games, runs, ci95"),
        ("error = 0.1", "error = 0.1\ngames = 5", "a number has one of exact, games, runs, ci95"),
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
