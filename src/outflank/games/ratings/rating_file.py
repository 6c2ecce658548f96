"""The games of a player against rungs, in a file: an interrupted rating goes on where it was.

A result counts as long as the player and the rung are those that played: their names, and the digests of the
files they were read from.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from outflank.files import write_whole
from outflank.games.ratings.ladder import rung_digest
from outflank.games.statistics import Tally

Count = Annotated[int, Field(ge=0)]


class _StoredTally(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    wins: Count
    draws: Count
    losses: Count
    double_games: list[Count] = Field(min_length=5, max_length=5)
    repeated: Count
    rung_digest: str


class _StoredRating(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    player: str
    digest: str
    seed: int
    results: dict[str, _StoredTally]


class RatingFile:
    """One player's games so far."""

    def __init__(self, folder: Path, player: str, seed: int) -> None:
        self.player, self.seed = player, seed
        name = re.sub(r"[^\w.-]+", "-", player.rsplit("/", 1)[-1])[:60].strip("-.")
        digest = hashlib.sha256(player.encode(errors="surrogateescape")).hexdigest()[:8]
        self.path = folder / f"{name or 'player'}-{digest}.json"

    def read(self) -> dict[str, Tally]:
        """Results by rung; none if the player's file has changed."""
        if not self.path.is_file():
            return {}
        try:
            stored = _StoredRating.model_validate_json(self.path.read_bytes())
        except ValidationError as error:
            raise ValueError(
                f"{self.path} is damaged ({error.errors()[0]['msg']}); delete it to rate {self.player} anew"
            ) from None
        if (stored.player, stored.digest, stored.seed) != (self.player, rung_digest(self.player), self.seed):
            return {}
        return {
            rung: _tally(result, self.path)
            for rung, result in stored.results.items()
            if result.rung_digest == rung_digest(rung)
        }

    def write(self, results: Mapping[str, Tally]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "player": self.player,
            "digest": rung_digest(self.player),
            "seed": self.seed,
            "results": {
                rung: asdict(tally) | {"rung_digest": rung_digest(rung)} for rung, tally in results.items()
            },
        }
        write_whole(self.path, (json.dumps(content, indent=1) + "\n").encode())


def _tally(stored: _StoredTally, path: Path) -> Tally:
    a, b, c, d, e = stored.double_games
    tally = Tally(stored.wins, stored.draws, stored.losses, (a, b, c, d, e), stored.repeated)
    if tally.games != 2 * (a + b + c + d + e) or 2 * tally.wins + tally.draws != b + 2 * c + 3 * d + 4 * e:
        raise ValueError(
            f"{path} is damaged: its numbers are inconsistent; delete it to rate the player anew"
        )
    return tally
