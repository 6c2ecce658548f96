"""Standings of a tournament: scores, ratings and cycles, from the results of its pairs.

>>> beats = Tally(wins=150, draws=0, losses=50, double_games=(10, 0, 30, 0, 60))
>>> legs = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]
>>> standings = Standings.of([PairResult(winner, loser, beats) for winner, loser in legs])
>>> [(row.rank, row.player, row.score) for row in standings.rows]
[(1, 'paper', 0.5), (1, 'rock', 0.5), (1, 'scissors', 0.5)]
>>> [(cycle.players, cycle.is_significant) for cycle in standings.cycles]
[(('paper', 'rock', 'scissors'), True)]
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.arguments import check_several
from outflank.games.batch import Forfeit
from outflank.games.ratings.bradley_terry import Ratings, bradley_terry, variance_of_sum
from outflank.games.statistics import Tally, wilson_interval
from outflank.suggestions import shown

Interval = tuple[float, float]


@dataclass(frozen=True)
class PairResult:
    """The games of two players so far, as results of the first."""

    first: str
    second: str
    tally: Tally = field(default_factory=Tally)
    forfeits: tuple[Forfeit, ...] = ()

    @property
    def pair(self) -> tuple[str, str]:
        return self.first, self.second

    def forfeits_of(self, player: str) -> int:
        return sum(forfeit.player == player for forfeit in self.forfeits)

    @property
    def finished(self) -> Tally:
        """Without forfeited games; its double games are unknown."""
        t, lost = self.tally, self.forfeits_of(self.first)
        return Tally(t.wins - (len(self.forfeits) - lost), t.draws, t.losses - lost)

    def turned(self) -> PairResult:
        """The same games as results of the second."""
        t = self.tally
        a, b, c, d, e = t.double_games
        turned = Tally(t.losses, t.draws, t.wins, (e, d, c, b, a), t.repeated)
        return PairResult(self.second, self.first, turned, self.forfeits)


@dataclass(frozen=True)
class Standing:
    """One player's row."""

    rank: int
    player: str
    tally: Tally
    ci95: Interval  # of the score
    rating: float
    rating_ci95: Interval
    forfeits: int
    forfeits_of_opponents: int
    finished: Tally  # without forfeited games; its double games are unknown

    @property
    def score(self) -> float:
        return self.tally.score

    @property
    def points(self) -> float:
        return self.tally.wins + self.tally.draws / 2


@dataclass(frozen=True)
class Cycle:
    """Each of three players scored more than half against the next, the last against the first."""

    players: tuple[str, str, str]
    scores: tuple[float, float, float]
    is_significant: bool  # whether the 95 % interval of each of the three scores is above 0.5


@dataclass(frozen=True)
class Standings:
    """Players by rating, the best first; players without a game are left out."""

    rows: tuple[Standing, ...]
    results: Mapping[tuple[str, str], PairResult]  # each pair that met, in both directions
    ratings: Ratings

    @classmethod
    def of(cls, results: Iterable[PairResult]) -> Standings:
        """Standings from one result for each pair; their order does not matter."""
        check_several("standings are of a list of PairResults", results)
        results = list(results)
        if wrong := [result for result in results if not isinstance(result, PairResult)]:
            raise TypeError(f"standings are of PairResults, got {shown(wrong[0])}")
        played = sorted((result for result in results if result.tally.games), key=lambda result: result.pair)
        if not played:
            raise ValueError("no game has been played yet")
        players = sorted({player for result in played for player in result.pair})
        ratings = bradley_terry(players, {result.pair: result.tally for result in played})
        both_ways = {r.pair: r for result in played for r in (result, result.turned())}
        return cls(_ranked(ratings, both_ways), both_ways, ratings)

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(row.player for row in self.rows)

    @cached_property
    def matrix(self) -> npt.NDArray[np.float64]:
        """The row's score against the column, in the order of the rows; NaN where they did not meet."""
        scores = np.full((len(self.rows), len(self.rows)), np.nan)
        for i, player in enumerate(self.players):
            for j, opponent in enumerate(self.players):
                if (result := self.results.get((player, opponent))) is not None:
                    scores[i, j] = result.tally.score
        return scores

    @cached_property
    def cycles(self) -> tuple[Cycle, ...]:
        """Every three-cycle, from its highest-ranked player on; significant ones first."""
        beats, surely = self.matrix > 0.5, self._surely_beats()
        found = []
        for a, b, c in combinations(range(len(self.rows)), 3):
            for i, j, k in ((a, b, c), (a, c, b)):
                if beats[i, j] and beats[j, k] and beats[k, i]:
                    legs = ((i, j), (j, k), (k, i))
                    players = (self.players[i], self.players[j], self.players[k])
                    x, y, z = (float(self.matrix[leg]) for leg in legs)
                    found.append(Cycle(players, (x, y, z), all(surely[leg] for leg in legs)))
        return tuple(sorted(found, key=lambda cycle: not cycle.is_significant))

    def _surely_beats(self) -> npt.NDArray[np.bool_]:
        surely = np.zeros(self.matrix.shape, dtype=bool)
        for i, j in np.argwhere(self.matrix > 0.5):
            low, _ = self.results[self.players[i], self.players[j]].tally.ci95
            surely[i, j] = low > 0.5
        return surely

    def report(self) -> dict[str, Any]:
        """The standings as JSON."""
        return {
            "players": [_row_report(row) for row in self.rows],
            "pairs": [
                _pair_report(self.results[pair])
                for pair in combinations(self.players, 2)
                if pair in self.results
            ],
            "cycles": [
                {
                    "players": list(cycle.players),
                    "scores": list(cycle.scores),
                    "significant": cycle.is_significant,
                }
                for cycle in self.cycles
            ],
            "forfeits": [
                {
                    "player": forfeit.player,
                    "opponent": second if forfeit.player == first else first,
                    "game": forfeit.game,
                    "reason": forfeit.reason,
                }
                for first, second in combinations(sorted(self.players), 2)
                if (first, second) in self.results
                for forfeit in self.results[first, second].forfeits
            ],
            "ratings_with_prior": self.ratings.has_prior,
        }

    def table_csv(self) -> str:
        """The rows, one player per line."""
        lines = []
        for row in map(_row_report, self.rows):
            score_low, score_high = row.pop("ci95")
            rating_low, rating_high = row.pop("rating_ci95")
            row |= {"score_low": score_low, "score_high": score_high}
            lines.append(row | {"rating_low": rating_low, "rating_high": rating_high})
        text = io.StringIO()
        writer = csv.DictWriter(text, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
        return text.getvalue()

    def matrix_csv(self) -> str:
        """The row's score against the column; empty where they did not meet."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["player", *self.players])
        for player, scores in zip(self.players, self.matrix.tolist(), strict=True):
            writer.writerow([player, *("" if score != score else _rounded(score) for score in scores)])
        return text.getvalue()


def _ranked(ratings: Ratings, results: Mapping[tuple[str, str], PairResult]) -> tuple[Standing, ...]:
    rated = zip(ratings.players, (_rounded(v, 2) for v in ratings.values), ratings.ci95, strict=True)
    rows: list[Standing] = []
    for number, (player, rating, rating_ci95) in enumerate(sorted(rated, key=lambda r: (-r[1], r[0]))):
        own = [result for (first, _), result in results.items() if first == player]
        tally = sum((result.tally for result in own), Tally())
        forfeits = sum(result.forfeits_of(player) for result in own)
        others = sum(result.forfeits_of(result.second) for result in own)
        finished = sum((result.finished for result in own), Tally())
        is_tie = bool(rows) and rows[-1].rating == rating
        rank = rows[-1].rank if is_tie else number + 1
        counts = (forfeits, others, finished)
        rows.append(Standing(rank, player, tally, _score_ci95(own), rating, rating_ci95, *counts))
    return tuple(rows)


def _score_ci95(results: list[PairResult]) -> Interval:
    """The 95 % interval of a player's score against these opponents, who are not a random sample."""
    score = sum((result.tally for result in results), Tally()).score
    double_games = sum(sum(result.tally.double_games) for result in results)
    variance = sum(variance_of_sum(result.tally) for result in results) / double_games**2
    return wilson_interval(score, float(np.sqrt(variance)))


def _row_report(row: Standing) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "player": row.player,
        "wins": row.tally.wins,
        "draws": row.tally.draws,
        "losses": row.tally.losses,
        "games": row.tally.games,
        "double_games": sum(row.tally.double_games),
        "distinct_double_games": row.tally.distinct,
        "points": row.points,
        "score": _rounded(row.score),
        "ci95": [_rounded(edge) for edge in row.ci95],
        "rating": row.rating,
        "rating_ci95": [_rounded(edge, 2) for edge in row.rating_ci95],
        "forfeits": row.forfeits,
        "forfeits_of_opponents": row.forfeits_of_opponents,
        "games_without_forfeits": row.finished.games,
        "score_without_forfeits": _score_or_none(row.finished),
    }


def _pair_report(result: PairResult) -> dict[str, Any]:
    tally = result.tally
    return {
        "player": result.first,
        "opponent": result.second,
        "double_games": sum(tally.double_games),
        "distinct_double_games": tally.distinct,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "score": _rounded(tally.score),
        "ci95": [_rounded(edge) for edge in tally.ci95],
        "forfeits": result.forfeits_of(result.first),
        "forfeits_of_opponent": result.forfeits_of(result.second),
        "games_without_forfeits": result.finished.games,
        "score_without_forfeits": _score_or_none(result.finished),
    }


def _score_or_none(tally: Tally) -> float | None:
    return _rounded(tally.score) if tally.games else None


def _rounded(value: float, digits: int = 6) -> float:
    """Rounded to digits that do not depend on library or machine; never -0.0."""
    return round(float(value), digits) + 0.0
