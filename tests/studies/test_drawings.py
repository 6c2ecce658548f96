"""Figures are drawn again from what lies beside them, with the same bytes, and by nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from outflank.studies.chong_2003.mobility import draw_moves_left
from outflank.studies.drawings import ENDING, LARGEST, drawing_file, figure_from
from tests.conftest import Outflank

EXPERIMENTS = ("lucas-2007/figure-8", "kim-2007/figure-2", "jaskowski-2014/figure-2", "chong-2003/figure-1")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, outflank: Outflank) -> Path:
    out = tmp_path_factory.mktemp("made")
    ran = outflank("reproduce", *EXPERIMENTS, "--scale", "quick", "--out", out)
    assert ran.returncode == 0, ran.stderr
    return out / "quick"


@pytest.fixture
def reports(made: Path, tmp_path: Path) -> Path:
    """The reports alone: no runs, no parts."""
    return Path(shutil.copytree(made, tmp_path / "reports", ignore=shutil.ignore_patterns("runs", "parts")))


def pictures(folder: Path) -> dict[str, bytes]:
    found = (path for ending in ("png", "svg") for path in folder.glob(f"*/*/*.{ending}"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_every_figure_is_drawn_again_with_the_same_bytes(reports: Path, outflank: Outflank) -> None:
    before = pictures(reports)
    assert len(before) == 2 * len(EXPERIMENTS)
    for name in before:
        (reports / name).unlink()
    (reports / "kim-2007.md").unlink()
    ran = outflank("reproduce", "--render", reports, "--json")
    assert ran.returncode == 0, ran.stderr
    assert pictures(reports) == before
    found = json.loads(ran.stdout)
    assert sorted(found["figures"]) == sorted(name for name in before if name.endswith("png"))
    assert not found["left"]
    assert outflank("reproduce", "--check", reports).returncode == 0


def test_only_the_named_experiments_are_drawn_again(reports: Path, outflank: Outflank) -> None:
    for name in pictures(reports):
        (reports / name).unlink()
    assert outflank("reproduce", "--render", reports, "kim-2007/figure-2").returncode == 0
    assert set(pictures(reports)) == {f"kim-2007/figure-2/figure-2.{ending}" for ending in ("png", "svg")}
    refused = outflank("reproduce", "--render", reports, "kim-2007/figure-5")
    assert refused.returncode == 2
    assert "has no result of kim-2007/figure-5" in refused.stderr


def test_a_figure_of_an_older_report_is_left(reports: Path, outflank: Outflank) -> None:
    (reports / "kim-2007/figure-2/figure-2.data.json").unlink()
    before = pictures(reports)
    ran = outflank("reproduce", "--render", reports)
    assert ran.returncode == 0
    said = "1 figure has no data stored beside it and stays as it is: kim-2007/figure-2/figure-2.png"
    assert said in " ".join((ran.stdout + ran.stderr).split())
    assert pictures(reports) == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[", "no data of a figure"),
        ('{"function": "os:system", "arguments": {"command": "true"}}', "is no drawing"),
        ('{"function": "outflank.studies.drawings:save_figure", "arguments": {}}', "is no drawing"),
        ('{"function": "outflank.plots.boards:draw_discs", "arguments": {}}', "does not draw a figure"),
        ('{"function": "outflank.plots.nowhere:draw_all", "arguments": {}}', "does not draw a figure"),
        ('{"function": "outflank.studies.kim_2007.genetic_search:draw_mutations",'
         ' "arguments": {"counts": 1}}', "these are no data of draw_mutations"),
        (" " * (LARGEST + 1), "is larger than"),
    ],
)  # fmt: skip
def test_other_data_are_refused_in_one_sentence(
    reports: Path, outflank: Outflank, content: str, said: str
) -> None:
    (reports / f"kim-2007/figure-2/figure-2{ENDING}").write_text(content)
    ran = outflank("reproduce", "--render", reports, "kim-2007/figure-2")
    assert ran.returncode == 2
    assert said in " ".join(ran.stderr.split())
    assert "Traceback" not in ran.stderr


def test_an_experiment_of_ones_own_is_drawn_again_by_its_module(tmp_path: Path, outflank: Outflank) -> None:
    (tmp_path / "mine.py").write_text(
        "from matplotlib.figure import Figure\n"
        "from outflank.plots.style import new_figure\n"
        "from outflank.studies.verdicts import Measured, Outcome\n"
        "def measure(lab):\n"
        "    figure = lab.draw('a', 'A line.', draw_line, [1, 2])\n"
        "    return Outcome({'a': Measured.exactly(1)}, [figure])\n"
        "def draw_line(values: list[int]) -> Figure:\n"
        "    figure, (axes,) = new_figure(3)\n"
        "    axes.plot(values)\n"
        "    return figure\n"
    )
    (tmp_path / "mine.toml").write_text(
        "title = 'A'\nsource = 'us'\nprocedure = 'mine:measure'\nabout = 'A.'\n"
        "[scales.quick]\n[scales.standard]\n[scales.paper]\n"
        "[[rows]]\nkey = 'a'\nwhat = 'a'\npaper = 1\nexact = true\n"
    )
    out = tmp_path / "out"
    ran = outflank("reproduce", "mine.toml", "--scale", "quick", "--out", out, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    drawn = out / "quick/own/mine/a.svg"
    before = drawn.read_bytes()
    drawn.unlink()
    ran = outflank("reproduce", "--render", out / "quick", "mine.toml", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert drawn.read_bytes() == before


def test_numbers_come_back_as_they_were() -> None:
    stored = drawing_file(draw_moves_left, {"late": np.array([[8.0, np.nan, 1.0]])}, 48, "iago")
    json.loads(stored, parse_constant=pytest.fail)  # no NaN, which JSON does not have
    line = figure_from(stored).axes[0].lines[0]
    assert np.array_equal(np.asarray(line.get_ydata()), [8.0, np.nan, 1.0], equal_nan=True)
