"""The command line as real processes: results, JSON, interruption, and every kind of bad input."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from outflank import (
    Match,
    NTupleNetwork,
    PieceCounter,
    StoredPlayer,
    league_match,
    load_player,
    named_player,
    save_player,
)
from outflank.interfaces.cli import app
from outflank.interfaces.cli.commands import summary
from outflank.interfaces.cli.topics import TOPICS
from outflank.players.built_in import BUILT_IN
from tests.conftest import Outflank, let_work

KEYS = ["player", "opponent", "double_games", "epsilon", "score", "ci95", "wins", "draws", "losses",
        "games_per_second", "threads", "seed"]  # fmt: skip


def test_score_as_json(outflank: Outflank) -> None:
    result = outflank("score", "all-2", "--double-games", 500, "--threads", 2, "--seed", 7, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    report = json.loads(result.stdout)
    assert list(report)[: len(KEYS)] == KEYS
    expected = Match(
        named_player("all-2"), named_player("standard-heuristic"), double_games=500, epsilon=0.1, seed=7
    )
    tally = expected.play()
    assert (report["wins"], report["draws"], report["losses"]) == (tally.wins, tally.draws, tally.losses)
    assert report["score"] == tally.score
    assert report["ci95"] == list(tally.ci95)
    assert report["partial"] is False


def test_score_for_people(outflank: Outflank) -> None:
    result = outflank("score", "all-2", "standard-heuristic", "--double-games", 200)
    assert result.returncode == 0
    assert "against standard-heuristic: 200 double games, epsilon 0.1, seed 1" in result.stdout
    assert "all-2" in result.stdout


def test_names_are_printed_as_they_are(outflank: Outflank, tmp_path: Path) -> None:
    """A terminal library would make a picture of :factory: and a style of [bold]."""
    (tmp_path / "mine.py").write_text("def factory(squares): return squares.sum(axis=1)\n")
    result = outflank("score", "mine:factory", "--double-games", 2, cwd=tmp_path)
    assert "mine:factory: " in result.stdout
    save_player(StoredPlayer(PieceCounter([1.0] * 64), "inversion"), tmp_path / "[bold].player")
    result = outflank("score", "[bold].player", "--double-games", 2, cwd=tmp_path)
    assert "[bold].player" in result.stdout
    assert "[bold].player" in result.stderr


def test_match_from_starts_with_records(outflank: Outflank, shared: Path, tmp_path: Path) -> None:
    starts, record = shared / "positions" / "lucas-boards.txt", tmp_path / "games.jsonl"
    result = outflank(
        "match", "all-2", "standard-heuristic", "--starts", starts, "--record", record, "--json"
    )
    report = json.loads(result.stdout)
    assert (report["double_games"], report["epsilon"]) == (1000, 0.0)
    games = [json.loads(line) for line in record.read_text().splitlines()]
    assert len(games) == 2000
    assert games[1]["black"] == "standard-heuristic"
    final = [game["disc_differences"][-1] for game in games]
    wins = sum((d > 0) == (i % 2 == 0) and d != 0 for i, d in enumerate(final))
    assert wins == report["wins"]


def test_epsilon_for_each_player(outflank: Outflank) -> None:
    report = json.loads(
        outflank("match", "all-2", "random", "--epsilon", "0.1,0", "--double-games", 50, "--json").stdout
    )
    assert report["epsilon"] == [0.1, 0.0]


def test_show_and_picture(outflank: Outflank, tmp_path: Path) -> None:
    report = json.loads(outflank("show", "all-2", "--out", tmp_path / "p.png", "--json").stdout)
    assert (report["weights"], report["view"]) == (288, "inversion")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    shown = outflank("show", "standard-heuristic").stdout
    assert shown.count("-0.25") == 12 + 1  # on the board, and as the smallest


def test_an_onnx_file_holds_its_view(outflank: Outflank, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    made = outflank("convert", "all-2", tmp_path / "all-2.onnx", "--json")
    assert (made.returncode, made.stderr) == (0, "")
    assert json.loads(made.stdout)["player"] == f"{tmp_path / 'all-2.onnx'}"


def test_convert_there_and_back(outflank: Outflank, tmp_path: Path) -> None:
    ours, text = tmp_path / "p.safetensors", tmp_path / "p.player"
    assert outflank("convert", "all-2", ours).returncode == 0
    back = outflank("convert", ours, text)
    assert back.returncode == 0
    assert f"{text},view=inversion" in back.stderr.replace("\n", "")
    assert load_player(ours).view == "inversion"
    assert load_player(text).evaluator == load_player(ours).evaluator
    again = outflank("convert", "standard-heuristic", text)
    assert again.returncode == 2
    assert "already exists" in again.stderr
    assert isinstance(load_player(text).evaluator, NTupleNetwork)
    assert outflank("convert", "standard-heuristic", text, "--force").returncode == 0
    assert isinstance(load_player(text).evaluator, PieceCounter)


def test_perft(outflank: Outflank) -> None:
    report = json.loads(outflank("perft", 9, "--json").stdout)
    paths = [row["paths"] for row in report["perft"]]
    assert paths == [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288]
    after = json.loads(outflank("perft", 3, "--moves", "f5d6", "--json").stdout)
    assert after["position"].endswith("X")


def test_a_text_player_without_view_says_so_on_stderr(outflank: Outflank, tmp_path: Path) -> None:
    save_player(StoredPlayer(PieceCounter(range(64))), tmp_path / "my.player")
    result = outflank("score", tmp_path / "my.player", "--double-games", 20, "--json")
    assert result.returncode == 0
    assert "plays by negation" in result.stderr
    json.loads(result.stdout)


@pytest.mark.parametrize("arguments", [("--json",), ()])
def test_interrupted_matches_leave_a_partial_result(arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()"]
    process = subprocess.Popen(
        [*command, "score", "all-2", "--double-games", "50000000", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    let_work(process, 1.5)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert stderr == ""
    if arguments:
        report = json.loads(stdout)
        assert report["partial"] is True
        assert 0 < report["double_games"] < 50_000_000
        assert 0.9 < report["score"] < 1
    else:
        assert "partial" in stdout


BAD = {
    "unknown player": (("score", "al-2"), "'al-2' is not a player or a file; did you mean all-2?"),
    "unknown command": (("scroe", "all-2"), "'scroe' is not a command; did you mean score?"),
    "unknown option": (("score", "all-2", "--games", "3"), "No such option: --games"),
    "missing argument": (("score",), "Missing argument"),
    "epsilon too large": (("score", "all-2", "--epsilon", "1.5"), "epsilon must be within 0..1, got 1.5"),
    "epsilon no number": (("score", "all-2", "--epsilon", "x"), "epsilon must be a number"),
    "epsilon nan": (("score", "all-2", "--epsilon", "nan"), "epsilon must be within 0..1, got nan"),
    "no games": (("score", "all-2", "--double-games", "0"), "at least one double game"),
    "bad seed": (("score", "all-2", "--seed", "-3"), "a seed is a whole number"),
    "bad view": (("score", "all-2,view=up"), "'up' is not a view"),
    "illegal transcript": (("perft", "3", "--moves", "f5f5"), "move 2 (f5) is not legal for white"),
    "missing starts": (("match", "all-2", "random", "--starts", "nowhere.txt"), "nowhere.txt: no such file"),
    "unknown picture": (("show", "all-2", "--out", "picture.xyz"), "xyz"),
    "missing folder": (("show", "all-2", "--out", "no/such/folder/p.png"), "folder"),
    "random has no weights": (("show", "random"), "random has no weights to show or convert"),
    "convert to a missing folder": (("convert", "all-2", "no/such/p.player"), "no such file or directory"),
    "record exists": (("match", "all-2", "random", "--record", "there.jsonl"), "there.jsonl: file exists"),
}


@pytest.mark.parametrize(("arguments", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_sentence_and_exit_code_2(
    outflank: Outflank, tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    (tmp_path / "there.jsonl").write_text("precious")
    result = outflank(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert sentence in result.stderr
    assert result.stderr.startswith("outflank: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert [p.name for p in tmp_path.iterdir()] == ["there.jsonl"]
    assert (tmp_path / "there.jsonl").read_text() == "precious"


def test_broken_player_files(outflank: Outflank, tmp_path: Path) -> None:
    broken = tmp_path / "broken.player"
    for content, sentence in (
        (os.urandom(4096), "broken.player"),
        (b"1 1 2 0 64 1 2 3", "line 1, column 9: table 1: a square should be within 0..63, got 64"),
        (b"1 1 1 0 1 2", "may have been cut off"),
        (b"1 1 1 0 1 2 nan", "weights must be finite"),
    ):
        broken.write_bytes(content)
        result = outflank("score", broken)
        assert result.returncode == 2
        assert sentence in result.stderr
        assert "Traceback" not in result.stderr


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -c 'from outflank.interfaces.cli import main; main()' perft 3 | true"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert result.stderr == ""


def test_version_and_help(outflank: Outflank) -> None:
    assert outflank("--version").stdout.startswith("outflank 0.")
    assert "score" in outflank().stdout


@pytest.mark.parametrize("group", [(), ("games",), ("book",)])
def test_help_lists_every_command_with_its_whole_sentence(outflank: Outflank, group: tuple[str, ...]) -> None:
    command: Any = typer.main.get_command(app)
    for name in group:
        command = command.get_command(None, name)
    commands = {name: command.get_command(None, name) for name in command.list_commands(None)}
    shown = outflank(*group, "--help").stdout
    assert max(map(len, shown.splitlines())) <= 80
    listed = re.findall(r"^  ([a-z][a-z-]*) {2,}\S", shown, flags=re.MULTILINE)
    assert sorted(listed) == sorted(commands)
    words = " ".join(shown.split())
    for each in commands.values():
        assert " ".join(each.help.split("\n\n")[0].split()) in words
    if not group:
        assert re.findall(r"^([A-Z][a-z ]+):$", shown, flags=re.MULTILINE) == [
            "Options", "Learn", "Measure", "Play and study", "Players", "League",
        ]  # fmt: skip


def test_summaries_are_those_of_the_commands() -> None:
    for commands in TOPICS.values():
        for name, command in commands.items():
            assert command.summary == summary(command.load(name))


HEAVY = {"numpy", "pandas", "scipy", "matplotlib", "sqlalchemy", "fastapi", "pydantic", "rich", "dask"}


@pytest.mark.parametrize(
    ("arguments", "allowed", "most"),
    [
        ("--help", "", 220),
        ("--version", "pydantic", 400),  # Typer validates options by pydantic
        ("score --help", "rich pydantic", 400),
        ("score all-2 --double-games 1", "rich pydantic numpy", 600),
    ],
)
def test_a_command_imports_what_it_needs(arguments: str, allowed: str, most: int) -> None:
    """Modules, not seconds: what start-up costs, whatever the machine is doing."""
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('\\n' + ' '.join(sys.modules)))\n"
        "from outflank.interfaces.cli import main; main()"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments.split()], capture_output=True, text=True, check=True
    )
    modules = run.stdout.splitlines()[-1].split()
    assert {module.split(".")[0] for module in modules} & HEAVY <= set(allowed.split())
    assert len(modules) <= most


def test_built_in_players_are_listed(outflank: Outflank) -> None:
    rows = {row["player"]: row for row in json.loads(outflank("players", "--json").stdout)}
    assert set(rows) == {*BUILT_IN, "random"}
    assert rows["all-2"] | {"description": ""} == {
        "player": "all-2", "description": "", "kind": "n-tuple-network", "view": "inversion", "weights": 288,
        "league_score": 0.9595,
    }  # fmt: skip
    text = outflank("players").stdout
    assert all(name in text for name in rows)


@pytest.mark.parametrize("name", BUILT_IN)
def test_stored_league_scores_are_what_a_match_gives(name: str) -> None:
    tally = league_match(named_player(name), double_games=2000, seed=2).play()
    assert abs(tally.score - BUILT_IN[name].league_score) < 5 * tally.standard_error


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("outflank score league", ["league-champion"]),
        ("outflank match all-2 all-2,v", ["all-2,view="]),
        ("outflank solve ffo", ["ffo-1-19", "ffo-20-39", "ffo-40-59"]),
        ("outflank learn lucas", ["lucas-2007"]),
        ("outflank tournament my", ["my.player"]),
    ],
)
def test_the_shell_completes_players_presets_and_positions(
    tmp_path: Path, words: str, offered: list[str]
) -> None:
    (tmp_path / "my.player").write_text("")
    command = [sys.executable, "-c", "from outflank.interfaces.cli import app; app(prog_name='outflank')"]
    environment = os.environ | {
        "_OUTFLANK_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")),
    }  # fmt: skip
    result = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=60
    )
    assert result.stdout.split() == offered
