"""A league's API, for programs.

```python
with LeagueClient("http://127.0.0.1:8000") as league:
    key = league.register("Ada")
    submitted = league.submit(key, Path("my.player"), name="Mine", view="inversion")
    print(league.wait(submitted["id"])["scores"])
```

What the league refuses is a ValueError with the league's own sentence; a league that cannot be reached, or
that cannot answer now, is an OSError.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypedDict, cast

import httpx

from outflank.evaluators.storage import View

SECONDS = 60.0  # the league reads a submitted file before it answers
WAIT_SECONDS = 1.0  # between looks at a player that is being scored
MOST_WAITS = 10  # for a league that says "later"


class Result(TypedDict):
    """Games of one player, with the 95 % interval of the score."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    ci95: tuple[float, float]


class Row(TypedDict):
    """A player's place in the table."""

    rank: int | None
    id: int
    name: str
    entrant: str
    kind: str
    view: str
    weights: int
    created: float
    state: Literal["final", "provisional", "waiting", "failed"]
    fault: str | None
    result: Result | None


class Submitted(TypedDict):
    """A player that the league has taken."""

    id: int
    name: str
    kind: str
    view: str
    weights: int
    state: Literal["waiting"]
    page: str


class MeasuredScore(TypedDict):
    double_games: int
    is_final: bool
    measured: float
    result: Result


class PlayerDetails(TypedDict):
    """A player with its scores: provisional, then final."""

    rank: int | None
    id: int
    name: str
    entrant: str
    kind: str
    description: str
    view: str
    weights: int
    digest: str
    note: str
    link: str
    created: float
    fault: str | None
    scores: list[MeasuredScore]


class LeagueClient:
    """A league at an address."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        if not self.address.startswith(("http://", "https://")):
            raise ValueError(f"{address} is no address of a league: it begins with http:// or https://")
        self._http = httpx.Client(base_url=f"{self.address}/api/v1/", timeout=SECONDS)

    def __enter__(self) -> LeagueClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def register(self, name: str) -> str:
        """A new entrant's key: given once."""
        return str(self._ask("POST", "entrants", json={"name": name})["key"])

    def submit(
        self, key: str, file: Path, *, name: str, view: View | None = None, note: str = "", link: str = ""
    ) -> Submitted:
        """Hand a player in. When this returns the league has it, and its scoring waits."""
        fields = {"name": name, "view": view or "", "note": note, "link": link}
        answer = self._ask("POST", "players", data=fields, files={"file": ("player", file.read_bytes())},
                           headers={"Authorization": f"Bearer {key}"})  # fmt: skip
        return cast(Submitted, answer)

    def table(self) -> list[Row]:
        """All players, the best first."""
        rows: list[Row] = []
        while True:
            answer = self._ask("GET", "players", params={"limit": 1000, "offset": len(rows)})
            rows += answer["players"]
            if not answer["players"] or len(rows) >= answer["total"]:
                return rows

    def player(self, player_id: int) -> PlayerDetails:
        return cast(PlayerDetails, self._ask("GET", f"players/{player_id}"))

    def wait(self, player_id: int) -> PlayerDetails:
        """A player once its score is final. ValueError if it could not be scored."""
        while True:
            player = self.player(player_id)
            if player["fault"] is not None:
                raise ValueError(f"{player['name']} could not be scored: {player['fault']}")
            if any(score["is_final"] for score in player["scores"]):
                return player
            time.sleep(WAIT_SECONDS)

    def _ask(self, method: str, path: str, **request: Any) -> Mapping[str, Any]:
        for _ in range(MOST_WAITS):
            try:
                response = self._http.request(method, path, **request)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                reason = str(error) or type(error).__name__
                raise OSError(f"no league answers at {self.address}: {reason}") from None
            if response.status_code != 429:
                break
            time.sleep(_seconds(response))
        return self._answer(response)

    def _answer(self, response: httpx.Response) -> Mapping[str, Any]:
        try:
            answer = response.json()
        except ValueError:
            answer = None
        if response.is_success and isinstance(answer, dict):
            return answer
        if not isinstance(answer, dict) or not isinstance(answer.get("error"), str):
            raise OSError(
                f"{self.address} is no league: it answered {response.status_code} to its API's address"
            )
        if response.status_code >= 500:
            raise OSError(f"the league cannot do this now: {answer['error']}")
        raise ValueError(answer["error"])


def _seconds(response: httpx.Response) -> float:
    text = response.headers.get("retry-after", "")
    return min(60.0, float(text)) if text.isdigit() else 1.0
