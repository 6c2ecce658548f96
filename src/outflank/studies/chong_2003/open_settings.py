"""What the paper leaves open, varied one by one: does any choice lead to its late points?"""

from __future__ import annotations

import numpy as np

from outflank.studies.ablations import ablation_table, draw_ablations, none_above
from outflank.studies.chong_2003.points import over_runs
from outflank.studies.chong_2003.runs import FloatArray, percent_of
from outflank.studies.claims import retested
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import SCORES, Claim, Outcome

GROUP = "what the paper leaves open"


def open_settings(lab: Laboratory) -> Outcome:
    """The points of the parents, early and late, of every cell."""
    s = lab.settings
    cells = s["cells"]
    runs = lab.learn_all({
        name: (s["preset"], {**s["changes"], **changed, "generations": s["generations"]})
        for name, changed in cells.items()
    })  # fmt: skip
    points = {name: percent_of(of_name) / 100 for name, of_name in runs.items()}
    found = {
        name: {
            f"first {s['early']} generations": over_runs(shares[:, : s["early"]], s["block"], SCORES),
            f"from generation {s['late']} on": over_runs(shares[:, s["late"] - 1 :], s["block"], SCORES),
        }
        for name, shares in points.items()
    }
    rises = np.concatenate([
        shares[:, s["late"] - 1 :].mean(axis=1) - shares[:, : s["early"]].mean(axis=1)
        for shares in points.values()
    ])  # fmt: skip
    late = {name: of_cell[f"from generation {s['late']} on"] for name, of_cell in found.items()}
    return Outcome(
        {"late": none_above(late, s["reached"]), "rise": points_rise(rises)},
        [
            lab.draw(
                "open-settings",
                "Mean of the runs of each cell with its 95 % interval.",
                draw_ablations,
                {GROUP: found},
                {"the paper, early": 0.25, "the paper, late": 0.75},
                "share of the points of the parents",
            ),
        ],
        [ablation_table({GROUP: found}, {GROUP: cells}, s["base"])],
    )


@retested
def points_rise(rises: FloatArray) -> Claim:
    """Whether the points rise at all: over the runs of all cells together."""
    from scipy import stats

    if len(rises) < 2:
        return Claim(None, "one run has no spread")
    p = float(stats.ttest_1samp(rises, 0.0).pvalue)
    holds = bool(rises.mean() > 0) if p < 0.05 else None
    return Claim(holds, f"mean rise {rises.mean():+.3f} of {len(rises)} runs of all cells, p = {p:.2g}")
