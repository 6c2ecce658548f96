"""Expected utility: the average score against many random piece counters."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from outflank.evaluators.protocol import CoreEvaluator
from outflank.learners.fitness.fixed_opponents import against_all
from outflank.learners.fitness.population import Games, Opponents, PlayingStyle, Population
from outflank.players.greedy import GreedyPlayer
from outflank.studies.agreement import same_sign
from outflank.studies.claims import lies_below
from outflank.studies.inference import mean_interval
from outflank.studies.jaskowski_2014.league import PRINTED, one_ply
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Finding, Measured, NotMeasured, Outcome, ResultTable

REFERENCE_7 = "SzubertJaskowskiKrawiec2013CTDL"
GOOD = 0.99  # what the paper says can be evolved with less effort


def expected_utility(lab: Laboratory) -> Outcome:
    """The paper's player without and with forced random moves; then others, without."""
    s = lab.settings
    printed = one_ply(PRINTED)
    plain = utility(lab, printed, s["counters"], 0.0)
    forced = utility(lab, printed, s["counters"], s["epsilon"])
    others = [*map(one_ply, s["players"]), *lab.published.players()]
    evolved = lab.learn(s["preset"], s["changes"], seeds=(1,))[0]
    ours = evolved.player("last", name="all-2, evolved for it")
    assert isinstance(ours, GreedyPlayer)
    found = {one.name: utility(lab, one, s["counters_of_others"], 0.0) for one in (ours, *others)}
    findings: dict[str, Finding] = {
        "without random moves": plain,
        "with random moves": forced,
        "not good in general": lies_below("score", plain, GOOD, 4),
        "above 0.99": _above(found[ours.name], f"after {evolved.log()[-1]['games']:,} games"),
        "above 0.99 in [7]": _above(found[REFERENCE_7], REFERENCE_7)
        if REFERENCE_7 in found
        else NotMeasured(f"needs the published file {REFERENCE_7}.player"),
    }
    rows = [("all-2, the paper's", plain), *found.items()]
    table = ResultTable(
        "Score against random piece counters, without forced random moves",
        ("player", "score", "95 % interval"),
        [
            [name, f"{one.value:.4f}", f"{one.ci95[0]:.4f} to {one.ci95[1]:.4f}"]
            for name, one in sorted(rows, key=lambda row: -row[1].value)
        ],
    )
    return Outcome(findings, tables=[table])


def utility(lab: Laboratory, player: GreedyPlayer, counters: int, epsilon: float) -> Measured:
    """A double game against each of this many piece counters, with weights uniform in [-1, 1]; the interval
    is that of the mean over counters."""
    evaluator = player.evaluator
    assert isinstance(evaluator, CoreEvaluator)
    weights = np.asarray(evaluator.weights)

    def play() -> dict[str, Any]:
        opponents = Opponents(piece_counters=np.random.default_rng(1).uniform(-1, 1, (counters, 64)))
        population = Population(
            evaluator, weights[None], PlayingStyle(player.view), opponents, epsilon, seed=1
        )
        with lab.executor() as executor:
            outcomes = Games(executor, population).play(against_all(1, counters, 0, 2))
        points = (outcomes[:, 0] + 0.5 * outcomes[:, 1]) / 2
        return {"score": float(points.mean()), "ci95": mean_interval(points)}

    digest = hashlib.sha256(weights.tobytes()).hexdigest()[:10]
    settings = {"counters": counters, "epsilon": epsilon, "view": player.view, "weights": digest}
    found = lab.cached(f"{player.name} at epsilon {epsilon:g}", play, settings)
    low, high = found["ci95"]
    return Measured(found["score"], (max(0.0, low), min(1.0, high)), f"{counters:,} double games")


def _above(found: Measured, who: str) -> Claim:
    low, high = found.ci95
    return Claim(same_sign(found.ci95, GOOD), f"{found.value:.4f} ({low:.4f} to {high:.4f}), {who}")
