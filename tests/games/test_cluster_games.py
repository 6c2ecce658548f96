"""Matches, tournaments and ratings on real Dask workers: the same games as on this machine's threads."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from outflank import Board, named_player
from outflank.games.match import Match
from outflank.games.tournaments.tournament import Tournament, TournamentSettings
from outflank.learners.execution.executor import Executor, executor_for
from tests.learners.execution.dask_processes import DaskProcesses

pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskProcesses]:
    with DaskProcesses(tmp_path_factory.mktemp("lab"), workers=2) as processes:
        yield processes


@pytest.fixture
def executor(lab: DaskProcesses) -> Iterator[Executor]:
    with executor_for(lab.address) as executor:
        yield executor


def test_a_match_has_the_same_games(executor: Executor) -> None:
    alone, there = (
        Match("all-2", "standard-heuristic", double_games=300, epsilon=0.1, workers=workers)
        for workers in (None, executor)
    )
    moves = [np.concatenate([b.moves for b in match.batches(record=True)]) for match in (alone, there)]
    assert (moves[0] == moves[1]).all()
    assert alone.play() == there.play()


def test_repeated_games_are_counted_there_too(executor: Executor) -> None:
    tallies = [
        Match("league-champion", "all-2", double_games=12, workers=workers).play()
        for workers in (None, executor)
    ]
    assert tallies[0] == tallies[1]
    assert tallies[0].distinct < 12


def test_a_worker_dies(executor: Executor, lab: DaskProcesses) -> None:
    """Its games are played again by others."""
    players = "all-2,depth=2", "standard-heuristic,depth=2"
    match = Match(*players, double_games=4000, epsilon=0.1, seed=3, workers=executor)
    batches = match.batches()
    first = next(batches).tally
    threading.Timer(0.2, lab.workers[0].kill).start()
    total = sum((batch.tally for batch in batches), first)
    assert total == Match(*players, double_games=4000, epsilon=0.1, seed=3).play()
    lab.start_worker()


def test_a_tournament_has_the_same_standings(executor: Executor) -> None:
    names, settings = ["random", "all-2", "standard-heuristic"], TournamentSettings(double_games=100)
    alone = Tournament(names, settings).play()
    assert Tournament(names, settings, workers=executor).play().report() == alone.report()


def test_a_player_without_a_name_is_an_error(executor: Executor) -> None:
    class Mine:
        name = "nobody-knows-me"

        def choose(self, board: Board) -> int:
            return board.legal_moves[0]

    with pytest.raises(ValueError, match="nobody-knows-me"):
        Match(Mine(), "random", double_games=1, workers=executor).play()


def test_the_command_line(
    lab: DaskProcesses,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from outflank.interfaces.cli import main

    monkeypatch.chdir(tmp_path)
    command = ["match", "all-2", "standard-heuristic", "--double-games", "50", "--json"]
    printed = []
    for more in ([], ["--cluster", lab.address]):
        monkeypatch.setattr("sys.argv", ["outflank", *command, *more])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        printed.append(
            [line for line in capsys.readouterr().out.splitlines() if "games_per_second" not in line]
        )
    assert printed[0] == printed[1]


def test_players_go_to_workers_without_what_is_compiled() -> None:
    for name in (
        "all-2",
        "random",
        "positional,depth=4",
        "all-2,depth=2,solve=8,book=default",
        "all-2,time=0.01",
    ):
        player = named_player(name)
        here = Match(player, "standard-heuristic", double_games=2, epsilon=0.2).play()
        sent = pickle.loads(pickle.dumps(player))
        assert set(vars(sent)) < set(vars(player))
        there = Match(sent, "standard-heuristic", double_games=2, epsilon=0.2).play()
        assert here == there or "time" in name
