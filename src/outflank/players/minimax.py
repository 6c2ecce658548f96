"""Plain minimax in Python over any evaluator, all leaves in one batch.

For evaluators that live in Python (NumPy, PyTorch, ONNX), and the slow twin of the core's alpha-beta.

>>> from outflank import Board, named_player
>>> minimax_values(named_player("all-2"), Board(), 2) == named_player("all-2,depth=2").judge(Board())
True
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from outflank import _core
from outflank.board import Board, Square
from outflank.evaluators.protocol import board_bits
from outflank.players.greedy import GreedyPlayer

MOST_LEAVES = 5_000_000


def minimax_values(player: GreedyPlayer, board: Board, depth: int) -> list[tuple[Square, float]]:
    """The legal moves with their values for the mover, searched so many plies deep.

    A ply is a disc placed; a pass is none. A board at full depth is judged for whoever made the last
    move, as at one ply; a game that ended before is worth its result, more than any judgement.
    """
    leaves: list[Board] = []
    tree = [
        (square, _Node(board.play(square), board.mover, depth - 1, leaves)) for square in board.legal_moves
    ]
    black, white = board_bits(leaves)
    # The board after a move has the other side to move; after a pass it may not, so nodes say who moved.
    black_moved = np.array(
        [node.moved == "black" for _, root in tree for node in root.leaf_nodes()], dtype=bool
    )
    values = iter(player.values_for_mover(black, white, black_moved).tolist()) if leaves else iter(())
    return [(square, root.value_for_last_mover(values)) for square, root in tree]


class _Node:
    """A board after a move, with the moves that may follow."""

    def __init__(self, board: Board, moved: str, plies: int, leaves: list[Board]) -> None:
        self.board, self.moved = board, moved
        self.children: list[_Node] = []
        self.is_leaf = plies == 0
        if self.is_leaf:
            if len(leaves) == MOST_LEAVES:
                raise ValueError("this depth is too great for an evaluator in Python; take a smaller one")
            leaves.append(board)
            return
        next_board = board.settled()
        self.mover = next_board.mover
        self.children = [
            _Node(next_board.play(square), next_board.mover, plies - 1, leaves)
            for square in next_board.legal_moves
        ]

    def leaf_nodes(self) -> Iterator[_Node]:
        """In the order in which they joined the leaves."""
        if self.is_leaf:
            yield self
        for child in self.children:
            yield from child.leaf_nodes()

    def value_for_last_mover(self, values: Iterator[float]) -> float:
        if self.is_leaf:
            return next(values)
        if not self.children:
            return self._result()
        best = max([child.value_for_last_mover(values) for child in self.children])
        return best if self.mover == self.moved else -best

    def _result(self) -> float:
        difference = self.board.disc_difference if self.moved == "black" else -self.board.disc_difference
        return difference + (_core.WON_GAME if difference > 0 else -_core.WON_GAME if difference < 0 else 0)
