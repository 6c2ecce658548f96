"""Temporal differences against evolution: the same 288 weights, at equal games and at equal time.

Short runs of several seeds say which method learns faster; one long run of two methods each says which gets
further.

Methods compared: mean scores with bands, against games and against time, side by side.

>>> import numpy as np
>>> band = Band(np.array([10.0, 100.0]), np.array([0.4, 0.6]), np.array([0.5, 0.7]), np.array([0.6, 0.8]))
>>> figure = draw_compared({"TD": band}, {"TD": band}, "standard-heuristic")
>>> [axes.get_xlabel() for axes in figure.axes]
['games learned from', 'seconds of learning']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from outflank.evaluators.protocol import FloatArray
from outflank.games.statistics import Tally
from outflank.league.scoring import EPSILON, OPPONENT
from outflank.players.names import NamedPlayer, named_player
from outflank.plots.boards import GRID
from outflank.plots.learning_curves import COLOURS, EDGE, SCORE_TICKS, measurements
from outflank.studies.inference import bootstrap_band, mann_whitney
from outflank.studies.laboratory import Laboratory, Learned
from outflank.studies.verdicts import Drawn, Judged, Measured, Outcome, Tabled, lies_above, of_runs

SIZE = 9.5  # points of text; 8 inches at 800 pixels make it 13 pixels high
MARKERS = ("o", "s", "^", "D", "v", "P")
MARKED = 6  # marks a curve, so that curves can be told apart without their colours


@dataclass(frozen=True)
class Band:
    """A mean curve between the edges of its band, at places above zero. `like` names another method whose
    colour it shares; it is dashed then."""

    places: FloatArray
    low: FloatArray
    mean: FloatArray
    high: FloatArray
    like: str | None = None


def draw_compared(by_games: Mapping[str, Band], by_seconds: Mapping[str, Band], against: str) -> Figure:
    """A curve a method in each panel; both axes of places are logarithmic, scores are on a logit scale."""
    figure = Figure(figsize=(8, 5.2), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, curves, label in (
        (left, by_games, "games learned from"),
        (right, by_seconds, "seconds of learning"),
    ):
        for name, band in curves.items():
            _draw_band(axes, list(curves).index(band.like or name), name, band)
        _prepare(axes, label)
    left.set_ylabel(f"score against {against}", fontsize=SIZE, parse_math=False)
    bands = [*by_games.values(), *by_seconds.values()]
    _set_scores(left, min(float(b.low.min()) for b in bands), max(float(b.high.max()) for b in bands))
    handles, labels = left.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(3, len(labels)), frameon=False, fontsize=SIZE
    )
    return figure


def _draw_band(axes: Axes, number: int, name: str, band: Band) -> None:
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    low, mean, high = (np.clip(edge, EDGE, 1 - EDGE) for edge in (band.low, band.mean, band.high))
    every = (number, max(1, len(mean) // MARKED))
    dashes, face = ("--", "white") if band.like else ("-", colour)
    axes.plot(band.places, mean, dashes, color=colour, marker=marker, markevery=every, markersize=5,
              markerfacecolor=face, linewidth=1.6, label=name)  # fmt: skip
    axes.fill_between(band.places, low, high, color=colour, alpha=0.18, linewidth=0)


def _prepare(axes: Axes, label: str) -> None:
    axes.set_xscale("log")
    axes.set_xlabel(label, fontsize=SIZE)
    axes.xaxis.set_major_formatter(_short)
    axes.tick_params(labelsize=SIZE)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _short(place: float, _: float) -> str:
    """
    >>> [_short(place, 0) for place in (0.1, 10, 1000, 10_000_000)]
    ['0.1', '10', '1,000', '10 M']
    """
    return f"{place / 1e6:g} M" if place >= 1e6 else f"{place:,.0f}" if place >= 10 else f"{place:g}"


def _set_scores(axes: Axes, lowest: float, highest: float) -> None:
    below = [tick for tick in SCORE_TICKS if tick < lowest] or [SCORE_TICKS[0]]
    above = [tick for tick in SCORE_TICKS if tick > highest] or [SCORE_TICKS[-1]]
    ticks = [tick for tick in SCORE_TICKS if below[-1] <= tick <= above[0]]
    axes.set_yscale("logit")
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks([], minor=True)
    axes.set_ylim(below[-1], above[0])


TD, EVOLVED = "temporal differences", "CMA-ES"
LONG = ", long"
ENOUGH_RUNS = 4  # of each method, for a rank test to be able to say p < 0.05 after Holm's correction
POINTS = 60  # of a curve
SIGNIFICANT = 0.05

Log = Sequence[Mapping[str, Any]]
Logs = Mapping[str, Sequence[Log]]


def td_against_evolution(laboratory: Laboratory) -> Outcome:
    """Curves of the methods, and the two halves of what Lucas 2007, section 4, reports of both."""
    s = laboratory.settings
    short = _runs(laboratory, s["methods"], laboratory.seeds)
    long = _runs(laboratory, {name + LONG: changes for name, changes in s["long"].items()}, (1,))
    logs, long_logs = _logs(short), _logs(long)
    evolution = [name for name in logs if name != TD]
    games, seconds = shortest(logs, "games"), shortest(logs, "seconds")
    last = max(log[-1]["seconds"] for several in long_logs.values() for log in several)
    return Outcome(
        {
            "faster by games": ahead(logs, TD, evolution, "games", games / s["early"]),
            "faster by time": ahead(logs, TD, evolution, "seconds", seconds / s["early"]),
            "ahead at equal games": ahead(logs, TD, evolution, "games", games),
            "eventually": ahead(long_logs, EVOLVED + LONG, [TD + LONG], "seconds", last),
            "in the long run": _in_the_long_run(laboratory, long[TD + LONG][0]),
            "too few games": still_rising({name: logs[name] for name in evolution}),
        },
        [_drawn(laboratory, logs, long_logs)],
        [_scores_table(logs, games, seconds), _levels_table({**logs, **long_logs}, s["levels"])],
    )


def _drawn(laboratory: Laboratory, logs: Logs, long_logs: Logs) -> Drawn:
    by_games, by_seconds = (_bands(logs, by) | _bands(long_logs, by) for by in ("games", "seconds"))
    several = (f"Mean of {len(laboratory.seeds)} runs with its 95 % bootstrap band"
               if len(laboratory.seeds) > 1 else "One run with the 95 % interval of its score")  # fmt: skip
    return laboratory.draw(
        "curves", draw_compared(by_games, by_seconds, OPPONENT),
        f"{several}; long: one run with the 95 % interval of its score. Games are those learned from; seconds"
        " are of learning, without measuring, one run at a time: evolution uses all cores of the machine,"
        " temporal differences one.",
    )  # fmt: skip


def _runs(
    laboratory: Laboratory, methods: Mapping[str, Mapping[str, Any]], seeds: Sequence[int]
) -> dict[str, list[Learned]]:
    """One run at a time, so that the clock of each is its own."""
    changes = {name: dict(settings) for name, settings in methods.items()}
    presets = {name: settings.pop("preset") for name, settings in changes.items()}
    runs: dict[str, list[Learned]] = {name: [] for name in methods}
    for seed in seeds:
        for name in methods:
            runs[name] += laboratory.learned(presets[name], changes[name], (seed,))
    return runs


def _logs(runs: Mapping[str, Sequence[Learned]]) -> dict[str, list[list[Mapping[str, Any]]]]:
    return {name: [measurements(run.log()) for run in several] for name, several in runs.items()}


def shortest(logs: Logs, by: str) -> float:
    """How far all runs of all methods went: games or seconds.

    >>> shortest({"a": [[{"games": 5}, {"games": 9}], [{"games": 8}]], "b": [[{"games": 11}]]}, "games")
    8.0
    """
    return float(min(log[-1][by] for several in logs.values() for log in several))


def score_at(log: Log, by: str, place: float, key: int | None = None) -> float:
    """A run's score at a place between its measurements, on the straight line; before the first, the first.
    With a key the lower (0) or upper (1) edge of the score's interval.

    >>> log = [{"games": 1, "score": 0.5, "ci95": [0, 0.6]}, {"games": 2, "score": 0.75, "ci95": [0.7, 0.8]}]
    >>> score_at(log, "games", 1.5), round(score_at(log, "games", 1.5, 1), 3), score_at(log, "games", 0)
    (0.625, 0.7, 0.5)
    """
    values = [entry["score"] if key is None else entry["ci95"][key] for entry in log]
    return float(np.interp(place, [entry[by] for entry in log], values))


def ahead(logs: Logs, first: str, others: Sequence[str], by: str, place: float) -> Judged:
    """Whether a method is ahead of others at a place: by Mann-Whitney's test of the runs, one-sided, with
    Holm's correction; of too few runs for it, if the intervals of their scores are all apart."""
    samples = {name: [score_at(log, by, place) for log in logs[name]] for name in (first, *others)}
    unit = f"{place:,.0f} games" if by == "games" else f"{place:.1f} s"
    means = ", ".join(f"{name} {np.mean(scores):.4f}" for name, scores in samples.items())
    if min(map(len, samples.values())) < ENOUGH_RUNS:
        lowest = min(score_at(log, by, place, 0) for log in logs[first])
        highest = max(score_at(log, by, place, 1) for name in others for log in logs[name])
        return Judged(lowest > highest, f"after {unit}: {means}; too few runs for a rank test, so by their"
                      f" games: at least {lowest:.4f}, others at most {highest:.4f}")  # fmt: skip
    found = mann_whitney(samples, [(first, other) for other in others], "greater")
    evidence = "; ".join(f"above {one.second} {one.text}" for one in found)
    return Judged(all(one.p_holm < SIGNIFICANT for one in found), f"after {unit}: {means}; {evidence}")


def still_rising(logs: Logs) -> Judged:
    """Whether every method gained in the second half of its games."""
    judged = [lies_above(f"{name}: gain", _gain(several), 0.0, 4) for name, several in logs.items()]
    return Judged(all(one.holds for one in judged), "; ".join(one.evidence for one in judged))


def _gain(several: Sequence[Log]) -> Measured:
    """From half of the games to all of them."""
    ends = [(log[-1]["games"] / 2, log[-1]["games"]) for log in several]
    gains = [
        score_at(log, "games", end) - score_at(log, "games", half)
        for log, (half, end) in zip(several, ends, strict=True)
    ]
    reaches = [score_at(several[0], "games", end, 1) - score_at(several[0], "games", end) for end in ends[0]]
    reach = float(np.linalg.norm(reaches))
    return of_runs(gains, (gains[0] - reach, gains[0] + reach))


def _in_the_long_run(laboratory: Laboratory, run: Learned) -> Judged:
    """Players that many millions of games evolved, and one that temporal differences learned here, in League
    matches of as many games; their intervals are apart."""
    learned = _league(laboratory, run.player(name=TD + LONG))
    evolved = {name: _league(laboratory, named_player(name)) for name in laboratory.settings["evolved"]}
    scores = ", ".join(
        f"{name} {tally.score:.4f} ({tally.ci95[0]:.4f} to {tally.ci95[1]:.4f})"
        for name, tally in {**evolved, TD + LONG: learned}.items()
    )
    holds = all(tally.ci95[0] > learned.ci95[1] for tally in evolved.values())
    return Judged(holds, f"{scores}; {learned.games // 2:,} double games each")


def _league(laboratory: Laboratory, player: NamedPlayer) -> Tally:
    return laboratory.match(f"{player.name} in the League", player, named_player(OPPONENT),
                            double_games=laboratory.settings["double_games"], epsilon=EPSILON)  # fmt: skip


def _bands(logs: Logs, by: str) -> dict[str, Band]:
    """Mean curves with bootstrap bands, from where all runs of a method have been measured to the end of its
    shortest; places grow by equal factors."""
    found = {}
    for name, several in logs.items():
        first = max(next(entry[by] for entry in log if entry[by] > 0) for log in several)
        places = np.geomspace(first, shortest({name: several}, by), POINTS)
        if len(several) > 1:
            curves = np.array([[score_at(log, by, place) for place in places] for log in several])
            edges = bootstrap_band(curves)
        else:
            edges = _own_band(several[0], by, places)
        found[name] = Band(places, *edges, like=name.removesuffix(LONG) if name.endswith(LONG) else None)
    return found


def _own_band(log: Log, by: str, places: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The interval of one run's own games."""
    low, middle, high = (
        np.array([score_at(log, by, place, key) for place in places]) for key in (0, None, 1)
    )
    return low, middle, high


def _scores_table(logs: Logs, games: float, seconds: float) -> Tabled:
    rows = []
    for name, several in logs.items():
        last = [log[-1] for log in several]
        at = [np.mean([score_at(log, by, place) for log in several]) for by, place in
              (("games", games), ("seconds", seconds))]  # fmt: skip
        in_all, took, end = (np.mean([entry[key] for entry in last]) for key in ("games", "seconds", "score"))
        rows.append([name, f"{in_all:,.0f}", f"{took:.1f}", *(f"{score:.4f}" for score in (*at, end))])
    header = ("method", "games in all", "seconds in all", f"score after {games:,.0f} games",
              f"score after {seconds:.1f} s", "score at the end")  # fmt: skip
    return Tabled("Equal games and equal time: means of the runs", header, rows)


def _levels_table(logs: Logs, levels: Sequence[float]) -> Tabled:
    rows = []
    for name, several in logs.items():
        for by, unit in (("games", "games"), ("seconds", "s")):
            cells = [_reached(several, by, level) for level in levels]
            rows.append([name, unit, *cells])
    return Tabled("How long until a score is first measured: means of the runs that reach it",
                  ("method", "in", *(f"{level:g}" for level in levels)), rows)  # fmt: skip


def _reached(several: Sequence[Log], by: str, level: float) -> str:
    """
    >>> logs = [[{"games": 10, "score": 0.4}, {"games": 2000, "score": 0.6}], [{"games": 10, "score": 0.1}]]
    >>> _reached(logs, "games", 0.5), _reached(logs, "games", 0.9)
    ('2,000 (1 of 2 runs)', 'not reached')
    """
    firsts = [next((e[by] for e in log if e["score"] >= level), None) for log in several]
    found = [first for first in firsts if first is not None]
    if not found:
        return "not reached"
    mean = f"{np.mean(found):,.0f}" if by == "games" else f"{np.mean(found):.1f}"
    return mean if len(found) == len(several) else f"{mean} ({len(found)} of {len(several)} runs)"
