"""How fast architectures learn, and where they end: Figure 6 and Table IV.

The pace of learning: mean scores of several methods against games, each with a band (Jaskowski 2014,
Figure 6).

>>> import numpy as np
>>> band = Pace(np.array([1e6, 2e6]), np.array([0.5, 0.6]), np.array([0.6, 0.7]), np.array([0.7, 0.8]))
>>> figure = draw_learning_pace({"all-2": band}, "standard-heuristic")
>>> [text.get_text() for text in figure.legends[0].get_texts()]
['all-2: 0.700']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from outflank.evaluators.protocol import FloatArray
from outflank.league.scoring import OPPONENT
from outflank.plots.boards import GRID
from outflank.plots.learning_curves import COLOURS, measurements
from outflank.studies.inference import bootstrap_band
from outflank.studies.jaskowski_2014.architectures import (
    ALPHA,
    PAPER_GAMES,
    RANDOM,
    SYSTEMATIC,
    TABLE_4,
    Comparisons,
    evolved,
    mean_of_runs,
    performances,
    scores,
)
from outflank.studies.laboratory import Laboratory, Learned
from outflank.studies.verdicts import Finding, Judged, Outcome, Tabled

SIZE = 9.5  # points of text; 8 inches at 800 pixels make it 13 pixels high
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
MARKED = 8  # marks a curve, so that curves can be told apart without their colours


@dataclass(frozen=True)
class Pace:
    """A mean curve between the edges of its band."""

    games: FloatArray
    low: FloatArray
    mean: FloatArray
    high: FloatArray


def draw_learning_pace(
    curves: Mapping[str, Pace], against: str, published: tuple[float, Mapping[str, float]] | None = None
) -> Figure:
    """A curve a method. With published scores after so many games, games are logarithmic, and a dotted line
    leads to each of them."""
    figure = Figure(figsize=(8, 5.4), layout="constrained")
    axes = figure.add_subplot()
    for number, (name, curve) in enumerate(curves.items()):
        end = None if published is None else (published[0], published[1][name])
        _draw_curve(axes, number, name, curve, end)
    axes.set_xlabel("games learned from" if published else "million games learned from", fontsize=SIZE)
    axes.set_ylabel(f"score against {against}", fontsize=SIZE, parse_math=False)
    if published:
        axes.set_xscale("log")
    else:
        axes.xaxis.set_major_formatter(lambda games, _: f"{games / 1e6:g}")
        axes.set_xlim(left=0)
    axes.tick_params(labelsize=SIZE)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    handles, labels = axes.get_legend_handles_labels()
    key = figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=SIZE,
                        handlelength=1.6, handletextpad=0.5, columnspacing=1.2)  # fmt: skip
    for text in key.get_texts():
        text.set_parse_math(False)
    return figure


def _draw_curve(axes: Axes, number: int, name: str, curve: Pace, end: tuple[float, float] | None) -> None:
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    label = f"{name}: {curve.mean[-1]:.3f}" + (f" (paper {end[1]:.3f})" if end else "")
    every = (number % 3, max(1, len(curve.games) // MARKED))  # not all at the same games
    axes.plot(curve.games, curve.mean, color=colour, marker=marker, markevery=every, markersize=5,
              linewidth=1.6, label=label)  # fmt: skip
    axes.fill_between(curve.games, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0)
    if end is not None:
        axes.plot(
            [curve.games[-1], end[0]], [curve.mean[-1], end[1]], ":", color=colour, linewidth=1.2,
            marker=marker, markevery=[1], markersize=7, markerfacecolor="white", clip_on=False,
        )  # fmt: skip


SHARES = {"a tenth": 0.1, "a third": 1 / 3, "all": 1.0}  # of the budget, for the trend


@dataclass(frozen=True)
class Curves:
    """The measured scores of an architecture's runs: [runs, points]."""

    games: FloatArray
    scores: FloatArray

    @classmethod
    def of(cls, runs: Sequence[Learned]) -> Curves:
        logs = [measurements(run.log()) for run in runs]
        return cls(
            np.array([entry["games"] for entry in logs[0]], dtype=np.float64),
            np.array([[entry["score"] for entry in log] for log in logs]),
        )

    @property
    def pace(self) -> Pace:
        return Pace(self.games, *bootstrap_band(self.scores))

    def at(self, share: float) -> FloatArray:
        """Each run's score where it was measured nearest to this share of its games."""
        return self.scores[:, int(np.abs(self.games - share * self.games[-1]).argmin())]


def figure_6(laboratory: Laboratory) -> Outcome:
    """The pace of learning."""
    runs = evolved(laboratory, (*SYSTEMATIC, *RANDOM))
    curves = {name: Curves.of(of_name) for name, of_name in runs.items()}
    ends = scores(performances(laboratory, runs))
    figure = draw_learning_pace({name: one.pace for name, one in curves.items()}, OPPONENT)
    return Outcome(
        pace_claims({name: one.scores for name, one in curves.items()}, ends),
        [laboratory.draw("figure-6", figure, "Mean of the runs with its 95 % bootstrap interval.")],
    )


def pace_claims(curves: Mapping[str, FloatArray], ends: Mapping[str, Sequence[float]]) -> dict[str, Finding]:
    """III-D, by the name of their rows. A run's pace is the mean of its measured scores, the area under its
    curve; the gap between two architectures is that of their mean curves."""
    paces = Comparisons({name: of_name.mean(axis=1) for name, of_name in curves.items()})
    at_end = Comparisons(ends)
    all_2, all_3, all_4 = SYSTEMATIC
    others = (*SYSTEMATIC[1:], *RANDOM)
    return {
        "all-2 quickest": paces.all_better([(all_2, other) for other in others]),
        "all-3 catches up": _closing(curves[all_2], curves[all_3]),
        "all-3 does not pass": at_end.not_better(all_3, all_2),
        "all-4 slower": paces.better(all_3, all_4),
        "gap decreases": _closing(curves[all_3], curves[all_4]),
        "gap stays": at_end.better(all_3, all_4),
    }


def _closing(ahead: FloatArray, behind: FloatArray) -> Judged:
    """There is a gap between two mean curves in the middle third of the measurements, and a smaller one in
    the last; the first third tells of the start, where both know nothing."""
    gaps = np.array_split(ahead.mean(axis=0) - behind.mean(axis=0), 3)
    middle, last = (float(gap.mean()) if gap.size else float("nan") for gap in gaps[1:])
    return Judged(
        middle > 0 and last < middle,
        f"gap {middle:.3f} in the middle third of the run, {last:.3f} in the last",
    )


def table_4(laboratory: Laboratory) -> Outcome:
    """All nine architectures, run by run, and the trend as games go by."""
    runs = evolved(laboratory, list(TABLE_4))
    tallies = performances(laboratory, runs)
    curves = {name: Curves.of(of_name) for name, of_name in runs.items()}
    ends = scores(tallies)
    means = {
        share: {
            name: float(np.mean(ends[name] if share == "all" else curves[name].at(part))) for name in TABLE_4
        }
        for share, part in SHARES.items()
    }
    findings: dict[str, Finding] = {name: mean_of_runs(of_name) for name, of_name in tallies.items()}
    findings["order"] = order_claim(means)
    drawing = draw_learning_pace(
        {name: one.pace for name, one in curves.items()}, OPPONENT,
        (PAPER_GAMES, {name: float(np.mean(of_name)) for name, of_name in TABLE_4.items()}),
    )  # fmt: skip
    caption = "Means of the runs with 95 % bootstrap intervals; dotted, to the paper's means after 10⁹ games."
    games = {name: one.games[-1] for name, one in curves.items()}
    return Outcome(
        findings,
        [laboratory.draw("trend", drawing, caption)],
        [_side_by_side(ends), _trend(means, max(games.values()))],
    )


def order_claim(means: Mapping[str, Mapping[str, float]]) -> Judged:
    """Whether architectures come in the paper's order at the end, by Spearman's rank correlation."""
    paper = [float(np.mean(of_name)) for of_name in TABLE_4.values()]
    found = {
        share: stats.spearmanr(paper, [of_share[name] for name in TABLE_4])
        for share, of_share in means.items()
    }
    listed = ", ".join(f"{one.statistic:.2f} after {share} of the games" for share, one in found.items())
    p = float(found["all"].pvalue)
    return Judged(bool(found["all"].statistic > 0 and p < ALPHA), f"rank correlation {listed} (p = {p:.2g})")


def _side_by_side(ends: Mapping[str, Sequence[float]]) -> Tabled:
    rows = []
    for name, published in TABLE_4.items():
        for who, values in (("paper", published), ("here", ends[name])):
            centre = [f"{np.mean(values):.4f}", f"{np.median(values):.4f}"]
            rows.append([name, who, *centre, " ".join(f"{value:.4f}" for value in values)])
    return Tabled("Table IV beside ours", ("architecture", "", "mean", "median", "runs"), rows)


def _trend(means: Mapping[str, Mapping[str, float]], games: float) -> Tabled:
    """Means and, in brackets, places."""
    columns = {f"{share}, {games * SHARES[share] / 1e6:.2g} M": of_share for share, of_share in means.items()}
    columns["paper, 1,000 M"] = {name: float(np.mean(of_name)) for name, of_name in TABLE_4.items()}
    places = {label: sorted(column, key=lambda name: -column[name]) for label, column in columns.items()}
    rows = [
        [
            name,
            *(f"{column[name]:.3f} ({places[label].index(name) + 1})" for label, column in columns.items()),
        ]
        for name in TABLE_4
    ]
    return Tabled("The trend: mean score and place at growing budgets", ("architecture", *columns), rows)
