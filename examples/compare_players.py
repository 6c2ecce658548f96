"""Plays a tournament and prints a table with ratings: who beats whom, and how sure is it?

python compare_players.py all-rounder all-2,depth=2 iago,depth=2 random
"""

from __future__ import annotations

import argparse

from outflank import Tournament, TournamentSettings, named_player
from outflank.plots.tournaments import draw_tournament


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare players in a tournament.")
    parser.add_argument("players", nargs="*", default=["all-rounder", "all-2", "iago", "random"])
    parser.add_argument("--double-games", type=int, default=200, help="per pair")
    options = parser.parse_args()

    players = [named_player(name) for name in options.players]
    standings = Tournament(players, TournamentSettings(double_games=options.double_games)).play()
    for row in standings.rows:
        low, high = row.rating_ci95
        rating = f"rating {row.rating:+5.0f} ({low:+.0f} to {high:+.0f})"
        print(f"{row.rank}. {row.player:24} score {row.score:.3f}   {rating}")
    draw_tournament(standings, "Who beats whom").savefig("heat-map.png", dpi=150)


if __name__ == "__main__":
    main()
