"""A client of a league's API.

```python
with LeagueClient("http://127.0.0.1:8000") as league:
    key = league.register("Ada")
    submitted = league.submit(key, Path("my.player"), name="Mine", view="inversion")
    print(league.wait(submitted.id).scores[-1].result)
```

A refusal is a ValueError with the league's own sentence; a league that cannot be reached, or cannot respond
now, is an OSError.
"""

from __future__ import annotations

import time
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError

from outflank.evaluators.storage import View
from outflank.interfaces import response_models as models

TIMEOUT_SECONDS = 60.0  # the league inspects a submitted file before it responds
POLL_SECONDS = 1.0  # for a player that is being scored
MOST_TRIES = 10  # while the league responds 429
Model = TypeVar("Model")


class LeagueClient:
    """A league at an address."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        if not self.address.startswith(("http://", "https://")):
            raise ValueError(
                f"{address} is not the address of a league: it must begin with http:// or https://"
            )
        self._http = httpx.Client(base_url=f"{self.address}/api/v1/", timeout=TIMEOUT_SECONDS)

    def __enter__(self) -> LeagueClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def register(self, name: str) -> str:
        """Register an entrant; returns the API key, which is shown once."""
        return self._request(models.EntrantResponse, "POST", "entrants", json={"name": name}).key

    def submit(
        self, key: str, file: Path, *, name: str, view: View | None = None, note: str = "", link: str = ""
    ) -> models.SubmittedResponse:
        """Submit a player. When this returns it is stored and waits to be scored."""
        fields = {"name": name, "view": view or "", "note": note, "link": link}
        file_field = {"file": ("player", file.read_bytes())}
        return self._request(models.SubmittedResponse, "POST", "players", key, data=fields, files=file_field)

    def table(self) -> list[models.RowResponse]:
        """All players, best first."""
        rows: list[models.RowResponse] = []
        while True:
            part = self._request(
                models.TableResponse, "GET", "players", params={"limit": 1000, "offset": len(rows)}
            )
            rows += part.players
            if not part.players or len(rows) >= part.total:
                return rows

    def player(self, player_id: int) -> models.PlayerResponse:
        return self._request(models.PlayerResponse, "GET", f"players/{player_id}")

    def wait(self, player_id: int) -> models.PlayerResponse:
        """Wait for a player's final score. ValueError if it could not be scored."""
        while True:
            player = self.player(player_id)
            if player.fault is not None:
                raise ValueError(f"{player.name} could not be scored: {player.fault}")
            if any(score.is_final for score in player.scores):
                return player
            time.sleep(POLL_SECONDS)

    def matches(self, player_id: int) -> list[models.MatchResponse]:
        """A player's matches in competitions."""
        return self._request(list[models.MatchResponse], "GET", f"players/{player_id}/matches")

    def competitions(self) -> list[models.CompetitionResponse]:
        """The latest first, without standings."""
        return self._request(list[models.CompetitionResponse], "GET", "competitions")

    def competition(self, competition_id: int) -> models.CompetitionResponse:
        return self._request(models.CompetitionResponse, "GET", f"competitions/{competition_id}")

    def nominate(self, key: str, competition_id: int, player_id: int) -> models.CompetitionResponse:
        """Nominate one of your players, up to two; with the admin token, any."""
        path = f"competitions/{competition_id}/nominations"
        return self._request(models.CompetitionResponse, "POST", path, key, json={"player": player_id})

    def open_competition(self, token: str, name: str, double_games: int) -> models.CompetitionResponse:
        """For the admin, like start() and remove()."""
        new = {"name": name, "double_games": double_games}
        return self._request(models.CompetitionResponse, "POST", "competitions", token, json=new)

    def start(self, token: str, competition_id: int) -> models.CompetitionResponse:
        return self._request(
            models.CompetitionResponse, "POST", f"competitions/{competition_id}/start", token
        )

    def remove(self, token: str, player_id: int) -> None:
        self._request(NoneType, "DELETE", f"players/{player_id}", token)

    def _request(self, kind: type[Model], method: str, path: str, key: str = "", **request: Any) -> Model:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        for _ in range(MOST_TRIES):
            try:
                response = self._http.request(method, path, headers=headers, **request)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                reason = str(error) or type(error).__name__
                raise OSError(f"no league responds at {self.address}: {reason}") from None
            if response.status_code != 429:
                break
            time.sleep(_retry_after(response))
        if not response.is_success:
            raise self._error(response)
        try:
            return TypeAdapter(kind).validate_json(response.content or b"null")
        except ValidationError:
            raise self._not_a_league(response) from None

    def _error(self, response: httpx.Response) -> Exception:
        try:
            text = models.ErrorResponse.model_validate_json(response.content).error
        except ValidationError:
            return self._not_a_league(response)
        if response.status_code >= 500:
            return OSError(f"the league cannot do this now: {text}")
        return ValueError(text)

    def _not_a_league(self, response: httpx.Response) -> OSError:
        return OSError(
            f"{self.address} is not a league of this version: its API responded {response.status_code} "
            "with something else"
        )


def _retry_after(response: httpx.Response) -> float:
    text = response.headers.get("retry-after", "")
    return min(60.0, float(text)) if text.isdigit() else 1.0
