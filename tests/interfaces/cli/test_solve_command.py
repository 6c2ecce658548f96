"""`outflank solve` and `outflank tune` as real processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from outflank import SearchTuning
from tests.conftest import Outflank, let_work

FFO_1 = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
COMMAND = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()"]


def test_a_position_that_begins_with_empty_squares(outflank: Outflank) -> None:
    solved = outflank("solve", FFO_1, "--json")
    assert solved.returncode == 0, solved.stderr
    (row,) = json.loads(solved.stdout)["positions"]
    assert (row["score"], row["best"], row["result"], row["empties"]) == (18, "g8", "win", 14)
    assert row["nodes"] > 1000
    text = outflank("solve", FFO_1).stdout
    assert "+18" in text
    assert "Best play: g8" in text


def test_a_file_with_scores_is_checked(outflank: Outflank) -> None:
    solved = outflank("solve", "ffo-1-19", "--json", "--threads", "1")
    report = json.loads(solved.stdout)
    assert all(row["right"] for row in report["positions"])
    assert len(report["positions"]) == 19
    assert "19 of 19 right" in outflank("solve", "ffo-1-19", "--win-loss").stdout


def test_a_wrong_score_in_a_file_is_told(outflank: Outflank, tmp_path: Path) -> None:
    path = tmp_path / "problems.obf"
    path.write_text(f"% a comment\n\n{FFO_1}; G8:+16; H1:+12;\n{FFO_1}\n")
    solved = outflank("solve", str(path))
    assert solved.returncode == 2
    assert "WRONG" in solved.stdout
    assert "1 of 2 scores differ" in solved.stderr


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nothing", "neither a file nor a position"),
        ("ffo-1-20", "did you mean ffo-1-19?"),
        ("ffo", "ffo-1-19"),
        ("XO", "neither a file nor a position"),
        (FFO_1[:-1], "side to move"),
        (FFO_1.replace("X", "Z", 1), "is not X, O or -"),
        ("-" * 64 + " X", "d4 is empty"),
        ("X" + "-" * 26 + "XO------OX" + "-" * 27 + " X", "is not connected to the centre"),
        ("f5f5", "not legal"),
    ],
)
def test_broken_input(outflank: Outflank, source: str, message: str) -> None:
    solved = outflank("solve", source)
    assert solved.returncode == 2
    assert message in solved.stderr
    assert solved.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no positions"),
        (b"\xff\xfe\x00", "not text"),
        (FFO_1.encode() + b"; G8:x;", "moves with scores"),
    ],
)
def test_broken_files(outflank: Outflank, tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "broken.obf"
    path.write_bytes(content)
    solved = outflank("solve", str(path))
    assert solved.returncode == 2
    assert message in solved.stderr


def test_an_impossible_position_on_request(outflank: Outflank) -> None:
    solved = outflank("solve", "X" + "-" * 4 + "O" * 59 + " X", "--impossible", "--json")
    assert solved.returncode == 0, solved.stderr


def test_ctrl_c_ends_a_long_search(tmp_path: Path) -> None:
    path = tmp_path / "long.obf"
    path.write_text(f"{FFO_1}\n{'-' * 27}OX------XO{'-' * 27} X\n")
    process = subprocess.Popen(
        [*COMMAND, "solve", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    let_work(process, 2)
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "1 solved" in stdout  # what was done is shown


def test_tune_writes_what_a_player_reads(outflank: Outflank, tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    tuned = outflank("tune", "all-2", "--positions", "200", "--depth", "6", "--out", str(path))
    assert tuned.returncode == 0, tuned.stderr
    tuning = SearchTuning.load(path)
    assert all(discs > 0 for discs in tuning.discs_per_unit)
    assert all(cut.slope > 0 and cut.sigma > 0 for stage in tuning.prob_cuts for cut in stage)
    played = outflank("match", f"all-2,nodes=500,tuned={path}", "random", "--double-games", "2", "--json")
    assert played.returncode == 0, played.stderr
    path.write_text("{}")
    broken = outflank("match", f"all-2,nodes=500,tuned={path}", "random", "--double-games", "2")
    assert broken.returncode == 2
    assert "not a search tuning" in broken.stderr


@pytest.mark.long  # a hundred endings of 20 to 22 empty squares are solved
def test_values_in_discs_need_one_factor(outflank: Outflank, tmp_path: Path) -> None:
    arguments = ["tune", "all-rounder", "--positions", "200", "--depth", "4", "--in-discs"]
    tuned = outflank(*arguments, "--out", str(tmp_path / "tuned.json"))
    assert tuned.returncode == 0, tuned.stderr
    scale = SearchTuning.load(tmp_path / "tuned.json").discs_per_unit
    assert len(set(scale)) == 1
    assert 0.9 < scale[0] < 1.2  # a standard error of 0.05 around 1.04
