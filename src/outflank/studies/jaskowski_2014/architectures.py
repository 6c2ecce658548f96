"""The nine architectures of Table IV: what they are called, what the paper's ten runs of each reached, and
runs of our own.

>>> architecture("rand-8x4-neg")
{'evaluator': 'rand-8x4', 'view': 'negation'}

Claims about two or more architectures, tested as the paper did: Mann-Whitney U at the level 0.01, with
Holm's correction where more than two methods are compared at once (III-A.2).

>>> claims = Comparisons({"a": [0.8, 0.81, 0.82, 0.83, 0.84, 0.85], "b": [0.5, 0.51, 0.52, 0.53, 0.54, 0.55]})
>>> claims.better("a", "b")
Judged(holds=True, evidence='means 0.825 and 0.525, U = 36, p = 0.0022')
>>> claims.less_spread(("a",), ("b",)).evidence
'standard deviations a 0.019; b 0.019'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from outflank.games.statistics import Tally
from outflank.league.scoring import EPSILON, OPPONENT
from outflank.players.names import named_player
from outflank.studies.inference import Comparison, Samples, mann_whitney, mean_interval
from outflank.studies.laboratory import Laboratory, Learned
from outflank.studies.verdicts import Judged, Measured

# Table IV: average scores of ten runs, each of 50,000 double games.
TABLE_4: dict[str, tuple[float, ...]] = {
    "all-2-inv": (0.9529, 0.9330, 0.9270, 0.9578, 0.9327, 0.9349, 0.9225, 0.9372, 0.9495, 0.9535),
    "all-3-inv": (0.9326, 0.9314, 0.9402, 0.9282, 0.9382, 0.9387, 0.9404, 0.9472, 0.9452, 0.9370),
    "all-4-inv": (0.9108, 0.8967, 0.9171, 0.9076, 0.9094, 0.9230, 0.9051, 0.9030, 0.9269, 0.9227),
    "rand-10x3-inv": (0.8649, 0.8145, 0.8834, 0.8920, 0.8126, 0.8398, 0.9190, 0.8958, 0.8706, 0.8880),
    "rand-8x4-inv": (0.8519, 0.7927, 0.8050, 0.8595, 0.8366, 0.8630, 0.8728, 0.8733, 0.8540, 0.8453),
    "rand-7x5-inv": (0.8285, 0.8565, 0.7978, 0.8559, 0.7398, 0.7310, 0.7803, 0.7810, 0.7970, 0.8440),
    "rand-8x4-neg": (0.8104, 0.6959, 0.8429, 0.7133, 0.7453, 0.7817, 0.8085, 0.7517, 0.7668, 0.7813),
    "all-1-inv": (0.7337, 0.7395, 0.7423, 0.7355, 0.7434, 0.7217, 0.7317, 0.7395, 0.7361, 0.7387),
    "all-1-neg": (0.5799, 0.5584, 0.5821, 0.5650, 0.6588, 0.5780, 0.6678, 0.6097, 0.5713, 0.5752),
}
PAPER_GAMES = 10**9  # 5,000 generations of 100 individuals with 1,000 double games each
SYSTEMATIC = ("all-2-inv", "all-3-inv", "all-4-inv")
RANDOM = ("rand-10x3-inv", "rand-8x4-inv", "rand-7x5-inv")
VIEWS = {"inv": "inversion", "neg": "negation"}
BUDGET = ("generations", "double_games", "measure_every", "measure_double_games")


def architecture(name: str) -> dict[str, str]:
    """The settings that a name of Table IV stands for."""
    evaluator, _, view = name.rpartition("-")
    return {"evaluator": evaluator, "view": VIEWS[view]}


def evolved(laboratory: Laboratory, names: Sequence[str]) -> dict[str, list[Learned]]:
    """Runs of evolution of each architecture. The seed of a run also places its random snakes, so they are
    others in each."""
    s = laboratory.settings
    budget = {key: s[key] for key in BUDGET}
    return laboratory.learned_all({name: (s["preset"], architecture(name) | budget) for name in names})


def performances(laboratory: Laboratory, runs: Mapping[str, Sequence[Learned]]) -> dict[str, list[Tally]]:
    """The fittest individual of each run's last generation against the heuristic (III-A.2)."""
    heuristic = named_player(OPPONENT)
    return {
        name: [
            laboratory.match(
                f"{name} run {run.seed}", run.player("last", name=f"{name} {run.seed}"), heuristic,
                double_games=laboratory.settings["final_double_games"], epsilon=EPSILON, seed=run.seed,
            )
            for run in of_name
        ]
        for name, of_name in runs.items()
    }  # fmt: skip


def scores(tallies: Mapping[str, Sequence[Tally]]) -> dict[str, list[float]]:
    return {name: [tally.score for tally in of_name] for name, of_name in tallies.items()}


def mean_of_runs(tallies: Sequence[Tally]) -> Measured:
    """The mean with Student's interval; of one run, the interval of its games.

    >>> mean_of_runs([Tally(3, 0, 1, (0, 0, 1, 0, 1)), Tally(2, 0, 2, (0, 0, 2, 0, 0))]).value
    0.625
    """
    if len(tallies) == 1:
        return Measured(tallies[0].score, tallies[0].ci95, f"1 run, {tallies[0].games:,} games")
    values = [tally.score for tally in tallies]
    low, high = mean_interval(values)
    return Measured(float(np.mean(values)), (max(0.0, low), min(1.0, high)), f"{len(values)} runs")


ALPHA = 0.01


class Comparisons:
    """Scores of runs by the name of their architecture, all pairs of them compared (or those given), with
    one correction."""

    def __init__(
        self, samples: Mapping[str, Samples], pairs: Sequence[tuple[str, str]] | None = None
    ) -> None:
        self._samples = {name: np.asarray(of_name, dtype=np.float64) for name, of_name in samples.items()}
        self._pairs = pairs

    def better(self, first: str, second: str) -> Judged:
        """The first is significantly better."""
        found = self._comparison(first, second)
        higher = self.mean(first) > self.mean(second)
        return Judged(bool(higher and found.p_holm < ALPHA), self._evidence(first, second))

    def not_better(self, first: str, second: str) -> Judged:
        """The first is not significantly better."""
        return Judged(not self.better(first, second).holds, self._evidence(first, second))

    def alike(self, first: str, second: str) -> Judged:
        """No significant difference."""
        found = self._comparison(first, second)
        return Judged(found.p_holm >= ALPHA, self._evidence(first, second))

    def all_better(self, pairs: Sequence[tuple[str, str]]) -> Judged:
        """Of each pair, the first is significantly better."""
        judged = [self.better(*pair) for pair in pairs]
        return Judged(
            all(one.holds for one in judged),
            "; ".join(f"{a} and {b}: {one.evidence}" for (a, b), one in zip(pairs, judged, strict=True)),
        )

    def falling(self, names: Sequence[str]) -> Judged:
        """Each has a higher mean than the next; whether significantly, the evidence says."""
        means = [self.mean(name) for name in names]
        tests = [self._comparison(*pair).p_holm for pair in pairwise(names)]
        order = ", ".join(f"{name} {mean:.3f}" for name, mean in zip(names, means, strict=True))
        return Judged(
            all(a > b for a, b in pairwise(means)),
            f"means {order}; p of neighbours {', '.join(f'{p:.2g}' for p in tests)}",
        )

    def apart(self, first: str, second: str) -> Judged:
        """The worst run of the first is above the best of the second."""
        worst, best = self._samples[first].min(), self._samples[second].max()
        return Judged(bool(worst > best), f"worst {first} {worst:.3f}, best {second} {best:.3f}")

    def closest(self, pair: tuple[str, str], others: Sequence[tuple[str, str]]) -> Judged:
        """The means of this pair are less apart than those of the others."""
        gaps = {one: self.mean(one[0]) - self.mean(one[1]) for one in (pair, *others)}
        return Judged(
            gaps[pair] == min(gaps.values()),
            "; ".join(f"{a} less {b}: {gap:.3f}" for (a, b), gap in gaps.items()),
        )

    def less_spread(self, first: Sequence[str], second: Sequence[str]) -> Judged:
        """The largest standard deviation of the first is below the smallest of the second."""
        if min(len(self._samples[name]) for name in (*first, *second)) < 2:
            return Judged(False, "one run has no spread; use at least two seeds")
        spread = {name: float(self._samples[name].std(ddof=1)) for name in (*first, *second)}
        listed = [", ".join(f"{name} {spread[name]:.3f}" for name in names) for names in (first, second)]
        return Judged(
            max(spread[name] for name in first) < min(spread[name] for name in second),
            f"standard deviations {'; '.join(listed)}",
        )

    def mean(self, name: str) -> float:
        return float(self._samples[name].mean())

    def _evidence(self, first: str, second: str) -> str:
        return (
            f"means {self.mean(first):.3f} and {self.mean(second):.3f}, "
            f"{self._comparison(first, second).text}"
        )

    def _comparison(self, first: str, second: str) -> Comparison:
        found = self._found.get((first, second))
        return self._found[second, first] if found is None else found

    @cached_property
    def _found(self) -> dict[tuple[str, str], Comparison]:
        return {(one.first, one.second): one for one in mann_whitney(self._samples, self._pairs)}
