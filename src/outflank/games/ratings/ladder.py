"""A ladder of rungs: players of known ratings, from `random` to deep search, that others are measured by.

>>> ladder = Ladder.built_in()
>>> ladder.rungs[0].name, ladder.rungs[0].rating
('random', 0.0)
>>> ladder.rungs[-1].rating > 1000
True

The file holds the results of the rungs against each other, and ratings follow from them
(bradley_terry.py). Each rung has met its nearest neighbours, all from the same openings. Ratings are on the
Elo scale, `random` is 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Board
from outflank.files import write_whole
from outflank.games.cluster_games import Workers
from outflank.games.match import Match
from outflank.games.positions import openings_for
from outflank.games.ratings.bradley_terry import Ratings, bradley_terry
from outflank.games.statistics import Tally
from outflank.games.tournaments.folder import digests_of
from outflank.games.tournaments.tournament import pair_seed
from outflank.players.built_in import BUILT_IN, built_in_file
from outflank.players.engines.player import is_external
from outflank.players.greedy import Player
from outflank.players.names import named_player, split_name

# From random moves to a search of some hundredths of a second per move.
RUNGS = (
    "random",
    "disc-difference",
    "positional",
    "iago",
    "iago,depth=2",
    "iago,depth=4",
    "td-all-rounder",
    "all-rounder",
    "all-rounder,depth=2",
    "all-rounder,depth=3",
    "all-rounder,depth=4",
    "all-rounder,depth=6",
    "all-rounder,nodes=20000,solve=12",
    "all-rounder,nodes=200000,solve=16",
)
REACH = 3  # neighbours above and below that a rung meets
DOUBLE_GAMES = 200  # of each pair
MOST_OPENINGS = 4000  # double games of a pair, each from an opening of its own
SEED = 1


@dataclass(frozen=True)
class Rung:
    """A player whose rating is known."""

    name: str
    rating: float
    ci95: tuple[float, float]  # of its distance from the mean of all rungs


@dataclass(frozen=True)
class Ladder:
    """Rungs in the order of their ratings, which follow from `results`."""

    players: tuple[str, ...]
    results: Mapping[tuple[str, str], Tally]
    seed: int = SEED
    digests: Mapping[str, str] = field(default_factory=dict)  # of the files that rungs were played from

    @cached_property
    def _ratings(self) -> Ratings:
        return bradley_terry(self.players, self.results)

    @cached_property
    def rungs(self) -> tuple[Rung, ...]:
        ratings = self._ratings
        zero = ratings.values[self._zero]
        found = [
            Rung(name, float(value - zero), (float(low - zero), float(high - zero)))
            for name, value, (low, high) in zip(self.players, ratings.values, ratings.ci95, strict=True)
        ]
        return tuple(sorted(found, key=lambda rung: rung.rating))

    @property
    def _zero(self) -> int:
        return (
            self.players.index("random") if "random" in self.players else int(self._ratings.values.argmin())
        )

    def covariance(self, names: Sequence[str]) -> npt.NDArray[np.float64]:
        """Of these rungs' ratings, as distances from the mean of all."""
        at = [self.players.index(name) for name in names]
        return self._ratings.covariance[np.ix_(at, at)]

    def changed(self) -> list[str]:
        """Rungs whose files are no longer those that were rated."""
        return [name for name in self.players if self.digests.get(name, "") != rung_digest(name)]

    @classmethod
    def built_in(cls) -> Ladder:
        return cls.load(Path(str(files("outflank") / "data" / "ladder.json")))

    @classmethod
    def load(cls, path: str | Path) -> Ladder:
        try:
            return cls.from_json(json.loads(Path(path).read_text(encoding="utf-8")))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(
                f"{path} is not a ladder written by outflank rate --calibrate: {error}"
            ) from None

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Ladder:
        players = tuple(str(name) for name in data["rungs"])
        results = {}
        for pair in data["pairs"]:
            a, b, c, d, e = (int(count) for count in pair["double_games"])
            tally = Tally(int(pair["wins"]), int(pair["draws"]), int(pair["losses"]), (a, b, c, d, e),
                          int(pair["repeated"]))  # fmt: skip
            if min(tally.wins, tally.draws, tally.losses, a, b, c, d, e) < 0 or tally.games != 2 * (
                a + b + c + d + e
            ):
                raise ValueError(f"the results of {pair['first']} and {pair['second']} are inconsistent")
            results[str(pair["first"]), str(pair["second"])] = tally
        if len(players) < 2 or any(name not in players for pair in results for name in pair):
            raise ValueError("its pairs must be of its rungs, of which there are two or more")
        return cls(players, results, int(data["seed"]), dict(data["digests"]))

    def save(self, path: Path) -> None:
        pairs = [{"first": a, "second": b} | asdict(tally) for (a, b), tally in self.results.items()]
        content = {
            "seed": self.seed, "rungs": list(self.players), "digests": dict(self.digests), "pairs": pairs,
        }  # fmt: skip
        write_whole(path, (json.dumps(content, indent=1) + "\n").encode())


def openings() -> tuple[Board, ...]:
    """Where all games of ladders start: random openings of eight plies, one for each double game."""
    return openings_for(MOST_OPENINGS)


def games_between(
    player: Player | str, rung: Player | str, until: int, *, seed: int = SEED,
    threads: int | None = None, workers: Workers | None = None,
) -> Match:  # fmt: skip
    """The first double games of a player and a rung: the same, however many are played at once."""
    names = [one if isinstance(one, str) else one.name for one in (player, rung)]
    return Match(
        player, rung, double_games=until, starts=openings()[:until], seed=pair_seed(seed, *names),
        threads=threads, workers=workers,
    )  # fmt: skip


@dataclass(frozen=True)
class CalibrationStep:
    """Progress of a calibration."""

    ladder: Ladder  # with the results so far
    pair: tuple[str, str]
    done: int  # games
    total: int


def calibrate(
    players: Sequence[str] = RUNGS,
    double_games: int = DOUBLE_GAMES,
    *,
    seed: int = SEED,
    begun: Ladder | None = None,
    threads: int | None = None,
    workers: Workers | None = None,
) -> Iterator[CalibrationStep]:
    """Lets each rung meet its neighbours in the list; yields after each pair. `begun`: an earlier
    calibration, whose results are kept where the rungs' files and the number of games are the same."""
    if len(set(players)) < len(players) or len(players) < 2:
        raise ValueError("a ladder has two or more rungs, each named once")
    if not 1 <= double_games <= MOST_OPENINGS:
        raise ValueError(f"double games must be within 1..{MOST_OPENINGS}, got {double_games}")
    digests = {name: rung_digest(name) for name in players}
    results = _kept(begun, digests, double_games, seed)
    pairs = neighbours(players)
    rungs = {name: named_player(name) for name in players}
    total = 2 * double_games * len(pairs)
    for pair in pairs:
        if pair not in results:
            match = games_between(rungs[pair[0]], rungs[pair[1]], double_games, seed=seed, threads=threads,
                                  workers=workers)  # fmt: skip
            results[pair] = match.play()
        here = {pair: results[pair] for pair in pairs if pair in results}
        yield CalibrationStep(
            Ladder(tuple(players), here, seed, digests), pair, 2 * double_games * len(here), total
        )


def neighbours(players: Sequence[str]) -> list[tuple[str, str]]:
    """Each player with the next few of the list, the cheapest first.

    >>> neighbours("abcde")[:4]
    [('a', 'b'), ('a', 'c'), ('b', 'c'), ('a', 'd')]
    """
    return [
        (players[low], players[high])
        for high in range(1, len(players))
        for low in range(max(0, high - REACH), high)
    ]


def _kept(
    begun: Ladder | None, digests: Mapping[str, str], double_games: int, seed: int
) -> dict[tuple[str, str], Tally]:
    if begun is None or begun.seed != seed:
        return {}
    same = {name for name, digest in digests.items() if begun.digests.get(name) == digest}
    return {
        pair: tally
        for pair, tally in begun.results.items()
        if same.issuperset(pair) and tally.games == 2 * double_games
    }


def rung_digest(name: str) -> str:
    """Tells whether a player is still the one that was rated: of the files that it is read from."""
    if is_external(name):
        return ""
    source, _ = split_name(name)
    digests = digests_of(name)
    if source in BUILT_IN:
        digests |= digests_of(str(built_in_file(source)))
    return "-".join(digest[:16] for digest in digests.values())
