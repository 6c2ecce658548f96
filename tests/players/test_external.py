"""Engines as players, all of them real processes: the same games as in the core, and every kind of fault."""

from __future__ import annotations

import gc
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
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
from outflank.games.match import Batch
from outflank.players.engine_process import EngineFault
from outflank.players.external import external_player
from outflank.players.gtp_client import moves_to
from outflank.players.nboard_client import game_as_ggf

OUTFLANK = f"{shlex.quote(sys.executable)} -c 'from outflank.interfaces.cli import main; main()'"
FAULTY_ENGINE = Path(__file__).with_name("faulty_engine.py")


class FirstMove:
    """The same choice as the faulty engine."""

    name = "first move"

    def choose(self, board: Board) -> Square:
        return board.legal_moves[0]


class FaultyEngine:
    """Names the faulty engine, and knows the processes that played."""

    def __init__(self, folder: Path) -> None:
        self._pids = folder / "pids"

    def __call__(self, fault: str, options: str = "") -> ExternalPlayer:
        command = shlex.join([sys.executable, str(FAULTY_ENGINE), fault, str(self._pids)])
        return external_player(f"gtp{options}:{command}")

    @property
    def pids(self) -> list[int]:
        return [int(pid) for pid in self._pids.read_text().split()]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[FaultyEngine]:
    """No test leaves a process or an open file behind."""
    gc.collect()
    open_files = _open_files()
    faulty = FaultyEngine(tmp_path)
    yield faulty
    gc.collect()
    assert [pid for pid in faulty.pids if _is_alive(pid)] == []
    assert _open_files() == open_files


def _open_files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def _is_alive(pid: int) -> bool:
    """A zombie whose new parent has not yet waited for it is not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self").exists()


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
    "says nonsense": "answered genmove with 'z99', which is no move",
    "prints garbage": "printed more than 65536 bytes that are no answer",
    "prints megabytes": "printed more than 65536 bytes without a line end",
    "writes errors for ever": "did not answer within 1 s: ",
    "plays an illegal move": "which is not a legal move on",
    "passes": "where it has a move",
    "resigns": "resigned",
    "answers twice": "answered without being asked",
    "refuses": "refused 'genmove",
    "closes its output": "closed its output",
    "closes its input": "closed its input",
}


@pytest.mark.parametrize(("fault", "reason"), FAULTS.items())
def test_a_broken_engine_loses_each_game_and_the_match_goes_on(
    fault: str, reason: str, engine: FaultyEngine
) -> None:
    options = ",timeout=1" if "did not answer" in reason else ""
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


def test_engines_that_ignore_quit_are_ended_with_their_helpers(engine: FaultyEngine) -> None:
    (batch,) = _played(Match(engine("ignores quit"), FirstMove(), double_games=1, threads=1))
    assert batch.forfeits == ()
    assert len(engine.pids) == 2  # the engine and its helper; the fixture sees that they are gone


def test_an_engine_that_never_starts_forfeits_all_games_soon(engine: FaultyEngine) -> None:
    batches = _played(Match(engine("never starts"), FirstMove(), double_games=30))
    reasons = [forfeit.reason for batch in batches for forfeit in batch.forfeits]
    assert len(reasons) == 60
    assert reasons[0] == "did not start: ended with exit code 1: no eval.dat in this folder"
    assert reasons[-1] == "could not be started 3 times in a row"
    assert len(engine.pids) <= 5  # three, and those that other threads had begun


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
    for _ in range(600):
        if record.exists() and record.stat().st_size > 0:
            break
        time.sleep(0.05)
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
    lines = [json.loads(line) for line in (tmp_path / "g").read_text().splitlines()]
    assert [line["forfeit"]["reason"] for line in lines] == ["resigned", "resigned"]
    shown = subprocess.run([*command, *arguments], capture_output=True, text=True).stdout
    assert "(it resigned): 2, game 0, 1" in " ".join(shown.split())


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
    with pytest.raises(EngineFault, match=r"^gtp:.* resigned$"):
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
    assert (player.protocol, player.timeout, player.startup, player.time) == ("gtp", 2.5, 30.0, 1.0)
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
        ("gtp,timeout=0:sh", "timeout must be a number of seconds above 0, got '0'"),
        ("gtp,timeout=nan:sh", "timeout must be a number of seconds above 0, got 'nan'"),
        ("nboard,depth=2.5:sh", "depth must be a whole number above 0, got '2.5'"),
        ("gtp,timeout=1,timeout=2:sh", "timeout is given twice"),
    ],
)
def test_bad_names_of_engines(name: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        named_player(name)


def test_a_program_that_cannot_run_is_an_error_before_the_first_game() -> None:
    with pytest.raises(ValueError, match="'/no/such/program' cannot be started: no such file"):
        _played(Match(ExternalPlayer("gtp", ("/no/such/program",), "gone"), FirstMove(), double_games=5))
