"""The settings beside which the curve `ours` and the rates of the other architectures stand: a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from outflank.studies.ablations import draw_ablations
from outflank.studies.agreement import SIGNIFICANT
from outflank.studies.claims import all_of, retested
from outflank.studies.inference import mann_whitney
from outflank.studies.laboratory import Laboratory
from outflank.studies.lucas_2007.learning_curve import score_at
from outflank.studies.verdicts import Claim, Measured, Outcome, ResultTable

Changes = Mapping[str, Any]
DRAWN = 10  # of the grid
SCORE = "score against the standard heuristic"


def choice(lab: Laboratory) -> Outcome:
    """Every setting of the grid and every rate, early and at the end."""
    s = lab.settings
    grid = combinations(s["grid"])
    rates = {
        f"{name}, alpha {alpha}": {**changes, "alpha": alpha}
        for name, changes in s["others"].items()
        for alpha in s["rates"]["alphas"]
    }
    changes = {name: {**s["common"], **changed} for name, changed in grid.items()} | rates
    shared = {"games": s["games"], "measure_every": s["measure_every"],
              "measure_double_games": s["measure_double_games"]}  # fmt: skip
    runs = lab.learn_all({name: (s["preset"], {**shared, **changed}) for name, changed in changes.items()})
    logs = {name: [run.log() for run in of_name] for name, of_name in runs.items()}
    places = {f"after {games:,} games": games for games in (s["early"], s["games"])}
    found = {
        name: {place: score_at(of_name, games) for place, games in places.items()}
        for name, of_name in logs.items()
    }
    early, end = places
    ours = setting_name(s["ours"])
    chosen = {name: f"{name}, alpha {alpha}" for name, alpha in s["chosen"].items()}
    ranked = sorted(grid, key=lambda name: -found[name][early].value)
    groups = {"grid": {name: found[name] for name in ranked}, "rates": {name: found[name] for name in rates}}
    drawn = groups | {"grid": {name: found[name] for name in ranked[:DRAWN]}}
    caption = f"The {len(drawn['grid'])} highest of the grid, and the rates; means of the runs."
    plain = setting_name({key: values[0] for key, values in s["grid"].items()})
    return Outcome(
        {
            "ours": not_surpassed({name: found[name][early] for name in grid}, ours, plain),
            "rates": all_rates({name: found[name][end] for name in rates}, chosen),
        },
        [lab.draw("choice", caption, draw_ablations, drawn, {"half of the points": 0.5}, SCORE)],
        [_table(groups, {ours, *chosen.values()})],
    )


def combinations(grid: Mapping[str, Sequence[Any]]) -> dict[str, dict[str, Any]]:
    """Every combination, by a name that lists its settings.

    >>> list(combinations({"alpha": [0.1, 0.2], "trace": [0.0]}))
    ['alpha 0.1, trace 0.0', 'alpha 0.2, trace 0.0']
    """
    every = (dict(zip(grid, values, strict=True)) for values in product(*grid.values()))
    return {setting_name(values): values for values in every}


def setting_name(values: Changes) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())


@retested
def not_surpassed(scores: Mapping[str, Measured], chosen: str, below: str | None = None) -> Claim:
    """The chosen one has the highest mean, and is significantly above another one; refuted, if any is
    significantly above it.

    >>> runs = {"a": (0.5, 0.6, 0.55, 0.58), "b": (0.1, 0.2, 0.15, 0.12)}
    >>> scores = {name: Measured(sum(x) / 4, (0, 1), "4 runs", samples=x) for name, x in runs.items()}
    >>> not_surpassed(scores, "a", "b")
    Claim(holds=True, evidence='a 0.557; the highest other, b 0.143 (U = 16, p = 0.029); against b p = 0.029')
    >>> not_surpassed(scores, "b").holds
    False
    """
    others = [name for name in scores if name != chosen]
    ours = scores[chosen]
    highest = max(others, key=lambda name: scores[name].value)
    evidence = f"{chosen} {ours.value:.3f}; the highest other, {highest} {scores[highest].value:.3f}"
    if min(len(scores[name].samples) for name in scores) < 2:
        return Claim(None, evidence)
    tests = {
        one.second: one
        for one in mann_whitney(
            {name: scores[name].samples for name in scores}, [(chosen, other) for other in others]
        )
    }
    evidence += f" ({tests[highest].text})"
    apart = {name: one.p_holm < SIGNIFICANT for name, one in tests.items()}
    if any(apart[name] and scores[name].value > ours.value for name in others):
        return Claim(False, evidence)
    leads = ours.value >= scores[highest].value
    if below is None or below == chosen:
        return Claim(True if leads else None, evidence)
    evidence += f"; against {below} p = {tests[below].p_holm:.2g}"
    is_above = apart[below] and ours.value > scores[below].value
    return Claim(True if leads and is_above else None, evidence)


@retested
def all_rates(found: Mapping[str, Measured], chosen: Mapping[str, str]) -> Claim:
    """Of each architecture the chosen rate is not surpassed by the others."""
    claims = []
    for name, best in chosen.items():
        of_name = {one: scores for one, scores in found.items() if one.startswith(f"{name}, ")}
        claims.append(not_surpassed(of_name, best))
    return Claim(all_of(one.holds for one in claims), "; ".join(one.evidence for one in claims))


def _table(groups: Mapping[str, Mapping[str, Mapping[str, Measured]]], chosen: set[str]) -> ResultTable:
    rows = []
    for of_group in groups.values():
        for name, scores in of_group.items():
            cells = [f"{one.value:.3f} ({one.ci95[0]:.3f} to {one.ci95[1]:.3f})" for one in scores.values()]
            rows.append([name, *cells, "yes" if name in chosen else ""])
    runs = int(np.max([one.runs for of in groups.values() for s in of.values() for one in s.values()]))
    header = ["setting", *next(iter(next(iter(groups.values())).values())), "shown in Figure 9"]
    return ResultTable(f"Means of {runs} runs each, the highest of the grid first", header, rows)
