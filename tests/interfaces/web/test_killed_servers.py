"""Servers and workers killed at random moments: nothing acknowledged is lost or counted twice.

benchmarks/league_faults.py does the same with 200 players.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interfaces.web.killing import DisturbedLeague


@pytest.mark.long
def test_killed_servers_and_workers_lose_nothing(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'league.db'}"
    report = DisturbedLeague(tmp_path, database, double_games=1500, seed=4).run(uploads=12, kills=2)
    assert report.errors == []
    assert report.acknowledged + report.refused_again == 12
    assert report.kills == {"server": 2, "worker": 2}
