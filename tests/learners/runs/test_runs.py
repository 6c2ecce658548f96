"""Runs on disk: interrupted, killed and resumed runs end with the same bytes; nothing is overwritten."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil  # type: ignore[import-untyped]
import pytest

from outflank import GreedyPlayer, load_player, named_player
from outflank.files import LOCK, alone_in, write_whole
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.settings import load_preset, parse_settings, preset_names
from outflank.learners.runs.td_run import TdRun
from outflank.learners.td import TdLearner, TdSettings
from tests.conftest import Outflank, let_work

SETTINGS = ["--set", "games=30000", "--set", "measure_every=5000", "--set", "measure_double_games=100"]
COMMAND = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()"]
TIMES = ("games_per_second", "seconds")
CLOCK = (*TIMES, "core_seconds")  # of evolution


def contents(run: Path) -> dict[str, object]:
    """Everything in a run's folder, the log without what a clock says."""
    files: dict[str, object] = {
        p.name: p.read_bytes() for p in run.iterdir() if p.is_file() and p.name not in ("log.jsonl", LOCK)
    }
    log = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    files["log"] = [{key: value for key, value in entry.items() if key not in CLOCK} for entry in log]
    return files


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory, outflank: Outflank) -> Path:
    run = tmp_path_factory.mktemp("unbroken") / "run"
    assert outflank("learn", "league-champion", *SETTINGS, "--out", run).returncode == 0
    return run


def test_a_run_folder(unbroken: Path) -> None:
    names = {path.name for path in unbroken.iterdir()}
    assert names == {
        "settings.toml",
        "log.jsonl",
        "checkpoint.safetensors",
        "best.safetensors",
        "last.safetensors",
        LOCK,
    }
    log = [json.loads(line) for line in (unbroken / "log.jsonl").read_text().splitlines()]
    games = [entry["games"] for entry in log]
    assert games == [0, 625, 1250, 2500, 5000, 10000, 15000, 20000, 25000, 30000]
    assert log[0]["score"] < 0.35 < 0.9 < log[-1]["score"]
    assert set(log[-1]) == {"games", "score", "ci95", "loss", *TIMES}
    player = named_player(str(unbroken / "best.safetensors"))
    assert isinstance(player, GreedyPlayer)
    assert player.view == "inversion"
    assert load_player(unbroken / "last.safetensors").provenance["games"] == 30000


def kill_and_resume(run: Path, learn: list[str], seed: int, longest: float) -> int:
    """A run killed five times at random moments, then resumed to its end; returns how often it was killed.

    The first kill comes while the program starts, the others after the run has started to learn, which is
    when it writes its log. Moments are in processor time: on a busy machine, moments by the clock would kill
    it at the same place again and again.
    """
    command, chance, kills = [*learn, "--out", str(run)], random.Random(seed), 0
    log = run / "log.jsonl"
    for number in range(5):
        before = log.stat().st_mtime_ns if log.exists() else 0
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
        used = 0.0
        while number > 0 and process.poll() is None:
            if log.exists() and log.stat().st_mtime_ns != before:
                used = sum(psutil.Process(process.pid).cpu_times()[:2])
                break
            time.sleep(0.005)
        let_work(process, used + chance.uniform(0, longest))
        if process.poll() is not None:
            assert process.returncode == 0
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
        if (run / "settings.toml").exists():
            command = [*COMMAND, "resume", str(run)]
    assert subprocess.run([*COMMAND, "resume", str(run)], capture_output=True, timeout=120).returncode == 0
    return kills


@pytest.mark.long
def test_killed_at_random_moments_a_run_ends_with_the_same_bytes(unbroken: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert kill_and_resume(run, [*COMMAND, "learn", "league-champion", *SETTINGS], 4, 0.5) >= 3
    assert contents(run) == contents(unbroken)


def test_interrupted_a_run_saves_what_it_has(unbroken: Path, tmp_path: Path, outflank: Outflank) -> None:
    run = tmp_path / "run"
    process = subprocess.Popen(
        [*COMMAND, "learn", "league-champion", *SETTINGS, "--out", str(run), "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not (run / "checkpoint.safetensors").exists():
        time.sleep(0.05)
    time.sleep(0.4)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (130, "")
    report = json.loads(stdout)
    assert report["interrupted"] is True
    assert 0 < report["runs"][0]["games"] < 30000
    assert outflank("resume", run).returncode == 0
    assert contents(run) == contents(unbroken)


def test_seeds_learn_the_same_alone_and_in_parallel(tmp_path: Path, outflank: Outflank) -> None:
    together = tmp_path / "together"
    changes = ("evaluator=all-1", "stages=1", "games=3000", "measure_every=1000", "alpha=0.05")
    small = [part for change in changes for part in ("--set", change)]
    result = outflank(
        "learn", "league-champion", *small, "--seeds", 3, "--seed", 5, "--out", together, "--json"
    )
    report = json.loads(result.stdout)
    assert len(report["runs"]) == 3
    assert report["mean_score"] == pytest.approx(np.mean([run["score"] for run in report["runs"]]))
    outflank("learn", "league-champion", *small, "--seed", 6, "--out", tmp_path / "alone")
    assert contents(tmp_path / "alone") == contents(together / "seed-6")
    picture = tmp_path / "curves.png"
    assert outflank("plot", together, tmp_path / "alone", "--out", picture).returncode == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_an_existing_folder_is_not_touched(unbroken: Path, outflank: Outflank) -> None:
    before = contents(unbroken)
    for extra in ((), ("--seeds", 2)):
        result = outflank("learn", "league-champion", "--out", unbroken, *extra)
        assert result.returncode == 2
        assert "already exists; continue it with outflank resume" in result.stderr
    assert contents(unbroken) == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("learn", "leage-champion"), "did you mean league-champion?"),
        (("learn", "lucas-2007", "--set", "alfa=1"), "'alfa' is not a setting; did you mean alpha?"),
        (("learn", "lucas-2007", "--set", "alpha"), "--set takes key=value"),
        (("learn", "lucas-2007", "--set", "alpha=fast"), "alpha must be a number"),
        (("learn", "lucas-2007", "--set", "games=2.5"), "games must be a whole number"),
        (("learn", "lucas-2007", "--set", "opponents=all-2"), "needs self-play"),
        (("learn", "lucas-2007", "--set", "evaluator=snake"), "is not a shape of tuples"),
        (("learn", "broken.toml"), "broken.toml is not a TOML file"),
        (("resume", "nowhere"), "nowhere is not a run"),
        (("plot", "nowhere"), "nowhere is not a run"),
        (("learn", "lucas-2007", "--out", "/proc/no/run"), "/proc/no"),
    ],
)
def test_bad_input(outflank: Outflank, tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    (tmp_path / "broken.toml").write_text("alpha = = 3")
    result = outflank(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["broken.toml"]


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    write_whole(path, b"old")
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    (tmp_path / ".kept.part").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new" * 10000)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]


def test_a_run_is_learned_by_one_process_at_a_time(unbroken: Path, outflank: Outflank) -> None:
    before = contents(unbroken)
    with alone_in(unbroken, "held by the test"):
        result = outflank("resume", unbroken)
    assert (result.returncode, contents(unbroken)) == (2, before)
    assert f"another process is learning in {unbroken}" in " ".join(result.stderr.split())


def test_a_damaged_checkpoint_is_a_clear_error(unbroken: Path, tmp_path: Path, outflank: Outflank) -> None:
    run = tmp_path / "run"
    run.mkdir()
    for path in unbroken.iterdir():
        (run / path.name).write_bytes(path.read_bytes())
    (run / "checkpoint.safetensors").write_bytes(b"nonsense" * 20)
    result = outflank("resume", run)
    assert result.returncode == 2
    assert "checkpoint.safetensors is damaged" in result.stderr


def test_exploding_weights_stop_the_run_and_blame_the_setting(outflank: Outflank, tmp_path: Path) -> None:
    result = outflank(
        "learn", "piece-counter", "--set", "alpha=1e38", "--set", "output=logistic", "--out", tmp_path / "run"
    )
    assert result.returncode == 2
    assert "alpha = 1e+38 is too large" in result.stderr


TD_PRESETS = [name for name in preset_names() if isinstance(load_preset(name).settings, TdSettings)]


@pytest.mark.parametrize("name", TD_PRESETS)
def test_every_preset_learns(name: str) -> None:
    settings = load_preset(name, {"games": 20}).settings
    assert isinstance(settings, TdSettings)
    assert TdLearner(settings, 1).play(20).updates > 0


def test_settings_survive_the_folder(tmp_path: Path) -> None:
    settings = TdSettings(evaluator="all-3", opponents=("self", "all-2"), final_alpha=0.0, trace=0.25)
    folder = RunFolder.create(tmp_path / "run", settings, 11)
    assert folder.settings() == (settings, 11)
    assert TdRun(folder).settings == settings
    with pytest.raises(ValueError, match="must be true or false"):
        parse_settings({"coherence": 1}, "here")
