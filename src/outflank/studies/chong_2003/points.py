"""The points of the parents against the two benchmark opponents at depth 4: Figure 2."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from outflank.players.names import named_player
from outflank.plots.benchmark_opponents import DEGREE, benchmark_points, draw_points
from outflank.plots.style import COLOURS, legend_above, new_figure
from outflank.studies.agreement import SIGNIFICANT, same_sign
from outflank.studies.chong_2003.runs import PDP, PSP, evolutions, percent_of, random_openings, rises
from outflank.studies.claims import all_of, describe, is_within, lies_above
from outflank.studies.inference import added_orders_p, mean_interval, polynomial_fit, share_interval
from outflank.studies.laboratory import FinishedRun, Laboratory
from outflank.studies.verdicts import SCORES, Claim, Measured, Outcome, ResultTable, mean_of_runs

FloatArray = npt.NDArray[np.float64]
FOURTH = 4  # the highest order that the paper fitted
PAPER_POINTS = (25.0, 75.0)  # percent, "the first 400 generations" and "from generation 850 onwards"
# Section 5: the percentage of the points, and the points against PSP less those against PDP.
PAPER_GENERATIONS = {292: (65.0, -5.0), 400: (30.0, 6.0), 791: (20.0, 0.0), 892: (100.0, 0.0)}
SAME_FIT = 2.5  # percentage points: half of one of the ten parents' points against one opponent


def figure_2a(lab: Laboratory) -> Outcome:
    """The share of all possible points, generation by generation, and its polynomial."""
    s = lab.settings
    runs = evolutions(lab)
    percent = percent_of(runs)
    early, late = percent[:, : s["early"]], percent[:, s["late"] - 1 :]
    whole = block_means(percent.mean(axis=0, keepdims=True), s["block"])[0]
    places = (np.arange(len(whole)) + 0.5) * s["block"]
    best = percent.max(axis=1) / 100
    generations = np.arange(1, percent.shape[1] + 1)
    fit = polynomial_fit(generations, percent.mean(axis=0), DEGREE)
    return Outcome(
        {
            "early": over_runs(early / 100, s["block"], SCORES),
            "late": over_runs(late / 100, s["block"], SCORES),
            "most": mean_of_runs(best.tolist(), (float(best[0]),) * 2, within=SCORES),
            "rise": rises(block_means(early, s["block"]), block_means(late, s["block"]), "{:.1f} %"),
            "orders": enough_orders(places, whole, s["block"]),
        },
        [
            lab.draw(
                "figure-2a",
                _caption(runs, "Points of the parents against both opponents"),
                draw_points,
                [benchmark_points(run.log()) for run in runs],
                parts="a",
                printed=_printed(percent),
            ),
            lab.draw(
                "distribution",
                "The mean points of each run, early and late, and the paper's one run.",
                draw_distribution,
                early.mean(axis=1),
                late.mean(axis=1),
                PAPER_POINTS,
            ),
        ],
        [_table(runs, early, late, percent)],
        [f"The second-order fit goes from {fit[0]:.1f} % at the beginning to {fit[-1]:.1f} % at the end."],
    )


def _printed(values: FloatArray) -> dict[int, tuple[float, float]]:
    """The paper's generations that our runs have too."""
    return {number: both for number, both in PAPER_GENERATIONS.items() if number <= values.shape[1]}


def enough_orders(places: FloatArray, percent: FloatArray, block: int) -> Claim:
    """Whether the second order is enough: the F-test finds no more in the fourth, and the two fits differ by
    little, so that the test was not just too weak.

    >>> x = np.arange(20.0)
    >>> straight = 20 + x / 10 + np.random.default_rng(1).normal(0, 0.1, 20)
    >>> enough_orders(x, straight, 50).holds, enough_orders(x, straight + 5 * np.sin(x / 3), 50).holds
    (True, False)
    """
    p = added_orders_p(places, percent, DEGREE, FOURTH)
    fits = [polynomial_fit(places, percent, order) for order in (DEGREE, FOURTH)]
    apart = float(np.abs(fits[0] - fits[1]).max())
    holds = False if p < SIGNIFICANT else True if apart <= SAME_FIT else None
    return Claim(
        holds,
        f"orders 3 and 4, on means of {block} generations: p = {p:.2g}; the fits of order 2 and 4 are at most"
        f" {apart:.1f} percentage points apart, margin {SAME_FIT:g}",
    )


def percent_without_ladder(run: FinishedRun) -> FloatArray:
    """Points by another reading, generation by generation, in percent: every parent meets the opponents at
    depth 4, also after a loss at depth 2."""
    watches = [entry["watch"] for entry in run.log()]
    return np.array([100 * sum(watch["points"]) / watch["most_points"] for watch in watches])


def draw_distribution(early: FloatArray, late: FloatArray, paper: Sequence[float]) -> Figure:
    """Each run's mean points early and late, in percent, joined by a line; the paper's run in front.

    >>> draw_distribution(np.array([15.0, 16.0]), np.array([18.0, 21.0]), (25, 75)).axes[0].get_ylabel()
    'points of the parents, %'
    """
    figure, (axes,) = new_figure(4.4)
    for number, (a, b) in enumerate(zip(early, late, strict=True)):
        axes.plot([0, 1], [a, b], "o-", color=COLOURS[0], linewidth=0.9, markersize=4.5, alpha=0.7,
                  label="our runs" if number == 0 else None)  # fmt: skip
    axes.plot(
        [0, 1], paper, "s--", color=COLOURS[1], linewidth=1.8, markersize=7, label="the paper's one run"
    )
    axes.set_xticks([0, 1], ["early", "late"])
    axes.set(xlim=(-0.4, 1.4), ylim=(0, 100), ylabel="points of the parents, %")
    legend_above(axes)
    return figure


def _table(runs: list[FinishedRun], early: FloatArray, late: FloatArray, percent: FloatArray) -> ResultTable:
    rows = [
        (
            str(run.seed),
            f"{a.mean():.1f}",
            f"{b.mean():.1f}",
            f"{all_of_it.max():.0f}",
            str(all_of_it.argmax() + 1),
            f"{other[: early.shape[1]].mean():.1f}",
            f"{other[-late.shape[1] :].mean():.1f}",
        )
        for run, a, b, all_of_it, other in zip(
            runs, early, late, percent, map(percent_without_ladder, runs), strict=True
        )
    ]
    header = ("run", "early", "late", "most", "in generation", "early, without the ladder",
              "late, without the ladder")  # fmt: skip
    return ResultTable("Points of the parents, % of the most possible", header, rows)


def figure_2b(lab: Laboratory) -> Outcome:
    """Points against the positional player less those against the piece differential player."""
    s = lab.settings
    runs = evolutions(lab)
    found = [benchmark_points(run.log()) for run in runs]
    differences = np.array([run.differences for run in found], dtype=np.float64)
    points = np.array([run.percent * run.most_points / 100 for run in found])

    def around(generation: int) -> Measured:
        first = max(0, generation - 1 - s["around"])
        return over_runs(differences[:, first : generation + s["around"]], s["block"])

    start = over_runs(differences[:, : s["start"]], s["block"])
    windows = {str(one): around(one) for one in s["positive"]}
    middle = around(s["near zero"])
    early, late = (
        _evenness(differences[:, part], points[:, part], s["block"])
        for part in (slice(s["early"]), slice(s["late"] - 1, None))
    )
    return Outcome(
        {
            "watchers": _opponents(lab),
            "start": lies_above("points", start, 0, 2),
            "later": Claim(
                all_of(same_sign(one.ci95, 0) for one in windows.values()),
                "; ".join(describe(f"around {name}: points", one, 2) for name, one in windows.items()),
            ),
            "between": is_within("points", middle, -s["small"], s["small"], 2),
            "overall": rises(early, late, "{:.2f}"),
        },
        [
            lab.draw(
                "figure-2b",
                _caption(runs, f"Above zero: more beat {PSP} than {PDP}"),
                draw_points,
                found,
                parts="b",
                printed=_printed(differences),
            ),
        ],
    )


def _opponents(lab: Laboratory) -> Claim:
    """The positional player against the piece differential player at equal depth."""
    s = lab.settings
    openings = random_openings(s["openings"], s["opening_plies"], seed=1)
    holds, evidence = [], []
    for depth in s["depths"]:
        first, second = (named_player(f"{name},depth={depth}") for name in (PSP, PDP))
        games = len(openings)
        tally = lab.match(f"watchers at depth {depth}", first, second, double_games=games, starts=openings)
        low, high = share_interval(tally.score * tally.games, tally.games)
        holds.append(same_sign((low, high), 0.5))
        evidence.append(f"depth {depth}: {tally.score:.3f} ({low:.3f} to {high:.3f})")
    return Claim(all_of(holds), f"score {', '.join(evidence)}, of {2 * len(openings)} games each")


def block_means(values: FloatArray, size: int) -> FloatArray:
    """Means of blocks of generations, one row per run: single generations are too similar to be samples.

    >>> block_means(np.array([[1.0, 3.0, 5.0, 7.0, 100.0]]), 2)
    array([[2., 6.]])
    """
    blocks = max(1, values.shape[1] // size)
    size = min(size, values.shape[1])
    return np.asarray(values[:, : blocks * size].reshape(len(values), blocks, size).mean(axis=2))


def over_runs(values: FloatArray, block: int, within: tuple[float, float] = (-np.inf, np.inf)) -> Measured:
    """The mean of all generations with the 95 % interval of the runs' means, or of one run's blocks; clipped
    to what is possible.

    >>> over_runs(np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]), 1).of
    '3 runs'
    >>> over_runs(np.array([[1.0, 2.0, 3.0, 4.0]]), 2).of
    '2 blocks of 2 generations'
    """
    samples = values.mean(axis=1) if len(values) > 1 else block_means(values, block)[0]
    of = f"{len(values)} runs" if len(values) > 1 else f"{len(samples)} blocks of {block} generations"
    mean = float(values.mean())
    low, high = mean_interval(samples) if len(samples) > 1 else (mean, mean)
    interval = max(low, within[0]), min(high, within[1])
    return Measured(mean, interval, of, *(Measured.spread(samples) if len(values) > 1 else ()))


def _evenness(differences: FloatArray, points: FloatArray, block: int) -> FloatArray:
    """By blocks of generations. 1: as many points against either opponent; 0: all against one of them.

    >>> _evenness(np.array([[-1.0, 2.0]]), np.array([[3.0, 2.0]]), 2).round(2)
    array([[0.4]])
    """
    made = block_means(points, block)
    return 1 - block_means(np.abs(differences), block) / np.where(made > 0, made, 1)


def _caption(runs: list[FinishedRun], text: str) -> str:
    return f"{text}; mean of {len(runs)} runs." if len(runs) > 1 else f"{text}; one run."
