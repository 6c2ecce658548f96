"""The rating of one player on a ladder: it meets rungs near its level until its rating is known well enough.

>>> from outflank import named_player
>>> for step in rate(named_player("iago"), Ladder.built_in(), within=120):
...     pass
>>> step.is_done, step.half_width <= 120
(True, True)

The player's rating is the most likely one (Bradley and Terry 1952) given those of the rungs. Its interval
rests on the variance between distinct double games, as everywhere. Which rung is met next follows from the
results alone, so the same player meets the same rungs, on any machine, interrupted or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from outflank.games.cluster_games import Workers
from outflank.games.ratings.bradley_terry import ELO, double_game_variance, normal_reach, variance_of_sum
from outflank.games.ratings.ladder import MOST_OPENINGS, Ladder, Rung, games_between
from outflank.games.statistics import Tally
from outflank.players.greedy import Player
from outflank.players.names import split_name

WITHIN = 30.0  # points on either side
NEAR = 250.0  # rungs as near as this to the player are met in turn; the others tell little
FIRST_STEP = 8  # double games
LARGEST_STEP = 64
MOST_DOUBLE_GAMES = 2000  # with one rung
ALIKE = 50.0  # players this near to each other are about as strong

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PlayerRating:
    """What is known of a player's rating after some games."""

    player: str
    ladder: Ladder
    results: Mapping[str, Tally]  # by rung
    extra: tuple[PlayerRating, ...] = ()  # other players that serve as rungs, with their own ratings
    within: float = WITHIN

    @cached_property
    def rungs(self) -> tuple[Rung, ...]:
        """All but the player itself, by rating."""
        others = [Rung(rung.player, rung.rating, rung.ci95) for rung in self.extra]
        known = [rung for rung in (*self.ladder.rungs, *others) if rung.name != self.player]
        return tuple(sorted(known, key=lambda rung: rung.rating))

    @cached_property
    def rating(self) -> float:
        """The most likely one, if the player also drew one game against the weakest rung and the strongest:
        without these, a player that wins or loses every game would have none."""
        met = self._met
        points = np.array([tally.wins + tally.draws / 2 for _, tally in met] + [0.5, 0.5])
        games = np.array([tally.games for _, tally in met] + [1, 1])
        ratings = np.array([rung.rating for rung, _ in met] + [self.rungs[0].rating, self.rungs[-1].rating])
        low, high = ratings.min() - 4000, ratings.max() + 4000
        for _ in range(60):  # bisection: points beyond what is expected fall with the rating
            middle = (low + high) / 2
            wanted = float((points - games * _expected(middle, ratings)).sum())
            low, high = (middle, high) if wanted > 0 else (low, middle)
        return float((low + high) / 2)

    @property
    def _met(self) -> list[tuple[Rung, Tally]]:
        return [(rung, self.results[rung.name]) for rung in self.rungs if rung.name in self.results]

    @cached_property
    def half_width(self) -> float:
        """Of the 95 % interval, by the player's own games: the rungs' ratings are taken as they are."""
        if not self._met:
            return float("inf")
        of_points = sum(4 * variance_of_sum(tally) for _, tally in self._met)  # points are twice the results
        return float(normal_reach(np.array(ELO**2 * of_points / self._information.sum() ** 2)))

    @property
    def _information(self) -> FloatArray:
        """What the games against each rung met tell of the rating."""
        expected = _expected(self.rating, np.array([rung.rating for rung, _ in self._met]))
        games = np.array([tally.games for _, tally in self._met])
        return np.asarray(games * expected * (1 - expected), dtype=np.float64)

    @property
    def ladder_half_width(self) -> float:
        """Of the 95 % interval of the rungs that it met, as their distance from the mean of all: it moves all
        players of their level alike."""
        met, weights = self._met, self._information / self._information.sum()
        known = [rung.name for rung, _ in met]
        at = [i for i, name in enumerate(known) if name in self.ladder.players]
        share = weights[at]
        variance = float(share @ self.ladder.covariance([known[i] for i in at]) @ share) if at else 0.0
        own = {rung.player: rung.half_width / float(normal_reach(np.array(1.0))) for rung in self.extra}
        variance += sum(float(weights[i] * own[name]) ** 2 for i, name in enumerate(known) if name in own)
        return float(normal_reach(np.array(variance)))

    @property
    def ci95(self) -> tuple[float, float]:
        return self.rating - self.half_width, self.rating + self.half_width

    @property
    def is_done(self) -> bool:
        return self.half_width <= self.within or self.next_rung is None

    @property
    def games(self) -> int:
        return sum(tally.games for tally in self.results.values())

    @property
    def distinct(self) -> int:
        """Double games that repeat none before them."""
        return sum(tally.distinct for tally in self.results.values())

    @property
    def games_expected(self) -> int:
        """In total, if the interval goes on shrinking with the root of the number of games."""
        if self.is_done:
            return self.games
        return max(self.games + 2, round(self.games * min(50.0, (self.half_width / self.within) ** 2)))

    @cached_property
    def next_rung(self) -> Rung | None:
        """Of the rungs near the player, the one met least; none if all games have been played."""
        left = [rung for rung in self.rungs if self._played(rung) < MOST_DOUBLE_GAMES]
        if not left:
            return None
        nearest = min(left, key=lambda rung: abs(rung.rating - self.rating))
        if not self._met:  # the middle of the ladder
            return left[len(left) // 2]
        near = [rung for rung in left if abs(rung.rating - self.rating) <= NEAR]
        if self.is_beyond and self._played(nearest) >= LARGEST_STEP * 4:
            return None  # a player that every rung is far from: more games would not help
        return min(near, key=self._played) if near else nearest

    def _played(self, rung: Rung) -> int:
        return sum(self.results[rung.name].double_games) if rung.name in self.results else 0

    @property
    def is_beyond(self) -> bool:
        """Whether it is off the ladder, so that its rating is a bound rather than a measure."""
        return not self.rungs[0].rating - 2 * NEAR < self.rating < self.rungs[-1].rating + 2 * NEAR

    @property
    def unevenness(self) -> float:
        """How much its results against the rungs differ from what one number can say: chi squared per degree
        of freedom, 1 by chance alone."""
        met = [(rung, tally) for rung, tally in self._met if sum(tally.double_games) >= FIRST_STEP]
        if len(met) < 2:
            return 1.0
        expected = _expected(self.rating, np.array([rung.rating for rung, _ in met]))
        misses = [
            (tally.score - share) ** 2 * max(1, tally.distinct) / double_game_variance(tally)
            for (_, tally), share in zip(met, expected, strict=True)
        ]
        return float(sum(misses) / (len(met) - 1))

    @property
    def sentence(self) -> str:
        """Whom it is as strong as."""
        below = [rung for rung in self.rungs if rung.rating <= self.rating]
        above = [rung for rung in self.rungs if rung.rating > self.rating]
        nearest = min(self.rungs, key=lambda rung: abs(rung.rating - self.rating))
        if abs(nearest.rating - self.rating) <= ALIKE:
            return f"about as strong as {described(nearest.name)}"
        if not below:
            return f"weaker than {described(above[0].name)}, the lowest rung"
        if not above:
            return f"stronger than {described(below[-1].name)}, the highest rung"
        return f"stronger than {described(below[-1].name)}, weaker than {described(above[0].name)}"


def rate(
    player: Player,
    ladder: Ladder,
    *,
    within: float = WITHIN,
    extra: Sequence[PlayerRating] = (),
    results: Mapping[str, Tally] | None = None,
    threads: int | None = None,
    workers: Workers | None = None,
) -> Iterator[PlayerRating]:
    """Yields what is known after every few games; the last is the result. `results`: those of an earlier,
    interrupted call."""
    if not 5 <= within <= 1000:
        raise ValueError(f"a rating is known to within 5..1000 points, got {within:g}")
    so_far = dict(results or {})
    found = PlayerRating(player.name, ladder, so_far, tuple(extra), within)
    yield found
    while not found.is_done:
        rung = found.next_rung
        assert rung is not None
        played = sum(so_far[rung.name].double_games) if rung.name in so_far else 0
        until = min(played + _step(found), MOST_DOUBLE_GAMES, MOST_OPENINGS)
        match = games_between(player, rung.name, until, seed=ladder.seed, threads=threads, workers=workers)
        tally = sum((batch.tally for batch in match.batches(first_game=2 * played)), Tally())
        so_far = so_far | {rung.name: so_far.get(rung.name, Tally()) + tally}
        found = PlayerRating(player.name, ladder, so_far, tuple(extra), within)
        yield found


def _step(found: PlayerRating) -> int:
    """Double games until the next choice of a rung: few at first, while little is known."""
    return min(LARGEST_STEP, max(FIRST_STEP, found.games // 8))


def _expected(rating: float, of_rungs: FloatArray) -> FloatArray:
    share: FloatArray = 1 / (1 + np.exp((of_rungs - rating) / ELO))
    return share


def described(name: str) -> str:
    """A player in words.

    >>> described("all-rounder,depth=3"), described("all-rounder,nodes=5000,solve=12")
    ('all-rounder at 3 plies', 'all-rounder with 5,000 nodes per move')
    """
    if ":" in name:
        return name
    source, options = split_name(name)
    if "depth" in options:
        plies = options["depth"]
        return f"{source} at {plies} {'ply' if plies == '1' else 'plies'}"
    if "nodes" in options:
        return f"{source} with {int(float(options['nodes'])):,} nodes per move"
    if "time" in options:
        return f"{source} with {options['time']} seconds per move"
    return source
