"""One player's turn in games that are played in step."""

from __future__ import annotations

import numpy as np

from outflank import _core
from outflank.board import Board
from outflank.players.greedy import GreedyPlayer, Player


def answer(games: _core.GamesInStep, player: Player) -> None:
    """Let a player move in all games that wait for it."""
    core = getattr(player, "core", None)
    if core is not None:
        games.answer_by(core)
        return
    black, white, black_moves = games.waiting_boards()
    if isinstance(player, GreedyPlayer):
        black_after, white_after, first = games.afterstates()
        black_moved = np.repeat(black_moves.astype(bool), first[1:] - first[:-1])
        games.answer_values(player.values_for_mover(black_after, white_after, black_moved))
        return
    boards = [
        Board.from_discs(int(b), int(w), "black" if is_black else "white")
        for b, w, is_black in zip(black, white, black_moves, strict=True)
    ]
    chosen = [player.choose(board) for board in boards]
    for board, square in zip(boards, chosen, strict=True):
        if square not in board.legal_moves:
            raise ValueError(f"{player.name} chose {square!r}, which is not a legal move on {board.text}")
    games.answer_squares(np.array(chosen, dtype=np.uint8))
