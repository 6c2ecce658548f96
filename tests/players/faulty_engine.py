"""A GTP engine that plays the first legal move, and does one thing wrong: at its third move or its start.

Run as `python faulty_engine.py FAULT FILE`: it appends its process id to the file. It knows the few
commands that the simplest engines know, and none to set up a position.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from outflank.board import Board, Square


def say(text: str) -> None:
    print(f"{text}\n", flush=True)


def sign_in(file: str, pid: int) -> None:
    with Path(file).open("a", encoding="utf-8") as pids:
        pids.write(f"{pid}\n")


def write_for_ever(output: int, text: bytes) -> None:
    while True:
        os.write(output, text)


def illegal(board: Board) -> Square:
    return next(square for square in map(Square, range(64)) if square not in board.legal_moves)


def third_move(fault: str, board: Board) -> None:
    answers = {
        "says nonsense": "= z99",
        "plays an illegal move": f"= {illegal(board)}",
        "passes": "= pass",
        "resigns": "= resign",
        "answers twice": f"= {board.legal_moves[0]}\n\n= {board.legal_moves[0]}",
        "refuses": "? I do not feel like it",
        "answers another command": f"=7 {board.legal_moves[0]}",
    }
    if fault in answers:
        say(answers[fault])
    elif fault == "hangs":
        time.sleep(1000)
    elif fault in ("dies", "starts every other time"):
        sys.exit("out of memory")
    elif fault == "is killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif fault == "prints garbage":
        write_for_ever(1, b"garbage\n" * 100)
    elif fault == "prints megabytes":
        write_for_ever(1, b"=" * 65536)
    elif fault == "prints bytes":
        write_for_ever(1, bytes(range(256)) * 16)
    elif fault == "answers in bytes":
        os.write(1, b"= \x00\xff\xfe\x1b[2J\n\n")
    elif fault == "never ends its answer":
        os.write(1, b"= d3\n")
        write_for_ever(1, b"x\n" * 4096)
    elif fault == "answers a huge line":
        os.write(1, b"= d3")
        for _ in range(1000):
            os.write(1, b" " * 65536)
        os.write(1, b"\n\n")
    elif fault.startswith("drips"):
        while True:
            os.write(1, b"\n" if fault == "drips lines" else b"=")
            time.sleep(0.05)
    elif fault == "writes errors for ever":
        write_for_ever(2, b"error " * 10000)
    elif fault == "closes its output":
        os.close(1)
        time.sleep(1000)


def after_a_move(fault: str, board: Board) -> None:
    if fault.endswith("between games") and board.is_over:
        sys.exit("that was enough")
    if fault == "closes its input":
        time.sleep(1000)


def begin(fault: str, pids: str) -> None:
    sign_in(pids, os.getpid())
    starts = len(Path(pids).read_text(encoding="utf-8").split())
    allowed = {"never starts": 0, "starts once": 1, "starts twice": 2}
    if any(fault.startswith(words) and starts > most for words, most in allowed.items()):
        sys.exit("no eval.dat in this folder")
    if fault == "starts every other time" and starts % 2 == 0:
        sys.exit("the licence server is busy")
    if fault in ("ignores quit", "never answers"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sign_in(pids, subprocess.Popen(["sleep", "1000"], stdin=subprocess.DEVNULL).pid)
    if fault == "never answers":
        time.sleep(1000)
    if fault == "chatters at its start":
        while True:
            print("loading", flush=True)
            time.sleep(0.05)


def talk(fault: str) -> None:
    board, moves = Board(), 0
    while line := sys.stdin.readline():
        command, *words = line.split()
        if fault == "is slow with every command":
            time.sleep(0.6)
        if command == "list_commands":
            say("= list_commands\nclear_board\nplay\ngenmove\nquit")
        elif command == "clear_board":
            board = Board()
            say("=")
        elif command == "play":
            board = board.pass_turn() if words[1] == "pass" else board.play(words[1])
            say("=")
        elif command == "genmove":
            moves += 1
            if fault == "talks to itself":
                print("thinking " * 20000, file=sys.stderr, flush=True)
                print("a line that is no answer", flush=True)
            if moves == 3:
                third_move(fault, board)
            if fault == "closes its input":
                os.close(0)
            move = board.legal_moves[0]
            board = board.play(move)
            say(f"= {str(move).upper()}")
            after_a_move(fault, board)
        elif command == "quit":
            if fault == "ignores quit":
                time.sleep(1000)
            say("=")
            return
        else:
            say("? unknown command")


if __name__ == "__main__":
    begin(*sys.argv[1:])
    talk(sys.argv[1])
