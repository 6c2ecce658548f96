"""Four versions of evolution, with and without knowledge of openings and endings: how fast they are.

EV is plain evolution, O an opening book and E an endgame solver on top of every individual during its games.
All experiments use the same runs, one of each version and seed. Their logs say how many seconds of a core
they took, so that Table IV and Figure 5 do not change when they are made again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from outflank.evaluators.protocol import FloatArray, WeightedEvaluator
from outflank.learners.fitness.population import PlayingStyle
from outflank.learners.named_books import is_missing, make_book
from outflank.learners.optimisers.optimiser import FloatMatrix
from outflank.learners.runs.evolution_run import core_seconds_of
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.initialisation import starting_point
from outflank.learners.runs.parent_replay import earlier_parents
from outflank.players.search import SearchPlayer
from outflank.studies.agreement import same_sign
from outflank.studies.claims import all_of, lies_above
from outflank.studies.inference import mean_interval
from outflank.studies.kim_2007.fitness_curves import draw_evolution_time
from outflank.studies.laboratory import FinishedRun, Laboratory
from outflank.studies.verdicts import Claim, Finding, Measured, Outcome, ResultTable, mean_of_runs

# Kim 2007, section IV-B, in the order of Table IV; what each leaves out of EV_O_E.
VERSIONS: dict[str, dict[str, Any]] = {
    "EV": {"book": "", "solve": 0},
    "EV_E": {"book": ""},
    "EV_O": {"solve": 0},
    "EV_O_E": {},
}
THREE_DAYS = 3 * 24 * 3600.0  # seconds
Runs = dict[str, list[FinishedRun]]


@dataclass(frozen=True)
class Population:
    """The parents of a version after some generations, and how they play."""

    version: str
    seed: int
    generation: int
    evaluator: WeightedEvaluator
    weights: FloatMatrix
    style: PlayingStyle

    @property
    def identity(self) -> dict[str, str]:
        """What identifies it in a cached part."""
        digest = hashlib.sha256(self.weights.tobytes()).hexdigest()[:10]
        return {"version": self.version, "weights": digest, "style": str(self.style)}

    def player(self, number: int) -> SearchPlayer:
        """An individual with its version's knowledge; 0 is the fittest."""
        if is_missing(self.style.book):  # on a worker of a cluster
            make_book(self.style.book)
        player = self.style.player(self.evaluator.with_weights(self.weights[number]))
        assert isinstance(player, SearchPlayer)
        return player


def evolved_versions(lab: Laboratory, seeds: Sequence[int] | None = None) -> Runs:
    """A run of each version and seed. Seed after seed, so that the load of the machine
    favours no version."""
    s = lab.settings
    wanted = {
        name: (s["preset"], {**s["changes"], **without, "generations": s["generations"]})
        for name, without in VERSIONS.items()
    }
    runs: Runs = {name: [] for name in VERSIONS}
    for seed in seeds or lab.seeds:
        for name, found in lab.learn_all(wanted, [seed]).items():
            runs[name] += found
    return runs


def population_of(version: str, run: FinishedRun, generation: int | None = None) -> Population:
    """The parents after a generation of a run; by default after its last."""
    folder = RunFolder.open(run.path)
    settings, seed = folder.settings()
    assert isinstance(settings, EvolutionSettings)
    generation = generation or settings.generations
    start = starting_point(settings, seed)
    weights = earlier_parents(folder, [generation])[generation]
    return Population(version, seed, generation, start.evaluator, weights, settings.style(start.view))


def seconds_along(run: FinishedRun) -> list[float]:
    """The seconds of one core up to each generation; what is measured in between does not count, nor what
    else the machine does."""
    return [core_seconds_of(entry) for entry in run.log()]


def seconds_a_generation(runs: Mapping[str, Sequence[FinishedRun]]) -> dict[str, float]:
    """The mean of each version."""
    return {
        name: float(np.mean([seconds_along(run)[-1] / len(run.log()) for run in found]))
        for name, found in runs.items()
    }


def generations_in_equal_time(seconds: Mapping[str, float], of_plain: int) -> dict[str, int]:
    """How many generations each version makes in the time of some of plain evolution.

    >>> generations_in_equal_time({"EV": 1.0, "EV_O": 0.502}, 300)
    {'EV': 300, 'EV_O': 598}
    """
    return {name: max(1, round(of_plain * seconds["EV"] / each)) for name, each in seconds.items()}


def table_4(lab: Laboratory) -> Outcome:
    """Generations in three days: of one core here."""
    runs = evolved_versions(lab)
    found: dict[str, Finding] = {}
    rows = []
    for name, published in lab.settings["paper"].items():
        each = mean_of_runs([THREE_DAYS / _each(run)[0] for run in runs[name]], _alone(runs[name][0]))
        found[f"generations of {name}"] = each
        ratio = _ratio(runs, name)
        found[f"{name} over EV"] = ratio
        rows.append(
            (name, str(published), f"{published / lab.settings['paper']['EV']:.2f}",
             f"{each.value:,.0f}", f"{ratio.value:.2f}", f"{THREE_DAYS / each.value:.3f}")
        )  # fmt: skip
    title = f"Generations in three days; ours on one core, from {lab.settings['generations']}"
    header = ("version", "paper", "over EV", "ours", "over EV", "seconds per generation")
    return Outcome(found, tables=[ResultTable(title, header, rows)])


def figure_5(lab: Laboratory) -> Outcome:
    """The time of evolution, generation by generation."""
    runs = evolved_versions(lab)
    ratios = {name: _ratio(runs, name) for name in VERSIONS if name != "EV"}
    times = {name: np.array([_each(run)[0] for run in found]) for name, found in runs.items()}
    found: dict[str, Finding] = {
        f"{name} saves time": lies_above("generations in the time of one of EV:", ratio, 1.0)
        for name, ratio in ratios.items()
    }
    found["order"] = falling_times(times)
    along = {name: [seconds_along(run) for run in runs[name]] for name in VERSIONS}
    caption = "Mean of the runs on one core; the bands reach from the fastest run to the slowest."
    return Outcome(found, [lab.draw("figure-5", caption, draw_evolution_time, along, "Time of evolution")])


def falling_times(times: Mapping[str, FloatArray]) -> Claim:
    """Whether each version takes longer than the next, [runs] each, by the runs of the same seed: the 95 %
    interval of the mean logarithm of their ratio.

    >>> one, two = np.array([2.0, 2.1, 1.9]), np.array([1.0, 1.1, 1.0])
    >>> falling_times({"EV": one, "EV_O": two}).holds, falling_times({"EV": two, "EV_O": one}).holds
    (True, False)
    """
    means = ", ".join(f"{name} {each.mean():.3f}" for name, each in times.items())
    steps, texts = [], []
    for (a, slow), (b, fast) in pairwise(times.items()):
        ratios = np.log(slow / fast)
        interval = mean_interval(ratios) if len(ratios) > 1 else (-np.inf, np.inf)
        steps.append(same_sign(interval, 0))
        low, high = np.exp(interval)
        texts.append(f"{a} takes {np.exp(ratios.mean()):.3f} times as long as {b} ({low:.3f} to {high:.3f})")
    return Claim(all_of(steps), f"seconds per generation: {means}; {'; '.join(texts)}")


def _each(run: FinishedRun) -> tuple[float, tuple[float, float]]:
    """Seconds per generation, and its 95 % interval from the logarithms of the times of all generations."""
    along = seconds_along(run)
    mean = along[-1] / len(along)
    logarithms = np.log(np.maximum(np.diff([0.0, *along]), 1e-3))  # logs have milliseconds
    if len(logarithms) < 2:
        return mean, (mean, mean)
    low, high = mean_interval(logarithms)
    reach = float(np.exp((high - low) / 2))
    return mean, (mean / reach, mean * reach)


def _alone(run: FinishedRun) -> tuple[float, float]:
    low, high = _each(run)[1]
    return THREE_DAYS / high, THREE_DAYS / low


def _ratio(runs: Runs, name: str) -> Measured:
    """Generations in the time of one of EV: seed by seed, since both ran at the same time of day."""
    pairs = [(_each(plain), _each(other)) for plain, other in zip(runs["EV"], runs[name], strict=True)]
    (_, plain), (_, other) = pairs[0]
    alone = (1.0, 1.0) if name == "EV" else (plain[0] / other[1], plain[1] / other[0])
    return mean_of_runs([a[0] / b[0] for a, b in pairs], alone)
