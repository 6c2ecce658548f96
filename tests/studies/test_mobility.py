import numpy as np
import numpy.typing as npt
import pytest

from outflank import Board, named_player
from outflank.board import Square
from outflank.games.game import Game
from outflank.games.match import Match
from outflank.studies.chong_2003.mobility import AFTER_THE_END, BLACK, WHITE, mobility_along

# Black's a1 leaves White, whose only disc is then b8, without a move; Black's c8 ends the game.
LEAVES_NOTHING = Board("-OX-----" + 48 * "-" + "XO------" + " X")


def recorded(*names: str) -> npt.NDArray[np.uint8]:
    return np.array([[Square(name) for name in names] + [255] * (60 - len(names))], dtype=np.uint8)


def test_a_move_that_makes_the_opponent_pass_leaves_nothing_and_the_last_move_counts_nothing() -> None:
    along = mobility_along(recorded("a1", "c8"), [LEAVES_NOTHING])
    assert along.movers[0, :3].tolist() == [BLACK, BLACK, 0]
    assert along.choices(BLACK).tolist() == [2, 1]
    assert along.replies(BLACK).tolist() == [0]
    assert along.choices(WHITE).tolist() == along.replies(WHITE).tolist() == []
    assert along.black_corners[0, :4].tolist() == [1, 2, 2, AFTER_THE_END]
    assert along.corners_at_the_end(BLACK).tolist() == [2]
    assert along.corners_at_the_end(WHITE).tolist() == [0]


def test_moves_are_counted_by_their_numbers() -> None:
    along = mobility_along(recorded("a1", "c8"), [LEAVES_NOTHING])
    assert along.choices(BLACK, first_move=2).tolist() == [1]
    assert along.choices(BLACK, last_move=1).tolist() == [2]
    assert along.replies(BLACK, first_move=2).tolist() == []


def test_counts_are_those_of_boards_replayed_one_by_one() -> None:
    match = Match(named_player("random"), named_player("random"), double_games=30, seed=5)
    batches = list(match.batches(record=True))
    moves = np.concatenate([batch.moves for batch in batches if batch.moves is not None])
    along = mobility_along(moves, [Board()] * len(moves))
    passes = 0
    for number, row in enumerate(moves):
        game = Game(tuple(Square(int(move)) for move in row if move != 255))
        assert along.length[number] == len(game.moves)
        for ply, board in enumerate(game.boards):
            black = Board.from_discs(board.black, board.white, "black")
            white = Board.from_discs(board.black, board.white, "white")
            assert along.black[number, ply] == len(black.legal_moves)
            assert along.white[number, ply] == len(white.legal_moves)
            if ply < len(game.moves):
                mover = board.settled().mover
                passes += mover != board.mover
                assert along.movers[number, ply] == (BLACK if mover == "black" else WHITE)
    assert passes > 0


def test_an_illegal_move_is_named() -> None:
    with pytest.raises(ValueError, match=r"move 2 \(h8\)"):
        mobility_along(recorded("f5", "h8"), [Board()])
