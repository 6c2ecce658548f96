"""The parents of earlier generations, found again without a game.

What children a generation has depends on the settings, the seed and the generation alone, and a run's log
remembers who was kept. So the whole family can be born once more from the log:

>>> from pathlib import Path
>>> from tempfile import mkdtemp
>>> from outflank.learners.runs.evolution_run import EvolutionRun
>>> from outflank.learners.runs.settings import preset_or_file
>>> quickly = ["generations=2", "depth=1", "watch=[]", "measure_double_games=1"]
>>> settings, _ = preset_or_file("chong-2003", quickly)
>>> run = EvolutionRun.create(Path(mkdtemp()) / "run", settings, seed=1)
>>> steps = list(run.steps())
>>> found = earlier_parents(run.folder, [1, 2])
>>> bool((found[2] == run.optimiser.parents).all()), found[1].shape
(True, (10, 5900))
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
import numpy as np
from outflank.learners.runs.initialisation import beginning_of, new_optimiser
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector
from outflank.learners.runs.folder import RunFolder

STRATEGIES = ("self-adaptive", "evolution-strategy")  # the next parents are who was kept, and nothing else


def earlier_parents(folder: RunFolder, generations: Collection[int]) -> dict[int, FloatMatrix]:
    """The parents after each of these generations, the fittest first, a weight vector a row."""
    settings, seed = folder.settings()
    if not isinstance(settings, EvolutionSettings) or settings.method not in STRATEGIES:
        raise ValueError(f"{folder.path} is no run of {' or '.join(STRATEGIES)}, whose parents are kept")
    if settings.td_games or settings.seed_preset:
        raise ValueError(
            f"{folder.path} learned by temporal differences too, which its log does not remember"
        )
    log = folder.log()
    last = max(generations, default=0)
    if last > len(log) or min(generations, default=1) < 1:
        raise ValueError(f"{folder.path} has generations 1 to {len(log)}, not {sorted(generations)}")
    optimiser = new_optimiser(settings, beginning_of(settings, seed, None), seed)
    individuals, found = len(optimiser.ask()), {}
    for entry in log[:last]:
        if "kept" not in entry:
            raise ValueError(
                f"{folder.path} does not say who was kept, so its generations cannot be had again"
            )
        optimiser.tell(_chooses(entry["kept"], individuals))
        if entry["generation"] in generations:
            found[int(entry["generation"])] = optimiser.parents
    return found


def _chooses(kept: Sequence[int], individuals: int) -> FloatVector:
    """A fitness that makes those who were kept the fittest, in their order.

    >>> _chooses([3, 0], 4)
    array([1., 0., 0., 2.])
    """
    fitness = np.zeros(individuals)
    fitness[list(kept)] = np.arange(len(kept), 0, -1)
    return fitness

