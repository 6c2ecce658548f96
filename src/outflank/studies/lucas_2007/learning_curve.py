"""How the n-tuple system learns: Figure 9."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from outflank.plots.learning_curves import draw_learning_curves, measurements
from outflank.studies.agreement import SIGNIFICANT
from outflank.studies.claims import all_of, lies_above
from outflank.studies.inference import mann_whitney
from outflank.studies.laboratory import FinishedRun, Laboratory
from outflank.studies.verdicts import SCORES, Claim, Measured, Outcome, ResultTable, mean_of_runs

OPPONENT = "standard-heuristic"
AS_PRINTED = "as printed"
HALF = {"half of the points: draws count one half": 0.5}
Entry = Mapping[str, Any]


def figure_9(lab: Laboratory) -> Outcome:
    """The score against the standard heuristic by games of self-play."""
    s = lab.settings
    logs = {name: [run.log() for run in runs] for name, runs in _all_runs(lab).items()}
    curves = {name: logs[name] for name in s["curves"]}
    others = {name: logs[name] for name in s["others"]}
    beside = {AS_PRINTED: curves[AS_PRINTED]} | others
    printed = curves[AS_PRINTED]
    early = score_at(printed, s["early"])
    return Outcome(
        {
            "improves": improves(printed),
            "early": lies_above(f"score after {s['early']} games", early, 0.5),
            "beats the heuristic": lies_above("score at the end", score_at(printed), 0.5),
            "better": is_above_all(printed, others),
            "faster": is_above_all(printed, others, s["early"]),
        },
        [
            lab.draw("figure-9", "Mean of the runs with its 95 % interval. At each point every run plays 100"
                     " games. What the names mean is in the table.", draw_learning_curves, drawn(curves),
                     OPPONENT, "Thirty snakes, by self-play", levels=HALF),
            lab.draw("other-architectures", "The same for a weighted piece counter and an MLP, each with a"
                     " learning rate of its own.", draw_learning_curves, drawn(beside), OPPONENT,
                     "N-tuples beside other architectures", levels=HALF),
        ],
        [_scores_table(logs, s)],
    )  # fmt: skip


def drawn(curves: Mapping[str, Sequence[Sequence[Entry]]]) -> dict[str, list[list[Entry]]]:
    """Of each run's log what is drawn: the scores, and their intervals if it is the only run.

    >>> drawn({"a": [[{"games": 25, "score": 0.2, "ci95": [0.1, 0.3], "seconds": 7.0}]]})
    {'a': [[{'games': 25, 'score': 0.2, 'ci95': [0.1, 0.3]}]]}
    """
    return {
        name: [
            [{key: entry[key] for key in ("games", "score", *(("ci95",) if len(logs) == 1 else ()))}
             for entry in measurements(log)]
            for log in logs
        ]
        for name, logs in curves.items()
    }  # fmt: skip


def changes_of(settings: Mapping[str, Any], which: str, games: int) -> dict[str, Any]:
    """What a named setting changes in the preset, for a player after these games, measured only then.

    >>> changes_of({"curves": {"by inversion": {"view": "inversion"}}}, "by inversion", 500)
    {'view': 'inversion', 'games': 500, 'measure_every': 500}
    """
    return {**settings["curves"][which], "games": games, "measure_every": games}


def score_at(logs: Sequence[Sequence[Entry]], games: int | None = None) -> Measured:
    """The mean score of the runs after these games, or at the end.

    >>> found = score_at([[{"games": 25, "score": 0.2, "ci95": [0.1, 0.3]}]], 25)
    >>> found.value, found.ci95, found.of
    (0.2, (0.1, 0.3), '1 run')
    """
    entries = [_entry(log, games) for log in logs]
    low, high = entries[0]["ci95"]
    return mean_of_runs([entry["score"] for entry in entries], alone=(low, high), within=SCORES)


def improves(logs: Sequence[Sequence[Entry]]) -> Claim:
    """Whether the last fifth of a run's measurements is higher than its first fifth: by the 95 % interval of
    the runs' gains, since the measurements of one run are not independent."""
    fifth = max(1, min(map(len, logs)) // 5)
    first, last = (
        [float(np.mean([entry["score"] for entry in part])) for part in parts]
        for parts in ([log[:fifth] for log in logs], [log[-fifth:] for log in logs])
    )
    gains = [b - a for a, b in zip(first, last, strict=True)]
    gain = lies_above("gain", mean_of_runs(gains, (-1.0, 1.0)), 0)
    evidence = f"mean {np.mean(first):.3f} in the first fifth of the curve, {np.mean(last):.3f} in the last"
    return Claim(gain.holds, f"{evidence}; {gain.evidence}")


def _all_runs(lab: Laboratory) -> dict[str, list[FinishedRun]]:
    s = lab.settings
    changes = {**s["curves"], **s["others"]}
    return lab.learn_all(
        {name: (s["preset"], {"games": s["games"], **changed}) for name, changed in changes.items()}
    )


def is_above_all(
    printed: Sequence[Sequence[Entry]],
    others: Mapping[str, Sequence[Sequence[Entry]]],
    games: int | None = None,
) -> Claim:
    """After these games or at the end: Mann-Whitney against each, two-sided, with Holm's correction."""
    scores = {
        name: [_entry(log, games)["score"] for log in logs]
        for name, logs in {AS_PRINTED: printed, **others}.items()
    }
    found = mann_whitney(scores, [(AS_PRINTED, name) for name in others])
    printed_mean = float(np.mean(scores[AS_PRINTED]))
    compared = [f"{np.mean(scores[one.second]):.3f} ({one.second}, {one.text})" for one in found]
    parts = [
        printed_mean > float(np.mean(scores[one.second])) if one.p_holm < SIGNIFICANT else None
        for one in found
    ]
    return Claim(all_of(parts), f"{printed_mean:.3f} against {' and '.join(compared)}")


def _entry(log: Sequence[Entry], games: int | None) -> Entry:
    """The last measurement up to these games; without a number, the last of all."""
    return [entry for entry in log if games is None or entry["games"] <= games][-1]


def _scores_table(logs: Mapping[str, Sequence[Sequence[Entry]]], s: Mapping[str, Any]) -> ResultTable:
    places = [games for games in s["shown"] if games <= s["games"]]
    rows = []
    for name, of_name in logs.items():
        found = [score_at(of_name, games) for games in places]
        changes = {**s["curves"], **s["others"]}[name]
        changed = ", ".join(f"{key} = {value}" for key, value in changes.items()) or "nothing"
        rows.append(
            [name, changed, *(f"{one.value:.3f} ({one.ci95[0]:.3f} to {one.ci95[1]:.3f})" for one in found)]
        )
    title = "Score against the standard heuristic by games of self-play, with its 95 % interval"
    return ResultTable(title, ["curve", "changed in the preset", *(f"{games:,}" for games in places)], rows)
