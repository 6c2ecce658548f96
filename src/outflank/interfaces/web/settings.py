"""The settings of a league's server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DEFAULT_DATABASE = "sqlite:///league.db"
SHORTEST_TOKEN = 16


@dataclass(frozen=True)
class WebSettings:
    """Rates are requests per minute from one address."""

    database: str = DEFAULT_DATABASE
    runs: Path | None = None  # a folder of learning runs for the lab; it may come later
    admin_token: str | None = None  # without one, nobody can remove players or start competitions
    behind_proxy: bool = False  # whether to trust X-Forwarded-For
    reads_per_minute: int = 1200
    plays_per_minute: int = 3000  # a class of players behind one address
    writes_per_minute: int = 60
    connections_per_address: int = 128  # open at once; behind a proxy, the proxy counts them
    most_waiting: int = 500  # jobs: beyond that no player is accepted; of one entrant, beyond half

    def __post_init__(self) -> None:
        if self.admin_token is not None and len(self.admin_token) < SHORTEST_TOKEN:
            raise ValueError(
                f"the admin token must have at least {SHORTEST_TOKEN} characters; "
                "make one with openssl rand -hex 16"
            )
        if self.runs is not None and self.runs.exists() and not self.runs.is_dir():
            raise ValueError(f"{self.runs} is a file, not a folder of runs")
        rates = (self.reads_per_minute, self.plays_per_minute, self.writes_per_minute, self.most_waiting)
        if min(rates) < 1:
            raise ValueError("a rate must be at least 1 per minute")
        if self.connections_per_address < 1:
            raise ValueError("an address needs at least 1 connection")
