"""Learning curves: score against games, generations or time; one run, or the band of many.

>>> log = [{"games": 50 * i, "score": 0.2 * i, "ci95": [0.1 * i, 0.3 * i]} for i in range(3)]
>>> figure = draw_learning_curves({"mine": [log]}, "standard-heuristic")
>>> [text.get_text() for text in figure.legends[0].get_texts()]
['mine: 0.4000']

Runs of temporal differences log a line a measurement, runs of evolution a line a generation, of which only
some were measured; curves are made of those that were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy import special

from outflank.evaluators.protocol import FloatArray

Entry = Mapping[str, Any]
By = Literal["games", "seconds", "generations"]
KEYS: dict[By, str] = {"games": "games", "seconds": "seconds", "generations": "generation"}
COLOURS = ("#5b3a9b", "#d9780f", "#1b7f4d", "#b5172f", "#2069b4", "#7a5c00", "#444444", "#c2408c", "#00a3a3")
DASHES = ("-", "--", "-.", ":")
SCORE_TICKS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 0.94, 0.96, 0.97, 0.98,
               0.99, 0.995, 0.998, 0.999, 0.9995)  # fmt: skip
EDGE = 1e-5  # from 0 and 1, which a logit scale does not have


def draw_learning_curves(
    curves: Mapping[str, Sequence[Sequence[Entry]]],
    against: str,
    title: str | None = None,
    by: By = "games",
) -> Figure:
    """A curve a name: one run with the 95 % interval of each score, or the mean of several runs with the
    95 % interval of that mean.

    >>> log = [{"games": 9, "seconds": 90.0 * i, "score": 0.3, "ci95": [0.2, 0.4]} for i in range(9)]
    >>> draw_learning_curves({"mine": [log]}, "standard-heuristic", by="seconds").axes[0].get_xlabel()
    'minutes of learning'
    """
    measured = {name: _measured_runs(name, runs, by) for name, runs in curves.items()}
    entries = [entry for runs in measured.values() for run in runs for entry in run]
    unit, label = _unit(by, max(entry[KEYS[by]] for entry in entries))
    figure = Figure(figsize=(8, 5 + 0.12 * len(curves)), layout="constrained")
    axes = figure.add_subplot()
    lines = []
    for number, (name, runs) in enumerate(measured.items()):
        places, *edges = curve_and_band(runs, by)
        count = f"{len(runs)} of {len(curves[name])}" if len(runs) < len(curves[name]) else f"{len(runs)}"
        note = f" ({count} runs)" if len(curves[name]) > 1 else ""
        lines.append(_draw_curve(axes, number, f"{name}: {edges[1][-1]:.4f}{note}", places / unit, *edges))
    axes.set_xlabel(label)
    axes.set_ylabel(f"score against {against}", parse_math=False)
    axes.grid(color="#dddddd", linewidth=0.6)
    _set_places(axes, [entry[KEYS[by]] / unit for entry in entries])
    _set_scores(axes, [entry["score"] for entry in entries])
    labels = [str(line.get_label()) for line in lines]
    key = figure.legend(lines, labels, loc="outside lower center", frameon=False, fontsize=9,
                        ncols=1 if len(curves) < 4 else 2)  # fmt: skip
    for text in key.get_texts():
        text.set_parse_math(False)
    if title:
        axes.set_title(title, parse_math=False)
    return figure


def measurements(log: Sequence[Entry]) -> list[Entry]:
    """The entries with a score."""
    return [entry for entry in log if "score" in entry]


def curve_and_band(runs: Sequence[Sequence[Entry]], by: By = "games") -> tuple[FloatArray, ...]:
    """Games (or seconds, or generations), lower edge, middle, upper edge.

    Several runs are measured at the same games, but not at the same seconds, and if they race not at the
    same games either. So each run's score is taken on the straight line between its measurements, at every
    place where any run was measured and all have begun. The last place is the end of the shortest run;
    but if all were measured equally far, it is the end of the slowest, and a run that is done by then
    stands where it ended.
    """
    logs = [measurements(run) for run in runs]
    if not logs or not all(logs):
        raise ValueError("a run without measurements has no curve to draw yet")
    key = KEYS[by]
    if len(logs) == 1:
        rows = [(e[key], e["ci95"][0], e["score"], e["ci95"][1]) for e in logs[0]]
        return tuple(np.array(rows, dtype=np.float64).T)
    measured = [np.array([(e[key], e["score"]) for e in log], dtype=np.float64).T for log in logs]
    equally_far = len({log[-1].get("generation", log[-1]["games"]) for log in logs}) == 1
    last = (max if equally_far else min)(places[-1] for places, _ in measured)
    first = max(places[0] for places, _ in measured)
    places = np.unique(np.concatenate([places for places, _ in measured]))
    places = places[(first <= places) & (places <= last)]
    if not places.size:
        raise ValueError(f"the runs were not measured at the same {by}, so they have no mean to draw yet")
    scores = np.array([np.interp(places, *run) for run in measured])
    return places, *mean_and_band(scores)


def mean_and_band(samples: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The mean of the rows, between the edges of its 95 % interval by Student's t.

    >>> low, middle, high = mean_and_band(np.array([[1.0], [2.0], [3.0]]))
    >>> low.round(2), middle, high.round(2)
    (array([-0.48]), array([2.]), array([4.48]))
    """
    runs = len(samples)
    middle, errors = samples.mean(axis=0), samples.std(axis=0, ddof=1) / np.sqrt(runs)
    reach = special.stdtrit(runs - 1, 0.975) * errors
    return middle - reach, middle, middle + reach


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
    """How many of them are one on the axis, and the axis's label, in a unit that suits."""
    if by == "games":
        return (1e6, "million games learned from") if last >= 1e7 else (1.0, "games learned from")
    if by == "generations":
        return 1.0, "generation"
    unit, name = (1, "seconds") if last < 180 else (60, "minutes") if last < 180 * 60 else (3600, "hours")
    return float(unit), f"{name} of learning"


def _set_places(axes: Axes, places: Sequence[float]) -> None:
    """The first steps of a long run are told apart on a logarithmic scale."""
    first = min((place for place in places if place), default=1.0)
    last = max(places)
    if last > 100 * first:
        axes.set_xscale("symlog", linthresh=first)
        axes.set_xticks([0, *(10.0**n for n in range(-7, 13) if first <= 10.0**n <= last)])
        axes.set_xticks([], minor=True)
    axes.set_xlim(0, (1.1 if last > 100 * first else 1.03) * last if last else None)
    axes.xaxis.set_major_formatter(lambda place, _: f"{place:,.0f}" if place >= 10 else f"{place:g}")


def _set_scores(axes: Axes, scores: Sequence[float]) -> None:
    """Scores near 1 are told apart on a logit scale."""
    if max(scores) < 0.95:
        axes.set_ylim(0, 1)
        return
    axes.set_yscale("logit")
    axes.set_yticks(SCORE_TICKS, [f"{tick:g}" for tick in SCORE_TICKS])
    axes.set_yticks([], minor=True)
    below = [tick for tick in SCORE_TICKS if tick < min(scores)] or [SCORE_TICKS[0]]
    above = [tick for tick in SCORE_TICKS if tick > max(scores)] or [SCORE_TICKS[-1]]
    axes.set_ylim(0.9 * below[-1], (1 + above[0]) / 2)


def _draw_curve(
    axes: Axes,
    number: int,
    label: str,
    places: FloatArray,
    low: FloatArray,
    middle: FloatArray,
    high: FloatArray,
) -> Line2D:
    colour = COLOURS[number % len(COLOURS)]
    dashes = DASHES[number % len(DASHES)]  # told apart without colours too
    low, middle, high = (np.clip(edge, EDGE, 1 - EDGE) for edge in (low, middle, high))
    marker = "o" if len(places) == 1 else None  # a line needs two points
    (line,) = axes.plot(places, middle, dashes, color=colour, linewidth=1.6, label=label, marker=marker)
    axes.fill_between(places, low, high, color=colour, alpha=0.2, linewidth=0)
    return line
