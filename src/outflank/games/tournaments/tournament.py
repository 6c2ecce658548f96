"""Tournaments: every player meets every other in a match.

>>> from outflank import named_player
>>> players = [named_player(name) for name in ("random", "all-2", "standard-heuristic")]
>>> standings = Tournament(players, TournamentSettings(double_games=200)).play()
>>> [row.player for row in standings.rows]
['all-2', 'standard-heuristic', 'random']

The games of a pair depend on the settings and the two names alone: not on the order of the players, the other
players, or interruptions. So a tournament can be resumed, and players can join later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from outflank.arguments import check_number, check_several, check_whole
from outflank.board import Board
from outflank.games.batch import Batch
from outflank.games.cluster_games import Workers
from outflank.games.match import Match
from outflank.games.tournaments.standings import PairResult, Standings
from outflank.players.greedy import Player
from outflank.players.names import as_player
from outflank.suggestions import shown


@dataclass(frozen=True)
class TournamentSettings:
    """Everything but the players that determines the games. `double_games` is per pair."""

    double_games: int = 1000
    epsilon: float = 0.1
    starts: tuple[Board, ...] = (Board(),)
    seed: int = 1

    def __post_init__(self) -> None:
        check_whole("seed", self.seed)
        check_whole("double_games", self.double_games)
        check_number("epsilon", self.epsilon)
        if not 0 <= self.seed < 1 << 64:  # matches check the rest, but see only the seeds of pairs
            raise ValueError(f"a seed is a whole number from 0 to 2^64 - 1, got {self.seed}")


class Tournament:
    """A round robin of players, or of their names. `results` are earlier ones of the same tournament."""

    def __init__(
        self,
        players: Sequence[Player | str],
        settings: TournamentSettings,
        *,
        threads: int | None = None,
        results: Iterable[PairResult] = (),
        workers: Workers | None = None,
    ) -> None:
        if isinstance(players, str):
            raise TypeError(f"a tournament has a list of players, got the text {players!r}")
        check_several("a tournament has a list of players", players)
        if not isinstance(settings, TournamentSettings):
            raise TypeError(f"settings are TournamentSettings(...), got {shown(settings)}")
        self.players = tuple(as_player(player) for player in players)
        check_names([player.name for player in self.players])
        self.settings = settings
        self.threads = threads
        self.workers = workers
        self.results = {pair: PairResult(*pair) for pair in pairs([player.name for player in self.players])}
        self.results |= {result.pair: result for result in results}
        self._match(self.players[0], self.players[1])  # invalid settings fail now

    @property
    def games_left(self) -> int:
        return sum(2 * self.settings.double_games - result.tally.games for result in self.results.values())

    @property
    def players_to_play(self) -> tuple[Player, ...]:
        """Players with games left to play."""
        unfinished = {
            name
            for pair, result in self.results.items()
            if result.tally.games < 2 * self.settings.double_games
            for name in pair
        }
        return tuple(player for player in self.players if player.name in unfinished)

    def steps(self) -> Iterator[PairResult]:
        """Play to the end, pair by pair; yields a pair's result so far after every batch."""
        by_name = {player.name: player for player in self.players}
        for first, second in self.results:
            games = self._match(by_name[first], by_name[second])
            for batch in games.batches(first_game=self.results[first, second].tally.games):
                result = _with(self.results[first, second], batch)
                self.results[first, second] = result
                yield result

    def play(self) -> Standings:
        """The whole tournament."""
        for _ in self.steps():
            pass
        return self.standings()

    def standings(self) -> Standings:
        """The standings after all games so far."""
        return Standings.of(self.results.values())

    def _match(self, first: Player, second: Player) -> Match:
        s = self.settings
        return Match(
            first,
            second,
            double_games=s.double_games,
            epsilon=s.epsilon,
            starts=s.starts,
            seed=pair_seed(s.seed, first.name, second.name),
            threads=self.threads,
            workers=self.workers,
        )


def check_names(names: Sequence[str]) -> None:
    if len(names) < 2:
        raise ValueError(f"a tournament needs at least two players, got {', '.join(names) or 'none'}")
    for number, name in enumerate(names):
        if name in names[:number]:
            raise ValueError(f"{name} is named twice; a tournament has each player once")


def pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Every pair once, in alphabetical order; the pairs of the first n players come first.

    So at any time, the players that have played can be compared with each other.
    """
    return [
        (min(first, second), max(first, second))
        for number, second in enumerate(names)
        for first in names[:number]
    ]


def pair_seed(seed: int, first: str, second: str) -> int:
    """The seed of a pair's games: the same for every list of players that holds the two.

    >>> pair_seed(1, "all-2", "random") == pair_seed(1, "random", "all-2") != pair_seed(2, "all-2", "random")
    True
    """
    key = json.dumps([seed, *sorted((first, second))])  # JSON distinguishes ("a,b", "c") from ("a", "b,c")
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "little")


def _with(result: PairResult, batch: Batch) -> PairResult:
    return PairResult(*result.pair, result.tally + batch.tally, result.forfeits + batch.forfeits)
