"""Learning curves: score against games, one run or the band of many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import special

Entry = Mapping[str, Any]
COLOURS = ("#5b3a9b", "#d9780f", "#1b7f4d", "#b5172f", "#2069b4", "#7a5c00", "#444444", "#c2408c", "#00a3a3")


def draw_learning_curves(
    curves: Mapping[str, Sequence[Sequence[Entry]]], against: str, title: str | None = None
) -> Figure:
    """A curve a name: one run with the 95 % interval of each score, or the mean of several runs with the
    95 % interval of that mean.

    >>> log = [{"games": 50 * i, "score": 0.2 * i, "ci95": [0.1 * i, 0.3 * i]} for i in range(3)]
    >>> draw_learning_curves({"mine": [log]}, "standard-heuristic").axes[0].get_xlabel()
    'games learned from'
    """
    figure = Figure(figsize=(8, 5 + 0.12 * len(curves)), layout="constrained")
    axes = figure.add_subplot()
    for number, (name, runs) in enumerate(curves.items()):
        _draw_curve(axes, name, runs, number)
    axes.set_xlabel("games learned from")
    axes.set_ylabel(f"score against {against}")
    axes.grid(color="#dddddd", linewidth=0.6)
    _set_scales(axes, [entry for runs in curves.values() for run in runs for entry in run])
    figure.legend(loc="outside lower center", frameon=False, fontsize=9, ncols=1 if len(curves) < 4 else 2)
    if title:
        axes.set_title(title)
    return figure


def _set_scales(axes: Axes, entries: Sequence[Entry]) -> None:
    """Scores near 1 are told apart on a logit scale, the first steps of a long run on a logarithmic one."""
    first = min((entry["games"] for entry in entries if entry["games"]), default=1)
    last = max(entry["games"] for entry in entries)
    if last > 100 * first:
        axes.set_xscale("symlog", linthresh=first)
        axes.set_xticks([0, *(10**n for n in range(2, 10) if first <= 10**n <= last)])
        axes.set_xlim(0, 1.1 * last)
    axes.xaxis.set_major_formatter(lambda games, _: f"{games:,.0f}")
    if max(entry["score"] for entry in entries) < 0.95:
        axes.set_ylim(0, 1)
        return
    axes.set_yscale("logit")
    ticks = [0.1, 0.2, 0.5, 0.8, 0.9, 0.96, 0.98, 0.99, 0.995, 0.998, 0.999]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks([], minor=True)
    axes.set_ylim(0.08, 0.9995)


def _draw_curve(axes: Axes, name: str, runs: Sequence[Sequence[Entry]], number: int) -> None:
    colour = COLOURS[number % len(COLOURS)]
    dashes = "-" if number < len(COLOURS) else "--"  # when the colours come round again
    games, low, middle, high = curve_and_band(runs)
    label = f"{name}: {middle[-1]:.4f}" + (f" ({len(runs)} runs)" if len(runs) > 1 else "")
    axes.plot(games, middle, dashes, color=colour, linewidth=1.6, label=label)
    axes.fill_between(games, low, high, color=colour, alpha=0.2, linewidth=0)


def curve_and_band(runs: Sequence[Sequence[Entry]]) -> tuple[npt.NDArray[np.float64], ...]:
    """Games, lower edge, middle, upper edge; of several runs only the games that all have measured."""
    if not runs or not all(runs):
        raise ValueError("a run without measurements has no curve to draw yet")
    if len(runs) == 1:
        rows = [(e["games"], e["ci95"][0], e["score"], e["ci95"][1]) for e in runs[0]]
        return tuple(np.array(rows, dtype=np.float64).T)
    by_games = [{entry["games"]: entry["score"] for entry in run} for run in runs]
    games = sorted(set.intersection(*(set(run) for run in by_games)))
    scores = np.array([[run[g] for g in games] for run in by_games])
    middle, errors = scores.mean(axis=0), scores.std(axis=0, ddof=1) / np.sqrt(len(runs))
    reach = special.stdtrit(len(runs) - 1, 0.975) * errors  # Student's t
    return np.array(games, dtype=np.float64), middle - reach, middle, middle + reach
