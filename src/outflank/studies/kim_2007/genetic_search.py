"""The pseudocode of the hybrid, Figure 2, checked line by line on what the search asks for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from outflank.evaluators.protocol import FloatArray
from outflank.learners.optimisers.genetic import GeneticSearch
from outflank.plots.style import COLOURS, INK, legend_below, new_figure
from outflank.studies.inference import share_interval
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Measured, Outcome

SIGNIFICANT = 0.01
APART = 100.0  # between individuals that a child's parent is recognised by; a mutation is 0.01


def figure_2(lab: Laboratory) -> Outcome:
    """A search with random fitness: its start, mutations, elite and roulette."""
    s = lab.settings
    seed = np.linspace(-1, 1, s["weights"])
    search = GeneticSearch(np.tile(seed, (s["population"], 1)), seed=1)
    start = search.ask()
    random = np.random.default_rng(1)
    counts, steps, kept = [], [], []
    for _ in range(s["generations"]):
        rows = search.ask()
        fitness = random.uniform(400, 700, len(rows))
        search.tell(fitness)
        children = search.ask()
        kept.append(bool((children[0] == rows[fitness.argmax()]).all()))
        of_children = [_changes(child, rows) for child in children[1:]]
        counts += [len(change) for change in of_children]
        steps += [step for change in of_children for step in change]
    mutated = np.array(steps)
    games = len(counts) * s["weights"]
    ups = int((mutated > 0).sum())
    up_share = ups / len(mutated)
    is_step = np.isclose(np.abs(mutated), s["step"], rtol=0, atol=1e-9)
    return Outcome(
        {
            "copies": Measured.exactly(int((start == seed).all(axis=1).sum())),
            "rate": Measured(len(mutated) / games, share_interval(len(mutated), games), f"{games:,} weights"),
            "steps": Claim(bool(is_step.all()), f"{len(mutated):,} mutations, {ups:,} of them up"),
            "even": Measured(up_share, share_interval(ups, len(mutated)), f"{len(mutated):,} mutations"),
            "elite": Claim(all(kept), f"in {sum(kept)} of {len(kept)} generations"),
            "roulette": _roulette(s["population"]),
        },
        [lab.draw("figure-2", "Children by the number of weights that mutated, and what a mutation rate of"
                  " 0.01 makes expect.", draw_mutations, counts, s["weights"], 0.01)],
    )  # fmt: skip


def _changes(child: FloatArray, rows: FloatArray) -> FloatArray:
    """How a child differs from the individual that it was copied from."""
    parent = rows[np.abs(rows - child).sum(axis=1).argmin()]
    return np.asarray((child - parent)[child != parent])


def _roulette(population: int) -> Claim:
    """Whether parents are drawn in proportion to their fitness: a chi-squared test."""
    from scipy import stats

    rows = np.tile(APART * np.arange(population)[:, None], (1, 4))
    fitness = np.linspace(1, 3, population)
    drawn = np.zeros(population)
    for seed in range(200):
        search = GeneticSearch(rows, seed=seed)
        search.tell(fitness)
        drawn += np.bincount(np.rint(search.ask()[1:, 0] / APART).astype(int), minlength=population)
    p = float(stats.chisquare(drawn, fitness / fitness.sum() * drawn.sum()).pvalue)
    return Claim(p > SIGNIFICANT, f"{int(drawn.sum()):,} children, chi-squared p = {p:.2g}")


def draw_mutations(counts: Sequence[int], weights: int, rate: float) -> Figure:
    """
    >>> [text.get_text() for text in draw_mutations([20, 21, 21], 2113, 0.01).legends[0].get_texts()]
    ['3 children', 'expected']
    """
    from scipy import stats

    figure, (axes,) = new_figure(4.2, title="Weights that mutate in a child")
    edges = np.arange(min(counts), max(counts) + 2) - 0.5
    axes.hist(
        counts, edges.tolist(), density=True, color=COLOURS[0], alpha=0.6, label=f"{len(counts):,} children"
    )
    at = np.arange(min(counts), max(counts) + 1)
    axes.plot(at, stats.binom.pmf(at, weights, rate), "o-", color=INK, markersize=3.5, label="expected")
    axes.set(xlabel="weights that differ from the parent's", ylabel="share of the children")
    axes.set_ylim(bottom=0)
    legend_below(figure)
    return figure
