"""Temporal differences against evolution: the same 288 weights, at equal games and at equal time.

Short runs of several seeds say which method learns faster; one long run of two methods each says which gets
further.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from outflank.games.statistics import Tally
from outflank.league.scoring import EPSILON, OPPONENT
from outflank.players.names import NamedPlayer, named_player
from outflank.plots.curves import Curve, draw_curve, explain, set_score_scale, short_count
from outflank.plots.learning_curves import measurements
from outflank.plots.style import COLOURS, MARKERS, legend_below, new_figure
from outflank.studies.agreement import of_measurements, same_sign
from outflank.studies.claims import all_of, is_greater, lies_above, retested
from outflank.studies.inference import bootstrap_band, mann_whitney
from outflank.studies.laboratory import FinishedRun, Laboratory
from outflank.studies.verdicts import Claim, Measured, Outcome, ResultFigure, ResultTable, mean_of_runs

MARKED = 6  # marks per curve, so that curves differ without colours too
TD, EVOLVED = "temporal differences", "CMA-ES"
LONG = ", long"
ENOUGH_RUNS = 4  # of each method, for a rank test to be able to say p < 0.05 after Holm's correction
POINTS = 60  # of a curve
SIGNIFICANT = 0.05

Log = Sequence[Mapping[str, Any]]
Logs = Mapping[str, Sequence[Log]]


def td_against_evolution(lab: Laboratory) -> Outcome:
    """Curves of the methods, and the two halves of what Lucas 2007, section 4, reports of both."""
    s = lab.settings
    short = _runs(lab, s["methods"], lab.seeds)
    long = _runs(lab, {name + LONG: changes for name, changes in s["long"].items()}, (1,))
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
            "in the long run": _in_the_long_run(lab, long[TD + LONG][0]),
            "too few games": still_rising({name: logs[name] for name in evolution}),
        },
        [_drawn(lab, logs, long_logs)],
        [_scores_table(logs, games, seconds), _levels_table({**logs, **long_logs}, s["levels"])],
    )


def _drawn(lab: Laboratory, logs: Logs, long_logs: Logs) -> ResultFigure:
    by_games, by_seconds = (_curves(logs, by) | _curves(long_logs, by) for by in ("games", "seconds"))
    several = (f"Mean of {len(lab.seeds)} runs with its 95 % bootstrap band"
               if len(lab.seeds) > 1 else "One run with the 95 % interval of its score")  # fmt: skip
    return lab.draw(
        "curves",
        f"{several}; long: one run with the 95 % interval of its score. Games are those learned from; seconds"
        " are of learning, without measuring, one run at a time: evolution uses all cores of the machine,"
        " temporal differences one.", draw_compared, by_games, by_seconds, OPPONENT,
    )  # fmt: skip


def draw_compared(by_games: Mapping[str, Curve], by_seconds: Mapping[str, Curve], against: str) -> Figure:
    """One curve per method in each panel; a long run shares the colour of its method, and is dashed.

    >>> band = Curve(*np.array([[10.0, 100.0], [0.4, 0.6], [0.5, 0.7], [0.6, 0.8]]))
    >>> figure = draw_compared({"TD": band}, {"TD": band}, "standard-heuristic")
    >>> [axes.get_xlabel() for axes in figure.axes]
    ['games learned from', 'seconds of learning']
    """
    figure, (left, right) = new_figure(5.2, columns=2, sharey=True)
    for axes, curves in ((left, by_games), (right, by_seconds)):
        for name, curve in curves.items():
            number = list(curves).index(name.removesuffix(LONG))
            is_long = name.endswith(LONG)
            draw_curve(
                axes, curve.of_scores(), name, number, linestyle="--" if is_long else "-",
                marker=MARKERS[number % len(MARKERS)], markevery=(number, max(1, len(curve.x) // MARKED)),
                markersize=5, markerfacecolor="white" if is_long else COLOURS[number % len(COLOURS)],
            )  # fmt: skip
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(short_count)
    explain(left, "bands: 95 % interval", 50)
    left.set(xlabel="games learned from", ylabel=f"score against {against}")
    right.set_xlabel("seconds of learning")
    drawn = [*by_games.values(), *by_seconds.values()]
    set_score_scale(left, min(float(c.low.min()) for c in drawn), max(float(c.high.max()) for c in drawn))
    legend_below(figure, columns=min(3, len(by_games)))
    return figure


def _runs(
    lab: Laboratory, methods: Mapping[str, Mapping[str, Any]], seeds: Sequence[int]
) -> dict[str, list[FinishedRun]]:
    """One run at a time, so that the clock of each is its own."""
    changes = {name: dict(settings) for name, settings in methods.items()}
    presets = {name: settings.pop("preset") for name, settings in changes.items()}
    runs: dict[str, list[FinishedRun]] = {name: [] for name in methods}
    for seed in seeds:
        for name in methods:
            runs[name] += lab.learn(presets[name], changes[name], (seed,))
    return runs


def _logs(runs: Mapping[str, Sequence[FinishedRun]]) -> dict[str, list[list[Mapping[str, Any]]]]:
    """Of each run what is measured of it."""
    keys = ("games", "seconds", "score", "ci95")
    return {
        name: [[{key: entry[key] for key in keys} for entry in measurements(run.log())] for run in several]
        for name, several in runs.items()
    }


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


@retested
def ahead(logs: Logs, first: str, others: Sequence[str], by: str, place: float) -> Claim:
    """Whether a method is ahead of others at a place: by Mann-Whitney's test of the runs, one-sided, with
    Holm's correction; of too few runs for it, if the intervals of their scores are all apart."""
    samples = {name: [score_at(log, by, place) for log in logs[name]] for name in (first, *others)}
    unit = f"{place:,.0f} games" if by == "games" else f"{place:.1f} s"
    means = ", ".join(f"{name} {np.mean(scores):.4f}" for name, scores in samples.items())
    if min(map(len, samples.values())) < ENOUGH_RUNS:
        lowest = min(score_at(log, by, place, 0) for log in logs[first])
        highest = max(score_at(log, by, place, 1) for name in others for log in logs[name])
        apart = True if lowest > highest else None
        return Claim(apart, f"after {unit}: {means}; too few runs for a rank test, so by their"
                     f" games: at least {lowest:.4f}, others at most {highest:.4f}")  # fmt: skip
    found = mann_whitney(samples, [(first, other) for other in others], "greater")
    means_of = {name: float(np.mean(scores)) for name, scores in samples.items()}
    parts = [
        True if one.p_holm < SIGNIFICANT else None if means_of[first] >= means_of[one.second] else
        False if is_greater(samples[one.second], samples[first]) else None
        for one in found
    ]  # fmt: skip
    evidence = "; ".join(f"above {one.second} {one.text}" for one in found)
    return Claim(all_of(parts), f"after {unit}: {means}; {evidence}")


@retested
def still_rising(logs: Logs) -> Claim:
    """Whether every method gained in the second half of its games."""
    judged = [lies_above(f"{name}: gain", _gain(several), 0.0, 4) for name, several in logs.items()]
    return Claim(all_of(one.holds for one in judged), "; ".join(one.evidence for one in judged))


def _gain(several: Sequence[Log]) -> Measured:
    """From half of the games to all of them."""
    ends = [(log[-1]["games"] / 2, log[-1]["games"]) for log in several]
    gains = [
        score_at(log, "games", end) - score_at(log, "games", half)
        for log, (half, end) in zip(several, ends, strict=True)
    ]
    reaches = [score_at(several[0], "games", end, 1) - score_at(several[0], "games", end) for end in ends[0]]
    reach = float(np.linalg.norm(reaches))
    return mean_of_runs(gains, (gains[0] - reach, gains[0] + reach))


def _in_the_long_run(lab: Laboratory, run: FinishedRun) -> Claim:
    """Players that many millions of games evolved, and one that temporal differences learned here, in League
    matches of as many games; their intervals are apart."""
    learned = _league(lab, run.player(name=TD + LONG))
    evolved = {name: _league(lab, named_player(name)) for name in lab.settings["evolved"]}
    scores = ", ".join(
        f"{name} {tally.score:.4f} ({tally.ci95[0]:.4f} to {tally.ci95[1]:.4f})"
        for name, tally in {**evolved, TD + LONG: learned}.items()
    )
    differences = [
        of_measurements(learned.score, learned.standard_error, tally.score, tally.standard_error)
        for tally in evolved.values()
    ]
    holds = all_of(same_sign(one.ci95, 0) for one in differences)
    return Claim(holds, f"{scores}; {learned.games // 2:,} double games each")


def _league(lab: Laboratory, player: NamedPlayer) -> Tally:
    return lab.match(f"{player.name} in the League", player, named_player(OPPONENT),
                     double_games=lab.settings["double_games"], epsilon=EPSILON)  # fmt: skip


def _curves(logs: Logs, by: str) -> dict[str, Curve]:
    """Mean curves with bootstrap bands, from where all runs of a method have been measured to the end of its
    shortest, at logarithmic distances."""
    found = {}
    for name, several in logs.items():
        first = max(next(entry[by] for entry in log if entry[by] > 0) for log in several)
        x = np.geomspace(first, shortest({name: several}, by), POINTS)
        if len(several) > 1:
            rows = np.array([[score_at(log, by, place) for place in x] for log in several])
            found[name] = Curve(x, *bootstrap_band(rows))
        else:  # the interval of the run's own games
            edges = ([score_at(several[0], by, place, key) for place in x] for key in (0, None, 1))
            found[name] = Curve(x, *map(np.array, edges))
    return found


def _scores_table(logs: Logs, games: float, seconds: float) -> ResultTable:
    rows = []
    for name, several in logs.items():
        last = [log[-1] for log in several]
        at = [np.mean([score_at(log, by, place) for log in several]) for by, place in
              (("games", games), ("seconds", seconds))]  # fmt: skip
        in_all, took, end = (np.mean([entry[key] for entry in last]) for key in ("games", "seconds", "score"))
        rows.append([name, f"{in_all:,.0f}", f"{took:.1f}", *(f"{score:.4f}" for score in (*at, end))])
    header = ("method", "games in all", "seconds in all", f"score after {games:,.0f} games",
              f"score after {seconds:.1f} s", "score at the end")  # fmt: skip
    return ResultTable("Equal games and equal time: means of the runs", header, rows)


def _levels_table(logs: Logs, levels: Sequence[float]) -> ResultTable:
    rows = []
    for name, several in logs.items():
        for by, unit in (("games", "games"), ("seconds", "s")):
            cells = [_reached(several, by, level) for level in levels]
            rows.append([name, unit, *cells])
    return ResultTable("How long until a score is first measured: means of the runs that reach it",
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
