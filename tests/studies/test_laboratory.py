"""What is finished is kept, and used again only for the same thing."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from outflank import named_player
from outflank.league.published import PublishedFiles
from outflank.studies.experiment import Experiment, Row
from outflank.studies.laboratory import Activity, Interrupted, Laboratory
from outflank.studies.report import html_page, overview, paper_report, write_reports
from outflank.studies.results import Result, cached_result, reproduce
from outflank.studies.verdicts import Measured, Outcome

SMALL = {"games": 400, "measure_every": 400, "measure_double_games": 20}


def experiment(**settings: Any) -> Experiment:
    row = Row.model_validate(
        {"key": "a", "what": "a | b", "paper": 1.0, "exact": True, "differs": "Nobody knows."}
    )
    return Experiment(
        name="own/small", title="A small one", source="Nobody 2000", procedure="small:procedure",
        about="About.", settings=settings, rows=[row],
        scales={"quick": {}, "standard": {"seeds": 2}, "paper": {}},
    )  # fmt: skip


def test_a_part_is_worked_out_once_for_the_same_settings(tmp_path: Path) -> None:
    worked = []

    def work() -> list[int]:
        worked.append(1)
        return [1, 2]

    for _ in range(2):
        lab = Laboratory(experiment(games=1), "quick", tmp_path)
        assert lab.cached("a/b: c", work) == [1, 2]
    assert len(worked) == 1
    assert Laboratory(experiment(games=2), "quick", tmp_path).cached("a/b: c", work) == [1, 2]
    assert len(worked) == 2
    record = json.loads((tmp_path / "quick/own/small/parts/a-b-c.json").read_bytes())
    assert record["settings"] == {"games": 2}
    assert {"version", "seeds", "machine", "finished", "seconds"} <= set(record)
    (tmp_path / "quick/own/small/parts/a-b-c.json").write_text('{"settings": {"ga')  # a disk's fault
    assert Laboratory(experiment(games=2), "quick", tmp_path).cached("a/b: c", work) == [1, 2]
    assert len(worked) == 3


def test_a_match_is_played_again_only_by_other_players(tmp_path: Path) -> None:
    first, second = named_player("all-2"), named_player("random")
    shown: list[Activity] = []
    played = []
    for player in (first, first, replace(named_player("all-2-evolved"), name=first.name)):
        lab = Laboratory(experiment(), "quick", tmp_path, show=shown.append)
        played.append(lab.match("a match", player, second, double_games=10, epsilon=0.1))
    assert played[0] == played[1]
    assert played[0].games == 20
    assert [activity.done for activity in shown] == [20, 20]  # the second one was not played


def test_a_tournament_counts_every_pair(tmp_path: Path) -> None:
    players = [named_player(name) for name in ("random", "all-2", "standard-heuristic")]
    standings = Laboratory(experiment(), "quick", tmp_path).tournament(
        "league", players, double_games=20, epsilon=0.1
    )
    assert [row.player for row in standings.rows] == ["all-2", "standard-heuristic", "random"]
    assert len(list((tmp_path / "quick/own/small/parts").iterdir())) == 3


def test_runs_are_shared_and_counted_once(tmp_path: Path) -> None:
    first = Laboratory(experiment(), "standard", tmp_path)
    runs = first.learn("piece-counter", SMALL)
    assert [run.seed for run in runs] == [1, 2]
    assert first.seconds > 0
    other = Laboratory(experiment().model_copy(update={"name": "own/other"}), "standard", tmp_path)
    assert other.learn("piece-counter", SMALL) == runs
    assert other.seconds == 0  # they were another's work
    again = Laboratory(experiment(), "standard", tmp_path)
    again.learn("piece-counter", SMALL)
    assert again.seconds == pytest.approx(first.seconds, abs=0.01)
    assert runs[0].log()[-1]["games"] == 400
    assert runs[0].player(name="mine").name == "mine"
    assert json.loads((runs[0].path / "made.json").read_bytes())["experiment"] == "own/small"


def test_an_interrupted_run_goes_on_and_ends_with_the_same_bytes(tmp_path: Path) -> None:
    def interrupt(_: Activity) -> None:
        raise KeyboardInterrupt

    changes = SMALL | {"games": 3000, "measure_every": 500}
    with pytest.raises(Interrupted):
        Laboratory(experiment(), "quick", tmp_path / "a", show=interrupt).learn("piece-counter", changes)
    (resumed,) = Laboratory(experiment(), "quick", tmp_path / "a").learn("piece-counter", changes)
    (whole,) = Laboratory(experiment(), "quick", tmp_path / "b").learn("piece-counter", changes)
    assert (resumed.path / "last.safetensors").read_bytes() == (whole.path / "last.safetensors").read_bytes()


def test_a_missing_setting_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="own/small: the setting games is missing"):
        Laboratory(experiment(), "quick", tmp_path).settings["games"]


def test_an_unknown_procedure_is_refused(tmp_path: Path) -> None:
    for procedure, reason in (
        ("small:procedure", "there is no module 'small'"),
        ("lucas_2007.nothing:figure_9", "there is no module 'outflank.studies.lucas_2007.nothing'"),
        ("json:nothing", "'nothing' is not a name in json"),
    ):
        changed = experiment().model_copy(update={"procedure": procedure})
        with pytest.raises(ValueError, match=f"the procedure {procedure}: .*{reason}"):
            reproduce(Laboratory(changed, "quick", tmp_path))


def test_a_procedure_may_be_a_function_beside_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", list(sys.path))
    (tmp_path / "my_procedures.py").write_text(
        "from outflank.studies.verdicts import Measured, Outcome\n"
        "def count(lab):\n"
        "    return Outcome({'a': Measured.exactly(lab.settings['games'])})\n"
    )
    (tmp_path / "broken_procedures.py").write_text("def count(lab:\n")
    file = tmp_path / "mine.toml"
    changes = {"procedure": "my_procedures:count", "file": file}
    result = reproduce(Laboratory(experiment(games=1).model_copy(update=changes), "quick", tmp_path))
    assert result.verdicts == ["reproduced"]
    (tmp_path / "wrong_procedures.py").write_text("def count(lab):\n    return 1\n")
    wrong = experiment(games=1).model_copy(update=changes | {"procedure": "wrong_procedures:count"})
    with pytest.raises(ValueError, match="wrong_procedures:count must return an Outcome, got int"):
        reproduce(Laboratory(wrong, "quick", tmp_path))
    broken = experiment(games=1).model_copy(update=changes | {"procedure": "broken_procedures:count"})
    with pytest.raises(ValueError, match=r"procedure broken_procedures:count: .*never closed"):
        reproduce(Laboratory(broken, "quick", tmp_path))


def test_without_published_files_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert PublishedFiles.found().folder is None
    assert PublishedFiles(tmp_path).players() == []
    assert PublishedFiles(tmp_path).boards() is None
    with pytest.raises(ValueError, match="has no folder players"):
        PublishedFiles.found(tmp_path)


def test_published_players_have_the_view_they_were_made_for(shared: Path) -> None:
    views = {player.name: player.view for player in PublishedFiles(shared).players()}
    assert views["Burrow2011ETDL"] == "negation"
    assert views["Jaskowski2014All2"] == "inversion"
    boards = PublishedFiles(shared).boards()
    assert boards is not None
    assert len(boards) == 1000


def finished(tmp_path: Path, scale: str = "standard") -> Result:
    lab = Laboratory(experiment(), scale, tmp_path)  # type: ignore[arg-type]
    figure = Figure()
    outcome = Outcome({"a": Measured.exactly(2)}, [lab.save_figure("a", figure, "A <b> & picture.")])
    made = lab.provenance(61.5)
    return Result(lab.experiment, lab.scale, outcome, lab.folder, made, dict(lab.settings))


def test_a_report_says_what_differs_and_why(tmp_path: Path) -> None:
    text = paper_report("own", [finished(tmp_path)])
    assert "| a \\| b | 1.000 | **2.000**, counted | ≠ differs |" in text
    assert "Nobody knows." in text
    assert "quick scale" not in text
    quick = paper_report("own", [finished(tmp_path, "quick")])
    assert "quick scale" in quick
    assert "Nobody knows." not in quick  # that reason is of the standard scale
    assert "1 differs" in overview([finished(tmp_path)])


def test_a_page_refers_to_its_figures_and_no_markup_gets_in() -> None:
    page = html_page("# T<script>\n\n![A <b> & picture.](own/small/a.png)\n")
    assert 'src="own/small/a.png"' in page
    assert "<script>" not in page
    assert "A &lt;b&gt; &amp; picture." in page


def test_reports_carry_their_pictures_and_results(tmp_path: Path) -> None:
    result = finished(tmp_path)
    (result.folder / "result.json").write_text("{}")
    made = write_reports([result], tmp_path / "docs")
    assert made == [tmp_path / "docs/own.html"]
    assert (tmp_path / "docs/own/small/a.png").read_bytes() == (result.folder / "a.png").read_bytes()
    assert {path.name for path in (tmp_path / "docs").iterdir()} == {"own.html", "own.md", "README.md", "own"}


@pytest.mark.parametrize("content", ["", "{", "{}", '{"settings": {}}', "[]"])
def test_a_damaged_result_is_no_result(tmp_path: Path, content: str) -> None:
    result = finished(tmp_path)
    (result.folder / "result.json").write_text(content)
    assert cached_result(result.experiment, "standard", tmp_path) is None
