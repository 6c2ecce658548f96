"""Ablations: one setting changed at a time, several runs each, and the score that they reach.

What a report says was tried is one of these variants, so that every such number has a result file. A study
that compares variants gives the scores of their runs, and gets a figure and a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import Any

from matplotlib.figure import Figure

from outflank.plots.style import COLOURS, INK, MARKERS, legend_below, new_figure
from outflank.studies.agreement import of_runs
from outflank.studies.claims import retested
from outflank.studies.verdicts import Claim, Measured, ResultTable

Groups = Mapping[str, Mapping[str, Mapping[str, Measured]]]  # by group, variant, and place on the curve

LABEL = 36  # characters in a line of a variant's name


def draw_ablations(groups: Groups, bounds: Mapping[str, float], label: str) -> Figure:
    """One line per variant: its mean at each place with the 95 % interval of its runs. `bounds`: values to
    compare with, by name.

    >>> found = {"at the end": Measured(0.5, (0.4, 0.6), "20 runs")}
    >>> draw_ablations({"rate": {"alpha 0.1": found}}, {"half": 0.5}, "score").axes[0].get_xlabel()
    'score (bars: 95 % interval of the mean)'
    """
    variants = [(group, name) for group, of_group in groups.items() for name in of_group]
    lines = sum(fill(name, LABEL).count("\n") + 1 for _, name in variants)
    figure, (axes,) = new_figure(1.6 + 0.28 * lines)
    places = list(next(iter(next(iter(groups.values())).values())))
    for number, place in enumerate(places):
        found = [groups[group][name][place] for group, name in variants]
        rows = [row + 0.12 * (number - (len(places) - 1) / 2) for row in range(len(found))]
        reach = [[max(0.0, one.value - one.ci95[0]) for one in found],
                 [max(0.0, one.ci95[1] - one.value) for one in found]]  # fmt: skip
        axes.errorbar([one.value for one in found], rows, xerr=reach, fmt=MARKERS[number], label=place,
                      color=COLOURS[number], markersize=5, elinewidth=1.2)  # fmt: skip
    for number, (name, bound) in enumerate(bounds.items()):
        axes.axvline(bound, color=INK, linewidth=1, linestyle=(":", "--")[number % 2], label=name)
    axes.set_yticks(range(len(variants)), [fill(name, LABEL) for _, name in variants], parse_math=False)
    axes.set_ylim(len(variants) - 0.5, -0.5)  # the first on top
    axes.set_xlabel(f"{label} (bars: 95 % interval of the mean)")
    axes.grid(visible=False, axis="y")
    legend_below(figure, columns=3)
    return figure


def ablation_table(
    groups: Groups, changes: Mapping[str, Mapping[str, Mapping[str, Any]]], base: str, decimals: int = 3
) -> ResultTable:
    """Each variant with what it changes, its scores, and whether it differs from the base at the last place
    (Welch and Mann-Whitney)."""
    everything = {name: found for of_group in groups.values() for name, found in of_group.items()}
    *_, last = everything[base]
    rows = []
    for group, of_group in groups.items():
        for name, found in of_group.items():
            changed = ", ".join(f"{key} = {value}" for key, value in changes[group][name].items())
            scores = [
                "{:.{d}f} ({:.{d}f} to {:.{d}f})".format(one.value, *one.ci95, d=decimals)
                for one in found.values()
            ]
            test = "-" if name == base else _against(everything[base][last], found[last], decimals)
            rows.append([group, name, changed or "nothing", *scores, test])
    header = ["", "variant", "changes", *everything[base], f"against {base}"]
    return ResultTable(f"Means of {everything[base][last].of} each, with their 95 % intervals", header, rows)


def _against(base: Measured, other: Measured, decimals: int) -> str:
    if min(len(base.samples), len(other.samples)) < 2:
        return "too few runs"
    found = of_runs(base.samples, other.samples)
    return f"{found.difference:+.{decimals}f}, {found.test}"


@retested
def none_above(found: Mapping[str, Measured], bound: float) -> Claim:
    """No variant lies above the bound, with Bonferroni's correction for as many as there are: each lies below
    it, or one lies above."""
    from scipy import stats

    share = 0.025 / len(found)
    highest = max(found, key=lambda name: found[name].value)
    parts = []
    for one in found.values():
        reach = stats.t.ppf(1 - share, max(1, one.runs - 1)) * one.deviation / max(1, one.runs) ** 0.5
        is_known = one.runs > 1
        parts.append(True if is_known and one.value + reach < bound else
                     False if is_known and one.value - reach > bound else None)  # fmt: skip
    holds = False if False in parts else None if None in parts else True
    best = found[highest]
    return Claim(
        holds, f"{len(found)} variants; the highest, {highest}: {best.value:.3f} ({best.ci95[0]:.3f} to"
        f" {best.ci95[1]:.3f}), {best.of}"
    )  # fmt: skip
