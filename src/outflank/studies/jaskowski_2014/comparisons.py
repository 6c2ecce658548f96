"""Claims about two or more architectures, tested as the paper did: Mann-Whitney U at the level 0.01, with
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

from outflank.studies.inference import Comparison, Samples, mann_whitney
from outflank.studies.outcome import Judged

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
