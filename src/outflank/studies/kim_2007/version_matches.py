"""The four versions against each other: Table V after equal time, Table VI after equally many generations.

Every individual of one population meets every one of the other, once as Black and once as White: with 20
parents each 800 games, as in the paper. One run of each says nothing about a version, so the scores are
means over several runs, each against the other version's run of the same seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from outflank import _core
from outflank.board import Board
from outflank.learners.fitness.population import Outcomes, Pairings
from outflank.studies.agreement import same_sign
from outflank.studies.claims import all_of, describe, lies_above, lies_below, retested
from outflank.studies.inference import share_interval
from outflank.studies.kim_2007.versions import (
    VERSIONS,
    Population,
    Runs,
    evolved_versions,
    generations_in_equal_time,
    population_of,
    seconds_a_generation,
)
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import SCORES, Claim, Finding, Measured, Outcome, ResultTable, mean_of_runs

Results = dict[str, list[tuple[int, int, int]]]  # of "EV_O vs EV": wins, draws, losses of each run


def table_5(lab: Laboratory) -> Outcome:
    """After equal time: how many generations that is follows from how fast the versions were."""
    runs = evolved_versions(lab)
    generations = generations_in_equal_time(seconds_a_generation(runs), lab.settings["generations_of_plain"])
    results = _results(lab, _populations(lab, runs, generations))
    outcome = _outcome(lab, results, "after equal time")
    listed = ", ".join(f"{name} {generations[name]}" for name in VERSIONS)
    outcome.remarks.append(f"Generations in equal time: {listed}; they depend on the machine.")
    return outcome


def table_6(lab: Laboratory) -> Outcome:
    """After equally many generations."""
    runs = evolved_versions(lab)
    generations = dict.fromkeys(VERSIONS, int(lab.settings["generations"]))
    results = _results(lab, _populations(lab, runs, generations))
    return _outcome(lab, results, f"after {lab.settings['generations']} generations of each")


def _populations(lab: Laboratory, runs: Runs, generations: Mapping[str, int]) -> dict[str, list[Population]]:
    """The parents after these generations; a version that needs more than its runs have learns them."""
    s = lab.settings
    found = {}
    for name, count in generations.items():
        long_enough = runs[name]
        if count > s["generations"]:
            changes = {**s["changes"], **VERSIONS[name], "generations": count}
            long_enough = lab.learn(s["preset"], changes)
        found[name] = [population_of(name, run, count) for run in long_enough]
    return found


def _results(lab: Laboratory, populations: Mapping[str, Sequence[Population]]) -> Results:
    pieces = {}
    names: dict[str, list[str]] = {}
    for pair in lab.settings["paper"]:
        first, second = pair.split(" vs ")
        for a, b in zip(populations[first], populations[second], strict=True):
            name = f"{a.version} against {b.version} {a.seed}"
            pieces[name] = ((a, b), {"first": a.identity, "second": b.identity})
            names.setdefault(pair, []).append(name)
    counted = lab.cached_map(meet, None, pieces)
    return {pair: [tuple(counted[name]) for name in of_pair] for pair, of_pair in names.items()}


def meet(_: None, pair: tuple[Population, Population]) -> list[int]:
    """Wins, draws and losses of the first population against the second."""
    counts: list[int] = play_populations(*pair).sum(axis=0).tolist()
    return counts


def play_populations(first: Population, second: Population) -> Outcomes:
    """Each of the first against each of the second, both colours: wins, draws and losses of every pair; on
    one thread."""
    ours, theirs = len(first.weights), len(second.weights)
    players = [first.player(i) for i in range(ours)] + [second.player(i) for i in range(theirs)]
    cores = [core for player in players if (core := player.core) is not None]
    a, b = np.divmod(np.arange(ours * theirs), theirs)
    rows: Pairings = np.stack(
        [a, ours + b, 2 * np.arange(len(a)), np.full(len(a), 2)], axis=1, dtype=np.int64
    )  # fmt: skip
    start = Board()
    rules = _core.MatchRules(
        np.array([start.black], dtype=np.uint64), np.array([start.white], dtype=np.uint64),
        np.array([True]), (0.0, 0.0), first.seed,
    )  # fmt: skip
    return _core.play_pairings(cores, rows, rules).astype(np.int64)


def _outcome(lab: Laboratory, results: Results, after: str) -> Outcome:
    """`after`: what all versions had equally much of."""
    scores = {pair: _score(runs) for pair, runs in results.items()}
    findings: dict[str, Finding] = dict(scores.items())
    findings["both best"] = best_of_all(results, "EV_O_E", after)
    findings["ending over opening"] = lies_above(f"EV_E against EV_O {after}", scores["EV_E vs EV_O"], 0.5)
    findings["opening harms"] = lies_below(f"EV_O against EV {after}", scores["EV_O vs EV"], 0.5)
    rows = []
    for pair, published in lab.settings["paper"].items():
        ours = np.mean(results[pair], axis=0)
        low, high = scores[pair].ci95
        rows.append(
            (pair, " ".join(map(str, published)), f"{_share(published):.3f}",
             " ".join(f"{count:.0f}" for count in ours), f"{scores[pair].value:.3f}",
             f"{low:.3f} to {high:.3f}")
        )  # fmt: skip
    header = ("versions", "paper: win draw loss", "score", "ours, mean of the runs", "score", "95 % interval")
    games = sum(next(iter(results.values()))[0])
    title = (
        f"The versions {after}: the paper's 800 games per pair of one run, and ours, the mean of "
        f"{len(lab.seeds)} runs of {games} games each"
    )
    return Outcome(findings, tables=[ResultTable(title, header, rows)])


@retested
def best_of_all(results: Mapping[str, Sequence[tuple[int, int, int]]], version: str, after: str) -> Claim:
    """The interval of its score against all others together, over the runs, lies above one half, and none
    against a single one lies below. One run is not judged: its games share one evolution."""
    own = {pair: runs for pair, runs in results.items() if pair.startswith(f"{version} vs ")}
    together = [tuple(int(n) for n in np.sum(runs, axis=0)) for runs in zip(*own.values(), strict=True)]
    overall = _score([(a, b, c) for a, b, c in together])
    singles = {pair: _score(runs) for pair, runs in own.items()}
    parts = [same_sign(overall.ci95, 0.5), *(score.ci95[1] >= 0.5 for score in singles.values())]
    holds = all_of(parts) if len(together) > 1 else None
    listed = "; ".join(f"{pair} {score.value:.3f}" for pair, score in singles.items())
    return Claim(holds, f"{describe(f'against all three {after}', overall)}; {listed}")


def _score(runs: Sequence[tuple[int, int, int]]) -> Measured:
    """The mean score of the runs; of one run, as if its games were independent."""
    wins, draws, losses = runs[0]
    alone = share_interval(wins + draws / 2, wins + draws + losses)
    return mean_of_runs([_share(run) for run in runs], alone, within=SCORES)


def _share(counts: Sequence[int]) -> float:
    """
    >>> _share((498, 24, 278))
    0.6375
    """
    wins, draws, losses = counts
    return (wins + draws / 2) / (wins + draws + losses)
