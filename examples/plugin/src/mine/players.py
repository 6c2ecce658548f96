"""A player: an object that chooses a move. One with judge() also gives values, and can analyse games."""

from __future__ import annotations

from outflank import Board, Square


class Mobility:
    """Leaves the opponent as few moves as possible; of equal moves the first."""

    name = "mobility"

    def judge(self, board: Board) -> list[tuple[Square, float]]:
        """The legal moves with their values for the mover."""
        return [(move, -float(len(board.play(move).legal_moves))) for move in board.legal_moves]

    def choose(self, board: Board) -> Square:
        return max(self.judge(board), key=lambda judged: judged[1])[0]
