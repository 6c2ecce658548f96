"""A league's API, for programs.

```python
with LeagueClient("http://127.0.0.1:8000") as league:
    key = league.register("Ada")
    submitted = league.submit(key, Path("my.player"), name="Mine", view="inversion")
    print(league.wait(submitted.id).scores[-1].result)
```

What the league refuses is a ValueError with the league's own sentence; a league that cannot be reached, or
that cannot answer now, is an OSError.
"""

from __future__ import annotations

import time
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar

import httpx
from pydantic import TypeAdapter, ValidationError

from outflank.evaluators.storage import View
from outflank.interfaces.response_models import (
    CompetitionAnswer,
    EntrantAnswer,
    Fault,
    MatchAnswer,
    PlayerAnswer,
    RowAnswer,
    SubmittedAnswer,
    TableAnswer,
)

SECONDS = 60.0  # the league reads a submitted file before it answers
WAIT_SECONDS = 1.0  # between looks at a player that is being scored
MOST_WAITS = 10  # for a league that says "later"
Answer = TypeVar("Answer")


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
        return self._ask(EntrantAnswer, "POST", "entrants", json={"name": name}).key

    def submit(
        self, key: str, file: Path, *, name: str, view: View | None = None, note: str = "", link: str = ""
    ) -> SubmittedAnswer:
        """Hand a player in. When this returns the league has it, and its scoring waits."""
        fields = {"name": name, "view": view or "", "note": note, "link": link}
        file_field = {"file": ("player", file.read_bytes())}
        return self._ask(SubmittedAnswer, "POST", "players", key, data=fields, files=file_field)

    def table(self) -> list[RowAnswer]:
        """All players, the best first."""
        rows: list[RowAnswer] = []
        while True:
            part = self._ask(TableAnswer, "GET", "players", params={"limit": 1000, "offset": len(rows)})
            rows += part.players
            if not part.players or len(rows) >= part.total:
                return rows

    def player(self, player_id: int) -> PlayerAnswer:
        return self._ask(PlayerAnswer, "GET", f"players/{player_id}")

    def wait(self, player_id: int) -> PlayerAnswer:
        """A player once its score is final. ValueError if it could not be scored."""
        while True:
            player = self.player(player_id)
            if player.fault is not None:
                raise ValueError(f"{player.name} could not be scored: {player.fault}")
            if any(score.is_final for score in player.scores):
                return player
            time.sleep(WAIT_SECONDS)

    def matches(self, player_id: int) -> list[MatchAnswer]:
        """What a player played in competitions."""
        return self._ask(list[MatchAnswer], "GET", f"players/{player_id}/matches")

    def competitions(self) -> list[CompetitionAnswer]:
        """The latest first, without standings."""
        return self._ask(list[CompetitionAnswer], "GET", "competitions")

    def competition(self, competition_id: int) -> CompetitionAnswer:
        return self._ask(CompetitionAnswer, "GET", f"competitions/{competition_id}")

    def nominate(self, key: str, competition_id: int, player_id: int) -> CompetitionAnswer:
        """A player of one's own, up to two; with the admin token any."""
        path = f"competitions/{competition_id}/nominations"
        return self._ask(CompetitionAnswer, "POST", path, key, json={"player": player_id})

    def open_competition(self, token: str, name: str, double_games: int) -> CompetitionAnswer:
        """For the league's keeper, as start() and remove()."""
        new = {"name": name, "double_games": double_games}
        return self._ask(CompetitionAnswer, "POST", "competitions", token, json=new)

    def start(self, token: str, competition_id: int) -> CompetitionAnswer:
        return self._ask(CompetitionAnswer, "POST", f"competitions/{competition_id}/start", token)

    def remove(self, token: str, player_id: int) -> None:
        self._ask(NoneType, "DELETE", f"players/{player_id}", token)

    def _ask(self, kind: type[Answer], method: str, path: str, key: str = "", **request: Any) -> Answer:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        for _ in range(MOST_WAITS):
            try:
                response = self._http.request(method, path, headers=headers, **request)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                reason = str(error) or type(error).__name__
                raise OSError(f"no league answers at {self.address}: {reason}") from None
            if response.status_code != 429:
                break
            time.sleep(_seconds(response))
        if not response.is_success:
            raise self._fault(response)
        try:
            return TypeAdapter(kind).validate_json(response.content or b"null")
        except ValidationError:
            raise self._is_no_league(response) from None

    def _fault(self, response: httpx.Response) -> Exception:
        try:
            text = Fault.model_validate_json(response.content).error
        except ValidationError:
            return self._is_no_league(response)
        if response.status_code >= 500:
            return OSError(f"the league cannot do this now: {text}")
        return ValueError(text)

    def _is_no_league(self, response: httpx.Response) -> OSError:
        return OSError(
            f"{self.address} is no league of this version: its API answered {response.status_code} "
            "with something else"
        )


def _seconds(response: httpx.Response) -> float:
    text = response.headers.get("retry-after", "")
    return min(60.0, float(text)) if text.isdigit() else 1.0
