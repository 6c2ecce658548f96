"""A league that is killed repeatedly: `python -m benchmarks.league_faults`, from the checkout.

`uploads` submits 200 players while server and worker are killed at random moments. `workers` lets two
workers whose clocks are an hour apart score players and play a competition, and kills one of them at 100
random moments, on SQLite and on PostgreSQL. Both compare every score with that of undisturbed games.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.interfaces.web.killing import DisturbedLeague
from tests.league.killed_workers import KilledWorkers
from tests.league.postgres import programs, running_server


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("trial", choices=("uploads", "workers"))
    options.add_argument("--kills", type=int, help="default: 30 of server and worker each, 100 of workers")
    options.add_argument("--players", type=int, help="default: 200 uploads, 40 for workers")
    options.add_argument("--double-games", type=int, help="default: 5000 for uploads, 50,000 for workers")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--db", help="default: SQLite in a temporary folder; for workers: PostgreSQL too")
    given = options.parse_args()
    trial = uploads if given.trial == "uploads" else workers
    raise SystemExit(not trial(given))


def uploads(given: argparse.Namespace) -> bool:
    """Whether all was right."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = given.db or f"sqlite:///{folder / 'league.db'}"
        league = DisturbedLeague(folder, database, double_games=given.double_games or 5000, seed=given.seed)
        report = league.run(uploads=given.players or 200, kills=given.kills or 30)
    print(f"killed: server {report.kills['server']} times, worker {report.kills['worker']} times")
    print(
        f"acknowledged: {report.acknowledged}, stored before the server could respond: {report.refused_again}"
    )
    print(f"lost, counted twice or scored differently: {len(report.errors)}", *report.errors, sep="\n  ")
    return not report.errors


def workers(given: argparse.Namespace) -> bool:
    """Whether all was right, on every database."""
    is_right = True
    for kind, folder, database in databases(given.db):
        trial = KilledWorkers(folder, database, double_games=given.double_games or 50_000,
                              players=given.players or 40, seed=given.seed)  # fmt: skip
        report = trial.run(kills=given.kills or 100, longest_pause=3.0)
        print(f"{kind}: two workers, {report.hours_apart} hours apart, killed {report.kills} times")
        print(f"  jobs: {report.jobs}, taken {report.taken} times: released after a slice and taken again "
              f"{report.given_back}, resumed after a kill {report.taken_up}")  # fmt: skip
        print(f"  most attempts at one job: {report.most_attempts}")
        for what, found in (
            ("results lost", report.lost), ("results counted twice", report.twice),
            ("jobs that left a worker that lived", report.stolen),
            ("results that differ from undisturbed games", report.different),
        ):  # fmt: skip
            print(f"  {what}: {len(found)}", *found, sep="\n    ", flush=True)
        is_right = is_right and not report.errors
    return is_right


def databases(given: str | None) -> Iterator[tuple[str, Path, str]]:
    if given is not None:
        with tempfile.TemporaryDirectory() as name:
            yield "the database", Path(name), given
        return
    with tempfile.TemporaryDirectory() as name:
        yield "SQLite", Path(name), f"sqlite:///{Path(name) / 'league.db'}"
    if programs() is None:
        print("PostgreSQL is not installed")
        return
    with tempfile.TemporaryDirectory() as name, running_server() as database:
        yield "PostgreSQL", Path(name), database


if __name__ == "__main__":
    main()
