"""The hybrid: temporal differences, then the genetic search of Figure 2. Figure 4, and the evolved network.

>>> champion_settings("paper")
('kim-2007-hybrid', {'seed_games': 500000})

Kim's own network, kjkim-mlp-3, won the CEC 2006 competition; its weights are lost. Every experiment that
needs it uses this one, whatever its own settings, so that it is learned once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.evaluators.protocol import CoreEvaluator, FloatArray
from outflank.games.statistics import Tally
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.folder import RunFolder
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import NamedPlayer, named_player
from outflank.studies.claims import lies_above
from outflank.studies.experiment import Scale, find_experiments
from outflank.studies.inference import share_interval
from outflank.studies.kim_2007.fitness_curves import draw_fitness, smoothed
from outflank.studies.laboratory import FinishedRun, Laboratory
from outflank.studies.verdicts import Finding, Measured, Outcome, ResultTable, mean_of_runs

CHAMPION_SEED = 1
SEED_PLAYER = "seed/best"  # of a run: what the genetic search began with


def champion_settings(scale: Scale) -> tuple[str, dict[str, Any]]:
    """The preset and its changes, those of Figure 4."""
    settings = find_experiments(["kim-2007/figure-4"])[0].settings(scale)
    return settings["preset"], settings["changes"]


def evolved_champion(lab: Laboratory) -> FinishedRun:
    """The run: `player("best")` is the evolved network, `player(SEED_PLAYER)` its seed."""
    preset, changes = champion_settings(lab.scale)
    return lab.learn(preset, changes, seeds=(CHAMPION_SEED,))[0]


@dataclass(frozen=True)
class Hybrid:
    """A run, and its seed and its evolved network against the standard heuristic in fresh games."""

    fitness: Sequence[float]  # mean of each generation, in points of 1,000 games
    best: Sequence[float]
    changed: int  # weights of the evolved network that are not the seed's
    weights: int
    seed: Tally
    evolved: Tally

    @property
    def gain(self) -> float:
        return self.evolved.score - self.seed.score


def figure_4(lab: Laboratory) -> Outcome:
    """How fitness grows along the generations, and what is left of it in fresh games."""
    runs = lab.learn(*champion_settings(lab.scale))
    hybrids = [_measured(lab, run) for run in runs]
    over = lab.settings["smoothed_over"]
    best, mean = [hybrid.best for hybrid in hybrids], [hybrid.fitness for hybrid in hybrids]
    start, end = (lab.experiment.printed(key) for key in ("start", "end"))
    marks = (start, end) if start is not None and end is not None else None
    title = "The hybrid against the standard heuristic"
    caption = (
        f"The fittest and the mean of each generation, averaged over the last {over} generations as in the "
        "paper; thin lines are single runs, thick ones their mean."
    )
    return Outcome(
        _findings(hybrids, over, _games(runs[0])),
        [lab.draw("figure-4", caption, draw_fitness, best, mean, over, title, marks)],
        [_table(runs, hybrids)],
    )  # fmt: skip


def _games(run: FinishedRun) -> int:
    """Games of an individual in one generation."""
    settings, _ = RunFolder.open(run.path).settings()
    assert isinstance(settings, EvolutionSettings)
    assert settings.double_games is not None
    return 2 * settings.double_games


def _measured(lab: Laboratory, run: FinishedRun) -> Hybrid:
    seed, evolved = run.player(SEED_PLAYER, name="seed"), run.player("best", name="evolved")
    tallies = [
        lab.match(
            f"{player.name} {run.seed} against the heuristic", player, named_player("standard-heuristic"),
            double_games=lab.settings["double_games"], epsilon=0.1, seed=run.seed,
        )
        for player in (seed, evolved)
    ]  # fmt: skip
    log = run.log()
    before, after = weights_of(seed), weights_of(evolved)
    return Hybrid(
        [1000 * entry["fitness_mean"] for entry in log], [1000 * entry["fitness_best"] for entry in log],
        int(np.count_nonzero(before != after)), int(after.size), *tallies,
    )  # fmt: skip


def weights_of(player: NamedPlayer) -> FloatArray:
    """All weights of a player of one ply."""
    assert isinstance(player, GreedyPlayer)
    assert isinstance(player.evaluator, CoreEvaluator)
    return player.evaluator.weights


def _findings(hybrids: Sequence[Hybrid], over: int, games: int) -> dict[str, Finding]:
    first = hybrids[0]
    start = [hybrid.fitness[0] for hybrid in hybrids]
    end = [float(smoothed(hybrid.fitness, over)[-1]) for hybrid in hybrids]
    gain = mean_of_runs([hybrid.gain for hybrid in hybrids], alone=_gain_alone(first))
    rise = [b - a for a, b in zip(start, end, strict=True)]
    alone = _of_a_thousand(start[0], games), _of_a_thousand(end[0], games)
    changed = [float(hybrid.changed) for hybrid in hybrids]
    return {
        "weights": Measured.exactly(first.weights),
        "changed": mean_of_runs(changed, alone=(changed[0], changed[0]), within=(0, first.weights)),
        "start": mean_of_runs(start, alone=alone[0], within=(0, 1000)),
        "end": mean_of_runs(end, alone=alone[1], within=(0, 1000)),
        "rise": mean_of_runs(rise, alone=(alone[1][0] - alone[0][1], alone[1][1] - alone[0][0])),
        "better": lies_above("gain of score against the heuristic in fresh games", gain, 0.0, 4),
    }


def _of_a_thousand(fitness: float, games: int) -> tuple[float, float]:
    low, high = share_interval(fitness / 1000 * games, games)
    return 1000 * low, 1000 * high


def _gain_alone(hybrid: Hybrid) -> tuple[float, float]:
    """The 95 % interval of one run's gain: two independent matches."""
    reach = 1.96 * float(np.hypot(hybrid.seed.standard_error, hybrid.evolved.standard_error))
    return hybrid.gain - reach, hybrid.gain + reach


def _table(runs: Sequence[FinishedRun], hybrids: Sequence[Hybrid]) -> ResultTable:
    rows = [
        (str(run.seed), f"{hybrid.seed.score:.4f}", f"{hybrid.evolved.score:.4f}", f"{hybrid.gain:+.4f}",
         f"{hybrid.changed:,}")
        for run, hybrid in zip(runs, hybrids, strict=True)
    ]  # fmt: skip
    header = ("seed", "temporal differences", "evolved", "gain", "weights changed")
    return ResultTable(
        f"Scores against the heuristic, {hybrids[0].seed.games:,} fresh games each", header, rows
    )
