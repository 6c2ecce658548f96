"""What was tried to reach the paper's pace: readings of its text one by one, and other methods."""

from __future__ import annotations

from outflank.studies.ablations import ablation_table, draw_ablations, none_above
from outflank.studies.claims import all_above
from outflank.studies.laboratory import Laboratory
from outflank.studies.lucas_2007.learning_curve import AS_PRINTED, score_at
from outflank.studies.verdicts import Outcome

READINGS, METHODS = "readings of the text", "other methods"
HALF = 0.5  # of the points against the standard heuristic


def ablations(lab: Laboratory) -> Outcome:
    """Every variant at 500 and at 1,250 games, against the standard heuristic."""
    s = lab.settings
    changes = {group: s["variants"][group] for group in (READINGS, METHODS)}
    runs = lab.learn_all({
        name: (s["preset"], {"games": s["games"], "measure_every": s["measure_every"],
                             "measure_double_games": s["measure_double_games"], **changed})
        for of_group in changes.values() for name, changed in of_group.items()
    })  # fmt: skip
    logs = {name: [run.log() for run in of_name] for name, of_name in runs.items()}
    places = {f"after {games:,} games": games for games in (s["early"], s["games"])}
    groups = {
        group: {
            name: {place: score_at(logs[name], games) for place, games in places.items()} for name in of_group
        }
        for group, of_group in changes.items()
    }
    early, end = places
    readings = {name: found[early] for name, found in groups[READINGS].items()}
    reached = {name: groups[METHODS][name][end] for name in s["reach the pace"]}
    return Outcome(
        {
            "readings": none_above(readings, HALF),
            "readings at the end": none_above({n: f[end] for n, f in groups[READINGS].items()}, HALF),
            "methods": all_above(reached, HALF),
        },
        [
            lab.draw(
                "ablations",
                "Mean of the runs with its 95 % interval.",
                draw_ablations,
                groups,
                {"half of the points": HALF},
                "score against the standard heuristic",
            ),
        ],
        [ablation_table(groups, changes, AS_PRINTED)],
    )
