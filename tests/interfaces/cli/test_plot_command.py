"""`outflank plot` as real processes over real runs: curves of both kinds, watchers, and bad input."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from matplotlib.image import imread

from tests.conftest import Outflank

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def runs(outflank: Outflank, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """td: of temporal differences; watched: two of evolution; es: of evolution, not watched."""
    at = tmp_path_factory.mktemp("runs")
    measured = ("--set", "measure_every=2", "--set", "measure_double_games=5")
    assert not outflank(
        "learn", "lucas-2007", "--set", "games=20", *measured[2:], "--out", at / "td"
    ).returncode
    small = ("--set", "generations=3", *measured)
    watched = (*small, "--set", "parents=2", "--set", "offspring=2", "--set", "games_each=1")
    assert not outflank("learn", "chong-2003", *watched, "--seeds", 2, "--out", at / "watched").returncode
    fitness = ("--set", "double_games=1", "--set", "measure_against=random")
    assert not outflank("learn", "jaskowski-2014-all-2", *small, *fitness, "--out", at / "es").returncode
    return at


def test_both_kinds_in_one_picture(outflank: Outflank, runs: Path, tmp_path: Path) -> None:
    result = outflank("plot", runs / "td", runs / "watched", "--by", "games", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "learning-curves.png").read_bytes().startswith(PNG)
    picture, hint = result.stdout.splitlines()
    assert picture == "Picture: learning-curves.png"
    assert hint.endswith(f"outflank plot {runs / 'watched'} --watch")


def words(picture: Path) -> str:
    """An SVG's comments hold its texts."""
    return picture.read_text(encoding="utf-8")


def test_a_dark_picture_has_a_dark_background(outflank: Outflank, runs: Path, tmp_path: Path) -> None:
    for options in ((), ("--dark",)):
        assert not outflank("plot", runs / "td", *options, cwd=tmp_path).returncode
        corner = imread(tmp_path / "learning-curves.png")[0, 0, :3]
        assert corner.max() < 0.2 if options else corner.min() > 0.9


def test_by_time(outflank: Outflank, runs: Path, tmp_path: Path) -> None:
    result = outflank("plot", runs / "watched", "--by", "seconds", "--out", tmp_path / "curves.svg")
    assert (result.returncode, result.stderr) == (0, "")
    assert "<!-- seconds of learning -->" in words(tmp_path / "curves.svg")
    assert "<!-- score against standard-heuristic, epsilon 0.1 -->" in words(tmp_path / "curves.svg")


def test_runs_of_one_name_are_told_apart(outflank: Outflank, runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "td", tmp_path / "$other^" / "td")
    result = outflank("plot", runs / "td", tmp_path / "$other^" / "td", "--out", tmp_path / "two.svg")
    assert (result.returncode, result.stderr) == (0, "")
    assert f"<!-- {runs.name}/td: " in words(tmp_path / "two.svg")
    assert "<!-- $other^/td: " in words(tmp_path / "two.svg")


def test_watchers_of_several_runs_then_the_games_of_one(
    outflank: Outflank, runs: Path, tmp_path: Path
) -> None:
    result = outflank("plot", runs / "watched", "--watch", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "benchmark-opponents.png").read_bytes().startswith(PNG)
    picture, hint = result.stdout.splitlines()
    assert picture == "Picture: benchmark-opponents.png"
    command = hint.partition("outflank ")[2].split()
    assert command == ["plot", str(runs / "watched" / "seed-1"), "--watch", "--generation", "3"]
    result = outflank(*command, cwd=tmp_path)  # as the hint says
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "Picture: benchmark-opponents-generation-3.png\n"
    assert (tmp_path / "benchmark-opponents-generation-3.png").read_bytes().startswith(PNG)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("td", "--by", "generations"), "td has no generations: it learned by temporal differences"),
        (("td", "--by", "moves"), "'moves' is not one of 'games', 'seconds', 'generations'"),
        (("td", "es"), "td was measured against standard-heuristic, epsilon 0.1, but es against random"),
        (("td", "--out", "curves.txt"), "its name must end with one of .png"),
        (("td", "nowhere"), "nowhere is not a run"),
        (("td", "--watch"), 'evolve one with --set "watch=disc-difference;positional"'),
        (("watched", "--generation", "1"), "add --watch"),
        (("watched", "--watch", "--by", "games"), "leave out --by"),
        (("watched", "es", "--watch"), "give one RUN"),
        (("watched", "--watch", "--generation", "1"), "holds 2 runs, seed-1 to seed-2; name one of them"),
        (("watched/seed-2", "--watch", "--generation", "4"), "has generations 1 to 3, got 4"),
    ],
)
def test_bad_input(outflank: Outflank, runs: Path, arguments: tuple[str, ...], sentence: str) -> None:
    before = sorted(path.name for path in runs.iterdir())
    result = outflank("plot", *arguments, cwd=runs)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert sorted(path.name for path in runs.iterdir()) == before
