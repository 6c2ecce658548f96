"""`outflank reproduce` as a real process: all of it at the quick scale, killed and resumed, refused."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from matplotlib.image import imread

from outflank.studies.drawings import data_file
from outflank.studies.experiment import PAPERS, SCALES, experiment_names, find_experiments
from outflank.studies.results import results_in
from outflank.studies.verdicts import Outcome, check_complete
from tests.conftest import ROOT, Outflank

COMMAND = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()", "reproduce"]
DOCS = ROOT / "docs" / "papers"
AWAITED = {
    "beyond/all-2",
    "beyond/league-champion",
    "beyond/teaching",
    "chong-2003/factorial",
    "chong-2003/open-settings",
    "jaskowski-2014/all-2-in-full",
    "jaskowski-2014/wj-1-2-3-tuples",
}  # minutes to hours of work, not yet run


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything at the quick scale: every procedure, table and picture."""
    out = tmp_path_factory.mktemp("quick")
    ran = subprocess.run([*COMMAND, "all", "--scale", "quick", "--out", str(out)], cwd=ROOT,
                         capture_output=True, text=True, timeout=900)  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert [line.split()[0] for line in ran.stdout.splitlines() if "/" in line.split()[0]] == list(
        experiment_names()
    )
    return out / "quick"


@pytest.mark.long
@pytest.mark.parametrize("paper", PAPERS)
def test_every_row_has_a_verdict_and_every_picture_is_drawn(quick: Path, paper: str) -> None:
    report = (quick / f"{paper}.md").read_text()
    page = (quick / f"{paper}.html").read_text()
    for experiment in find_experiments([paper]):
        outcome = Outcome.from_json(json.loads((quick / experiment.name / "result.json").read_bytes()))
        check_complete(experiment, outcome)
        assert f"## {experiment.title}" in report
        for figure in outcome.figures:
            assert imread(quick / experiment.name / figure.file).shape[1] == 1600
            assert (quick / experiment.name / figure.file).with_suffix(".svg").is_file()
            assert data_file(quick / experiment.name, figure.file).is_file()  # to draw it again
    sources = re.findall(r'<img src="([^"]*)"', page)
    assert page.count("<img") == len(sources)
    assert all((quick / source).is_file() for source in sources)
    assert 'href="http' not in page


def test_the_committed_reports_have_every_row_and_every_reason() -> None:
    results = results_in(DOCS)
    missing = set(experiment_names()) - {result.experiment.name for result in results}
    assert missing <= AWAITED
    for result in results:
        experiment = result.experiment
        for row, found in zip(experiment.rows, result.verdicts, strict=True):
            if found == "differs":
                reason = row.differs.at(result.scale)
                assert len(reason) > 10, f"{experiment.name}, {row.key}: why does it differ?"
            assert found != "not measured"
        for figure in result.outcome.figures:
            assert (DOCS / experiment.name / figure.file).is_file()


def test_every_committed_verdict_follows_from_its_result_file(outflank: Outflank, tmp_path: Path) -> None:
    ran = outflank("reproduce", "--check", DOCS)
    assert ran.returncode == 0, ran.stdout
    shutil.copytree(DOCS, tmp_path / "papers")
    changed = tmp_path / "papers/chong-2003/figure-1/result.json"
    changed.write_text(changed.read_text().replace('"value": 91.0', '"value": 92.0'))
    ran = outflank("reproduce", "--check", tmp_path / "papers")
    assert ran.returncode == 1
    assert "chong-2003/figure-1, spatial nodes: reproduced, now differs" in ran.stdout
    assert "chong-2003.md is not what the result files say" in ran.stdout
    assert outflank("reproduce", "--render", tmp_path / "papers").returncode == 0
    assert outflank("reproduce", "--check", tmp_path / "papers").returncode == 0


def test_what_was_tried_has_a_result_file() -> None:
    """A text that speaks of trials names the experiments that measured them."""
    for experiment in find_experiments(["all"]):
        texts = {f"row {row.key}": (row.differs, row.see) for row in experiment.rows}
        texts["remark"] = (experiment.remark, experiment.see)
        for where, (words, see) in texts.items():
            said = " ".join(words.at(scale) for scale in SCALES)
            if re.search(r"\b(tried|trials?)\b", said, re.IGNORECASE):
                assert see, f"{experiment.name}, {where}: which experiment?"
            find_experiments(see)
        assert not re.search(r"\b(tried|trials?)\b", experiment.about, re.IGNORECASE), experiment.name


def test_no_reason_of_one_scale_is_printed_with_another() -> None:
    for experiment in find_experiments(["all"]):
        for row in experiment.rows:
            everywhere = row.differs.any
            assert not re.search(r"1,370th|standard scale", everywhere), f"{experiment.name}, {row.key}"


@pytest.mark.long
def test_killed_at_any_moment_it_ends_as_if_it_never_had_been(tmp_path: Path) -> None:
    chance = random.Random(7)
    arguments = ["lucas-2007/figure-9", "--scale", "quick", "--seeds", "3", "--out"]
    for _ in range(4):
        process = subprocess.Popen([*COMMAND, *arguments, str(tmp_path / "killed")], cwd=ROOT,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        time.sleep(chance.uniform(0.8, 2.5))
        process.kill()
        process.wait()
    found = []
    for folder in ("killed", "whole"):
        ran = subprocess.run([*COMMAND, *arguments, str(tmp_path / folder), "--json"], cwd=ROOT,
                             capture_output=True, text=True, timeout=120, check=True)  # fmt: skip
        found.append(_without_clocks(json.loads(ran.stdout)["results"]))
    assert found[0] == found[1]


def _without_clocks(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {key: result[key] for key in ("experiment", "verdicts", "findings", "tables")} for result in results
    ]


def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    process = subprocess.Popen([*COMMAND, "all", "--scale", "paper", "--out", str(tmp_path)], cwd=ROOT,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    deadline = time.monotonic() + 60
    while not any(tmp_path.glob("paper/runs/*/*/log.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Interrupted; finished parts are cached" in errors
    assert "Traceback" not in errors


def test_what_cannot_be_reproduced_is_refused_in_a_sentence(outflank: Outflank, tmp_path: Path) -> None:
    broken = tmp_path / "mine.toml"
    broken.write_text("title = 1")
    for arguments, message in (
        (("lucas-2007/figure-99",), "lucas-2007/figure-9"),
        (("all", "--scale", "hug"), "'hug' is not a scale"),
        ((broken,), "mine.toml"),
        ((tmp_path / "none.toml",), "no such file"),
        (("lucas-2007/figure-9", "--published", tmp_path), "no folder players"),
        (("lucas-2007/figure-9", "--out", broken), "mine.toml"),
    ):
        ran = outflank("reproduce", *arguments, cwd=tmp_path)
        assert ran.returncode == 2, ran
        assert message in ran.stderr
        assert ran.stderr.count("\n") == 1


def test_experiments_are_listed(outflank: Outflank) -> None:
    listed = json.loads(outflank("reproduce", "--list", "--json").stdout)
    assert [one["name"] for one in listed] == list(experiment_names())
    assert "lucas-2007/figure-9" in outflank("reproduce", "--list").stdout


def test_a_shown_experiment_is_a_file_of_ones_own(outflank: Outflank, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(outflank("reproduce", "lucas-2007/figure-4", "--show").stdout)
    ran = outflank("reproduce", "mine.toml", "--scale", "quick", "--json", cwd=tmp_path)
    (result,) = json.loads(ran.stdout)["results"]
    assert (result["experiment"], set(result["verdicts"].values())) == ("own/mine", {"reproduced"})


def test_two_processes_do_not_share_a_folder(outflank: Outflank, tmp_path: Path) -> None:
    from outflank.files import alone_in

    with alone_in(tmp_path, "taken"):
        ran = outflank("reproduce", "lucas-2007/figure-9", "--scale", "quick", "--out", tmp_path)
    assert ran.returncode == 2
    assert "another process is reproducing" in ran.stderr
