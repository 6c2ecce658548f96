"""Learning curves: score against games, generations or time; one run, or the mean of several with its band.

>>> log = [{"games": 50 * i, "score": 0.2 * i, "ci95": [0.1 * i, 0.3 * i]} for i in range(3)]
>>> figure = draw_learning_curves({"mine": [log]}, "standard-heuristic")
>>> [text.get_text() for text in figure.legends[0].get_texts()]
['mine: 0.4000']

Temporal-difference runs log one line per measurement, evolution runs one line per generation, of which only
some are measured; the curves use those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from outflank.plots.curves import (
    EDGE,
    Curve,
    draw_curve,
    draw_single_runs,
    explain,
    set_score_scale,
)
from outflank.plots.style import INK, legend_below, new_figure

Entry = Mapping[str, Any]
By = Literal["games", "seconds", "generations"]
FEWEST_FOR_INTERVALS = 4  # the interval of two runs is 13 standard errors wide: it hides all other curves
KEYS: dict[By, str] = {"games": "games", "seconds": "seconds", "generations": "generation"}


def draw_learning_curves(
    curves: Mapping[str, Sequence[Sequence[Entry]]],
    against: str,
    title: str | None = None,
    by: By = "games",
    levels: Mapping[str, float] | None = None,
) -> Figure:
    """One curve per name: a run with the 95 % interval of each score, or the mean of several runs with the
    95 % interval of that mean; of two or three runs, with the range from the lowest to the highest. `levels`:
    scores to compare with, by name.

    >>> log = [{"games": 9, "seconds": 90.0 * i, "score": 0.3, "ci95": [0.2, 0.4]} for i in range(9)]
    >>> draw_learning_curves({"mine": [log]}, "standard-heuristic", by="seconds").axes[0].get_xlabel()
    'minutes of learning'
    """
    measured = {name: _measured_runs(name, runs, by) for name, runs in curves.items()}
    entries = [entry for runs in measured.values() for run in runs for entry in run]
    unit, label = _unit(by, max(entry[KEYS[by]] for entry in entries))
    figure, (axes,) = new_figure(5 + 0.12 * len(curves), title=title)
    lines = []
    for number, (name, runs) in enumerate(measured.items()):
        curve = learning_curve(runs, by)
        count = f"{len(runs)} of {len(curves[name])}" if len(runs) < len(curves[name]) else f"{len(runs)}"
        note = f" ({count} runs)" if len(curves[name]) > 1 else ""
        shown = curve.of_scores()._replace(x=curve.x / unit)
        for run in runs if len(runs) > 1 else ():
            places = np.array([entry[KEYS[by]] / unit for entry in run])
            values = np.clip([entry["score"] for entry in run], EDGE, 1 - EDGE)
            draw_single_runs(axes, places, values[None], number, runs=len(runs))
        lines.append(draw_curve(axes, shown, f"{name}: {curve.middle[-1]:.4f}{note}", number))
    lines += [
        axes.axhline(level, color=INK, linewidth=1, linestyle=":", zorder=1.5, label=name)
        for name, level in (levels or {}).items()
    ]
    axes.set(xlabel=label, ylabel=f"score against {against}")
    _set_x_scale(axes, [entry[KEYS[by]] / unit for entry in entries])
    scores = [entry["score"] for entry in entries]
    if max(scores) < 0.95:
        axes.set_ylim(0, 1)
    else:
        set_score_scale(axes, min(scores), max(scores))
    explain(axes, _what_bands_are([len(runs) for runs in measured.values()]))
    legend_below(figure, lines, columns=1 if len(curves) < 4 else 2)
    return figure


def _what_bands_are(counts: Sequence[int]) -> str:
    """
    >>> _what_bands_are([1, 1])
    'band: 95 % interval of the score'
    >>> _what_bands_are([2, 5])
    'bands: 95 % interval of the mean, of few runs all of them; thin lines: single runs'
    """
    if max(counts) == 1:
        return "band: 95 % interval of the score"
    if max(counts) < FEWEST_FOR_INTERVALS:
        return "bands: from the lowest to the highest run; thin lines: single runs"
    few = ", of few runs all of them" if 1 < min(counts) < FEWEST_FOR_INTERVALS else ""
    return f"bands: 95 % interval of the mean{few}; thin lines: single runs"


def measurements(log: Sequence[Entry]) -> list[Entry]:
    """The entries with a score."""
    return [entry for entry in log if "score" in entry]


def learning_curve(runs: Sequence[Sequence[Entry]], by: By = "games") -> Curve:
    """Score by games, seconds or generations.

    Several runs are measured at the same games, but not at the same seconds, and if they race not at the
    same games either. So the scores of each run are interpolated linearly at every x where any run was
    measured and all have begun. The curve ends with the shortest run; but if all were measured equally far,
    it ends with the slowest, and a run that finished before keeps its last score.
    """
    logs = [measurements(run) for run in runs]
    if not logs or not all(logs):
        raise ValueError("a run without measurements has no curve to draw yet")
    key = KEYS[by]
    if len(logs) == 1:
        rows = [(e[key], e["ci95"][0], e["score"], e["ci95"][1]) for e in logs[0]]
        return Curve(*np.array(rows, dtype=np.float64).T)
    measured = [np.array([(e[key], e["score"]) for e in log], dtype=np.float64).T for log in logs]
    equally_far = len({log[-1].get("generation", log[-1]["games"]) for log in logs}) == 1
    last = (max if equally_far else min)(x[-1] for x, _ in measured)
    first = max(x[0] for x, _ in measured)
    x = np.unique(np.concatenate([x for x, _ in measured]))
    x = x[(first <= x) & (x <= last)]
    if not x.size:
        raise ValueError(f"the runs were not measured at the same {by}, so they have no mean to draw yet")
    samples = np.array([np.interp(x, *run) for run in measured])
    return Curve.range_of(x, samples) if len(samples) < FEWEST_FOR_INTERVALS else Curve.mean_of(x, samples)


def _measured_runs(name: str, runs: Sequence[Sequence[Entry]], by: By) -> list[list[Entry]]:
    """The measurements of those runs that have any; an error if there is nothing to draw."""
    measured = [found for run in runs if (found := measurements(run))]
    if not measured:
        raise ValueError(f"{name} has not been measured, so there is no curve to draw yet; let it learn on")
    if not all(KEYS[by] in entry for run in measured for entry in run):
        raise ValueError(
            f"{name} has no {by}: it learned by temporal differences; draw by games or by seconds"
        )
    return measured


def _unit(by: By, last: float) -> tuple[float, str]:
    """The unit of the x axis, and its label."""
    if by == "games":
        return (1e6, "million games learned from") if last >= 1e7 else (1.0, "games learned from")
    if by == "generations":
        return 1.0, "generation"
    unit, name = (1, "seconds") if last < 180 else (60, "minutes") if last < 180 * 60 else (3600, "hours")
    return float(unit), f"{name} of learning"


def _set_x_scale(axes: Axes, x: Sequence[float]) -> None:
    """Logarithmic for long runs, so that the first steps can be seen."""
    first = min((place for place in x if place), default=1.0)
    last = max(x)
    if last > 100 * first:
        axes.set_xscale("symlog", linthresh=first)
        axes.set_xticks([0, *(10.0**n for n in range(-7, 13) if first <= 10.0**n <= last)])
        axes.set_xticks([], minor=True)
    axes.set_xlim(0, (1.1 if last > 100 * first else 1.03) * last if last else None)
    axes.xaxis.set_major_formatter(lambda place, _: f"{place:,.0f}" if place >= 10 else f"{place:g}")
