"""A table's weights after learning: three squares along an edge into the corner. Figure 6.

>>> table = expansions(EDGE_INTO_CORNER)
>>> len(table), 3 ** len(table[0])
(8, 27)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from outflank.board import Square
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.protocol import FloatArray
from outflank.evaluators.tuple_shapes import Table, expansions, shape
from outflank.learners.runs.settings import load_preset, settings_toml
from outflank.learners.td import TdLearner, TdSettings
from outflank.plots.boards import NEGATIVE, POSITIVE, Sheet, draw_entries, draw_tuple
from outflank.plots.style import GRID, INK
from outflank.studies.claims import is_greater
from outflank.studies.inference import mann_whitney
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Finding, Measured, Outcome, ResultTable, mean_of_runs

BOARD_SIDE = 1.75  # inches
LEFT, WIDTH = 0.95, 6.85
NOTE = """\
red: the tuple, with a ring on its first square, the most significant digit
grey: its other placements, which read the same table
bars: the mean weight of {runs}, purple above 0, orange below
whiskers: from the lowest to the highest of the runs"""


def draw_table(table: Table, weights: FloatArray, title: str, printed: float | None = None) -> Figure:
    """The mean weights of the runs [runs, entries], with whiskers from their lowest to their highest.
    `printed`: the paper's largest size of a weight.

    >>> figure = draw_table(((0, 1, 2), (7, 6, 5)), np.zeros((5, 27)), "five runs")
    >>> [axes.get_label() for axes in figure.axes]
    ['tuple', 'weights', 'entries']
    """
    length = len(table[0])
    sheet = Sheet(Figure(figsize=(8, 6.1 + 0.2 * length)))
    sheet.write(title, left=0.25, top=0.15, size=11)
    board = sheet.panel("tuple", left=LEFT, top=0.55, width=BOARD_SIDE, height=BOARD_SIDE)
    draw_tuple(board, table, BOARD_SIDE)
    runs = "one run" if len(weights) == 1 else f"{len(weights)} runs"
    sheet.write(NOTE.format(runs=runs), left=LEFT + BOARD_SIDE + 0.3, top=0.85, size=9.5)
    bars = sheet.panel("weights", left=LEFT, top=2.55, width=WIDTH, height=2.7)
    _draw_bars(bars, weights)
    if printed is not None:
        bars.axhline(printed, color=INK, linewidth=1, linestyle=":", label=f"the paper's range, ±{printed:g}")
        bars.axhline(-printed, color=INK, linewidth=1, linestyle=":")
        bars.legend(loc="upper center", frameon=False, fontsize=9)
    strip = sheet.panel("entries", left=LEFT, top=5.55, width=WIDTH, height=0.2 * length)
    draw_entries(strip, length)
    strip.set_yticks(np.arange(length) + 0.5, [str(Square(s)) for s in table[0]], fontsize=9)
    strip.tick_params(length=0)
    strip.set_xlabel(
        "index, and below it what lies on the squares: white, green (empty) or black", fontsize=10
    )
    return sheet.figure


def _draw_bars(axes: Axes, weights: FloatArray) -> None:
    mean = weights.mean(axis=0)
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.bar(range(mean.size), mean, color=[POSITIVE if weight > 0 else NEGATIVE for weight in mean])
    reach = np.abs(np.array([weights.min(axis=0), weights.max(axis=0)]) - mean)
    axes.errorbar(range(mean.size), mean, reach, fmt="none", ecolor=INK, elinewidth=0.9, capsize=2)
    axes.set_xlim(-0.5, mean.size - 0.5)
    axes.set_xticks(range(0, mean.size, max(1, mean.size // 27)))
    axes.tick_params(labelsize=9)
    axes.set_ylabel("weight", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)


EDGE_INTO_CORNER = (0, 1, 2)


def figure_6(lab: Laboratory) -> Outcome:
    """The 27 weights of the edge tuple: within a system of thirty, and as a system of its own."""
    s = lab.settings
    settings = load_preset(s["preset"]).settings
    assert isinstance(settings, TdSettings)
    wanted = {name: (s["games"], settings.alpha, count) for name, count in s["systems"].items()}
    count = s["systems"][s["system"]]
    trials = {f"{games} games, alpha {alpha:g}": (games, alpha, count) for games, alpha in s["trials"]}
    everything = _learned_tables(lab, settings, wanted | trials)
    learned = {name: everything[name] for name in wanted}
    weights = learned[s["system"]]
    table = expansions(EDGE_INTO_CORNER)
    paper = lab.experiment.printed("range")
    figures = [
        lab.draw(f"figure-6-{number}", f"The table after {s['games']} games of self-play as printed: {name}.",
                 draw_table, table, of_system, f"The edge 3-tuple {name}", paper)
        for number, (name, of_system) in enumerate(learned.items(), start=1)
    ]  # fmt: skip
    findings: dict[str, Finding] = {
        "placements": Measured.exactly(len(table)),
        "entries": Measured.exactly(weights.shape[1]),
        "range": _range(weights),
        "all white": _extreme(weights, 0),
        "all black": _extreme(-weights, weights.shape[1] - 1),
        "good for black": _corner_counts(weights),
    }
    tables = [_compared(learned), _ranges({name: everything[name] for name in trials})]
    return Outcome(findings, figures, tables)


def _learned_tables(
    lab: Laboratory, settings: TdSettings, wanted: Mapping[str, tuple[int, float, int]]
) -> dict[str, FloatArray]:
    """The edge tuple's weights [seeds, 27] after some games, with a rate and some other tuples."""
    rule = settings_toml(settings, 0)
    pieces = {
        f"{name}, seed {seed}": ((*what, seed), {"learned": [*what, seed], "rule": rule})
        for name, what in wanted.items()
        for seed in lab.seeds
    }
    found = lab.cached_map(_learned_weights, settings, pieces)
    return {name: np.array([found[f"{name}, seed {seed}"] for seed in lab.seeds]) for name in wanted}


def _ranges(learned: Mapping[str, FloatArray]) -> ResultTable:
    found = {name: _range(weights) for name, weights in learned.items()}
    rows = [
        [name, f"{one.value:.4f}", f"{one.ci95[0]:.4f} to {one.ci95[1]:.4f}"] for name, one in found.items()
    ]
    return ResultTable("The largest size of a weight after fewer games and with other rates",
                       ["", "mean of the runs", "95 % interval"], rows)  # fmt: skip


def learned_table(settings: TdSettings, games: int, other_tuples: int, seed: int) -> FloatArray:
    """The edge tuple's weights after these games, in a system with some random snakes."""
    tables = [expansions(EDGE_INTO_CORNER), *shape(settings.evaluator, seed)[:other_tuples]]
    learner = TdLearner(settings, seed, NTupleNetwork(tables))
    learner.play(games)
    return np.asarray(learner.learned().weights[: 3 ** len(EDGE_INTO_CORNER)])


def _learned_weights(settings: TdSettings, piece: tuple[int, float, int, int]) -> list[float]:
    games, alpha, other_tuples, seed = piece
    changed = settings.model_copy(update={"alpha": alpha})
    weights: list[float] = learned_table(changed, games, other_tuples, seed).tolist()
    return weights


def _range(weights: FloatArray) -> Measured:
    """The largest size of a weight in a table."""
    largest = np.abs(weights).max(axis=1).tolist()
    return mean_of_runs(largest, alone=(largest[0], largest[0]))


def _extreme(weights: FloatArray, entry: int) -> Claim:
    """Whether an entry is the lowest of the mean table."""
    mean = weights.mean(axis=0)
    each = int(np.sum(weights.argmin(axis=1) == entry))
    return Claim(
        int(mean.argmin()) == entry,
        f"index {int(mean.argmin())} is the extreme of the mean table; index {entry} is of the tables of"
        f" {each} of {len(weights)} runs",
    )


def _corner_counts(weights: FloatArray) -> Claim:
    """Whether entries with a black corner are worth more than entries with a white one."""
    mean = weights.mean(axis=0)
    third = mean.size // 3  # the corner is the first square, the most significant digit
    found = mann_whitney({"black": mean[-third:], "white": mean[:third]})[0]
    black, white = mean[-third:].mean(), mean[:third].mean()
    return Claim(
        is_greater(mean[-third:], mean[:third]),
        f"mean weight {black:+.4f} with a black corner, {white:+.4f} with a white one; {found.text}",
    )


def _compared(learned: Mapping[str, FloatArray]) -> ResultTable:
    rows = []
    for name, weights in learned.items():
        mean, last = weights.mean(axis=0), weights.shape[1] - 1
        rows.append([name, f"{mean[0]:+.4f}", f"{np.sum(weights.argmin(axis=1) == 0)} of {len(weights)}",
                     f"{mean[last]:+.4f}", f"{np.sum(weights.argmax(axis=1) == last)} of {len(weights)}",
                     f"{np.abs(weights).max(axis=1).mean():.4f}"])  # fmt: skip
    header = ["system", "all white", "lowest in", "all black", "highest in", "largest size of a weight"]
    return ResultTable("The table in two systems, mean of the runs", header, rows)
