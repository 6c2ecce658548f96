"""Values and moves beside recorded games, against a slow twin and on real files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from outflank import Board, GreedyPlayer, Match, named_player
from outflank.evaluators.protocol import board_bits
from outflank.games.formats.any_format import write_games
from outflank.games.game import Game, GameRecord
from outflank.players.solver import Solver
from outflank.studies.accuracy import accuracy, solved_scores, theoretical_scores
from tests.conftest import Outflank

EMPTIES = 8


@pytest.fixture(scope="module")
def records() -> list[GameRecord]:
    """Games of all-2 with their scores by perfect play from eight empty squares."""
    player, solver, made = named_player("all-2"), Solver(1), []
    for game in Match(player, player, double_games=15, epsilon=0.2, seed=3).games():
        board = next((b for b in game.boards if 64 - b.discs == EMPTIES), None)
        if board is None:
            continue
        board = board.settled()
        score = solver.solve(board).score_for_mover if board.has_moves else board.disc_difference
        for_black = score if board.mover == "black" or not board.has_moves else -score
        made.append(GameRecord(game, date="2001", theoretical=for_black, theoretical_empties=EMPTIES))
    return made


def test_values_against_the_solver(records: list[GameRecord]) -> None:
    player = named_player("td-all-rounder")
    assert isinstance(player, GreedyPlayer)
    found = accuracy(player, records).values
    assert found is not None
    assert (found.positions, found.empties) == (len(records), (EMPTIES,))
    assert found.correlation > 0.6
    assert 0 < found.fitted_error < np.std([record.theoretical or 0 for record in records])
    # The twin: the line through values without a scale has the same correlation.
    boards = [next(b for b in record.game.boards if 64 - b.discs == EMPTIES) for record in records]
    last = [record.game.boards[record.game.boards.index(b) - 1].settled().mover == "black"
            for record, b in zip(records, boards, strict=True)]  # fmt: skip
    values = player.values_for_mover(*board_bits(boards), np.array(last))
    signs = np.where(last, 1, -1)
    scores = signs * np.array([record.theoretical for record in records], dtype=np.float64)
    assert found.correlation == pytest.approx(np.corrcoef(values, scores)[0, 1], abs=0.02)


def test_boards_are_solved_where_the_games_have_no_scores(
    records: list[GameRecord], tmp_path: Path, outflank: Outflank
) -> None:
    assert solved_scores(records, EMPTIES, threads=2) == theoretical_scores(records)
    fewer = solved_scores(records, EMPTIES - 3)
    assert {64 - scored.board.discs for scored in fewer} == {EMPTIES - 3}
    file = tmp_path / "games.jsonl"
    write_games([GameRecord(record.game) for record in records], file)
    found = json.loads(outflank("accuracy", "td-all-rounder", file, "--solve-at", "5", "--json").stdout)
    assert (found["values"]["positions"], found["values"]["empties"]) == (len(fewer), [5])
    assert "at 5 empty squares" in outflank("accuracy", "all-2", file, "--solve-at", "5").stdout


def test_moves_against_a_slow_twin(records: list[GameRecord]) -> None:
    player = named_player("positional")  # it has ties
    assert isinstance(player, GreedyPlayer)
    shares = []
    for record in records[:5]:
        board = Board()
        for move in record.game.moves:
            board = board.settled()
            judged = dict(player.judge(board))
            ties = [square for square, value in judged.items() if value >= max(judged.values()) - 1e-6]
            if board.discs > 4 and len(judged) > 1:
                shares.append((move in ties) / len(ties))
            board = board.play(move)
    found = accuracy(player, records[:5])
    assert found.moves == len(shares)
    assert found.predicted == pytest.approx(np.mean(shares))


def test_a_player_predicts_its_own_moves() -> None:
    player = named_player("league-champion")
    assert isinstance(player, GreedyPlayer)
    games = [GameRecord(game) for game in Match(player, player, double_games=2, seed=1).games()]
    found = accuracy(player, games)
    assert found.values is None
    assert found.predicted > 0.95  # ties


def test_the_command(records: list[GameRecord], tmp_path: Path, outflank: Outflank) -> None:
    file = tmp_path / "games.wtb"
    write_games(records, file)
    result = outflank("accuracy", "td-all-rounder", file, "--games", "10", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert found["games"] <= 10
    assert found["values"]["positions"] == found["games"]
    assert "mean error of static values" in outflank("accuracy", "td-all-rounder", file).stdout


@pytest.mark.parametrize(
    ("player", "content", "sentence"),
    [
        ("random", "f5d6c3\n", "random has no values of its own"),
        ("all-2", "\n", "holds no games"),
        ("all-2", "f5f5\n", "there are no legal games in"),
    ],
)
def test_what_cannot_be_compared(
    player: str, content: str, sentence: str, tmp_path: Path, outflank: Outflank
) -> None:
    (tmp_path / "games.txt").write_text(content)
    result = outflank("accuracy", player, tmp_path / "games.txt")
    assert result.returncode == 2
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_a_game_too_short_for_its_score_is_left_out() -> None:
    record = GameRecord(Game.from_transcript("f5d6"), theoretical=4, theoretical_empties=24)
    found = accuracy(named_player("all-2"), [record, record, record])  # type: ignore[arg-type]
    assert (found.values, found.moves) == (None, 3)
