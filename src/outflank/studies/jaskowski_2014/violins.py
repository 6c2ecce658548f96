"""How architectures compare: Figures 4 and 5.

Violins: how the scores of several methods' runs are spread (Jaskowski 2014, Figures 4 and 5).

>>> runs = {"all-2": [0.92, 0.93, 0.94, 0.95], "rand-8x4": [0.80, 0.84, 0.85, 0.86, 0.50]}
>>> figure = draw_violins({"ten runs": runs}, "score against standard-heuristic")
>>> [text.get_text() for text in figure.axes[0].get_xticklabels()]
['all-2', 'rand-8x4']
>>> whiskers(np.array(runs["rand-8x4"]))
(0.8, 0.86, array([0.5]))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from scipy import stats

from outflank.evaluators.protocol import FloatArray
from outflank.league.scoring import OPPONENT
from outflank.plots.boards import GRID
from outflank.plots.learning_curves import COLOURS
from outflank.studies.jaskowski_2014.architectures import (
    RANDOM,
    SYSTEMATIC,
    TABLE_4,
    Comparisons,
    evolved,
    performances,
    scores,
)
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Drawn, Finding, Outcome

SIZE = 9.5  # points of text; 8 inches at 800 pixels make it 13 pixels high
HATCHES = ("", "....", "////")
FADED = "#b9b9b9"
WIDTH = 0.84  # of a method, of which each group takes its share


def draw_violins(groups: Mapping[str, Mapping[str, Sequence[float]]], score: str) -> Figure:
    """A violin a method, for each group beside each other: {"paper": {"all-2": [...]}, "here": {...}}.

    As the caption of Figure 4 says: the white dot is the median, the black box reaches from the lower to the
    upper quartile, thin lines go as far as runs lie within 1.5 interquartile ranges, runs beyond are black
    dots, and the outer shape is the density of the runs.
    """
    methods = list(dict.fromkeys(name for group in groups.values() for name in group))
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    width = WIDTH / len(groups)
    colours = [*([FADED] * (len(groups) - 1)), COLOURS[0]]  # the last is ours
    for number, (group, colour) in enumerate(zip(groups.values(), colours, strict=True)):
        for place, method in enumerate(methods):
            if method in group:
                middle = place + (number - (len(groups) - 1) / 2) * width
                _draw_violin(axes, middle, width, np.asarray(group[method], dtype=np.float64), colour, number)
    axes.set_xticks(range(len(methods)), methods, fontsize=SIZE, parse_math=False)
    axes.set_xlim(-0.6, len(methods) - 0.4)
    axes.set_ylabel(score, fontsize=SIZE, parse_math=False)
    axes.tick_params(labelsize=SIZE)
    axes.grid(axis="y", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    _draw_key(figure, list(groups), colours)
    return figure


def whiskers(values: FloatArray) -> tuple[float, float, FloatArray]:
    """The lowest and the highest value within 1.5 interquartile ranges of the quartiles, and those beyond."""
    low, high = np.quantile(values, (0.25, 0.75))
    inside = (values >= low - 1.5 * (high - low)) & (values <= high + 1.5 * (high - low))
    return float(values[inside].min()), float(values[inside].max()), values[~inside]


def density(values: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """Places and the density there, of the greatest 1; None if all values are the same."""
    if np.unique(values).size < 2:
        return None
    kernel = stats.gaussian_kde(values)
    reach = 2 * float(np.sqrt(kernel.covariance[0, 0]))
    places = np.linspace(values.min() - reach, values.max() + reach, 200)
    heights = kernel(places)
    return places, heights / heights.max()


def _draw_violin(
    axes: Axes, middle: float, width: float, values: FloatArray, colour: str, number: int
) -> None:
    if (shape := density(values)) is not None:
        places, heights = shape
        half = 0.46 * width * heights
        axes.fill_betweenx(
            places, middle - half, middle + half, facecolor=colour, alpha=0.6, edgecolor=colour,
            linewidth=1.0, hatch=HATCHES[number % len(HATCHES)],
        )  # fmt: skip
    lowest, highest, beyond = whiskers(values)
    low, median, high = np.quantile(values, (0.25, 0.5, 0.75))
    axes.plot([middle, middle], [lowest, highest], color="black", linewidth=1.0)
    axes.plot([middle, middle], [low, high], color="black", linewidth=7, solid_capstyle="butt")
    axes.plot([middle] * len(beyond), beyond, "o", color="black", markersize=4)
    axes.plot([middle], [median], "o", color="black", markerfacecolor="white", markersize=6)


def _draw_key(figure: Figure, names: Sequence[str], colours: Sequence[str]) -> None:
    keys: list[Patch | Line2D] = [
        Patch(facecolor=colour, alpha=0.6, edgecolor=colour, hatch=HATCHES[n % len(HATCHES)], label=name)
        for n, (name, colour) in enumerate(zip(names, colours, strict=True))
    ]
    keys += [
        Line2D([], [], color="black", marker="o", markerfacecolor="white", markersize=6, linestyle="",
               label="median"),
        Line2D([], [], color="black", linewidth=7, label="quartiles"),
        Line2D([], [], color="black", linewidth=1, label="within 1.5 interquartile ranges"),
        Line2D([], [], color="black", marker="o", markersize=4, linestyle="", label="beyond"),
    ]  # fmt: skip
    key = figure.legend(handles=keys, loc="outside lower center", ncols=3, frameon=False, fontsize=SIZE)
    for text in key.get_texts():
        text.set_parse_math(False)


PAIRS = tuple(zip(SYSTEMATIC, RANDOM, strict=True))  # with equally or nearly equally many weights


def figure_4(laboratory: Laboratory) -> Outcome:
    """Board inversion against output negation."""
    names = [f"{kind}-{view}" for kind in ("rand-8x4", "all-1") for view in ("inv", "neg")]
    samples = scores(performances(laboratory, evolved(laboratory, names)))
    return Outcome(inversion_claims(samples), [_drawn(laboratory, "figure-4", samples)])


def figure_5(laboratory: Laboratory) -> Outcome:
    """All short straight tuples against long random snakes."""
    samples = scores(performances(laboratory, evolved(laboratory, (*SYSTEMATIC, *RANDOM))))
    return Outcome(architecture_claims(samples), [_drawn(laboratory, "figure-5", samples)])


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


def _drawn(laboratory: Laboratory, name: str, samples: Mapping[str, Sequence[float]]) -> Drawn:
    runs = len(laboratory.seeds)
    groups: dict[str, dict[str, Sequence[float]]] = {
        "paper, ten runs (Table IV)": {one: TABLE_4[one] for one in samples},
        f"outflank, {runs} run{'s' if runs > 1 else ''}": dict(samples),
    }
    figure = draw_violins(groups, f"score against {OPPONENT}")
    return laboratory.draw(
        name, figure, "Scores of the last generation's fittest individuals; the paper's from its Table IV."
    )
