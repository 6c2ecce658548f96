"""Engines that cannot be started, or no longer: an error with one sentence, never a score of zero."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outflank import Board, ExternalPlayer, Match, Tournament, TournamentSettings, named_player
from outflank.games.match import Batch
from outflank.interfaces.engines.gtp import MARGIN, Clock
from outflank.players.engines.gtp import as_period
from outflank.players.engines.player import external_player
from outflank.players.engines.process import EngineStartError
from outflank.players.greedy import Player
from tests.conftest import Outflank
from tests.players.conftest import FaultyEngine, FirstMove, is_alive

COMMAND = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()"]
RHINO = shutil.which("gtp-rhino") or shutil.which("gtp-rhino", path="/usr/games")

STARTS = {
    "never starts": "cannot be started: it ended with exit code 1: no eval.dat in this folder",
    "never answers": "cannot be started: it did not answer within 1 s; does it speak GTP?",
    "chatters at its start": "cannot be started: it did not answer within 1 s",
    "is slow with every command": "cannot be started: it did not answer within 1 s",
}


@pytest.mark.parametrize(("fault", "sentence"), STARTS.items())
def test_an_engine_that_cannot_be_started_is_an_error(
    fault: str, sentence: str, engine: FaultyEngine
) -> None:
    """With one limit for the whole start: the slow one takes 0.6 s for each of its commands."""
    options = "" if "exit code" in sentence else ",timeout=1"
    with pytest.raises(EngineStartError) as error:
        Match(FirstMove(), engine(fault, options), double_games=30).play()
    assert sentence in str(error.value)
    assert str(error.value).startswith("gtp")
    assert len(set(engine.pids)) == (2 if fault == "never answers" else 1)  # with its helper


def test_a_program_that_is_gone_is_an_error_before_the_first_game() -> None:
    match = Match(ExternalPlayer("gtp", ("/no/such/program",), "gone"), FirstMove(), double_games=5)
    with pytest.raises(EngineStartError, match="gone cannot be started: no such file"):
        match.play()


def test_cat_is_refused_within_its_time(outflank: Outflank) -> None:
    began = time.monotonic()
    result = outflank("match", "gtp,timeout=3:cat", "random", "--double-games", 1)
    assert time.monotonic() - began < 20  # 92 s when each start had a limit of its own
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert "gtp,timeout=3:cat cannot be started: it did not answer within 3 s" in result.stderr


REFUSED = {
    "match": ("match", "ENGINE", "random", "--record", "g"),
    "opponent": ("score", "all-2", "--opponent", "ENGINE", "--double-games", "5"),
    "score": ("score", "random", "ENGINE"),
    "tournament": ("tournament", "random", "all-2", "ENGINE", "--out", "t"),
    "play": ("play", "ENGINE", "--colour", "white"),
    "engine": ("engine", "ENGINE", "--protocol", "nboard"),
    "league-table": ("league-table", "ENGINE", "--double-games", "5"),
}


@pytest.mark.parametrize("arguments", REFUSED.values(), ids=REFUSED.keys())
def test_every_command_refuses_it(arguments: tuple[str, ...], outflank: Outflank, tmp_path: Path) -> None:
    named = [argument.replace("ENGINE", "gtp,timeout=0.3:cat") for argument in arguments]
    result = outflank(*named, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("outflank: gtp,timeout=0.3:cat cannot be started: it did not answer")
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_failed_start_in_mid_match_is_tried_again(engine: FaultyEngine) -> None:
    """It dies at the third move of every game; every second start fails."""
    batches: list[Batch] = list(
        Match(engine("starts every other time"), FirstMove(), double_games=2, threads=1).batches()
    )
    reasons = [forfeit.reason for batch in batches for forfeit in batch.forfeits]
    assert reasons == ["ended with exit code 1: out of memory"] * 4
    assert len(engine.pids) == 7


def test_an_engine_that_cannot_be_started_again_ends_the_match(
    engine: FaultyEngine, outflank: Outflank, tmp_path: Path
) -> None:
    """It dies in the first game of its second double game."""
    late = engine("starts once, dies between games").name
    arguments = (late, "random", "--epsilon", "0", "--double-games", "5", "--threads", "1", "--seed", "3")
    result = outflank("match", *arguments, "--json", "--record", "g", cwd=tmp_path)
    assert result.returncode == 2
    sentence = "it ended with exit code 1: no eval.dat in this folder, 3 times in a row"
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 2  # a note about openings, and the sentence
    report = json.loads(result.stdout)
    assert report["partial"] is True
    assert sentence in report["error"]
    assert 1 <= report["double_games"] < 5
    assert len((tmp_path / "g").read_text().splitlines()) == 2 * report["double_games"]
    assert len(engine.pids) == 4


def test_a_tournament_keeps_what_was_played(engine: FaultyEngine, outflank: Outflank, tmp_path: Path) -> None:
    """The first start is that of the check before the first game, the second dies in its third."""
    late = engine("starts twice, dies between games").name
    arguments = (late, "random", "--double-games", 5, "--threads", 1, "--out", tmp_path / "t", "--json")
    result = outflank("tournament", *arguments)
    assert result.returncode == 2
    assert "no eval.dat in this folder, 3 times in a row" in result.stderr
    report = json.loads(result.stdout)
    assert report["partial"] is True
    assert 2 <= report["players"][0]["games"] < 10
    assert json.loads((tmp_path / "t" / "results.json").read_text())["partial"] is True


def test_a_finished_tournament_starts_no_engine(engine: FaultyEngine) -> None:
    players: list[Player] = [engine("none"), FirstMove()]
    games = Tournament(players, TournamentSettings(double_games=1))
    assert games.players_to_play == tuple(players)
    games.play()
    assert games.players_to_play == ()
    started = len(engine.pids)
    assert list(games.steps()) == []
    assert len(engine.pids) == started


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("fault", ["never answers", "none"])
def test_every_ending_leaves_no_process(
    ending: signal.Signals, fault: str, engine: FaultyEngine, tmp_path: Path
) -> None:
    """Also while the engine is being started, with 30 s to go."""
    arguments = ["match", engine(fault).name, "random", "--double-games", "100000", "--record", "g"]
    with subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True, cwd=tmp_path) as process:  # fmt: skip
        _until(lambda: (tmp_path / "pids").exists() and len(engine.pids) >= (2 if "never" in fault else 1))
        _until(lambda: fault != "none" or (tmp_path / "g").stat().st_size > 0)
        process.send_signal(ending)
        _, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, "")
    assert [pid for pid in engine.pids if is_alive(pid)] == []


def _until(is_so: object) -> None:
    for _ in range(600):
        if callable(is_so) and is_so():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen within 30 s")


def test_an_engine_that_was_dropped_is_ended(engine: FaultyEngine) -> None:
    """By the garbage collector, if by nobody else: the fixture looks."""
    started = engine("ignores quit").start()
    assert is_alive(started.pid)
    _until(lambda: len(engine.pids) == 2)


@pytest.mark.parametrize("seconds", [0.2, 0.25, 1.0, 1.5, 30.0])
def test_a_time_per_move_is_told_in_whole_seconds(seconds: float, tmp_path: Path) -> None:
    log = tmp_path / "log"
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import sys\nfor line in sys.stdin:\n"
        f"    open({str(log)!r}, 'a').write(line)\n"
        "    answer = {'genmove': 'd3', 'list_commands': 'time_settings\\ntime_left'}\n"
        "    print('=', answer.get(line.split()[0], ''), end='\\n\\n', flush=True)\n"
    )
    player = external_player(f"gtp,time={seconds}:{sys.executable} {engine}")
    player.choose(Board())
    player.close()
    period, stones = as_period(seconds)
    assert period / stones == seconds
    said = log.read_text().splitlines()
    assert f"time_settings 0 {period} {stones}" in said
    assert said.index(f"time_left black {period} {stones}") == said.index("genmove black") - 1


def test_an_engine_moves_within_the_time_it_is_told() -> None:
    """An engine of our own that would take 30 s by itself. What it makes of a told time is exact."""
    clock = Clock()
    clock.set(0, *as_period(0.2))
    assert clock.seconds_for(Board()) == pytest.approx(MARGIN * 0.2)
    command = (
        f"{sys.executable} -c 'from outflank.interfaces.cli import main; main()' engine all-rounder,time=30"
    )
    player = named_player(f"gtp,time=0.2:{command}")
    assert isinstance(player, ExternalPlayer)
    board, seconds = Board().play("f5"), []
    for _ in range(3):
        began = time.monotonic()
        board = board.play(player.choose(board))
        seconds.append(time.monotonic() - began)
        board = board.play(board.legal_moves[0])
    player.close()
    assert min(seconds) < 15


def test_an_engine_without_a_clock_refuses_a_time(engine: FaultyEngine) -> None:
    with pytest.raises(EngineStartError, match="refused 'time_settings 0 1 5': 'unknown command'"):
        engine("none", ",time=0.2").start()


def test_paths_with_spaces_and_the_home_folder(
    engine: FaultyEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "my engines"
    folder.mkdir()
    program = folder / "run it.sh"
    program.write_text(f"#!/bin/sh\nexec {engine('none').name.removeprefix('gtp:')}\n")
    program.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    expected = (str(program), "--level", "3", "a b", str(tmp_path / "book,1.dat"))
    for written in (
        "~/my engines/run it.sh --level 3 'a b' ~/book,1.dat",
        "'~/my engines/run it.sh' --level 3 'a b' ~/book,1.dat",
        r"~/my\ engines/run\ it.sh --level 3 a\ b ~/book,1.dat",
        f"{program} --level 3 'a b' ~/book,1.dat",
    ):
        assert external_player(f"gtp,timeout=9:{written}").command == expected, written
    match = Match(external_player("gtp:~/my engines/run it.sh --level 3"), FirstMove(), double_games=1)
    assert [batch.forfeits for batch in match.batches()] == [()]
    with pytest.raises(ValueError, match=r"there is no program '.*my' to start"):
        external_player("gtp:~/my engines/none.sh")
    with pytest.raises(ValueError, match="there is no program '~nobody-at-all/x' to start"):
        external_player("gtp:~nobody-at-all/x")
    windows = folder / r"C:\engines\it's.exe"
    shutil.copy(program, windows)
    assert external_player(rf"gtp:{windows} -x").command == (str(windows), "-x")


@pytest.mark.skipif(RHINO is None, reason="gtp-rhino (Debian package grhino) is not there")
def test_a_match_against_gtp_rhino(outflank: Outflank) -> None:
    result = outflank("match", f"gtp,time=0.5:{RHINO} --level=1 -b 0", "all-2", "--double-games", 2, "--json")
    assert (result.returncode, result.stderr) == (0, "")
    report = json.loads(result.stdout)
    assert report["forfeits"] == []
    assert report["without_forfeits"]["score"] == report["score"]
    assert all(side["moves"] > 50 for side in report["seconds_per_move"].values())
