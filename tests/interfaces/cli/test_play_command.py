"""`outflank play` as a real process, over pipes and in a terminal: whole games, commands, interruptions."""

from __future__ import annotations

import os
import pty
import re
import shlex
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from random import Random
from select import select

import pytest

from outflank import Board, Game, Solver, Square, read_games
from outflank.interfaces.cli.terminal_board import terminal_board
from tests.conftest import Outflank

COMMAND = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()", "play"]
TEN_EMPTIES = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X"
PROMPT = re.compile(r"(?:^|\n)move \d+: $")


class Dialogue:
    """A running `outflank play`, over pipes: what it prints until it asks, what is typed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def heard(self) -> str:
        """Everything until the next prompt, or until the end."""
        assert self.process.stdout is not None
        text = ""
        while not PROMPT.search(text) and (letter := self.process.stdout.read(1)):
            text += letter
        return text

    def type(self, text: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        return self.heard()


@contextmanager
def dialogue(folder: Path, *arguments: str) -> Iterator[Dialogue]:
    with subprocess.Popen(
        [*COMMAND, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, cwd=folder,
    ) as process:  # fmt: skip
        try:
            yield Dialogue(process)
        finally:
            process.kill()


def piped(folder: Path, text: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], input=text, capture_output=True, text=True, cwd=folder, timeout=60
    )


def replies(text: str) -> list[Square]:
    return [Square(name) for name in re.findall(r"plays ([a-h][1-8])", text)]


@pytest.mark.parametrize(("player", "colour", "seed"), [("all-2", "black", 1), ("random", "white", 2)])
def test_a_whole_game(tmp_path: Path, player: str, colour: str, seed: int) -> None:
    """A referee of our own follows the game; every board shown is his."""
    random, moves = Random(seed), list[Square]()
    with dialogue(tmp_path, player, "--colour", colour, "--out", "game.ggf") as talk:
        text = talk.heard()
        while True:
            moves += replies(text)
            game = Game(tuple(moves))
            last = moves[-1] if moves else None
            shown = terminal_board(game.final.settled(), last=last, with_colours=False).plain
            assert shown in text
            if moves:
                assert read_games(tmp_path / "game.ggf")[0].game == game
            if game.final.is_over:
                break
            board = game.final.settled()
            assert board.mover == colour
            if len(moves) % 7 == 0:
                assert "is not a legal move; you can play" in talk.type("d4")
            moves.append(random.choice(board.legal_moves))
            text = talk.type(str(moves[-1]).upper())
        assert talk.process.wait(10) == 0
    (record,) = read_games(tmp_path / "game.ggf")
    assert (record.black, record.white) == (("human", player) if colour == "black" else (player, "human"))
    difference = game.final.disc_difference
    assert record.result is not None
    assert (record.result > 0) == (difference > 0)
    mine = difference if colour == "black" else -difference
    assert ("you win" if mine > 0 else "you lose" if mine < 0 else "a draw") in text
    assert "outflank analyze game.ggf" in text


def test_commands(tmp_path: Path) -> None:
    text = "f5 \nmoves\nUNDO\nundo\nmoves\nredo\nredo\nmoves\npass\nhlep\n???\n\nhelp\nresign\n"
    result = piped(tmp_path, text, "all-2", "--out", "g.jsonl")
    assert (result.returncode, result.stderr) == (0, "")
    shown = result.stdout
    (reply,) = replies(shown)
    assert shown.count(f"\nf5{reply}\n") == 2  # after the move, and after undo and redo
    for line in (
        "There is no move of yours to take back.", "No move has been played.",
        "There is nothing to redo.",
        "You have a move, so you may not pass.", "'hlep' is not a square or a command; did you mean help?",
        "'???' is not a square or a command; help lists what can be typed", "You resigned after 2 moves.",
    ):  # fmt: skip
        assert shown.count(line) == 1
    (record,) = read_games(tmp_path / "g.jsonl")
    assert (record.game.transcript, record.result, record.ending) == (f"f5{reply}", -64, "resigned")
    assert [path.name for path in tmp_path.iterdir()] == ["g.jsonl"]


def test_undo_takes_back_whole_turns_and_swap_changes_sides(tmp_path: Path) -> None:
    with dialogue(tmp_path, "all-2", "--out", "g.txt", "--start", "f5d6c3") as talk:
        game = Game((*Game.from_transcript("f5d6c3").moves, *replies(talk.heard())))
        assert len(game.moves) == 4
        talk.type("undo")
        talk.type("undo")
        assert not (tmp_path / "g.txt").exists()  # a transcript of no moves cannot be
        talk.type("redo")
        talk.type("redo")
        assert game.transcript in talk.type("moves")
        assert (tmp_path / "g.txt").read_text() == game.transcript + "\n"
        after = talk.type("swap")
        assert "You are white now." in after
        assert len(replies(after)) == 1
        talk.type("undo")  # white's last move: the fourth, and the reply to it
        assert "f5d6c3\n" in talk.type("moves")
        talk.type("quit")
        assert talk.process.wait(10) == 0


def test_hints_and_values_of_a_solved_position(tmp_path: Path) -> None:
    result = piped(tmp_path, "hint\nvalues\nquit\n", "random", "--start", TEN_EMPTIES)
    assert result.returncode == 0
    board = Board(TEN_EMPTIES)
    scores = {move: -Solver().solve(board.play(move)).score_for_mover for move in board.legal_moves}
    found = {
        Square(name): int(value) for name, value in re.findall(r"[* ] ([a-h]\d) +([+-]\d+)\b", result.stdout)
    }
    assert found == scores
    best = max(scores.values())
    marked = {Square(name) for name in re.findall(r"\* ([a-h]\d)", result.stdout)}
    assert marked == {move for move, score in scores.items() if score == best}
    assert result.stdout.count("solved") == 2
    values = {move: float(score) for move, score in scores.items()}
    assert terminal_board(board, values=values, with_colours=False).plain in result.stdout
    assert "No move was played" in result.stdout
    assert list(tmp_path.iterdir()) == []


def test_thoughts(tmp_path: Path) -> None:
    shown = piped(tmp_path, "f5\n", "all-2", "--think").stdout
    assert re.search(r"it expects [+-][\d.]+ in its own unit; depth 1,", shown)
    shown = piped(tmp_path, "f5\n", "td-all-rounder,depth=4", "--think").stdout
    assert re.search(r"it expects [+-][\d.]+ discs; depth 4, [\d,]+ nodes", shown)
    assert re.search(r"and then( [a-h][1-8]){1,7}\n", shown)
    options = ("--think", "--colour", "white", "--start", TEN_EMPTIES)
    solved = piped(tmp_path, "", "td-all-rounder,solve=10", *options).stdout
    assert "plays h5\n  solved: it wins by 6; " in solved


def test_the_end_of_the_input_keeps_the_game(tmp_path: Path) -> None:
    result = piped(tmp_path, "f5\n", "all-2")
    assert (result.returncode, result.stderr) == (0, "")
    (path,) = (tmp_path / "games").iterdir()
    assert path.suffix == ".ggf"
    command = result.stdout.strip().splitlines()[-1]
    assert command == f"outflank play all-2 --start games/{path.name} --colour black"
    again = piped(tmp_path, "moves\nf6\nquit\n", *shlex.split(command)[2:])
    assert again.returncode == 0
    assert f"\nf5{replies(result.stdout)[0]}\n" in again.stdout
    assert list((tmp_path / "games").iterdir()) == [path]  # it goes on in the same file


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_games_lose_nothing(tmp_path: Path, how: signal.Signals) -> None:
    with dialogue(tmp_path, "all-2", "--colour", "white", "--out", "g.ggf") as talk:
        moves = replies(talk.heard())
        moves.append(Game(tuple(moves)).final.legal_moves[0])
        moves += replies(talk.type(str(moves[-1])))
        talk.process.send_signal(how)
        stdout, stderr = talk.process.communicate(timeout=20)
        assert talk.process.returncode == (130 if how is signal.SIGINT else -how)
    if how is signal.SIGINT:
        assert "outflank play all-2 --start g.ggf --colour white" in stdout
        assert stderr == ""
    assert read_games(tmp_path / "g.ggf")[0].game.moves == tuple(moves)
    assert [path.name for path in tmp_path.iterdir()] == ["g.ggf"]
    again = piped(tmp_path, "moves\n", "all-2", "--start", "g.ggf")
    assert "you are white" in again.stdout  # as the file says
    assert "".join(map(str, moves)) in again.stdout


def test_a_search_is_interrupted_at_once(tmp_path: Path) -> None:
    with dialogue(tmp_path, "td-all-rounder,depth=40", "--start", "f5d6c3d3c4", "--out", "g.txt") as talk:
        assert talk.process.stdout is not None
        while "against" not in talk.process.stdout.readline():
            pass
        with pytest.raises(subprocess.TimeoutExpired):
            talk.process.wait(1)
        talk.process.send_signal(signal.SIGINT)
        assert talk.process.wait(10) == 130
    assert (tmp_path / "g.txt").read_text() == "f5d6c3d3c4\n"


def test_another_persons_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "theirs.txt").write_text("f5d6c3\nf5f6\n")
    result = piped(tmp_path, "quit\n", "all-2", "--start", "theirs.txt", "--game", 2)
    assert result.returncode == 0
    assert (tmp_path / "theirs.txt").read_text() == "f5d6c3\nf5f6\n"
    (made,) = (tmp_path / "games").iterdir()
    assert read_games(made)[0].game.transcript == "f5f6"


def test_passes_are_made_and_said(tmp_path: Path) -> None:
    """White to move cannot; Black takes the last white disc."""
    start = "XO" + "-" * 62 + " O"
    shown = piped(tmp_path, "pass\nc1\n", "random", "--start", start).stdout
    assert shown.count("random has no move and passes.") == 1
    assert "You have a move, so you may not pass." in shown
    assert "Game over: black 3, white 0, you win by 3." in shown
    (path,) = (tmp_path / "games").iterdir()
    (record,) = read_games(path)
    assert (record.game.start.text, record.game.transcript, record.result) == (start, "c1", 64)
    shown = piped(tmp_path, "", "random", "--colour", "white", "--start", start).stdout
    assert "You have no move and pass." in shown
    assert "you lose by 3." in shown


def test_a_dead_engine_leaves_the_game(tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import sys\nfor line in sys.stdin:\n"
        "    sys.exit('out of coffee') if line.startswith('genmove') else print('=\\n', flush=True)\n"
    )
    result = piped(tmp_path, "f5\n", f"gtp:{sys.executable} {engine}", "--out", "g.txt")
    assert result.returncode == 2
    assert result.stderr.startswith("outflank: ")
    assert "out of coffee" in result.stderr
    assert result.stderr.count("\n") == 1
    assert (tmp_path / "g.txt").read_text() == "f5\n"
    assert "The game is saved. Resume it:" in result.stdout


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    result = subprocess.run(
        [*COMMAND, "all-2"], input=b"\xff\xfe\x00\x1b[A\n" + b"x" * 100_000 + b"\nquit\n",
        capture_output=True, cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.count(b"is not a square or a command") == 2
    assert len(result.stdout) < 103_000  # the echo, once


BAD = {
    "unknown player": (("al-2",), "'al-2' is not a player or a file; did you mean all-2?"),
    "no start": (("--start", "nowhere.txt"), "'nowhere.txt' is neither an existing file nor a"),
    "bad position": (("--start", "X" * 63 + "? X"), "'?' at h8 is not X, O or -"),
    "several games": (("--start", "two.txt"), "two.txt holds 2 games; choose one with --game"),
    "game of no file": (("--game", "1"), "--game chooses a game of the file in --start"),
    "a finished game": (("--start", "over.txt"), "there is nothing to play: the game is over"),
    "no folder": (("--out", "no/such/g.txt"), "no/such/g.txt: there is no folder no/such"),
    "already there": (("--out", "two.txt"), "two.txt already exists"),
    "unknown format": (("--out", "g.pgn"), "g.pgn: a game is saved as .ggf, .jsonl or .txt"),
    "position as text": (("--out", "g.txt", "--start", TEN_EMPTIES), "a transcript holds no start position"),
    "unknown colour": (("--colour", "green"), "'green' is not one of"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_input(outflank: Outflank, tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    over = "e6f4e3f6g5d6e7f5c5"  # White has no disc left
    files = {"two.txt": "f5d6\nf5f6\n", "over.txt": over + "\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    result = outflank("play", *arguments, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == files


def in_terminal(folder: Path, typed: str, columns: int, *arguments: str, term: str) -> str:
    """What a terminal of this width shows."""
    mine, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    environment = kept | {"TERM": term, "LANG": "C.UTF-8"}
    with subprocess.Popen(
        [*COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment,
        start_new_session=True,
    ) as process:  # fmt: skip
        os.close(theirs)
        waiting, text, answered = typed.splitlines(), b"", 0
        try:
            while select([mine], [], [], 20)[0]:
                text += os.read(mine, 4096)
                if waiting and re.search(rb"move \d+: $", text[answered:]):
                    answered = len(text)
                    os.write(mine, waiting.pop(0).encode() + b"\n")
        except OSError:  # the other end is closed
            process.wait(10)
        finally:
            process.kill()
    os.close(mine)
    assert process.returncode == 0
    return text.decode()


@pytest.mark.parametrize("columns", [80, 40])
def test_in_a_terminal(tmp_path: Path, columns: int) -> None:
    arguments = ("all-2", "--think", "--start", TEN_EMPTIES, "--out", "g.ggf")
    typed = "hint\nvalues\nh5\nquit\n"
    shown = in_terminal(tmp_path, typed, columns, *arguments, term="xterm-256color")
    assert "\x1b[30;48;5;28m" in shown  # a black disc on green
    assert "●" in shown
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b.", "", shown)
    assert re.search(r"\[●\]", plain)  # the last move
    lines = [line.split("\r")[-1] for line in plain.replace("\r\n", "\n").splitlines()]
    too_wide = [line for line in lines if len(line) > columns and not line.startswith("outflank play")]
    assert too_wide == []


def test_in_a_terminal_without_colours(tmp_path: Path) -> None:
    shown = in_terminal(tmp_path, "f5\nquit\n", 80, "all-2", "--out", "g.txt", term="dumb")
    assert "●" not in shown
    assert re.search(r"\[O\]", shown)
