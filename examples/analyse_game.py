"""Finds the mistakes of a game: what each move lost, and what would have been better.

python analyse_game.py f5d6c3d3c4f4f6f3e6e7
"""

from __future__ import annotations

import argparse

from outflank import Game, Solver, named_player
from outflank.studies.game_analysis import GameAnalysis, judge_game

# A game in which White gives away a corner.
GAME = "f5d6c3d3c4f4f6f3e6e7d7c6d8f8f7g5g4e3f2g6h4h5h6h3g3b5f1e2d2c2"


def main() -> None:
    parser = argparse.ArgumentParser(description="Find the mistakes of a game.")
    parser.add_argument("transcript", nargs="?", default=GAME)
    parser.add_argument("--player", default="all-rounder,depth=6", help="judges moves before the endgame")
    parser.add_argument("--solve", type=int, default=16, help="exact from this many empty squares")
    options = parser.parse_args()

    game = Game.from_transcript(options.transcript)
    judged = judge_game(game, named_player(options.player), Solver(), solve_from=options.solve)
    moves = []
    for move in judged:
        moves.append(move)
        better = f", {move.best} was better" if move.mark else ""
        kind = "exact" if move.exact else "estimated"
        loss = f"loses {move.loss:4.1f} discs ({kind})"
        print(f"{move.number:2} {move.mover} {move.square}: {loss} {move.mark}{better}")
    for colour in ("black", "white"):
        print(GameAnalysis(game, tuple(moves)).summary(colour))


if __name__ == "__main__":
    main()
