"""What a server is started with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DEFAULT_DATABASE = "sqlite:///league.db"
SHORTEST_TOKEN = 16


@dataclass(frozen=True)
class WebSettings:
    """Rates are requests a minute from one address."""

    database: str = DEFAULT_DATABASE
    runs: Path | None = None  # learning runs to show in the lab
    admin_token: str | None = None  # without one nobody removes players or starts competitions
    behind_proxy: bool = False  # whether to believe X-Forwarded-For
    reads_a_minute: int = 1200
    plays_a_minute: int = 3000  # a class of players behind one address
    writes_a_minute: int = 60
    connections_per_address: int = 128  # open at once; behind a proxy it is the proxy's to count them
    most_waiting: int = 500  # jobs: beyond them no players are taken, and of one entrant beyond half of them

    def __post_init__(self) -> None:
        if self.admin_token is not None and len(self.admin_token) < SHORTEST_TOKEN:
            raise ValueError(
                f"the admin token must have at least {SHORTEST_TOKEN} characters; "
                "make one with openssl rand -hex 16"
            )
        if self.runs is not None and not self.runs.is_dir():
            raise ValueError(f"{self.runs} is not a folder of runs")
        rates = (self.reads_a_minute, self.plays_a_minute, self.writes_a_minute, self.most_waiting)
        if min(rates) < 1:
            raise ValueError("a rate must be at least 1 a minute")
        if self.connections_per_address < 1:
            raise ValueError("an address needs at least 1 connection")
