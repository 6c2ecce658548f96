"""The folder of a tournament; files are written whole or not at all.

tournament.json        the players and the settings
pairs/                 one file per pair that has met: its results so far
results.json           standings, pairs, cycles and forfeits
table.csv, matrix.csv  the standings; each player's score against each other
heat-map.png           the matrix and the ratings as a picture
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from outflank.board import Board
from outflank.files import alone_in, write_whole
from outflank.games.batch import Forfeit
from outflank.games.statistics import Tally
from outflank.games.tournaments.standings import PairResult, Standings
from outflank.games.tournaments.tournament import TournamentSettings, check_names, pairs
from outflank.players.engines.player import is_external
from outflank.players.names import NAMES, split_name
from outflank.players.plugin_player import names_plugin_player, plugin_digest

SETTINGS, PAIRS, RESULTS, TABLE, MATRIX, HEAT_MAP = (
    "tournament.json", "pairs", "results.json", "table.csv", "matrix.csv", "heat-map.png",
)  # fmt: skip
Count = Annotated[int, Field(ge=0)]
Model = TypeVar("Model", bound=BaseModel)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _StoredTournament(_Strict):
    players: dict[str, dict[str, str]]  # each with the digests of its files
    double_games: int
    epsilon: float
    seed: int
    starts: list[str]


class _StoredForfeit(_Strict):
    game: Count
    player: str
    reason: str


class _StoredPair(_Strict):
    first: str
    second: str
    wins: Count
    draws: Count
    losses: Count
    double_games: list[Count] = Field(min_length=5, max_length=5)
    repeated: Count = 0
    forfeits: list[_StoredForfeit]


class TournamentFolder:
    """One tournament on disk, new or to be resumed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def for_command(cls, names: Sequence[str], settings: TournamentSettings) -> TournamentFolder:
        """The default folder: the same for the same players and settings."""
        check_names(names)
        stored = _stored(sorted(names), settings)
        digest = hashlib.sha256(_json(stored.model_dump()).encode()).hexdigest()
        return cls(Path("tournaments") / f"{len(names)}-players-{digest[:8]}")

    @property
    def is_new(self) -> bool:
        return not (self.path / SETTINGS).is_file()

    def check_free(self) -> None:
        """A new tournament needs an empty folder."""
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise ValueError(f"{self.path} is a file; choose another --out")
        if any(path.name not in (PAIRS, f".{SETTINGS}.part") for path in self.path.iterdir()):
            raise ValueError(f"{self.path} already exists and holds no tournament; choose another --out")

    def settings(self) -> TournamentSettings:
        stored = self._read()
        try:
            boards = tuple(Board(text) for text in stored.starts)
        except ValueError as error:
            raise ValueError(f"{self.path / SETTINGS} is damaged at starts: {error}") from None
        return TournamentSettings(stored.double_games, stored.epsilon, boards, stored.seed)

    def players(self) -> list[str]:
        return list(self._read().players)

    def check_same(self, names: Sequence[str], wanted: Mapping[str, Any]) -> None:
        """Refuses settings and players that differ from this tournament's; players may be added."""
        settings = self.settings()
        for key, value in wanted.items():
            if (there := getattr(settings, key)) != value:
                shown = ("other boards", "these") if key == "starts" else (f"{there:,}", f"{value:,}")
                raise ValueError(
                    f"the tournament in {self.path} has other settings: its {key.replace('_', ' ')} "
                    f"{'are' if key.endswith('s') else 'is'} {shown[0]}, not {shown[1]}; choose another --out"
                )
        for player, digests in self._read().players.items():
            if names and player not in names:
                raise ValueError(
                    f"the tournament in {self.path} has one more player, {player}: name it too, "
                    "or choose another --out"
                )
            if digests != digests_of(player):
                raise ValueError(
                    f"{player} is no longer the player that the tournament in {self.path} began with: "
                    "its file has changed; choose another --out"
                )

    def write_settings(self, names: Sequence[str], settings: TournamentSettings) -> None:
        write_whole(self.path / SETTINGS, _json(_stored(names, settings).model_dump()).encode())

    def results(self) -> Iterator[PairResult]:
        """The saved results of the pairs that have met."""
        limit = self.settings().double_games
        for pair in pairs(self.players()):
            path = self._file_of(pair)
            if path.is_file():
                yield _pair_result(_parsed(_StoredPair, path), pair, limit, path)

    def save(self, result: PairResult) -> None:
        content = {
            "first": result.first,
            "second": result.second,
            **asdict(result.tally),
            "forfeits": [
                {"game": forfeit.game, "player": forfeit.player, "reason": forfeit.reason}
                for forfeit in result.forfeits
            ],
        }
        write_whole(self._file_of(result.pair), _json(content).encode())

    def write_standings(self, standings: Standings, report: Mapping[str, Any]) -> None:
        """The results as JSON and as tables. File names may hold bytes that are not text."""
        write_whole(self.path / RESULTS, _json(report).encode())
        write_whole(self.path / TABLE, standings.table_csv().encode(errors="surrogateescape"))
        write_whole(self.path / MATRIX, standings.matrix_csv().encode(errors="surrogateescape"))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Locks the folder against other processes; the lock ends with this process."""
        (self.path / PAIRS).mkdir(parents=True, exist_ok=True)
        with alone_in(self.path, f"another process is playing the tournament in {self.path}"):
            yield

    def _read(self) -> _StoredTournament:
        return _parsed(_StoredTournament, self.path / SETTINGS)

    def _file_of(self, pair: tuple[str, str]) -> Path:
        digest = hashlib.sha256(json.dumps(pair).encode()).hexdigest()
        return self.path / PAIRS / f"{digest[:20]}.json"


def _stored(names: Sequence[str], settings: TournamentSettings) -> _StoredTournament:
    return _StoredTournament(
        players={name: digests_of(name) for name in names},
        double_games=settings.double_games,
        epsilon=settings.epsilon,
        seed=settings.seed,
        starts=[board.text for board in settings.starts],
    )


def digests_of(player: str) -> dict[str, str]:
    """The files that a player's name refers to, with the digests of their contents."""
    if is_external(player):
        return {}
    source, options = split_name(player)
    found = [name for name in (source, *options.values()) if name not in NAMES and Path(name).is_file()]
    digests = {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in found}
    if source not in NAMES and source not in digests and names_plugin_player(source):
        digests[source] = plugin_digest(source)
    return digests


def _pair_result(stored: _StoredPair, pair: tuple[str, str], limit: int, path: Path) -> PairResult:
    a, b, c, d, e = stored.double_games
    tally = Tally(stored.wins, stored.draws, stored.losses, (a, b, c, d, e), stored.repeated)
    half_points = b + 2 * c + 3 * d + 4 * e
    if (
        (stored.first, stored.second) != pair
        or tally.games != 2 * (a + b + c + d + e)
        or 2 * tally.wins + tally.draws != half_points
        or tally.games > 2 * limit
        or not 0 <= stored.repeated <= max(0, a + b + c + d + e - 1)
        or not _forfeits_fit(stored)
    ):
        raise ValueError(f"{path} is damaged: its numbers are inconsistent; delete it to play the pair again")
    forfeits = tuple(
        Forfeit(**forfeit.model_dump(), by_first=forfeit.player == stored.first)
        for forfeit in stored.forfeits
    )
    return PairResult(*pair, tally, forfeits)


def _forfeits_fit(stored: _StoredPair) -> bool:
    """Each in a different game, by one of the two."""
    lost = sum(forfeit.player == stored.first for forfeit in stored.forfeits)
    won = sum(forfeit.player == stored.second for forfeit in stored.forfeits)
    return (
        lost + won == len({forfeit.game for forfeit in stored.forfeits}) == len(stored.forfeits)
        and lost <= stored.losses
        and won <= stored.wins
    )


def _parsed(model: type[Model], path: Path) -> Model:
    try:
        return model.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        at = f" at {where}" if where else ""
        raise ValueError(f"{path} is damaged{at}: {first['msg']}") from None


def _json(content: Any) -> str:
    return json.dumps(content, indent=1) + "\n"
