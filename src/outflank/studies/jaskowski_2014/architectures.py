"""The nine architectures of Table IV: what they are called, what the paper's ten runs of each reached, and
runs of our own.

>>> architecture("rand-8x4-neg")
{'evaluator': 'rand-8x4', 'view': 'negation'}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.league.scoring import EPSILON, OPPONENT
from outflank.players.names import named_player
from outflank.plots.learning_curves import measurements
from outflank.studies.inference import mean_interval
from outflank.studies.laboratory import FinishedRun, Laboratory
from outflank.studies.verdicts import Measured

# Table IV: average scores of ten runs, each of 50,000 double games.
TABLE_4: dict[str, tuple[float, ...]] = {
    "all-2-inv": (0.9529, 0.9330, 0.9270, 0.9578, 0.9327, 0.9349, 0.9225, 0.9372, 0.9495, 0.9535),
    "all-3-inv": (0.9326, 0.9314, 0.9402, 0.9282, 0.9382, 0.9387, 0.9404, 0.9472, 0.9452, 0.9370),
    "all-4-inv": (0.9108, 0.8967, 0.9171, 0.9076, 0.9094, 0.9230, 0.9051, 0.9030, 0.9269, 0.9227),
    "rand-10x3-inv": (0.8649, 0.8145, 0.8834, 0.8920, 0.8126, 0.8398, 0.9190, 0.8958, 0.8706, 0.8880),
    "rand-8x4-inv": (0.8519, 0.7927, 0.8050, 0.8595, 0.8366, 0.8630, 0.8728, 0.8733, 0.8540, 0.8453),
    "rand-7x5-inv": (0.8285, 0.8565, 0.7978, 0.8559, 0.7398, 0.7310, 0.7803, 0.7810, 0.7970, 0.8440),
    "rand-8x4-neg": (0.8104, 0.6959, 0.8429, 0.7133, 0.7453, 0.7817, 0.8085, 0.7517, 0.7668, 0.7813),
    "all-1-inv": (0.7337, 0.7395, 0.7423, 0.7355, 0.7434, 0.7217, 0.7317, 0.7395, 0.7361, 0.7387),
    "all-1-neg": (0.5799, 0.5584, 0.5821, 0.5650, 0.6588, 0.5780, 0.6678, 0.6097, 0.5713, 0.5752),
}
PAPER_GAMES = 10**9  # 5,000 generations of 100 individuals with 1,000 double games each
SYSTEMATIC = ("all-2-inv", "all-3-inv", "all-4-inv")
RANDOM = ("rand-10x3-inv", "rand-8x4-inv", "rand-7x5-inv")
VIEWS = {"inv": "inversion", "neg": "negation"}
BUDGET = ("generations", "double_games", "measure_every", "measure_double_games")


def architecture(name: str) -> dict[str, str]:
    """The settings that a name of Table IV stands for."""
    evaluator, _, view = name.rpartition("-")
    return {"evaluator": evaluator, "view": VIEWS[view]}


def evolved(lab: Laboratory, names: Sequence[str]) -> dict[str, list[FinishedRun]]:
    """Runs of evolution of each architecture. The seed of a run also places its random snakes, so they are
    others in each."""
    s = lab.settings
    budget = {key: s[key] for key in BUDGET}
    return lab.learn_all({name: (s["preset"], architecture(name) | budget) for name in names})


@dataclass(frozen=True)
class Performance:
    """What the fittest individual of a run's generation scores against the heuristic."""

    score: float
    ci95: tuple[float, float]


Runs = Mapping[str, Sequence[FinishedRun]]  # of each architecture
Performances = dict[str, list[Performance]]


def performances(lab: Laboratory, runs: Runs) -> Performances:
    """Of the last generation, in fresh games (III-A.2); of runs that are not finished, as measured after as
    many games as the shortest has behind it, so that all share one clock."""
    if are_finished(runs):
        return _fresh_games(lab, runs)
    logs = {name: [measurements(run.log()) for run in of_name] for name, of_name in runs.items()}
    games = common_games(runs)
    return {
        name: [_measured(next(entry for entry in log if entry["games"] >= games)) for log in of_name]
        for name, of_name in logs.items()
    }


def are_finished(runs: Runs) -> bool:
    return all(run.done == 1 for of_name in runs.values() for run in of_name)


def common_games(runs: Runs) -> int:
    """As many as the shortest run was measured after."""
    return int(min(measurements(run.log())[-1]["games"] for of_name in runs.values() for run in of_name))


def clock_remarks(runs: Runs) -> list[str]:
    """Of runs that are not all finished: after how many games they are compared."""
    if are_finished(runs):
        return []
    parts = [run.done for of_name in runs.values() for run in of_name]
    least, most = (f"{100 * part:.2g}" for part in (min(parts), max(parts)))
    far = f"{least} %" if least == most else f"{least} to {most} %"
    return [
        f"The runs are not finished: they have {far} of their games behind them. All are compared after the"
        f" {common_games(runs):,} games that the shortest has."
    ]


def _measured(entry: Mapping[str, Any]) -> Performance:
    low, high = entry["ci95"]
    return Performance(entry["score"], (low, high))


def _fresh_games(lab: Laboratory, runs: Runs) -> Performances:
    heuristic = named_player(OPPONENT)
    tallies = {
        name: [
            lab.match(
                f"{name} run {run.seed}", run.player("last", name=f"{name} {run.seed}"), heuristic,
                double_games=lab.settings["final_double_games"], epsilon=EPSILON, seed=run.seed,
            )
            for run in of_name
        ]
        for name, of_name in runs.items()
    }  # fmt: skip
    return {
        name: [Performance(tally.score, tally.ci95) for tally in of_name] for name, of_name in tallies.items()
    }


def scores(found: Mapping[str, Sequence[Performance]]) -> dict[str, list[float]]:
    return {name: [one.score for one in of_name] for name, of_name in found.items()}


def mean_score(found: Sequence[Performance]) -> Measured:
    """The mean with Student's interval; of one run, the interval of its games.

    >>> mean_score([Performance(0.5, (0.4, 0.6)), Performance(0.75, (0.7, 0.8))]).value
    0.625
    """
    if len(found) == 1:
        return Measured(found[0].score, found[0].ci95, "1 run")
    values = [one.score for one in found]
    low, high = mean_interval(values)
    return Measured(
        float(np.mean(values)),
        (max(0.0, low), min(1.0, high)),
        f"{len(values)} runs",
        *Measured.spread(values),
    )
