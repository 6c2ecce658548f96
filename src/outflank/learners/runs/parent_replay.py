"""Replay of parents: the parents of earlier generations, recovered from a run's log without playing a game.

The children of a generation depend on the settings, the seed and the generation alone, and the log records
who survived. So all generations can be bred again:

>>> from pathlib import Path
>>> from tempfile import mkdtemp
>>> from outflank.learners.runs.evolution_run import EvolutionRun
>>> from outflank.learners.runs.settings import load_preset
>>> quickly = {"generations": 2, "depth": 1, "watch": [], "measure_double_games": 1}
>>> run = EvolutionRun.create(Path(mkdtemp()) / "run", load_preset("chong-2003", quickly).settings, seed=1)
>>> progress = list(run.steps())
>>> found = earlier_parents(run.folder, [1, 2])
>>> bool((found[2] == run.optimiser.parents).all()), found[1].shape
(True, (10, 5900))
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.initialisation import new_optimiser, starting_point

STRATEGIES = ("self-adaptive", "evolution-strategy")  # their next parents are the survivors and nothing else


def is_replayable(settings: EvolutionSettings) -> bool:
    """Whether the log alone tells what all generations were."""
    learns = settings.td_games or settings.seed_preset or settings.fitness == "two-populations"
    return settings.method in STRATEGIES and not learns and not settings.racing


def earlier_parents(folder: RunFolder, generations: Collection[int]) -> dict[int, FloatMatrix]:
    """The parents after each of these generations, the fittest first, one weight vector per row."""
    settings, seed = folder.settings()
    if not isinstance(settings, EvolutionSettings) or settings.method not in STRATEGIES:
        raise ValueError(f"{folder.path} is not a run of {' or '.join(STRATEGIES)}, whose parents survive")
    if settings.td_games or settings.seed_preset:
        raise ValueError(f"{folder.path} also learned by temporal differences, which its log does not record")
    log = folder.log()
    last = max(generations, default=0)
    if last > len(log) or min(generations, default=1) < 1:
        raise ValueError(f"{folder.path} has generations 1 to {len(log)}, not {sorted(generations)}")
    optimiser = new_optimiser(settings, starting_point(settings, seed), seed)
    individuals, found = len(optimiser.ask()), {}
    for entry in log[:last]:
        if "kept" not in entry:
            raise ValueError(f"{folder.path} does not record who survived, so it cannot be replayed")
        optimiser.tell(selecting_fitness(entry["kept"], individuals))
        if entry["generation"] in generations:
            found[int(entry["generation"])] = optimiser.parents
    return found


def selecting_fitness(survivors: Sequence[int], individuals: int) -> FloatVector:
    """A fitness that makes the survivors the fittest, in their order.

    >>> selecting_fitness([3, 0], 4)
    array([1., 0., 0., 2.])
    """
    if not all(isinstance(one, int) and 0 <= one < individuals for one in survivors):
        raise ValueError(f"the log names survivors that were not there: {survivors}; use a copy of it")
    fitness = np.zeros(individuals)
    fitness[list(survivors)] = np.arange(len(survivors), 0, -1)
    return fitness
