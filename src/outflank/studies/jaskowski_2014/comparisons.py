"""How architectures compare: Figures 4 and 5.

Claims are tested as the paper did: Mann-Whitney U at the level 0.01, with
Holm's correction where more than two methods are compared at once (III-A.2).

>>> claims = Comparisons({"a": [0.8, 0.81, 0.82, 0.83, 0.84, 0.85], "b": [0.5, 0.51, 0.52, 0.53, 0.54, 0.55]})
>>> claims.better("a", "b")
Claim(holds=True, evidence='means 0.825 and 0.525, U = 36, p = 0.0022')
>>> claims.less_spread(("a",), ("b",)).evidence
'standard deviations a 0.019; b 0.019'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from outflank.league.scoring import OPPONENT
from outflank.plots.style import COLOURS, legend_below, new_figure
from outflank.studies.inference import Comparison, Samples, mann_whitney
from outflank.studies.jaskowski_2014.architectures import (
    RANDOM,
    SYSTEMATIC,
    TABLE_4,
    evolved,
    performances,
    scores,
)
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Finding, Outcome, ResultFigure

FADED = "#b9b9b9"
ALPHA = 0.01
PAIRS = tuple(zip(SYSTEMATIC, RANDOM, strict=True))  # with equally or nearly equally many weights


class Comparisons:
    """Scores of runs by the name of their architecture, all pairs of them compared (or those given), with
    one correction."""

    def __init__(
        self, samples: Mapping[str, Samples], pairs: Sequence[tuple[str, str]] | None = None
    ) -> None:
        self._samples = {name: np.asarray(of_name, dtype=np.float64) for name, of_name in samples.items()}
        self._pairs = pairs

    def better(self, first: str, second: str) -> Claim:
        """The first is significantly better."""
        found = self._comparison(first, second)
        higher = self.mean(first) > self.mean(second)
        return Claim(bool(higher and found.p_holm < ALPHA), self._evidence(first, second))

    def not_better(self, first: str, second: str) -> Claim:
        """The first is not significantly better."""
        return Claim(not self.better(first, second).holds, self._evidence(first, second))

    def alike(self, first: str, second: str) -> Claim:
        """No significant difference."""
        found = self._comparison(first, second)
        return Claim(found.p_holm >= ALPHA, self._evidence(first, second))

    def all_better(self, pairs: Sequence[tuple[str, str]]) -> Claim:
        """Of each pair, the first is significantly better."""
        judged = [self.better(*pair) for pair in pairs]
        return Claim(
            all(one.holds for one in judged),
            "; ".join(f"{a} and {b}: {one.evidence}" for (a, b), one in zip(pairs, judged, strict=True)),
        )

    def falling(self, names: Sequence[str]) -> Claim:
        """Each has a higher mean than the next; whether significantly, the evidence says."""
        means = [self.mean(name) for name in names]
        tests = [self._comparison(*pair).p_holm for pair in pairwise(names)]
        order = ", ".join(f"{name} {mean:.3f}" for name, mean in zip(names, means, strict=True))
        return Claim(
            all(a > b for a, b in pairwise(means)),
            f"means {order}; p of neighbours {', '.join(f'{p:.2g}' for p in tests)}",
        )

    def apart(self, first: str, second: str) -> Claim:
        """The worst run of the first is above the best of the second."""
        worst, best = self._samples[first].min(), self._samples[second].max()
        return Claim(bool(worst > best), f"worst {first} {worst:.3f}, best {second} {best:.3f}")

    def closest(self, pair: tuple[str, str], others: Sequence[tuple[str, str]]) -> Claim:
        """The means of this pair are less apart than those of the others."""
        gaps = {one: self.mean(one[0]) - self.mean(one[1]) for one in (pair, *others)}
        return Claim(
            gaps[pair] == min(gaps.values()),
            "; ".join(f"{a} less {b}: {gap:.3f}" for (a, b), gap in gaps.items()),
        )

    def less_spread(self, first: Sequence[str], second: Sequence[str]) -> Claim:
        """The largest standard deviation of the first is below the smallest of the second."""
        if min(len(self._samples[name]) for name in (*first, *second)) < 2:
            return Claim(False, "one run has no spread; use at least two seeds")
        spread = {name: float(self._samples[name].std(ddof=1)) for name in (*first, *second)}
        listed = [", ".join(f"{name} {spread[name]:.3f}" for name in names) for names in (first, second)]
        return Claim(
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


def figure_4(lab: Laboratory) -> Outcome:
    """Board inversion against output negation."""
    names = [f"{kind}-{view}" for kind in ("rand-8x4", "all-1") for view in ("inv", "neg")]
    samples = scores(performances(lab, evolved(lab, names)))
    return Outcome(inversion_claims(samples), [_drawn(lab, "figure-4", samples)])


def figure_5(lab: Laboratory) -> Outcome:
    """All short straight tuples against long random snakes."""
    samples = scores(performances(lab, evolved(lab, (*SYSTEMATIC, *RANDOM))))
    return Outcome(architecture_claims(samples), [_drawn(lab, "figure-5", samples)])


def inversion_claims(samples: dict[str, list[float]]) -> dict[str, Finding]:
    """III-B, by the name of their rows. Two methods are compared at a time: no correction."""
    findings: dict[str, Finding] = {}
    for kind in ("rand-8x4", "all-1"):
        pair = f"{kind}-inv", f"{kind}-neg"
        claims = Comparisons({name: samples[name] for name in pair})
        findings[f"{kind} better"] = claims.better(*pair)
        findings[f"{kind} spread"] = claims.less_spread(pair[:1], pair[1:])
    return findings


def architecture_claims(samples: dict[str, list[float]]) -> dict[str, Finding]:
    """III-C, III-D and IV, by the name of their rows. All fifteen pairs of the six are corrected together."""
    claims = Comparisons({name: samples[name] for name in (*SYSTEMATIC, *RANDOM)})
    all_2, all_3, all_4 = SYSTEMATIC
    return {
        **{f"{a} > {b}": claims.better(a, b) for a, b in PAIRS},
        "apart": claims.apart(*PAIRS[0]),
        "closest": claims.closest(PAIRS[0], PAIRS[1:]),
        "spread": claims.less_spread(SYSTEMATIC, RANDOM),
        "all-3 not better": claims.not_better(all_3, all_2),
        "all-2 and all-3 alike": claims.alike(all_2, all_3),
        "all-4 worse": claims.all_better([(all_2, all_4), (all_3, all_4)]),
        "systematic falling": claims.falling(SYSTEMATIC),
        "random falling": claims.falling(RANDOM),
        "all-4 above fewer weights": claims.all_better([(all_4, RANDOM[0]), (all_4, RANDOM[1])]),
    }


def draw_violins(groups: Mapping[str, Mapping[str, Sequence[float]]], score: str) -> Figure:
    """One violin per method and group, side by side: {"paper": {"all-2": [...]}, "here": {...}}.

    As the caption of Figure 4 says: the white dot is the median, the black box spans the quartiles, thin
    lines reach as far as runs lie within 1.5 interquartile ranges, runs beyond are black dots, and the shape
    is the density of the runs, here cut at the lowest and the highest.

    >>> runs = {"all-2": [0.92, 0.93, 0.94, 0.95], "rand-8x4": [0.80, 0.84, 0.85, 0.86, 0.50]}
    >>> figure = draw_violins({"ten runs": runs}, "score against standard-heuristic")
    >>> [text.get_text() for text in figure.axes[0].get_xticklabels()]
    ['all-2', 'rand-8x4']
    """
    methods = list(dict.fromkeys(name for group in groups.values() for name in group))
    figure, (axes,) = new_figure(5)
    width = 0.84 / len(groups)
    handles: list[Patch | Line2D] = []
    for number, (name, group) in enumerate(groups.items()):
        shift = (number - (len(groups) - 1) / 2) * width
        runs = {methods.index(method) + shift: list(scores) for method, scores in group.items()}
        is_last = number == len(groups) - 1
        colour, hatch = (COLOURS[0], "") if is_last else (FADED, "....")
        looks: dict[str, Any] = {"facecolor": colour, "edgecolor": colour, "hatch": hatch, "alpha": 0.6}
        _draw_group(axes, runs, width, looks)
        handles.append(Patch(label=name, **looks))
    axes.set_xticks(range(len(methods)), methods, parse_math=False)
    axes.set(xlim=(-0.6, len(methods) - 0.4), ylabel=score)
    axes.grid(visible=False, axis="x")
    handles += [
        Line2D([], [], color="black", marker="o", markerfacecolor="white", linestyle="", label="median"),
        Line2D([], [], color="black", linewidth=7, label="quartiles"),
        Line2D([], [], color="black", linewidth=1, label="within 1.5 interquartile ranges"),
        Line2D([], [], color="black", marker="o", markersize=4, linestyle="", label="beyond"),
    ]
    legend_below(figure, handles, columns=3)
    return figure


def _draw_group(axes: Axes, runs: Mapping[float, list[float]], width: float, looks: dict[str, Any]) -> None:
    """The scores of the runs at each x."""
    if spread := {x: scores for x, scores in runs.items() if len(set(scores)) > 1}:
        violins = axes.violinplot(list(spread.values()), list(spread), widths=0.92 * width, showextrema=False)
        bodies: Any = violins["bodies"]  # a list; the stubs of matplotlib say a collection
        for body in bodies:
            body.set(**looks)
    axes.boxplot(
        list(runs.values()), positions=list(runs), widths=0.09 * width, manage_ticks=False, showcaps=False,
        patch_artist=True, boxprops={"facecolor": "black"}, medianprops={"linewidth": 0},
        flierprops={"marker": "o", "markersize": 4, "markerfacecolor": "black"},
    )  # fmt: skip
    medians = [float(np.median(scores)) for scores in runs.values()]
    axes.plot(list(runs), medians, "o", color="black", markerfacecolor="white", zorder=3)


def _drawn(lab: Laboratory, name: str, samples: Mapping[str, Sequence[float]]) -> ResultFigure:
    runs = len(lab.seeds)
    groups: dict[str, dict[str, Sequence[float]]] = {
        "paper, ten runs (Table IV)": {one: TABLE_4[one] for one in samples},
        f"outflank, {runs} run{'s' if runs > 1 else ''}": dict(samples),
    }
    figure = draw_violins(groups, f"score against {OPPONENT}")
    return lab.save_figure(
        name, figure, "Scores of the last generation's fittest individuals; the paper's from its Table IV."
    )
