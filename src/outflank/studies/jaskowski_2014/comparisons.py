"""How architectures compare: Figures 4 and 5.

Claims are tested as the paper did: Mann-Whitney U at the level 0.01, with
Holm's correction where more than two methods are compared at once (III-A.2). Equality needs more than a test
that finds nothing: the 95 % interval of the difference within MARGIN.

>>> claims = Comparisons({"a": [0.8, 0.81, 0.82, 0.83, 0.84, 0.85], "b": [0.5, 0.51, 0.52, 0.53, 0.54, 0.55]})
>>> claims.better("a", "b")
Claim(holds=True, evidence='means 0.825 and 0.525, U = 36, p = 0.0022')
>>> claims.less_spread(("a",), ("b",))
Claim(holds=None, evidence='standard deviations a 0.019; b 0.019; Brown-Forsythe p = 1')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from outflank.league.scoring import OPPONENT
from outflank.plots.style import COLOURS, legend_below, new_figure
from outflank.studies.agreement import SIGNIFICANT, of_runs
from outflank.studies.claims import all_of, opposite
from outflank.studies.inference import RESAMPLES, Comparison, Samples, mann_whitney
from outflank.studies.jaskowski_2014.architectures import (
    RANDOM,
    SYSTEMATIC,
    TABLE_4,
    clock_remarks,
    evolved,
    performances,
    scores,
)
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Finding, Outcome, ResultFigure

FADED = "#b9b9b9"
ALPHA = 0.01
MARGIN = 0.02  # of mean scores that count as equal
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
        """The first is significantly better; refuted if it is significantly worse."""
        is_told = self._comparison(first, second).p_holm < ALPHA
        higher = self.mean(first) > self.mean(second)
        return Claim(higher if is_told else None, self._evidence(first, second))

    def not_better(self, first: str, second: str) -> Claim:
        """The first is worse, or better by less than the margin; refuted if it is significantly better."""
        holds = opposite(self.better(first, second).holds)
        interval = self._difference(first, second)
        if holds is None and interval[1] < MARGIN:
            holds = True
        return Claim(holds, f"{self._evidence(first, second)}, difference at most {interval[1]:+.3f}")

    def alike(self, first: str, second: str) -> Claim:
        """Equal within the margin; refuted if a difference is significant."""
        low, high = self._difference(first, second)
        is_told = self._comparison(first, second).p_holm < ALPHA
        holds = False if is_told else True if low >= -MARGIN and high <= MARGIN else None
        evidence = (
            f"{self._evidence(first, second)}, difference {low:+.3f} to {high:+.3f}, margin ±{MARGIN:g}"
        )
        return Claim(holds, evidence)

    def all_better(self, pairs: Sequence[tuple[str, str]]) -> Claim:
        """Of each pair, the first is significantly better."""
        judged = [self.better(*pair) for pair in pairs]
        return Claim(
            all_of(one.holds for one in judged),
            "; ".join(f"{a} and {b}: {one.evidence}" for (a, b), one in zip(pairs, judged, strict=True)),
        )

    def falling(self, names: Sequence[str]) -> Claim:
        """The scores fall along the names: a trend over all runs, by Kendall's tau, which is the test of
        Jonckheere and Terpstra. Whether neighbours differ, the evidence says."""
        from scipy import stats

        places = np.repeat(np.arange(len(names)), [len(self._samples[name]) for name in names])
        tau, p = stats.kendalltau(places, np.concatenate([self._samples[name] for name in names]))
        tests = [self._comparison(*pair).p_holm for pair in pairwise(names)]
        order = ", ".join(f"{name} {self.mean(name):.3f}" for name in names)
        return Claim(
            bool(tau < 0) if p < ALPHA else None,
            f"means {order}; Kendall's tau {tau:.2f}, p = {p:.2g}; p of neighbours "
            f"{', '.join(f'{p:.2g}' for p in tests)}",
        )

    def apart(self, first: str, second: str) -> Claim:
        """The worst run of the first is above the best of the second."""
        worst, best = self._samples[first].min(), self._samples[second].max()
        return Claim(bool(worst > best), f"worst {first} {worst:.3f}, best {second} {best:.3f}")

    def closest(self, pair: tuple[str, str], others: Sequence[tuple[str, str]]) -> Claim:
        """The means of this pair are less apart than those of the others: in how many of the bootstrap's
        draws of runs. More than 95 % or less than 5 % decide."""
        chosen = (pair, *others)
        gaps = {one: self.mean(one[0]) - self.mean(one[1]) for one in chosen}
        drawn = np.array([self._drawn_means(a) - self._drawn_means(b) for a, b in chosen])
        share = float((drawn[0] < drawn[1:].min(axis=0)).mean())
        listed = "; ".join(f"{a} less {b}: {gap:.3f}" for (a, b), gap in gaps.items())
        holds = True if share > 1 - SIGNIFICANT else False if share < SIGNIFICANT else None
        return Claim(holds, f"{listed}; least in {share:.0%} of bootstrap draws")

    def _drawn_means(self, name: str) -> npt.NDArray[np.float64]:
        """Means of the runs drawn again and again; each name has its own stream."""
        values = self._samples[name]
        random = np.random.default_rng([1, *name.encode()])
        return np.asarray(values[random.integers(values.size, size=(RESAMPLES, values.size))].mean(axis=1))

    def less_spread(self, first: Sequence[str], second: Sequence[str]) -> Claim:
        """The runs of the first lie closer together: Brown and Forsythe's test, of the distances of the runs
        to the median of their architecture."""
        from scipy import stats

        if min(len(self._samples[name]) for name in (*first, *second)) < 2:
            return Claim(None, "one run has no spread; use at least two seeds")
        spread = {name: float(self._samples[name].std(ddof=1)) for name in (*first, *second)}
        listed = [", ".join(f"{name} {spread[name]:.3f}" for name in names) for names in (first, second)]
        near, far = (np.concatenate([self._distances(name) for name in names]) for names in (first, second))
        summary = [(float(of.mean()), float(of.std(ddof=1)), of.size) for of in (near, far)]
        p = float(stats.ttest_ind_from_stats(*summary[0], *summary[1], equal_var=False).pvalue)
        p = 1.0 if np.isnan(p) else p  # all runs the same
        return Claim(
            bool(near.mean() < far.mean()) if p < SIGNIFICANT else None,
            f"standard deviations {'; '.join(listed)}; Brown-Forsythe p = {p:.2g}",
        )

    def _distances(self, name: str) -> npt.NDArray[np.float64]:
        return np.abs(self._samples[name] - np.median(self._samples[name]))

    def mean(self, name: str) -> float:
        return float(self._samples[name].mean())

    def _difference(self, first: str, second: str) -> tuple[float, float]:
        """The 95 % interval of the difference of the means, Welch's; of single runs anything is possible."""
        a, b = self._samples[first], self._samples[second]
        return of_runs(b, a).ci95 if min(a.size, b.size) > 1 else (-np.inf, np.inf)

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
    runs = evolved(lab, names)
    samples = scores(performances(lab, runs))
    figures = [_drawn(lab, "figure-4", samples)]
    return Outcome(inversion_claims(samples), figures, remarks=clock_remarks(runs))


def figure_5(lab: Laboratory) -> Outcome:
    """All short straight tuples against long random snakes."""
    runs = evolved(lab, (*SYSTEMATIC, *RANDOM))
    samples = scores(performances(lab, runs))
    figures = [_drawn(lab, "figure-5", samples)]
    return Outcome(architecture_claims(samples), figures, remarks=clock_remarks(runs))


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
    caption = "Scores of the last generation's fittest individuals; the paper's from its Table IV."
    return lab.draw(name, caption, draw_violins, groups, f"score against {OPPONENT}")
