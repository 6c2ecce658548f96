"""Our players as GTP engines: a golden conversation, and what GTP 2 prescribes."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from io import BytesIO
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank import Board, Square, named_player
from outflank.interfaces.engines import LONGEST_LINE, converse
from outflank.interfaces.engines.gtp import Clock, GtpEngine
from tests.conftest import ROOT

GOLDEN = ROOT / "tests" / "golden"
COMMAND = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()", "engine"]
# Black has every square but two: White must pass, then Black ends the game on h8.
WHITE_PASSES = "X" * 62 + "O- O"


class Slow:
    """Chooses the first move, and remembers how long it may take for it."""

    name = "slow"

    def __init__(self, seconds: list[float]) -> None:
        self.seconds = seconds

    def with_seconds(self, seconds: float) -> Slow:
        self.seconds.append(seconds)
        return self

    def choose(self, board: Board) -> Square:
        return board.legal_moves[0]


def golden(name: str) -> tuple[str, str]:
    """What is said to the engine (lines that open with >), and what it answers."""
    lines = (GOLDEN / name).read_text().splitlines(keepends=True)
    said = "".join(line[2:] or "\n" for line in lines if line.startswith(">"))
    return said, "".join(line for line in lines if not line.startswith(">"))


def ask(engine: GtpEngine, line: str) -> str:
    return "".join(engine.answers(line + "\n"))


def test_golden_conversation() -> None:
    said, answers = golden("gtp-conversation.txt")
    result = subprocess.run([*COMMAND, "all-2"], input=said, capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == answers


def test_control_characters_tabs_and_line_ends_are_as_gtp_prescribes() -> None:
    engine = GtpEngine(named_player("all-2"))
    assert ask(engine, "\t7\tpl\x07ay\tblack\t\tf5\r") == "=7\n\n"
    assert engine.board == Board().play("f5")
    assert ask(engine, "  \t \r") == ""
    assert ask(engine, "# play white d6") == ""
    assert ask(engine, "0012 protocol_version") == "=0012 2\n\n"


def test_a_pass_may_be_told_or_left_out() -> None:
    for told in (True, False):
        engine = GtpEngine(named_player("all-2"))
        ask(engine, f"outflank-setup_position {WHITE_PASSES}")
        assert ask(engine, "play black a1") == "? illegal move\n\n"
        if told:
            assert ask(engine, "play white pass") == "=\n\n"
        assert ask(engine, "play black h8") == "=\n\n"
        assert ask(engine, "final_score") == "= B+64\n\n"
        assert ask(engine, "genmove white") == ask(engine, "genmove black") == "= pass\n\n"
        assert ask(engine, "undo") == "=\n\n"
        assert engine.board.discs == 63


def test_a_whole_game_by_genmove_alone() -> None:
    engine = GtpEngine(named_player("all-2"))
    passes = colour = 0
    while passes < 2:
        answer = ask(engine, f"genmove {'bw'[colour]}")
        assert answer.startswith("= ")
        passes = passes + 1 if answer == "= pass\n\n" else 0
        colour = 1 - colour
    assert engine.board.is_over
    difference = engine.board.disc_difference
    expected = "0" if difference == 0 else f"{'B' if difference > 0 else 'W'}+{abs(difference)}"
    assert ask(engine, "final_score") == f"= {expected}\n\n"


def test_time_is_handed_to_players_that_can_use_it() -> None:
    seconds: list[float] = []
    engine = GtpEngine(Slow(seconds))
    ask(engine, "genmove black")
    assert seconds == []  # no limit was set
    ask(engine, "time_settings 0 10 2")
    ask(engine, "genmove white")
    ask(engine, "time_left black 4 1")
    ask(engine, "genmove black")
    assert seconds == pytest.approx([0.9 * 10 / 2, 0.9 * 4])


def test_clock() -> None:
    clock, board = Clock(), Board()
    clock.set(main=0, period=5, moves=0)
    assert clock.seconds_for(board) is None  # GTP 2: a period of no moves is no limit
    clock.set(main=60, period=0, moves=0)
    clock.spent("black", 30)
    assert clock.seconds_for(board) == pytest.approx(0.9 * 30 / 30)
    clock.spent("black", 100)
    assert clock.seconds_for(board) == pytest.approx(0.01)  # out of time is not without a limit
    clock.set(main=1, period=8, moves=2)
    assert clock.seconds_for(board) == pytest.approx(0.9 * 4)  # the periods to come give more than the rest


def test_a_player_that_fails_is_an_answer() -> None:
    class Broken:
        name = "broken"

        def choose(self, board: Board) -> Square:
            raise RuntimeError(f"no idea\n\non {board.text}")

    engine = GtpEngine(Broken())
    answer = ask(engine, "5 genmove black")
    assert answer.startswith("?5 RuntimeError: no idea\non -")
    assert answer.count("\n\n") == 1
    assert ask(engine, "6 name") == "=6 outflank broken\n\n"


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.text(max_size=40) | st.sampled_from(["play b f5", "genmove w", "undo", "showboard", "9 genmove b"])
    )
)
def test_any_lines_get_well_formed_answers(lines: list[str]) -> None:
    engine = GtpEngine(Slow([]))
    for line in lines:
        answer = "".join(engine.answers(line))
        assert answer == "" or (answer[0] in "=?" and answer.endswith("\n\n") and answer.count("\n\n") == 1)


def test_lines_without_end_do_not_fill_the_memory() -> None:
    sink = BytesIO()
    source = BytesIO(b"1 name" + b" " * (3 * LONGEST_LINE) + b"\n2 protocol_version\n3 quit\n4 name\n")
    converse(GtpEngine(Slow([])), source, sink)
    assert sink.getvalue() == b"? unknown command\n\n=2 2\n\n=3\n\n"


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
def test_hostile_input_neither_crashes_nor_fills_the_memory(protocol: str) -> None:
    """100 MB without a line end, bytes of every kind, ids and numbers without end, 100,000 lines."""
    noise = bytes(random.Random(6).choices(range(256), k=1 << 20))
    long = [b"x" * (1 << 20)] * 100
    words = [b"play", b"genmove", b"hint", b"move", b"time_settings", b"set game", b"set depth", b"ping"]
    told = [b"%b %b\n" % (word, b"9" * 100_000) for word in words] + [b"9" * 100_000 + b" name\n"]
    games = [b"set game " + b"(;GM[Othello];)" * 5000 + b"\n", b"set game (;" + b"B[F5]" * 100_000 + b";)\n"]
    with subprocess.Popen(
        [*COMMAND, "random", "--protocol", protocol],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        answers: list[bytes] = []
        reading = threading.Thread(target=lambda: answers.extend(process.stdout or ()))
        ask = b"\nprotocol_version\n" if protocol == "gtp" else b"\nping 1\n"
        process.stdin.write(ask)
        process.stdin.flush()
        first = process.stdout.readline()
        before = psutil.Process(process.pid).memory_info().rss
        reading.start()
        for piece in (*long, b"\n", noise, b"\n", *told, *games, b"undo\n" * 100_000, ask):
            process.stdin.write(piece)
        process.stdin.flush()
        while not (answers and first in answers[-3:]):
            time.sleep(0.05)
            assert process.poll() is None
        grown = psutil.Process(process.pid).memory_info().rss - before
        process.stdin.close()
        assert process.wait(timeout=60) == 0
        reading.join()
        assert process.stderr.read() == b""
    assert grown < 64 << 20


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
@pytest.mark.parametrize("ending", ["end of input", "SIGTERM", "SIGINT", "closed pipe"])
def test_every_ending_is_quiet(protocol: str, ending: str) -> None:
    with subprocess.Popen(
        [*COMMAND, "random", "--protocol", protocol],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("protocol_version\n" if protocol == "gtp" else "ping 1\n")
        process.stdin.flush()
        assert process.stdout.readline() == ("= 2\n" if protocol == "gtp" else "pong 1\n")
        if ending == "end of input":
            process.stdin.close()
        elif ending == "closed pipe":
            process.stdout.close()
            process.stdin.write("list_commands\n" if protocol == "gtp" else "ping 2\n")
            process.stdin.flush()
        else:
            process.send_signal(signal.Signals[ending])
        assert process.wait(timeout=30) == (1 if ending == "closed pipe" else 0)
        assert process.stderr.read() == ""


def test_bad_players_and_protocols_are_one_sentence(tmp_path: Path) -> None:
    for arguments, sentence in (
        (["no-such-player"], "'no-such-player' is not a player or a file"),
        (["all-2", "--protocol", "uci"], "'uci' is not one of 'gtp', 'nboard'"),
    ):
        result = subprocess.run(
            [*COMMAND, *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=60
        )
        assert result.returncode == 2
        assert sentence in result.stderr
        assert result.stdout == ""
