"""How fast players search: the exact solver, the search, and Kim 2007's players in the playout kernel.

>>> [timing.name for timing in time_search(empties=12, kim_games=1, rounds=1, suite="ffo-1-19")][0]
'solver, 12 empty squares'
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from outflank.benchmarks.timing import Target, Timing
from outflank.board import Board
from outflank.cores import available_cores
from outflank.evaluators.mlp import SpatialMlp
from outflank.games.match import Match
from outflank.games.positions import read_endgames
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player
from outflank.players.opening_book import DEFAULT, OpeningBook
from outflank.players.search import SearchLimits, SearchPlayer
from outflank.players.solver import Solver

POSITIONS = 8
KIM = "Kim 2007: 2 plies of a spatial MLP, book, solver from 4"
SEARCH = "search of td-all-rounder"
FFO = "ffo-20-39"  # 20 positions of 20 to 24 empty squares


def time_search(
    empties: int = 20, kim_games: int = 100, rounds: int = 3, suite: str = FFO
) -> Iterator[Timing]:
    """The solver and the search in nodes per second, Kim's players in games per second."""
    boards = endings(empties)
    published = [endgame.board for endgame in read_endgames(suite)]
    solver = f"solver, {empties} empty squares"
    threads = (1, 2) if available_cores() > 1 else (1,)
    best: dict[tuple[str, str, int], float] = {}

    def keep(name: str, unit: str, number: int, rate: float) -> None:
        best[name, unit, number] = max(best.get((name, unit, number), 0.0), rate)

    for _ in range(rounds):
        for number in threads:
            nodes, seconds = _solving(boards, number)
            keep(solver, "nodes", number, nodes / seconds)
            keep(solver, "positions", number, len(boards) / seconds)
        _, seconds = _solving(published, 1)
        keep(suite, "positions", 1, len(published) / seconds)
        keep(SEARCH, "nodes", 1, _search_rate())
        keep(KIM, "games", 1, _kim_rate(kim_games))
    for (name, unit, number), rate in best.items():
        yield Timing(name, unit, rate, number)


def search_targets(timings: list[Timing]) -> Iterator[Target]:
    for timing in timings:
        if timing.name == FFO:
            yield Target("FFO 20-39 on one thread, 3 s over its time", 3.0 * timing.per_second / 20, 1.0)
        if timing.name.startswith("solver") and timing.unit == "nodes" and timing.threads == 1:
            yield Target("solver, over 20 M nodes/s", timing.per_second / 20e6, 1.0)
    solved = {t.threads: t.per_second for t in timings if t.name[:6] == "solver" and t.unit == "positions"}
    if 2 in solved:
        yield Target("solver: two threads over one", solved[2] / solved[1], 1.9)


def endings(empties: int) -> list[Board]:
    """Positions with this many empty squares, from games with forced random moves."""
    player = named_player("all-2")
    boards: list[Board] = []
    for game in Match(player, player, double_games=2 * POSITIONS, epsilon=0.1, seed=1).games():
        boards += [board.settled() for board in game.boards if 64 - board.discs == empties][:1]
    return boards[:POSITIONS]


def _solving(boards: list[Board], threads: int) -> tuple[int, float]:
    """Nodes and seconds of solving some positions."""
    solver = Solver(threads)
    solver.solve(boards[0], (-1, 1))  # loads what it needs
    began = perf_counter()
    nodes = sum(solver.solve(board).nodes for board in boards)
    return nodes, perf_counter() - began


def _search_rate() -> float:
    player = named_player("td-all-rounder,nodes=3e6")
    assert isinstance(player, SearchPlayer)
    analysis = player.analyze(Board.from_transcript("f5d6c3d3c4f4f6f3"))
    return analysis.nodes / analysis.seconds


def _kim_rate(double_games: int) -> float:
    """Both sides search two plies of a spatial network, with the book (best three) and the solver."""
    weights = np.random.default_rng(1).uniform(-0.2, 0.2, SpatialMlp().weights.size)
    player = SearchPlayer(
        GreedyPlayer(SpatialMlp(weights), "inversion"),
        SearchLimits(depth=2),
        solve=4,
        book=OpeningBook.open(DEFAULT),
        book_best=3,
        name="kim",
    )
    match = Match(player, player, double_games=double_games, threads=1)
    began = perf_counter()
    match.play()
    return 2 * double_games / (perf_counter() - began)
