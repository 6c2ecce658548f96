"""The nine architectures of Table IV: what they are called, what the paper's ten runs of each reached, and
runs of our own.

>>> architecture("rand-8x4-neg")
{'evaluator': 'rand-8x4', 'view': 'negation'}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from outflank.games.statistics import Tally
from outflank.league.scoring import EPSILON, OPPONENT
from outflank.players.names import named_player
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


def performances(lab: Laboratory, runs: Mapping[str, Sequence[FinishedRun]]) -> dict[str, list[Tally]]:
    """The fittest individual of each run's last generation against the heuristic (III-A.2)."""
    heuristic = named_player(OPPONENT)
    return {
        name: [
            lab.match(
                f"{name} run {run.seed}", run.player("last", name=f"{name} {run.seed}"), heuristic,
                double_games=lab.settings["final_double_games"], epsilon=EPSILON, seed=run.seed,
            )
            for run in of_name
        ]
        for name, of_name in runs.items()
    }  # fmt: skip


def scores(tallies: Mapping[str, Sequence[Tally]]) -> dict[str, list[float]]:
    return {name: [tally.score for tally in of_name] for name, of_name in tallies.items()}


def mean_score(tallies: Sequence[Tally]) -> Measured:
    """The mean with Student's interval; of one run, the interval of its games.

    >>> mean_score([Tally(3, 0, 1, (0, 0, 1, 0, 1)), Tally(2, 0, 2, (0, 0, 2, 0, 0))]).value
    0.625
    """
    if len(tallies) == 1:
        return Measured(tallies[0].score, tallies[0].ci95, f"1 run, {tallies[0].games:,} games")
    values = [tally.score for tally in tallies]
    low, high = mean_interval(values)
    return Measured(
        float(np.mean(values)),
        (max(0.0, low), min(1.0, high)),
        f"{len(values)} runs",
        *Measured.spread(values),
    )
