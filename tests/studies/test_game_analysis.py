"""Claim games: exact values are facts, checked by a slow twin, by solved lines and by a database."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import pytest

from outflank import Board, Game, SearchPlayer, Solver, Square, named_player, read_games
from outflank.studies.game_analysis import (
    GameAnalysis,
    JudgedGameMove,
    analyst,
    final_score,
    judge_game,
)
from tests.games.random_games import random_game

TEN_EMPTIES = Board("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X")


@cache
def perfect(board: Board) -> int:
    """Black's score under perfect play: plain minimax with Board alone, a slow twin of the solver."""
    board = board.settled()
    if board.is_over:
        empty = 64 - board.discs
        return (
            board.disc_difference + (board.disc_difference > 0) * empty - (board.disc_difference < 0) * empty
        )
    choose: Callable[[list[int]], int] = max if board.mover == "black" else min
    return choose([perfect(board.play(move)) for move in board.legal_moves])


def judged(game: Game, player: str = "standard-heuristic", solve: int = 60) -> list[JudgedGameMove]:
    return list(judge_game(game, analyst(player, 1), Solver(), solve))


@pytest.mark.parametrize("seed", range(8))
def test_exact_scores_best_moves_and_losses_are_those_of_plain_minimax(seed: int) -> None:
    whole = random_game(Random(seed))
    start = next(board for board in whole.boards if 64 - board.discs == 7)
    game = Game(whole.moves[whole.boards.index(start) :], start)
    moves = judged(game)
    assert len(moves) == len(game.moves)
    for move, before, after in zip(moves, game.boards, game.boards[1:], strict=False):
        sign = 1 if move.mover == "black" else -1
        assert move.exact
        assert move.mover == before.settled().mover
        assert move.is_after_pass == (before.settled() != before)
        assert move.best_score_for_black == perfect(before)
        assert move.score_for_black == perfect(after)
        assert perfect(before.settled().play(move.best)) == perfect(before)
        assert move.loss == sign * (perfect(before) - perfect(after))
        if move.loss == 0:
            assert move.best == move.square
    analysis = GameAnalysis(game, tuple(moves))
    assert list(analysis.scores_for_black) == [perfect(board) for board in game.boards]
    assert all(analysis.exact)
    if game.final.is_over:
        assert final_score(game.final) == perfect(game.final)
    for colour in ("black", "white"):
        side = analysis.summary(colour)
        assert side.loss == side.exact_loss == sum(m.loss for m in moves if m.mover == colour)


@pytest.mark.parametrize("number", range(3))
def test_the_solvers_own_line_loses_nothing(number: int) -> None:
    boards = [TEN_EMPTIES]
    for seed in (1, 2):
        boards += [b for b in random_game(Random(seed)).boards if 64 - b.discs == 14]
    start = boards[number].settled()
    solution = Solver().solve(start)
    moves = judged(Game(solution.line, start))
    score = solution.score_for_mover if start.mover == "black" else -solution.score_for_mover
    assert [move.loss for move in moves] == [0] * len(moves)
    assert {move.score_for_black for move in moves} == {float(score)}
    assert all(move.turn is None and move.mark == "" for move in moves)


def test_the_score_of_a_database(shared: Path) -> None:
    """WTHOR stores the score under perfect play from 24 empty squares on; another program solved it."""
    record = read_games(shared / "wthor" / "WTH_2004.wtb")[21]
    assert record.theoretical_empties == 24
    at = next(at for at, board in enumerate(record.game.boards) if 64 - board.discs == 24)
    game = Game(record.game.moves[at : at + 1], record.game.boards[at])
    (move,) = judged(game, solve=24)
    assert move.best_score_for_black == record.theoretical


def test_estimates_until_solved() -> None:
    game = random_game(Random(3))
    moves = judged(game, "td-all-rounder,depth=2", solve=10)
    empties = [64 - board.discs for board in game.boards]
    assert [move.exact for move in moves] == [left <= 10 for left in empties[: len(moves)]]
    assert all(move.is_in_discs and move.loss >= 0 for move in moves)
    player = named_player("td-all-rounder,depth=2")
    assert isinstance(player, SearchPlayer)
    for move, before in zip(moves[::7], game.boards[::7], strict=False):
        if not move.exact:
            board = before.settled()
            values = {m.square: m.value_for_mover for m in player.analyze(board, all_moves=True).moves}
            assert move.loss == pytest.approx(max(values.values()) - values[move.square])
    assert GameAnalysis(game, tuple(moves)).exact[-1]


def test_values_in_another_unit_are_never_counted_as_discs() -> None:
    game = random_game(Random(4))
    moves = judged(game, "standard-heuristic", solve=8)
    unknown = [move for move in moves if not move.exact]
    assert unknown
    assert not any(move.is_in_discs or move.mark for move in unknown)
    analysis = GameAnalysis(game, tuple(moves))
    assert all(move.exact for move in analysis.turning_points)
    assert math.isnan(analysis.scores_for_black[0])
    sides = [analysis.summary("black"), analysis.summary("white")]
    assert sum(side.moves for side in sides) == sum(move.exact for move in moves)


def move_with(best: float, score: float, exact: bool, mover: str = "black") -> JudgedGameMove:
    return JudgedGameMove(1, mover, Square(0), False, Square(1), best, score, exact)  # type: ignore[arg-type]


def test_marks_and_turning_points() -> None:
    losses = {0.0: "", 3.9: "", 4.0: "?", 9.9: "?", 10.0: "??", 64.0: "??"}
    for loss, mark in losses.items():
        assert move_with(30, 30 - loss, exact=False).mark == mark
        assert move_with(-30, -30 + loss, exact=False, mover="white").mark == mark
    assert move_with(2, -2, exact=True).turn == ("won", "lost")
    assert move_with(-2, 0, exact=True, mover="white").turn == ("won", "drawn")
    assert move_with(0, 2, exact=True, mover="white").turn == ("drawn", "lost")
    assert move_with(20, 2, exact=True).turn is None
    assert move_with(1, -1, exact=False).turn is None  # an estimate so near a draw says nothing
    assert move_with(3, -2, exact=False).turn == ("won", "lost")


def test_unfinished_and_interrupted_games() -> None:
    game = Game.from_transcript("f5d6c3d3c4")
    moves = judged(game, "td-all-rounder", solve=4)
    whole = GameAnalysis(game, tuple(moves))
    assert whole.is_complete
    assert len(whole.scores_for_black) == len(game.boards)
    assert not any(whole.exact)
    part = GameAnalysis(game, tuple(moves[:2]))
    assert not part.is_complete
    assert len(part.scores_for_black) == len(part.exact) == 3
    assert GameAnalysis(game, ()).scores_for_black == ()


@pytest.mark.parametrize("name", ["random", "random,solve=10", "gtp:cat", "td-all-rounder,depth=0", "no-one"])
def test_players_that_cannot_judge(name: str) -> None:
    with pytest.raises(ValueError, match=r"evaluate moves|values|depth must be|not a player"):
        analyst(name, 1)


def test_a_search_stopped_at_once_still_judges() -> None:
    game = Game.from_transcript("f5d6c3d3c4f4")
    for limit in ("nodes=1", "time=0.000001"):
        assert all(move.loss >= 0 for move in judged(game, f"td-all-rounder,{limit}", solve=4))
