"""`outflank analyze` as a real process: exact facts, reports, pictures, interruptions, bad input."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outflank import Board, Game, GameRecord, Solver, write_games
from tests.conftest import Outflank, let_work
from tests.games.random_games import random_game

TEN_EMPTIES = Board("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X")
QUICK = ("--player", "td-all-rounder,depth=2")


def analysis(outflank: Outflank, *arguments: object, cwd: Path) -> dict[str, Any]:
    result = outflank("analyze", *arguments, "--json", cwd=cwd)
    assert (result.returncode, result.stderr) == (0, "")
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def test_perfect_play_from_another_start_loses_nothing(outflank: Outflank, tmp_path: Path) -> None:
    solution = Solver().solve(TEN_EMPTIES)
    write_games([GameRecord(Game(solution.line, TEN_EMPTIES), "A", "B")], tmp_path / "g.ggf")
    report = analysis(outflank, "g.ggf", *QUICK, cwd=tmp_path)
    assert (report["start"], report["black"], report["is_over"]) == (TEN_EMPTIES.text, "A", True)
    assert [move["square"] for move in report["moves"]] == list(map(str, solution.line))
    assert {move["loss"] for move in report["moves"]} == {0}
    assert {move["score_for_black"] for move in report["moves"]} == {6}
    assert all(move["exact"] for move in report["moves"])
    assert report["turning_points"] == []
    assert report["sides"]["black"]["loss"] == report["sides"]["white"]["loss"] == 0


def test_a_win_thrown_away(outflank: Outflank, tmp_path: Path) -> None:
    """The move that the solver likes least, in a position that is won by 6."""
    after = {move: Solver().solve(TEN_EMPTIES.play(move)).score_for_mover for move in TEN_EMPTIES.legal_moves}
    worst = max(after, key=lambda move: after[move])
    lost = 6 + after[worst]
    assert lost > 10
    write_games([GameRecord(Game((worst,), TEN_EMPTIES))], tmp_path / "g.jsonl")
    (move,) = analysis(outflank, "g.jsonl", *QUICK, cwd=tmp_path)["moves"]
    assert (move["best"], move["loss"], move["mark"], move["turn"]) == ("h5", lost, "??", ["won", "lost"])
    shown = outflank("analyze", "g.jsonl", *QUICK, cwd=tmp_path).stdout
    assert f"1. {worst} (black) made a won game lost" in shown
    assert re.search(rf"1 X {worst} +{-after[worst]:+d} +{lost} \?\? h5 \+6", shown)
    assert "unfinished" in shown


def test_table_and_report_say_the_same(outflank: Outflank, tmp_path: Path) -> None:
    game = random_game(Random(5))
    report = analysis(outflank, game.transcript, *QUICK, "--solve", 12, cwd=tmp_path)
    shown = outflank("analyze", game.transcript, *QUICK, "--solve", 12).stdout
    rows = re.findall(r"^ ?(\d+) ([XO]) ([a-h]\d) +([+-][\d.]+)(?: +([\d.]+))?(?: (\?+))?", shown, re.M)
    assert len(rows) == len(report["moves"]) == len(game.moves)
    for (number, letter, square, score, loss, mark), move in zip(rows, report["moves"], strict=True):
        assert (int(number), square, mark) == (move["number"], move["square"], move["mark"])
        assert letter == ("X" if move["mover"] == "black" else "O")
        assert ("." not in score) == move["exact"]
        assert float(score) == pytest.approx(move["score_for_black"], abs=0.051)
        assert float(loss or 0) == pytest.approx(move["loss"], abs=0.051)
    assert shown.count(" pass ") == sum(move["is_after_pass"] for move in report["moves"])
    for colour in ("black", "white"):
        side = report["sides"][colour]
        moves = [move for move in report["moves"] if move["mover"] == colour]
        assert side["loss"] == pytest.approx(sum(move["loss"] for move in moves))
        assert f"{colour.capitalize()} lost {side['loss']:.1f} discs in {side['moves']} moves" in shown
    first = next(move["number"] for move in report["moves"] if move["exact"])
    assert 64 - game.boards[first - 1].discs == 12
    assert f"(from move {first})" in shown
    assert shown.count("Turning point:") == len(report["turning_points"])
    assert report["disc_differences"] == list(game.disc_differences)


def test_pictures(outflank: Outflank, tmp_path: Path) -> None:
    games = [random_game(Random(seed)) for seed in range(3)]
    write_games([GameRecord(game, "$x$", "名前") for game in games], tmp_path / "g.jsonl")
    result = outflank(
        "analyze", "g.jsonl", "--game", 2, *QUICK, "--solve", 8, "--plot", "one.png", cwd=tmp_path
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "Picture: one.png" in result.stdout
    report = analysis(outflank, "g.jsonl", "--plot", "all.svg", cwd=tmp_path)
    assert report["disc_differences"] == [list(game.disc_differences) for game in games]
    assert report["black_ahead"] == sum(game.final.disc_difference > 0 for game in games)
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "all.svg").read_bytes()


def test_a_player_with_a_unit_of_its_own(outflank: Outflank) -> None:
    """Nothing is called a mistake, and no loss counted, that no one could judge in discs."""
    options = ("--player", "standard-heuristic", "--solve", 6)
    shown = " ".join(outflank("analyze", random_game(Random(6)).transcript, *options).stdout.split())
    assert (
        "Whole numbers (from move 55) are exact, others estimates by standard-heuristic, in its own" in shown
    )
    assert re.search(r"Black lost [\d.]+ discs in 3 moves", shown)


def test_interrupted_analyses_tell_what_is_done(tmp_path: Path) -> None:
    game = random_game(Random(7))
    command = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()", "analyze"]
    # The first moves are quick at this depth, those of the middle game are not.
    options = ["--player", "td-all-rounder,depth=11", "--solve", "0", "--json", "--plot", "g.png"]
    with subprocess.Popen(
        [*command, game.transcript, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, cwd=tmp_path,
    ) as process:  # fmt: skip
        let_work(process, 2.5)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    told = re.fullmatch(rf"note: interrupted after (\d+) of {len(game.moves)} moves\n", stderr)
    assert told
    done = int(told[1])
    assert 0 < done < len(game.moves)
    report = json.loads(stdout)
    assert (report["partial"], len(report["moves"])) == (True, done)
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")


BAD = {
    "illegal move": (("f5d6a1",), "move 3 (a1) is not legal for black"),
    "no square": (("f5d6z9",), "move 3: 'z9' is not a square; squares are a1 to h8"),
    "after the end": (("e6f4e3f6g5d6e7f5c5a1",), "move 10 (a1) comes after the end of the game"),
    "no such file": (("none.wtb",), "'none.wtb' is neither an existing file nor a transcript"),
    "nothing": (("",), "'' is neither an existing file nor a transcript"),
    "a position": ((TEN_EMPTIES.text,), "has no moves to analyse"),
    "empty file": (("empty.txt",), "empty.txt is empty"),
    "no games": (("comment.txt",), "comment.txt holds no games"),
    "illegal game": (("bad.txt",), "bad.txt, line 1: move 2 (f5) is not legal for white"),
    "several games": (("two.txt",), "two.txt holds 2 games; choose one with --game"),
    "game of no file": (("f5d6", "--game", "1"), "--game chooses a game of a file"),
    "unknown player": (("f5", "--player", "al-2"), "'al-2' is not a player or a file"),
    "no evaluator": (("f5", "--player", "random"), "random has no evaluator, so it cannot evaluate moves"),
    "no folder": (("f5", "--plot", "no/such/g.png"), "there is no folder no/such"),
    "no picture": (("f5", "--plot", "g.txt"), "its name must end with one of .png"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_input(outflank: Outflank, tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    files = {"two.txt": "f5d6\nf5f6\n", "bad.txt": "f5f5\n", "empty.txt": "", "comment.txt": "# nothing\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    result = outflank("analyze", *arguments, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert sentence in result.stderr
    assert result.stderr.startswith("outflank: ")
    assert result.stderr.count("\n") == 1
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == files


def test_the_next_command_names_the_same_player(outflank: Outflank) -> None:
    result = outflank("analyze", "f5d6c3", "--player", "all-2,depth=2")
    assert result.stdout.endswith("outflank analyze f5d6c3 --player all-2,depth=2 --plot game.png\n")
