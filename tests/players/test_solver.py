"""The exact solver against the published FFO positions, and against itself."""

from __future__ import annotations

import pytest

from outflank import Board, Match, Solver, _core, named_player
from outflank.games.positions import Endgame, read_endgames
from outflank.players.solver import WIN_OR_LOSS

QUICK = 21  # empty squares; the three of FFO 20-39 with more are solved by `outflank solve`


def quick_endgames(suite: str) -> list[Endgame]:
    return [endgame for endgame in read_endgames(suite) if 64 - endgame.board.discs <= QUICK]


def final_score_for(board: Board, line: tuple[int, ...]) -> int:
    """The score for the board's mover at the end of a line; empty squares go to the winner."""
    sign = 1 if board.mover == "black" else -1
    for square in line:
        board = board.settled().play(square)
    assert board.is_over
    difference = board.disc_difference
    return sign * (difference + (64 - board.discs) * ((difference > 0) - (difference < 0)))


@pytest.mark.parametrize(("suite", "count"), [("ffo-1-19", 19), ("ffo-20-39", 17), ("ffo-40-59", 1)])
@pytest.mark.parametrize("threads", [1, 2])
def test_published_scores(suite: str, count: int, threads: int) -> None:
    solver = Solver(threads)
    endgames = quick_endgames(suite)
    assert len(endgames) == count
    for endgame in endgames:
        solution = solver.solve(endgame.board)
        assert solution.score_for_mover == endgame.score_for_mover, endgame.board
        assert final_score_for(endgame.board, solution.line) == endgame.score_for_mover
        assert solution.best == solution.line[0]


def test_win_or_loss_has_the_sign_of_the_score() -> None:
    solver = Solver()
    for endgame in quick_endgames("ffo-1-19"):
        score = endgame.score_for_mover
        assert score is not None
        result = solver.solve(endgame.board, WIN_OR_LOSS).score_for_mover
        assert (result > 0) - (result < 0) == (score > 0) - (score < 0)


def test_one_thread_finds_the_same_line_whatever_it_solved_before() -> None:
    random = named_player("random")
    boards = [game.boards[47].settled() for game in Match(random, random, double_games=4, seed=5).games()]
    solver = Solver()
    first = [solver.solve(board) for board in boards]
    again = [solver.solve(board) for board in reversed(boards)][::-1]
    fresh = [Solver(table_bits=22).solve(board) for board in boards]
    assert [(s.line, s.nodes) for s in first] == [(s.line, s.nodes) for s in again]
    assert [(s.line, s.nodes) for s in first] == [(s.line, s.nodes) for s in fresh]


def test_ends_of_games() -> None:
    solver = Solver()
    over = solver.solve(Board("X" * 63 + "- X"))  # no one can move; the empty square is the winner's
    assert (over.score_for_mover, over.best, over.line) == (64, None, ())
    must_pass = solver.solve(Board("-XO" + "X" * 61 + " X"))  # White takes a1 and turns b1
    assert (must_pass.score_for_mover, must_pass.best) == (61 - 3, None)
    assert list(map(str, must_pass.line)) == ["a1"]


def test_time_is_kept() -> None:
    solution = Solver().solve(Board(), seconds=0.1)
    assert not solution.finished


def test_bounds_of_forward_pruning_that_contradict_each_other_end_the_guess() -> None:
    """On this board the selective search was too low in one window and too high in the next, for ever."""
    board = Board("-OO--O---OOOOO--XXOOXOO-XXOOOOOO-XXXOOO--XOOOOO-X-OXXXX--------X X")
    unordered = _core.EndgameSolver(22, None, 1).solve(board.mover_discs, board.opponent_discs)
    solution = Solver().solve(board)
    assert solution.finished
    assert solution.score_for_mover == unordered[0] == 30
