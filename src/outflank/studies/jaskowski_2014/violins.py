"""How architectures compare: Figures 4 and 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outflank.league.scoring import OPPONENT
from outflank.plots.violins import draw_violins
from outflank.studies.jaskowski_2014.architectures import (
    RANDOM,
    SYSTEMATIC,
    TABLE_4,
    evolved,
    performances,
    scores,
)
from outflank.studies.jaskowski_2014.comparisons import Comparisons
from outflank.studies.laboratory import Laboratory
from outflank.studies.outcome import Drawn, Finding, Outcome

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
