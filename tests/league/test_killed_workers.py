"""Nothing is lost, counted twice or passed back and forth by workers that are killed and whose clocks differ.

benchmarks/league_faults.py does the same with 100 kills.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.league.killed_workers import KilledWorkers, is_possible


@pytest.mark.long
@pytest.mark.skipif(not is_possible(), reason="no compiler to set a process's clock")
def test_two_workers_an_hour_apart_are_killed(database: str, tmp_path: Path) -> None:
    trial = KilledWorkers(tmp_path, database, double_games=8_000, players=6, seed=3)
    report = trial.run(kills=5, longest_pause=2.0)
    assert report.errors == []
    assert (report.jobs, report.kills, report.hours_apart) == (6 + 18, 5, 1.0)
