"""`outflank tournament` as real processes: killed, interrupted, joined, and given bad input."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outflank import Tournament, TournamentSettings, named_player
from outflank.games.tournaments.folder import TournamentFolder
from outflank.interfaces.cli import main
from tests.conftest import Outflank

COMMAND = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()"]
PLAYERS = ("all-2", "standard-heuristic", "random", "all-2,view=negation")
SLOW = ("--double-games", "8000")  # long enough to be caught in the middle


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory, outflank: Outflank) -> Path:
    folder = tmp_path_factory.mktemp("unbroken") / "t"
    assert outflank("tournament", *PLAYERS, *SLOW, "--out", folder).returncode == 0
    return folder


def test_json_is_what_the_library_says(outflank: Outflank, tmp_path: Path) -> None:
    arguments = (*PLAYERS, "--double-games", 100, "--epsilon", 0.2, "--seed", 9)
    result = outflank("tournament", *arguments, "--out", tmp_path / "t", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    report = json.loads(result.stdout)
    assert report.pop("folder") == str(tmp_path / "t")
    assert report == json.loads((tmp_path / "t" / "results.json").read_text())
    settings = TournamentSettings(double_games=100, epsilon=0.2, seed=9)
    standings = Tournament([named_player(name) for name in PLAYERS], settings).play()
    expected = standings.report()
    assert {key: report[key] for key in expected} == expected
    assert (report["partial"], report["starts"]) == (False, 1)
    assert (tmp_path / "t" / "table.csv").read_text() == standings.table_csv()
    assert (tmp_path / "t" / "matrix.csv").read_text() == standings.matrix_csv()
    assert (tmp_path / "t" / "heat-map.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_killed_at_any_moment_it_ends_with_the_same_bytes(
    unbroken: Path, tmp_path: Path, outflank: Outflank
) -> None:
    folder = tmp_path / "t"
    chance = random.Random(2)
    again: list[list[str]] = [[*PLAYERS, *SLOW], list(reversed(PLAYERS)), []]  # the same, reordered, none
    for attempt, (there, count) in enumerate(
        [("tournament.json", 1), ("pairs/*.json", 1), ("pairs/*.json", 3), ("results.json", 1)]
    ):
        process = subprocess.Popen(
            [*COMMAND, "tournament", *again[attempt % 3], "--out", str(folder)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while len(list(folder.glob(there))) < count and process.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.1))
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
    assert outflank("tournament", *PLAYERS, *SLOW, "--out", folder).returncode == 0
    assert contents(folder) == contents(unbroken)


def test_interrupted_it_shows_a_part_and_says_how_to_go_on(
    unbroken: Path, tmp_path: Path, outflank: Outflank
) -> None:
    folder = tmp_path / "t"
    process = subprocess.Popen(
        [*COMMAND, "tournament", *PLAYERS, *SLOW, "--out", str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not list(folder.glob("pairs/*.json")):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (130, "")
    assert f"Resume it: outflank tournament --out {folder}" in stdout
    assert json.loads((folder / "results.json").read_text())["partial"] is True
    assert outflank("resume", folder).returncode == 0
    assert contents(folder) == contents(unbroken)


def test_players_join_and_finished_pairs_stay(unbroken: Path, tmp_path: Path, outflank: Outflank) -> None:
    folder = tmp_path / "t"
    assert outflank("tournament", *PLAYERS[:3], *SLOW, "--out", folder).returncode == 0
    early = contents(folder)
    result = outflank("tournament", PLAYERS[3], *PLAYERS[:3], "--out", folder)
    assert result.returncode == 0
    assert all(contents(folder)[name] == early[name] for name in early if name.startswith("pairs"))
    assert contents(folder) == contents(unbroken)


def test_the_same_command_without_out_finds_its_folder(outflank: Outflank, tmp_path: Path) -> None:
    first = outflank("tournament", *PLAYERS[:2], "--double-games", 50, cwd=tmp_path)
    (folder,) = (tmp_path / "tournaments").iterdir()
    assert f"tournaments/{folder.name}" in first.stdout
    before = contents(folder)
    again = outflank("tournament", *reversed(PLAYERS[:2]), "--double-games", 50, cwd=tmp_path)
    assert again.stdout == first.stdout
    assert contents(folder) == before
    settings = TournamentSettings(double_games=50)
    assert TournamentFolder.for_command(PLAYERS[:2], settings).path.name == folder.name
    others = [((*PLAYERS[:3],), settings), (PLAYERS[:2], TournamentSettings(double_games=60))]
    assert all(TournamentFolder.for_command(*other).path.name != folder.name for other in others)


def test_from_start_positions(
    outflank: Outflank,
    shared: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    starts = shared / "positions" / "lucas-boards.txt"
    arguments = ("all-2", "standard-heuristic", "--starts", starts, "--out", tmp_path / "t", "--json")
    report = json.loads(outflank("tournament", *arguments).stdout)
    assert (report["double_games"], report["epsilon"], report["starts"]) == (1000, 0.0, 1000)
    assert report["pairs"][0]["score"] == pytest.approx(0.908, abs=0.01)  # 90.8 % on record
    assert "its epsilon is 0.0, not 0.1" in refused((*arguments, "--epsilon", 0.1), monkeypatch, capsys)


def test_a_broken_engine_forfeits_and_the_tournament_goes_on(outflank: Outflank, tmp_path: Path) -> None:
    """It dies at its second move, in every game."""
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import sys\nfrom outflank import Board\nboard, moves = Board(), 0\nfor line in sys.stdin:\n"
        "    word, *rest = line.split()\n"
        "    board = Board() if word == 'clear_board' else board.play(rest[1]) if word == 'play' else board\n"
        "    moves += word == 'genmove'\n"
        "    if moves == 2: sys.exit('out of coffee')\n"
        "    print('=', board.legal_moves[0] if word == 'genmove' else '', end='\\n\\n', flush=True)\n"
        "    board = board.play(board.legal_moves[0]) if word == 'genmove' else board\n"
    )
    broken = f"gtp:{sys.executable} {engine}"
    arguments = ("--double-games", 2, "--epsilon", 0, "--threads", 1, "--out", tmp_path / "t")
    result = outflank("tournament", broken, "random", "all-2", *arguments, "--json")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    (row,) = (row for row in report["players"] if row["player"] == broken)
    assert (row["wins"], row["losses"], row["forfeits"]) == (0, 8, 8)
    assert (row["games_without_forfeits"], row["score_without_forfeits"]) == (0, None)
    (other,) = (row for row in report["players"] if row["player"] == "random")
    assert (other["games"], other["games_without_forfeits"], other["forfeits_of_opponents"]) == (8, 4, 4)
    (pair,) = (p for p in report["pairs"] if {p["player"], p["opponent"]} == {"random", "all-2"})
    score = pair["score"] if pair["player"] == "random" else 1 - pair["score"]
    assert other["score_without_forfeits"] == pytest.approx(score)
    assert other["score"] == pytest.approx((1 + score) / 2)
    assert {forfeit["opponent"] for forfeit in report["forfeits"]} == {"random", "all-2"}
    assert all(forfeit["reason"].endswith("out of coffee") for forfeit in report["forfeits"])
    assert report["ratings_with_prior"] is True
    table = outflank("tournament", "--out", tmp_path / "t")
    assert "score without" in table.stdout
    assert "Forfeited by gtp:" in table.stdout
    assert "imaginary" in table.stderr


BAD = {
    "one player": (("all-2",), "a tournament needs at least two players, got all-2"),
    "no player": ((), "a tournament needs at least two players, got none"),
    "twice": (("all-2", "random", "all-2"), "all-2 is named twice"),
    "unknown": (("all-2", "al-2"), "'al-2' is not a player or a file; did you mean all-2?"),
    "nothing to go on with": (("--out", "nowhere"), "nowhere holds no tournament to resume"),
    "a full folder": (("all-2", "random", "--out", "full"), "full already exists and holds no tournament"),
    "a file": (("all-2", "random", "--out", "full/file"), "full/file is a file"),
    "epsilon": (("all-2", "random", "--epsilon", "1.5"), "epsilon must be within 0..1, got 1.5"),
    "double games": (("all-2", "random", "--double-games", "0"), "at least one double game, got 0"),
    "seed": (("all-2", "random", "--seed", "-1"), "a seed is a whole number"),
    "starts": (("all-2", "random", "--starts", "nowhere"), "nowhere: no such file"),
    "unwritable": (("all-2", "random", "--out", "/proc/no"), "/proc/no"),
}


def refused(
    arguments: tuple[object, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """What the command says on stderr when it ends with exit code 2, in this process: it is quicker."""
    monkeypatch.setattr(sys, "argv", ["outflank", "tournament", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (2, "")
    assert said.err.startswith("outflank: ")
    assert said.err.count("\n") == 1
    return said.err


@pytest.mark.parametrize(("arguments", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_sentence_and_leaves_nothing(
    arguments: tuple[str, ...],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("precious")
    assert sentence in refused(arguments, monkeypatch, capsys)
    assert contents(tmp_path) == {"full/file": b"precious"}
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((*PLAYERS, "--seed", 2), "its seed is 1, not 2"),
        ((*PLAYERS, "--double-games", 10), "its double games are 8,000, not 10"),
        ((*PLAYERS, "--epsilon", 0), "its epsilon is 0.1, not 0.0"),
        (PLAYERS[:2], "has one more player, random"),
        ((*PLAYERS, "al-3"), "'al-3' is not a player"),
    ],
)
def test_other_settings_are_refused_and_nothing_changes(
    arguments: tuple[object, ...],
    sentence: str,
    unbroken: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = contents(unbroken)
    assert sentence in refused((*arguments, "--out", unbroken), monkeypatch, capsys)
    assert contents(unbroken) == before
