"""Random playouts through rust-reversi's Python API: games per second, best of three.

Run by the Python of the peer's own environment, which has no outflank.
"""

from time import perf_counter

from rust_reversi import Board  # type: ignore[import-not-found]  # lives in its own environment

GAMES = 5000


def playout() -> None:
    board = Board()
    while not board.is_game_over():
        if board.is_pass():
            board.do_pass()
        else:
            board.do_move(board.get_random_move())


def games_per_second() -> float:
    began = perf_counter()
    for _ in range(GAMES):
        playout()
    return GAMES / (perf_counter() - began)


print(max(games_per_second() for _ in range(3)))
