"""How fast architectures learn, and where they end: Figure 6 and Table IV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy import stats

from outflank.evaluators.protocol import FloatArray
from outflank.league.scoring import OPPONENT
from outflank.learners.architectures import Architecture
from outflank.plots.curves import Curve, draw_curve, draw_single_runs, explain, short_count
from outflank.plots.learning_curves import measurements
from outflank.plots.style import COLOURS, INK, MARKERS, legend_below, new_figure
from outflank.studies.agreement import SIGNIFICANT, of_runs, same_sign
from outflank.studies.claims import all_of, is_greater
from outflank.studies.inference import bootstrap_band
from outflank.studies.jaskowski_2014.architectures import (
    PAPER_GAMES,
    RANDOM,
    SYSTEMATIC,
    TABLE_4,
    architecture,
    clock_remarks,
    evolved,
    mean_score,
    performances,
    scores,
)
from outflank.studies.jaskowski_2014.comparisons import ALPHA, Comparisons
from outflank.studies.laboratory import FinishedRun, Laboratory
from outflank.studies.verdicts import Claim, Finding, Measured, Outcome, ResultTable

THIRDS, TOO_SHORT = 3, "too few measurements for thirds of a curve"
MARKED = 8  # marks per curve, so that curves differ without colours too
SHARES = {"a tenth": 0.1, "a third": 1 / 3, "all": 1.0}  # of the budget, for the trend


@dataclass(frozen=True)
class Curves:
    """The measured scores of an architecture's runs: [runs, points]."""

    games: FloatArray
    scores: FloatArray

    @classmethod
    def of(cls, runs: Sequence[FinishedRun]) -> Curves:
        """As far as all of them go."""
        logs = [measurements(run.log()) for run in runs]
        points = min(map(len, logs))
        return cls(
            np.array([entry["games"] for entry in logs[0][:points]], dtype=np.float64),
            np.array([[entry["score"] for entry in log[:points]] for log in logs]),
        )

    def up_to(self, games: float) -> Curves:
        """The measurements up to these games."""
        points = int(np.count_nonzero(self.games <= games))
        return Curves(self.games[:points], self.scores[:, :points])

    @property
    def mean(self) -> Curve:
        """With its bootstrap band."""
        return Curve(self.games, *bootstrap_band(self.scores))

    def at(self, share: float) -> FloatArray:
        """Each run's score where it was measured nearest to this share of its games."""
        return self.scores[:, int(np.abs(self.games - share * self.games[-1]).argmin())]


def equally_long(runs: Mapping[str, Sequence[FinishedRun]]) -> dict[str, Curves]:
    """The curves of all architectures, as far as the shortest run goes."""
    curves = {name: Curves.of(of_name) for name, of_name in runs.items()}
    games = min(one.games[-1] for one in curves.values())
    return {name: one.up_to(games) for name, one in curves.items()}


def figure_6(lab: Laboratory) -> Outcome:
    """The pace of learning."""
    runs = evolved(lab, (*SYSTEMATIC, *RANDOM))
    curves = equally_long(runs)
    ends = scores(performances(lab, runs))
    return Outcome(
        pace_claims({name: one.scores for name, one in curves.items()}, ends),
        [
            lab.draw(
                "figure-6",
                "Mean of the runs with its 95 % bootstrap interval.",
                draw_learning_pace,
                {name: one.mean for name, one in curves.items()},
                OPPONENT,
                runs={name: one.scores for name, one in curves.items()},
            )
        ],
        remarks=clock_remarks(runs),
    )


def draw_learning_pace(
    curves: Mapping[str, Curve],
    against: str,
    published: tuple[float, Mapping[str, Sequence[float]]] | None = None,
    runs: Mapping[str, FloatArray] | None = None,
    levels: Mapping[str, float] | None = None,
) -> Figure:
    """One curve per method, with its single runs behind it. With a number of games and the scores of the
    published runs after them, games are logarithmic, and a mark stands for each run and for their mean.
    `levels`: scores to compare with, by name.

    >>> band = Curve(*np.array([[1e6, 2e6], [0.5, 0.6], [0.6, 0.7], [0.7, 0.8]]))
    >>> figure = draw_learning_pace({"all-2": band}, "standard-heuristic")
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['all-2: 0.700']
    """
    figure, (axes,) = new_figure(5.4)
    for number, (name, curve) in enumerate(curves.items()):
        marker = MARKERS[number % len(MARKERS)]
        every = (number % 3, max(1, len(curve.x) // MARKED))  # not all at the same games
        label = f"{name}: {curve.middle[-1]:.3f}"
        label += f" ({np.mean(published[1][name]):.3f})" if published else ""
        draw_curve(axes, curve, label, number, linestyle="-", marker=marker, markevery=every, markersize=5)
        if runs is not None and len(runs[name]) > 1:
            draw_single_runs(axes, curve.x, runs[name], number)
        if published:  # no line leads there: nothing was measured in between
            games, ends = published[0], published[1][name]
            looks: dict[str, Any] = {
                "color": COLOURS[number % len(COLOURS)],
                "linestyle": "",
                "clip_on": False,
            }
            axes.plot([games] * len(ends), ends, marker="_", markersize=10, markeredgewidth=0.8, **looks)
            axes.plot([games], [np.mean(ends)], marker=marker, markersize=8, markerfacecolor="white", **looks)
    for name, level in (levels or {}).items():
        axes.axhline(level, color=INK, linewidth=1, linestyle=":", zorder=1.5, label=name)
    axes.set(xlabel="games learned from", ylabel=f"score against {against}")
    axes.set_xscale("log" if published else "linear")
    if not published:
        axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(short_count)
    thin = "; thin lines: single runs" if runs is not None else ""
    marks = ""
    if published:
        marks = "; dashes: the paper's runs after 10⁹ games; white marks, and in brackets: their means"
    explain(axes, f"bands: 95 % bootstrap interval of the mean{thin}{marks}")
    legend_below(figure, columns=3)
    return figure


def pace_claims(curves: Mapping[str, FloatArray], ends: Mapping[str, Sequence[float]]) -> dict[str, Finding]:
    """III-D, by the name of their rows. A run's pace is the mean of its measured scores, the area under its
    curve; the gap between two architectures is that of their mean curves."""
    paces = Comparisons({name: of_name.mean(axis=1) for name, of_name in curves.items()})
    at_end = Comparisons(ends)
    all_2, all_3, all_4 = SYSTEMATIC
    others = (*SYSTEMATIC[1:], *RANDOM)
    return {
        "all-2 quickest": paces.all_better([(all_2, other) for other in others]),
        "all-3 catches up": _catches_up(curves[all_2], curves[all_3], at_end.alike(all_2, all_3)),
        "all-3 does not pass": at_end.not_better(all_3, all_2),
        "all-4 slower": paces.better(all_3, all_4),
        "gap decreases": _closing(curves[all_3], curves[all_4]),
        "gap stays": at_end.better(all_3, all_4),
    }


def _thirds(curves: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Each run's mean score in the middle and in the last third of its measurements; the first third is the
    start, where nobody knows anything."""
    _, middle, last = np.array_split(curves, THIRDS, axis=1)
    return middle.mean(axis=1), last.mean(axis=1)


def _closing(ahead: FloatArray, behind: FloatArray) -> Claim:
    """The gap between two architectures gets smaller: from the middle third to the last the one behind gains
    more, run by run (Welch and Mann-Whitney)."""
    if min(ahead.shape[1], behind.shape[1]) < THIRDS:
        return Claim(None, TOO_SHORT)
    (middle_a, last_a), (middle_b, last_b) = _thirds(ahead), _thirds(behind)
    gaps = f"gap {_gap(middle_a, middle_b):.3f} in the middle third, {_gap(last_a, last_b):.3f} in the last"
    if min(len(ahead), len(behind)) < 2:
        return Claim(None, f"{gaps}; single runs have no spread")
    found = of_runs(last_a - middle_a, last_b - middle_b)
    holds = found.difference > 0 if found.p < SIGNIFICANT else None
    return Claim(holds, f"{gaps}; {found.test}")


def _catches_up(ahead: FloatArray, behind: FloatArray, end: Claim) -> Claim:
    """There was a gap in the middle third, and at the end both are equal: within the margin, no test telling
    them apart. Without a gap there was nothing to catch up."""
    if min(ahead.shape[1], behind.shape[1]) < THIRDS:
        return Claim(None, f"{TOO_SHORT}; at the end {end.evidence}")
    middle_a, middle_b = _thirds(ahead)[0], _thirds(behind)[0]
    gap = f"gap {_gap(middle_a, middle_b):.3f} in the middle third"
    was_behind = is_greater(middle_a, middle_b) if min(len(ahead), len(behind)) > 1 else None
    return Claim(all_of([was_behind, end.holds]), f"{gap}; at the end {end.evidence}")


def _gap(ahead: FloatArray, behind: FloatArray) -> float:
    return float(ahead.mean() - behind.mean())


def table_4(lab: Laboratory) -> Outcome:
    """All nine architectures, run by run, and the trend as games go by."""
    runs = evolved(lab, list(TABLE_4))
    found = performances(lab, runs)
    curves = equally_long(runs)
    ends = scores(found)
    means = {
        share: {
            name: float(np.mean(ends[name] if share == "all" else curves[name].at(part))) for name in TABLE_4
        }
        for share, part in SHARES.items()
    }
    findings: dict[str, Finding] = {name: mean_score(of_name) for name, of_name in found.items()}
    findings["order"] = order_claim(means)
    caption = "Means of the runs with 95 % bootstrap intervals, and the paper's means after 10⁹ games."
    games = {name: one.games[-1] for name, one in curves.items()}
    return Outcome(
        findings,
        [
            lab.draw(
                "trend",
                caption,
                draw_learning_pace,
                {name: one.mean for name, one in curves.items()},
                OPPONENT,
                (PAPER_GAMES, TABLE_4),
            )
        ],
        [_side_by_side(ends), _trend(means, max(games.values()))],
        clock_remarks(runs),
    )


def one_architecture(lab: Laboratory) -> Outcome:
    """An architecture alone, so that its runs can have the paper's whole budget."""
    name = lab.settings["architecture"]
    runs = evolved(lab, (name,))
    found = performances(lab, runs)[name]
    curve = Curves.of(runs[name])
    rows = [
        (
            str(run.seed),
            f"{100 * run.done:g} %",
            f"{one.score:.4f}",
            f"{one.ci95[0]:.4f} to {one.ci95[1]:.4f}",
        )
        for run, one in zip(runs[name], found, strict=True)
    ]
    header = ("run", "of its length", "score", "95 % interval")
    published = (PAPER_GAMES, {name: TABLE_4[name]}) if name in TABLE_4 else None
    printed = lab.experiment.printed("best")
    levels = {f"the paper's player: {printed}": printed} if published is None and printed is not None else {}
    best = max(found, key=lambda one: one.score)
    return Outcome(
        {
            "mean": mean_score(found),
            "best": Measured(best.score, best.ci95, f"best of {len(found)} runs"),
            "weights": Measured.exactly(
                Architecture.named(architecture(name)["evaluator"]).new(1).weights.size
            ),
            "exceeds": Claim(
                same_sign(best.ci95, 0.9), f"{best.score:.4f} ({best.ci95[0]:.4f} to {best.ci95[1]:.4f})"
            ),
        },
        [
            lab.draw(
                "curve",
                "Our runs by games, and the paper's.",
                draw_learning_pace,
                {name: curve.mean},
                OPPONENT,
                published,
                {name: curve.scores},
                levels,
            ),
        ],
        [ResultTable("Our runs", header, rows)],
        clock_remarks(runs),
    )


def order_claim(means: Mapping[str, Mapping[str, float]]) -> Claim:
    """Whether architectures come in the paper's order at the end, by Spearman's rank correlation."""
    paper = [float(np.mean(of_name)) for of_name in TABLE_4.values()]
    found = {
        share: stats.spearmanr(paper, [of_share[name] for name in TABLE_4])
        for share, of_share in means.items()
    }
    listed = ", ".join(f"{one.statistic:.2f} after {share} of the games" for share, one in found.items())
    p = float(found["all"].pvalue)
    alike = bool(found["all"].statistic > 0)
    return Claim(alike if p < ALPHA or not alike else None, f"rank correlation {listed} (p = {p:.2g})")


def _side_by_side(ends: Mapping[str, Sequence[float]]) -> ResultTable:
    rows = []
    for name, published in TABLE_4.items():
        for who, values in (("paper", published), ("here", ends[name])):
            centre = [f"{np.mean(values):.4f}", f"{np.median(values):.4f}"]
            rows.append([name, who, *centre, " ".join(f"{value:.4f}" for value in values)])
    return ResultTable("Table IV beside ours", ("architecture", "", "mean", "median", "runs"), rows)


def _trend(means: Mapping[str, Mapping[str, float]], games: float) -> ResultTable:
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
    return ResultTable("The trend: mean score and place at growing budgets", ("architecture", *columns), rows)
