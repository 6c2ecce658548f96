"""Engines as players, all of them real processes: the same games as in the core, and every kind of fault."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from outflank import (
    Board,
    ExternalPlayer,
    Forfeit,
    Game,
    Match,
    PieceCounter,
    Square,
    StoredPlayer,
    named_player,
    save_player,
)
from outflank.games.formats.any_format import read_game_file
from outflank.games.match import FIRST_BATCH, Batch
from outflank.players.engines.gtp import moves_to
from outflank.players.engines.nboard import game_as_ggf
from outflank.players.engines.player import external_player
from outflank.players.engines.process import EngineError
from tests.players.conftest import FaultyEngine, FirstMove

OUTFLANK = f"{shlex.quote(sys.executable)} -c 'from outflank.interfaces.cli import main; main()'"


def _played(match: Match) -> list[Batch]:
    return list(match.batches(record=True))


def _must_pass(board: Board) -> bool:
    return not board.has_moves and not board.is_over


@pytest.fixture(scope="module")
def no_ties(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A player that never has two best moves, so that it is the same in every process."""
    path = tmp_path_factory.mktemp("players") / "no ties.safetensors"
    weights = np.random.default_rng(3).normal(size=64)
    save_player(StoredPlayer(PieceCounter(weights), "inversion"), path)
    return path


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
def test_engines_play_the_games_that_the_core_plays(
    protocol: str, no_ties: Path, random_boards: list[Board]
) -> None:
    inside = named_player(str(no_ties))
    process = named_player(f"{protocol}:{OUTFLANK} engine '{no_ties}' --protocol {protocol}")
    has_to_pass = next(filter(_must_pass, (b.play(m) for b in random_boards for m in b.legal_moves)))
    unreachable = next(board for board in random_boards if board.discs == 12 and board.has_moves)
    starts = (Board(), unreachable.symmetric(1), has_to_pass, Board().play("f5"))
    rules = {"double_games": 4, "epsilon": 0.2, "seed": 11, "starts": starts}
    expected = np.concatenate([batch.moves for batch in _played(Match(inside, inside, **rules))])  # type: ignore[arg-type]
    for first, second, threads in ((process, process, 1), (inside, process, 1)):
        batches = _played(Match(first, second, **rules, threads=threads))  # type: ignore[arg-type]
        assert [forfeit for batch in batches for forfeit in batch.forfeits] == []
        assert np.array_equal(np.concatenate([batch.moves for batch in batches]), expected)


FAULTS = {
    "hangs": "did not answer within 1 s",
    "dies": "ended with exit code 1: out of memory",
    "is killed": "was ended by SIGKILL",
    "says nonsense": "answered genmove with 'z99', which is not a move",
    "prints garbage": "printed more than 65536 bytes without an answer",
    "prints megabytes": "printed more than 65536 bytes without a line end",
    "writes errors for ever": "did not answer within 1 s: ",
    "plays an illegal move": "which is not a legal move on",
    "passes": "where it has a move",
    "resigns": "resigned",
    "answers twice": "answered without being asked",
    "refuses": "refused 'genmove",
    "closes its output": "closed its output",
    "closes its input": "closed its input",
    "prints bytes": "printed more than 65536 bytes",
    "answers in bytes": "which is not a move",
    "answers another command": "answered command 7, which was not sent",
    "never ends its answer": "gave an answer of more than 65536 bytes",
    "answers a huge line": "printed more than 65536 bytes without a line end",
    "drips": "did not answer within 1 s",
    "drips lines": "did not answer within 1 s",
    "is slow with every command": "did not answer within 1 s",
}


@pytest.mark.parametrize(("fault", "reason"), FAULTS.items())
def test_a_broken_engine_loses_each_game_and_the_match_goes_on(
    fault: str, reason: str, engine: FaultyEngine
) -> None:
    options = ",timeout=1,startup=30" if "did not answer" in reason else ""
    match = Match(engine(fault, options), FirstMove(), double_games=1, threads=1)
    (batch,) = _played(match)
    assert batch.disc_differences.tolist() == [-64, -64]
    assert batch.tally.losses == 2
    assert [(forfeit.game, forfeit.player) for forfeit in batch.forfeits] == [
        (0, match.first.name),
        (1, match.first.name),
    ]
    assert all(reason in forfeit.reason for forfeit in batch.forfeits), batch.forfeits
    assert len(engine.pids) == 2
    assert batch.moves is not None
    for moves in batch.moves:  # those played until the fault are kept, and legal
        squares = tuple(Square(int(move)) for move in moves if move != 255)
        assert len(squares) <= 7
        assert Game(squares).boards


def test_the_opponent_of_a_broken_engine_wins(engine: FaultyEngine) -> None:
    match = Match(named_player("random"), engine("dies"), double_games=1)
    (batch,) = _played(match)
    assert batch.disc_differences.tolist() == [64, 64]
    assert isinstance(batch.forfeits[0], Forfeit)
    assert batch.forfeits[0].player == match.second.name


def test_an_engine_that_dies_between_games_loses_the_next(engine: FaultyEngine) -> None:
    batches = _played(Match(engine("dies between games"), FirstMove(), double_games=2, threads=1))
    forfeits = [forfeit for batch in batches for forfeit in batch.forfeits]
    assert [forfeit.game for forfeit in forfeits] == [2]  # its own move was the last of game 1
    assert all("ended with exit code 1: that was enough" in forfeit.reason for forfeit in forfeits)


def test_chatter_is_no_fault(engine: FaultyEngine) -> None:
    batches = _played(Match(engine("talks to itself"), FirstMove(), double_games=1))
    inside = _played(Match(FirstMove(), FirstMove(), double_games=1))
    assert batches[0].forfeits == ()
    assert np.array_equal(batches[0].moves, inside[0].moves)  # type: ignore[arg-type]


FLOODS = (
    "prints megabytes",
    "prints garbage",
    "never ends its answer",
    "answers a huge line",
    "prints bytes",
)


@pytest.mark.parametrize("fault", FLOODS)
def test_no_engine_fills_the_memory(fault: str, engine: FaultyEngine) -> None:
    process = engine(fault)
    tracemalloc.start()
    try:
        _played(Match(process, FirstMove(), double_games=1, threads=1))
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


NBOARD_FAULTS = {
    "pong 99": ("pong 99", "answered ping 2 with 'pong 99'"),
    "a move unasked": ("=== d3", "gave a move without being asked: '=== d3'"),
    "thoughts for ever": ("search d3 0 0 1\n" * 50, "printed more than 4194304 bytes without an answer"),
    "one line for ever": ("search " * 9999, "printed more than 65536 bytes without a line end"),
    "bytes": ("\udcff\udcfe\x00\n" * 50, "printed more than 4194304 bytes without an answer"),
    "drips": ("DRIP", "did not answer within 1 s"),
}


@pytest.mark.parametrize(("said", "reason"), NBOARD_FAULTS.values(), ids=NBOARD_FAULTS.keys())
def test_a_broken_nboard_engine_loses_each_game(said: str, reason: str, tmp_path: Path) -> None:
    """It is fine until it is told a game; then it repeats one thing for ever."""
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import sys, time\nfor line in sys.stdin:\n"
        "    if line.startswith('ping'): print(line.replace('ping', 'pong'), end='', flush=True)\n"
        "    while line.startswith('set game'):\n"
        f"        sys.stdout.buffer.write({os.fsencode(said.replace('DRIP', 'status'))!r})\n"
        f"        {'time.sleep(0.05)' if said == 'DRIP' else ''}\n"
        f"        {'print()' if said in ('pong 99', '=== d3') else ''}\n"
        "        sys.stdout.flush()\n"
    )
    options = ",timeout=1,startup=30" if said == "DRIP" else ""
    player = external_player(f"nboard{options}:{sys.executable} {engine}")
    (batch,) = _played(Match(player, FirstMove(), double_games=1, threads=1))
    assert [reason in forfeit.reason for forfeit in batch.forfeits] == [True, True], batch.forfeits


def test_engines_that_ignore_quit_are_ended_with_their_helpers(engine: FaultyEngine) -> None:
    (batch,) = _played(Match(engine("ignores quit"), FirstMove(), double_games=1, threads=1))
    assert batch.forfeits == ()
    assert len(engine.pids) == 2  # the engine and its helper; the fixture sees that they are gone


def test_a_match_from_starts_that_an_engine_cannot_take_is_refused(engine: FaultyEngine) -> None:
    reachable, unreachable = Board().play("f5").play("d6"), Board(Board().text.replace("X", "O")[:-1] + "X")
    (batch,) = _played(Match(engine("none"), FirstMove(), double_games=1, starts=[reachable]))
    assert batch.forfeits == ()
    with pytest.raises(ValueError, match="no command to set it up"):
        _played(Match(engine("none"), FirstMove(), double_games=1, starts=[reachable, unreachable]))
    with pytest.raises(ValueError, match="from 4 discs or more"):
        Match(engine("none"), FirstMove(), double_games=1, starts=[Board("-" * 63 + "X O")])


def test_a_dropped_match_leaves_no_process(engine: FaultyEngine) -> None:
    for _ in Match(engine("none"), FirstMove(), double_games=50, threads=2).batches():
        break
    assert 1 <= len(engine.pids) <= 2


def test_an_error_of_another_player_ends_the_match(engine: FaultyEngine) -> None:
    class Broken(FirstMove):
        def choose(self, board: Board) -> Square:
            raise RuntimeError(f"no idea on {board.text}")

    with pytest.raises(RuntimeError, match="no idea"):
        _played(Match(engine("none"), Broken(), double_games=5))


@pytest.mark.long
def test_a_hundred_games_with_a_process_killed_in_the_middle(tmp_path: Path, no_ties: Path) -> None:
    pids = tmp_path / "pids"
    signs_in = f"sh -c 'echo $$ >> {pids}; exec \"$@\"' -"
    players = [named_player(f"gtp:{signs_in} {OUTFLANK} engine '{no_ties}'") for _ in range(2)]
    match = Match(players[0], players[1], double_games=50, epsilon=0.1, threads=2)
    batches = []
    for batch in match.batches(record=True):
        batches.append(batch)
        if len(batches) == 10:
            os.kill(int(pids.read_text().split()[-1]), signal.SIGKILL)
    inside = named_player(str(no_ties))
    expected = _played(Match(inside, inside, double_games=50, epsilon=0.1))
    (forfeit,) = (forfeit for batch in batches for forfeit in batch.forfeits)
    assert forfeit.reason == "was ended by SIGKILL"
    differences = np.concatenate([batch.disc_differences for batch in batches])
    moves = np.concatenate([batch.moves for batch in batches])
    assert len(differences) == 100
    assert abs(differences[forfeit.game]) == 64
    others = np.arange(100) != forfeit.game
    assert np.array_equal(moves[others], np.concatenate([batch.moves for batch in expected])[others])
    assert len(pids.read_text().split()) == 5  # two tables of two, and the one that was replaced


def test_ctrl_c_leaves_a_partial_result_and_no_process(engine: FaultyEngine, tmp_path: Path) -> None:
    name = engine("none").name
    command = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()"]
    arguments = ["match", name, "random", "--double-games", "100000", "--json", "--record", "games.jsonl"]
    process = subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    record = tmp_path / "games.jsonl"
    # A batch is counted once it is written: with a game of the second one in the file, the first is counted.
    second_batch = f'"game": {FIRST_BATCH},'
    for _ in range(600):
        if record.exists() and second_batch in record.read_text():
            break
        time.sleep(0.05)
    else:
        process.kill()
        raise AssertionError("no second batch within 30 s")
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stderr) == (130, "")
    report = json.loads(stdout)
    assert report["partial"] is True
    assert report["forfeits"] == []
    assert len(record.read_text().splitlines()) == 2 * report["double_games"]


def test_forfeits_on_the_command_line(engine: FaultyEngine, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()", "match"]
    arguments = [engine("resigns").name, "random", "--double-games", "1", "--epsilon", "0"]
    result = subprocess.run(
        [*command, *arguments, "--record", "g", "--json"], cwd=tmp_path, capture_output=True, text=True
    )
    report = json.loads(result.stdout)
    assert report["losses"] == 2
    assert [(f["game"], f["reason"]) for f in report["forfeits"]] == [(0, "resigned"), (1, "resigned")]
    assert report["forfeited"] == {
        "player": {"games": 2, "reasons": {"resigned": 2}},
        "opponent": {"games": 0, "reasons": {}},
    }
    nothing = {"games": 0, "wins": 0, "draws": 0, "losses": 0, "score": None, "ci95": None}
    assert (result.returncode, report["error"], report["without_forfeits"]) == (0, None, nothing)
    lines = [json.loads(line) for line in (tmp_path / "g").read_text().splitlines()]
    assert [line["forfeit"]["reason"] for line in lines] == ["resigned", "resigned"]
    assert [line["forfeit"]["colour"] for line in lines] == ["black", "white"]
    assert [record.result for record in read_game_file(tmp_path / "g").records] == [-64, 64]
    shown = " ".join(subprocess.run([*command, *arguments], capture_output=True, text=True).stdout.split())
    assert "(it resigned): 2, game 0, 1" in shown
    assert "0 by random; no game was played to its end" in shown


def test_the_score_with_and_without_forfeits(engine: FaultyEngine, tmp_path: Path) -> None:
    """The engine dies between games, so that most of its games count in both."""
    name = engine("dies between games").name
    command = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()", "match"]
    arguments = [name, "random", "--double-games", "4", "--threads", "1", "--record", "g", "--json"]
    result = subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True)
    report = json.loads(result.stdout)
    forfeited = {forfeit["game"] for forfeit in report["forfeits"]}
    lines = [json.loads(line) for line in (tmp_path / "g").read_text().splitlines()]
    assert forfeited == {line["game"] for line in lines if "forfeit" in line}
    assert 0 < len(forfeited) < 8
    points = {
        line["game"]: (np.sign(line["disc_differences"][-1]) * (-1) ** (line["black"] != name) + 1) / 2
        for line in lines
        if "forfeit" not in line
    }
    left = report["without_forfeits"]
    assert left["games"] == 8 - len(forfeited) == left["wins"] + left["draws"] + left["losses"]
    assert left["score"] == pytest.approx(sum(points.values()) / len(points))
    assert report["score"] == pytest.approx(sum(points.values()) / 8)
    assert left["ci95"][0] <= left["score"] <= left["ci95"][1]


def test_seconds_per_move(no_ties: Path, tmp_path: Path) -> None:
    engine = f"gtp:{OUTFLANK} engine '{no_ties}'"
    command = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()", "match"]
    arguments = [engine, "td-all-rounder,time=0.01", "--double-games", "1", "--epsilon", "0"]
    played = [*command, *arguments, "--json", "--record", "g"]
    report = json.loads(subprocess.run(played, cwd=tmp_path, capture_output=True, text=True).stdout)
    games = [json.loads(line) for line in (tmp_path / "g").read_text().splitlines()]
    sides = report["seconds_per_move"]
    assert sum(side["moves"] for side in sides.values()) == sum(len(game["moves"]) // 2 for game in games)
    for name, side in (("player", sides["player"]), ("opponent", sides["opponent"])):
        of_games = [
            game["seconds_per_move"]["black" if game["black"] == report[name] else "white"] for game in games
        ]
        assert side["moves"] == sum(times["moves"] for times in of_games)
        assert side["largest"] == max(times["largest"] for times in of_games)
        assert 0 < side["mean"] <= side["largest"] < side["total"]
        assert side["mean"] * side["moves"] == pytest.approx(side["total"], abs=1e-4)
    shown = subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True).stdout
    assert shown.count("seconds per move, largest") == 2
    batch = next(Match(FirstMove(), named_player("all-2"), double_games=2, epsilon=0).batches(record=True))
    assert batch.times is not None
    assert batch.moves is not None
    assert batch.times[0].moves + batch.times[1].moves == (batch.moves != 255).sum()
    assert (batch.times[0].longest, batch.game_times) == (None, None)  # games in step: no move has its own
    assert next(Match(named_player("all-2"), named_player("random"), double_games=2).batches()).times is None


def test_two_engines_of_one_name_are_told_apart(engine: FaultyEngine) -> None:
    player = engine("resigns")
    batches = _played(Match(player, player, double_games=2, threads=1))
    for batch in batches:
        for forfeit in batch.forfeits:
            assert forfeit.by_first == (batch.disc_differences[forfeit.game - batch.first_game] < 0)
    assert {forfeit.by_first for batch in batches for forfeit in batch.forfeits} == {True, False}


def test_choose_follows_a_game_and_takes_any_board(no_ties: Path) -> None:
    inside = named_player(str(no_ties))
    for protocol in ("gtp", "nboard"):
        process = named_player(f"{protocol}:{OUTFLANK} engine '{no_ties}' --protocol {protocol}")
        assert isinstance(process, ExternalPlayer)
        board = Board()
        while not board.is_over:
            board = board.settled()
            move = process.choose(board)
            assert move == inside.choose(board)
            board = board.play(move)
            if not (board := board.settled()).is_over:
                board = board.play(board.legal_moves[-1])
        ffo_40 = Board("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X")
        assert process.choose(ffo_40) == inside.choose(ffo_40)
        process.close()


def test_choose_says_what_an_engine_did_wrong(engine: FaultyEngine) -> None:
    player = engine("resigns")
    board = Board()
    for _ in range(2):
        board = board.play(player.choose(board))
        board = board.play(board.legal_moves[0])
    with pytest.raises(EngineError, match=r"^gtp:.* resigned$"):
        player.choose(board)


def test_moves_to_finds_how_a_board_came_about() -> None:
    random = np.random.default_rng(8)
    for _ in range(60):
        board = Board()
        for _ in range(int(random.integers(9))):
            board = board.settled().play(board.settled().legal_moves[0 if random.random() < 0.3 else -1])
        path = moves_to(board)
        assert path is not None
        assert Game(path).final.settled() == board.settled()
    assert moves_to(Board(Board().text[:-1] + "O")) is None


def test_games_go_to_nboard_engines_with_their_passes(random_boards: list[Board]) -> None:
    before, move = next(
        (board, move) for board in random_boards for move in board.legal_moves if _must_pass(board.play(move))
    )
    moved, passed = ("B", "W") if before.mover == "black" else ("W", "B")
    assert game_as_ggf(before, [move]).endswith(f"]{moved}[{str(move).upper()}]{passed}[PA];)")
    after = before.play(move).pass_turn().legal_moves[0]
    told = f"]{moved}[{str(move).upper()}]{passed}[PA]{moved}[{str(after).upper()}]"
    assert told in game_as_ggf(before, [move, after])


def test_names_of_engines() -> None:
    player = external_player(f" gtp,timeout=2.5,time=1:{sys.executable} 'my engine' -x a,b=c:d ")
    assert player.command == (sys.executable, "my engine", "-x", "a,b=c:d")
    assert (player.protocol, player.timeout, player.startup, player.time) == ("gtp", 2.5, 2.5, 1.0)
    assert external_player(f"gtp,timeout=2,startup=9:{sys.executable}").startup == 9
    assert (
        external_player(f"gtp:{sys.executable}").startup == external_player(f"gtp:{sys.executable}").timeout
    )
    assert external_player(f"nboard,depth=6:{sys.executable}").depth == 6


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("gtp:", "no command after the colon"),
        ("gtp:no-such-engine -x", "there is no program 'no-such-engine' to start"),
        ("gtp:sh 'unbalanced", "cannot be split: no closing quotation"),
        ("gtp,tiemout=3:sh", "'tiemout' is not an option of gtp:; known: timeout, startup, time"),
        ("nboard,time=3:sh", "'time' is not an option of nboard:; known: timeout, startup, depth"),
        ("gtp,timeout=soon:sh", "timeout must be a number, got 'soon'"),
        ("gtp,timeout=0:sh", "timeout must be a number of seconds above 0, 1,000,000 at most, got '0'"),
        ("gtp,timeout=nan:sh", "timeout must be a number of seconds above 0, 1,000,000 at most, got 'nan'"),
        ("gtp,timeout=1e7:sh", "timeout must be a number of seconds above 0, 1,000,000 at most, got '1e7'"),
        ("nboard,depth=2.5:sh", "depth must be a whole number above 0, 1,000,000 at most, got '2.5'"),
        (
            "gtp,time=0.2001:sh",
            "time=0.2001 cannot be sent by GTP, which has whole seconds for up to 60 moves",
        ),
        (
            "gtp,time=0.01:sh",
            "use a time such as 0.1, 0.25 or 1.5, or an option of the engine itself",
        ),
        ("gtp,timeout=1,timeout=2:sh", "timeout is given twice"),
    ],
)
def test_bad_names_of_engines(name: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        named_player(name)
