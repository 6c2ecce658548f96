"""What papers leave open: the first of equal moves, and a number of passes that ends a game."""

from __future__ import annotations

import numpy as np

from outflank import Board, _core, named_player
from outflank.board import Square
from outflank.learners.fitness.population import core_of

GAMES = 200


def rules(first_of_ties: bool = False, most_passes: int = 60, epsilon: float = 0.0) -> _core.MatchRules:
    start = Board()
    black, white = (np.array([discs], dtype=np.uint64) for discs in (start.black, start.white))
    return _core.MatchRules(
        black, white, np.array([True]), (epsilon, epsilon), 1, True, first_of_ties, most_passes
    )


def played(agreed: _core.MatchRules, games: int = GAMES) -> tuple[list[int], list[list[Square]]]:
    player = core_of(named_player("disc-difference"))  # whose values are often equal
    differences, moves = _core.play_games(player, player, agreed, 0, games, 1, True)
    assert moves is not None
    return differences.tolist(), [[Square(int(m)) for m in row if m != _core.NO_MOVE] for row in moves]


def first_best(board: Board) -> Square:
    """One ply, slowly."""
    sign = 1 if board.mover == "black" else -1
    return max(board.legal_moves, key=lambda move: (sign * board.play(move).disc_difference, -move))


def test_the_first_of_equal_moves_is_played() -> None:
    _, games = played(rules(first_of_ties=True), 6)  # six: as a batch, two: one by one
    _, pair = played(rules(first_of_ties=True), 2)
    assert {tuple(game) for game in games} == {tuple(pair[0])}
    board = Board()
    for move in pair[0]:
        board = board.settled()
        assert move == first_best(board)
        board = board.play(move)
    assert board.is_over


def test_one_pass_too_many_ends_the_game() -> None:
    passes_seen = set()
    for most in (0, 1, 60):
        for difference, moves, number in zip(
            *played(rules(most_passes=most, epsilon=0.5)), range(GAMES), strict=True
        ):
            board, passes = Board(), 0
            for move in moves:
                passes += not board.has_moves
                board = board.settled().play(move)
            ended = board.is_over or (not board.has_moves and passes == most)
            assert ended
            assert passes <= most
            assert difference == (board.disc_difference if number % 2 == 0 else -board.disc_difference)
            passes_seen.add((most, passes))
    assert {(0, 0), (1, 0), (1, 1), (60, 2)} <= passes_seen
