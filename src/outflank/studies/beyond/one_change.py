"""What a preset's settings are worth: each changed alone, several runs each, and the score they reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from outflank.league.scoring import OPPONENT
from outflank.studies.ablations import ablation_table, draw_ablations, none_above
from outflank.studies.agreement import Agreement, of_runs, same_sign
from outflank.studies.claims import all_of, retested
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import SCORES, Claim, Finding, Measured, Outcome, mean_of_runs

BASE = "as the preset"
AT_THE_END = "score"


def one_change(lab: Laboratory) -> Outcome:
    """Every variant at the end of its games, against the League's opponent.

    Settings: `variants`, by group; `above`: by the key of a row a variant and those that it is above;
    `alike`: two variants and the margin within which they count as equal; `below`: a bound for all variants.
    """
    s = lab.settings
    changes: Mapping[str, Mapping[str, Mapping[str, Any]]] = s["variants"]
    measured = {"games": s["games"], "measure_every": s["games"],
                "measure_double_games": s["measure_double_games"]}  # fmt: skip
    runs = lab.learn_all({
        name: (s["preset"], measured | dict(changed))
        for of_group in changes.values() for name, changed in of_group.items()
    })  # fmt: skip
    scores = {name: _score([run.log()[-1] for run in of_name]) for name, of_name in runs.items()}
    groups = {group: {name: {AT_THE_END: scores[name]} for name in names} for group, names in changes.items()}
    findings: dict[str, Finding] = {
        key: are_above(scores, first, others) for key, (first, others) in s["above"].items()
    }
    findings |= {
        key: are_alike(scores, first, second, margin) for key, (first, second, margin) in s["alike"].items()
    }
    findings |= {key: none_above(scores, bound) for key, bound in s["below"].items()}
    caption = f"Mean of the runs with its 95 % interval, after {s['games']:,} games."
    figure = lab.draw("ablations", caption, draw_ablations, groups, {BASE: scores[BASE].value},
                      f"score against {OPPONENT}")  # fmt: skip
    return Outcome(findings, [figure], [ablation_table(groups, changes, BASE, decimals=4)])


def _score(ends: Sequence[Mapping[str, Any]]) -> Measured:
    low, high = ends[0]["ci95"]
    return mean_of_runs([end["score"] for end in ends], alone=(low, high), within=SCORES)


@retested
def are_above(scores: Mapping[str, Measured], first: str, others: Sequence[str]) -> Claim:
    """Welch's 95 % interval of each difference lies above 0; below, the claim is refuted.

    >>> spread = {"a": [0.9, 0.91, 0.92], "b": [0.7, 0.72, 0.71]}
    >>> scores = {name: mean_of_runs(runs, (0, 1)) for name, runs in spread.items()}
    >>> are_above(scores, "a", ["b"])
    Claim(holds=True, evidence='a 0.9100 less b 0.7100: +0.1773 to +0.2227')
    """
    found = {name: _difference(scores[name], scores[first]) for name in others}
    holds = all_of(None if one is None else same_sign(one.ci95, 0) for one in found.values())
    return Claim(holds, "; ".join(_evidence(scores, first, name, one) for name, one in found.items()))


@retested
def are_alike(scores: Mapping[str, Measured], first: str, second: str, margin: float) -> Claim:
    """Welch's 95 % interval of the difference lies within the margin; refuted, if it lies wholly to one side
    of 0."""
    found = _difference(scores[second], scores[first])
    holds = None
    if found is not None:
        low, high = found.ci95
        holds = False if same_sign(found.ci95, 0) is not None else True if max(-low, high) <= margin else None
    return Claim(holds, f"{_evidence(scores, first, second, found)}; margin ±{margin:g}")


def _difference(less: Measured, of: Measured) -> Agreement | None:
    """None: of too few runs."""
    if min(len(less.samples), len(of.samples)) < 2:
        return None
    return of_runs(less.samples, of.samples)


def _evidence(scores: Mapping[str, Measured], first: str, second: str, found: Agreement | None) -> str:
    interval = "too few runs" if found is None else f"{found.ci95[0]:+.4f} to {found.ci95[1]:+.4f}"
    return f"{first} {scores[first].value:.4f} less {second} {scores[second].value:.4f}: {interval}"
