"""What the paper does not print, varied together: a full factorial study of two choices for each factor.

>>> runs = {("a", "x"): [0.1, 0.2], ("a", "y"): [0.5, 0.6], ("b", "x"): [0.1, 0.2], ("b", "y"): [0.5, 0.6]}
>>> effects = main_effects({"first": ("a", "b"), "second": ("x", "y")}, runs)
>>> [round(effect.value, 3) for effect in effects.values()]
[0.0, 0.4]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from outflank.learners.fitness.benchmark_opponents import ladder_points
from outflank.studies.ablations import draw_ablations, none_above
from outflank.studies.chong_2003.runs import PDP, FloatArray
from outflank.studies.claims import retested
from outflank.studies.laboratory import FinishedRun, Laboratory
from outflank.studies.verdicts import SCORES, Claim, Measured, Outcome, ResultTable, mean_of_runs

Cell = tuple[str, ...]  # one choice for each factor
SMALL = 0.2  # an effect within this does not lead from the printed settings to the paper's 75 %
OPPONENT = "positional player"  # this factor does not change evolution, so both meet the same parents


@dataclass(frozen=True)
class Effect:
    """The second choice less the first, its 95 % interval, and one that is corrected for all effects."""

    value: float
    ci95: tuple[float, float]
    corrected: tuple[float, float]
    p: float


def factorial(lab: Laboratory) -> Outcome:
    """The points of the parents, early and late, of every combination; the effect of every choice."""
    s = lab.settings
    factors: dict[str, dict[str, dict[str, Any]]] = s["factors"]
    cells = list(product(*factors.values()))
    runs = lab.learn_all({_name(cell): (s["preset"], _changes(s, factors, cell)) for cell in cells})
    points = {
        cell: {opponent: _points(runs[_name(cell)], opponent) for opponent in s["positional"]}
        for cell in cells
    }
    found = {_name(cell): _places(s, of_cell) for cell, of_cell in points.items()}
    late = {f"{name}, {place}": one for name, places in found.items()
            for place, one in places.items() if "late" in place}  # fmt: skip
    first = s["positional"][0]
    ends = {cell: [float(x) for x in _late(s, of_cell[first])] for cell, of_cell in points.items()}
    effects = main_effects({name: tuple(choices) for name, choices in factors.items()}, ends)
    effects[OPPONENT] = _paired_effect(s, points, len(factors) + 1)
    caption = (
        "Mean of the runs of each combination with its 95 % interval; names: " + ", ".join(factors) + "."
    )
    return Outcome(
        {"late": none_above(late, s["reached"]), "no effect": small_effects(effects)},
        [
            lab.draw(
                "factorial",
                caption,
                draw_ablations,
                {"combinations": found},
                {"the paper, early": 0.25, "the paper, late": 0.75},
                "share of the points of the parents",
            ),
        ],
        [_effects_table(s, factors, effects), _cells_table(factors, points, found)],
    )


def _name(cell: Cell) -> str:
    return " / ".join(cell)


def _changes(
    s: Mapping[str, Any], factors: Mapping[str, Mapping[str, Mapping[str, Any]]], cell: Cell
) -> dict[str, Any]:
    chosen = [factors[name][choice] for name, choice in zip(factors, cell, strict=True)]
    changes = {**s["changes"], "generations": s["generations"]}
    for one in chosen:
        changes |= one
    return changes


def _points(runs: Sequence[FinishedRun], opponent: str) -> FloatArray:
    """The share of the points against the piece differential player and one other: [runs, generations]."""
    shares = []
    for run in runs:
        watches = [entry["watch"] for entry in run.log()]
        counted = [watches[0]["watchers"].index(name) for name in (PDP, opponent)]
        won = np.array([ladder_points(watch) for watch in watches])[:, counted].sum(axis=1)
        shares.append(won / (2 * len(watches[0]["plies_beaten"][0])))
    return np.array(shares)


def _late(s: Mapping[str, Any], shares: FloatArray) -> FloatArray:
    return np.asarray(shares[:, s["late"] - 1 :].mean(axis=1))


def _places(s: Mapping[str, Any], points: Mapping[str, FloatArray]) -> dict[str, Measured]:
    """Early and late points by opponent, of one combination."""
    found = {}
    for opponent, shares in points.items():
        for place, values in {
            "early": shares[:, : s["early"]].mean(axis=1),
            "late": _late(s, shares),
        }.items():
            alone = (float(values[0]),) * 2
            found[f"{place}, {opponent}"] = mean_of_runs(values.tolist(), alone, within=SCORES)
    return found


def main_effects(
    factors: Mapping[str, tuple[str, ...]], runs: Mapping[Cell, Sequence[float]]
) -> dict[str, Effect]:
    """Of each factor; the spread is that within the combinations, so interactions do not widen it."""
    values = np.array([runs[cell] for cell in product(*factors.values())], dtype=np.float64)
    cells, repeats = values.shape
    freedom = cells * (repeats - 1)
    deviation = math.sqrt(float(values.var(axis=1, ddof=1).mean())) if repeats > 1 else math.inf
    error = 2 * deviation / math.sqrt(cells * repeats)
    effects = {}
    for number, (name, choices) in enumerate(factors.items()):
        is_second = np.array([cell[number] == choices[1] for cell in product(*factors.values())])
        value = float(values[is_second].mean() - values[~is_second].mean())
        effects[name] = _effect(value, error, freedom, len(factors) + 1)
    return effects


def _paired_effect(
    s: Mapping[str, Any], points: Mapping[Cell, Mapping[str, FloatArray]], effects: int
) -> Effect:
    """Of the other positional player: both met the same parents."""
    first, second = s["positional"]
    apart = np.array([_late(s, of_cell[second]) - _late(s, of_cell[first]) for of_cell in points.values()])
    cells, repeats = apart.shape
    spread = float(apart.var(axis=1, ddof=1).mean()) if repeats > 1 else math.inf
    error = math.sqrt(spread / (cells * repeats))
    return _effect(float(apart.mean()), error, cells * (repeats - 1), effects)


def _effect(value: float, error: float, freedom: int, effects: int) -> Effect:
    from scipy import stats

    if freedom == 0 or not math.isfinite(error):
        return Effect(value, (-math.inf, math.inf), (-math.inf, math.inf), 1.0)
    reach, wider = (error * float(stats.t.ppf(1 - 0.025 / share, freedom)) for share in (1, effects))
    p = float(2 * stats.t.sf(abs(value) / error, freedom)) if error > 0 else float(value == 0)
    return Effect(value, (value - reach, value + reach), (value - wider, value + wider), p)


@retested
def small_effects(effects: Mapping[str, Effect]) -> Claim:
    parts = [
        True if low > -SMALL and high < SMALL else False if low > SMALL or high < -SMALL else None
        for low, high in (effect.corrected for effect in effects.values())
    ]
    holds = False if False in parts else None if None in parts else True
    largest = max(effects, key=lambda name: abs(effects[name].value))
    low, high = effects[largest].corrected
    return Claim(holds, f"{len(effects)} effects; the largest, {largest}: {effects[largest].value:+.3f}"
                 f" ({low:+.3f} to {high:+.3f})")  # fmt: skip


def _effects_table(
    s: Mapping[str, Any], factors: Mapping[str, Mapping[str, Any]], effects: Mapping[str, Effect]
) -> ResultTable:
    choices = {name: tuple(both) for name, both in factors.items()} | {OPPONENT: tuple(s["positional"])}
    rows = [
        (name, *choices[name], f"{effect.value:+.3f}", f"{effect.ci95[0]:+.3f} to {effect.ci95[1]:+.3f}",
         f"{effect.p:.2g}")
        for name, effect in effects.items()
    ]  # fmt: skip
    header = ("factor", "first choice", "second choice", "effect on the late points", "95 % interval", "p")
    return ResultTable("The effect of each choice", header, rows)


def _cells_table(
    factors: Mapping[str, Any],
    points: Mapping[Cell, Mapping[str, FloatArray]],
    found: Mapping[str, Mapping[str, Measured]],
) -> ResultTable:
    places = list(next(iter(found.values())))
    rows = [
        (*cell, *(f"{one.value:.3f} ({one.ci95[0]:.3f} to {one.ci95[1]:.3f})"
                  for one in found[_name(cell)].values()))
        for cell in points
    ]  # fmt: skip
    runs = next(iter(next(iter(found.values())).values())).of
    return ResultTable(
        f"Means of {runs} of each combination, with their 95 % intervals", (*factors, *places), rows
    )
