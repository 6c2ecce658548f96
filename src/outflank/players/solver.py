"""The exact endgame solver (opening books are in opening_book.py).

>>> from outflank import Board
>>> board = Board("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X")
>>> solution = Solver().solve(board)
>>> solution.score_for_mover, solution.best
(6, Square('h5'))
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache

import numpy as np

from outflank import _core
from outflank.board import Board, Square
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.storage import safetensors_bytes
from outflank.players.built_in import load_built_in
from outflank.players.stopping import run_until

WIN_OR_LOSS = (-1, 1)  # the window that only finds out who wins
ORDERING_PAYS_FROM = 13  # empty squares; as in core/endgame/move_ordering.hpp
# What a unit of td-all-rounder's value is worth in discs, by stage of the game: exact scores of 1,500 endings
# of WTHOR games with 10 to 20 empty squares, regressed on the values of searches of one to six plies.
DISCS_PER_UNIT = (11.0, 11.0, 11.0, 7.5)
PARTS_OF_A_DISC = 64  # to which its values are rounded, as in core/endgame/ordering_network.hpp
# Among equally good moves a player with a solver plays the one that this network prefers; a disc of its value
# counts as this many replies of the opponent.
ROOT_WEIGHT = 4 / 11


@dataclass(frozen=True)
class Solution:
    """A position under perfect play of both sides."""

    # Disc difference for the mover at the end; empty squares go to the winner, as in tournaments.
    # With the window WIN_OR_LOSS: a bound, of which only the sign counts.
    score_for_mover: int
    line: tuple[Square, ...]  # best play to the end; passes are left out
    best: Square | None  # the mover's best move; None if it must pass or the game is over
    nodes: int
    seconds: float
    finished: bool = True  # False: out of time, the score is unknown


class Solver:
    """Solves endgames exactly; each empty square takes two to three times as long.

    Moves are ordered by a network (`ordering_network`). The score does not depend on the number of threads;
    with several, which of equally good moves is found may vary.
    """

    def __init__(self, threads: int = 1, table_bits: int = 22) -> None:
        self._core = _core.EndgameSolver(table_bits, solver_ordering(), threads)
        self.threads = threads

    def solve(
        self, board: Board, window: tuple[int, int] = (-64, 64), seconds: float | None = None
    ) -> Solution:
        """The exact score if it is within the window, otherwise a bound."""
        began = time.perf_counter()
        score, line, nodes, finished = run_until(
            lambda stop: self._core.solve(board.mover_discs, board.opponent_discs, *window, stop), seconds
        )
        squares = tuple(map(Square, line))
        best = squares[0] if squares and board.has_moves else None
        return Solution(score, squares, best, nodes, time.perf_counter() - began, finished)


@cache
def ordering_network() -> NTupleNetwork:
    """The network that orders the solver's moves: td-all-rounder with values in discs.

    Its first stage is empty, since nobody solves a board with more than 45 empty squares; a page that holds
    the network is smaller by that.
    """
    network = load_built_in("td-all-rounder").evaluator
    assert isinstance(network, NTupleNetwork)
    in_discs = network.weights.reshape(network.stages, -1) * np.array(DISCS_PER_UNIT)[:, None]
    in_discs[0] = 0.0
    return network.with_weights(np.rint(in_discs * PARTS_OF_A_DISC).ravel() / PARTS_OF_A_DISC)


def ordering_file() -> bytes:
    """That network as a file, for the engine in browsers."""
    return safetensors_bytes(ordering_network(), "inversion", {})


@cache
def solver_ordering() -> _core.MoveOrdering:
    network = ordering_network()
    in_discs = np.ones(network.stages)
    return _core.MoveOrdering(
        network.placements, network.weights, network.stages, in_discs, network.core, ROOT_WEIGHT
    )
