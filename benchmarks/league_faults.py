"""A league that is killed again and again: `python -m benchmarks.league_faults`, from the checkout.

Hands in 200 players while server and worker are killed at random moments, then compares every score with that
of games that nobody disturbed.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.interfaces.web.killing import DisturbedLeague


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--uploads", type=int, default=200)
    options.add_argument("--kills", type=int, default=30, help="of each")
    options.add_argument("--double-games", type=int, default=5000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--db", help="default: SQLite in a temporary folder")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = given.db or f"sqlite:///{folder / 'league.db'}"
        league = DisturbedLeague(folder, database, double_games=given.double_games, seed=given.seed)
        report = league.run(uploads=given.uploads, kills=given.kills)
    print(f"killed: server {report.kills['server']} times, worker {report.kills['worker']} times")
    print(
        f"acknowledged: {report.acknowledged}, stored before the server could say so: {report.refused_again}"
    )
    print(f"lost, counted twice or scored otherwise: {len(report.faults)}", *report.faults, sep="\n  ")
    raise SystemExit(bool(report.faults))


if __name__ == "__main__":
    main()
