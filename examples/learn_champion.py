"""Learns an n-tuple network by temporal differences, measures it, and draws its learning curve.

    python learn_champion.py --games 100000

About five seconds for 100,000 games on one core. The run stays in `runs/`, and can be resumed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from outflank import TdSettings, create_run, league_match, named_player
from outflank.plots.learning_curves import draw_learning_curves


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn a player by temporal differences.")
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--double-games", type=int, default=10_000, help="of the last measurement")
    options = parser.parse_args()

    settings = TdSettings(
        evaluator="logistello",  # Logistello's patterns: edges, corners, rows, diagonals
        games=options.games,
        opponents=("standard-heuristic",),  # nothing: self-play
        alpha=0.3,
        measure_every=max(1, options.games // 20),
    )
    run = create_run(Path(f"runs/champion-{options.games}"), settings, seed=1)
    for progress in run.steps():
        if progress.entry is not None:
            print(f"{progress.done:9,} games: score {progress.entry['score']:.3f}")

    best = named_player(f"{run.folder.path}/best.safetensors")
    tally = league_match(best, double_games=options.double_games).play()
    print(f"League score {tally.score:.4f}, 95 % interval {tally.ci95[0]:.4f} to {tally.ci95[1]:.4f}")
    figure = draw_learning_curves({"mine": [run.folder.log()]}, "standard-heuristic")
    figure.savefig("learning-curve.png", dpi=150)


if __name__ == "__main__":
    main()
