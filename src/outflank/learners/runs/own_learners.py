"""Optimisers and fitness measures of one's own, as plug-ins (plugins.py).

>>> start = np.zeros((4, 3))
>>> own_optimiser("outflank.learners.optimisers.genetic:GeneticSearch", start, 1, {"step": 0.1}).ask().shape
(4, 3)

An optimiser is made by NAME(start, seed=..., **optimiser_options), where `start` holds the first population,
one weight vector per row; a measure by NAME(seed=..., **fitness_options).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from outflank.learners.fitness.fixed_opponents import Measure
from outflank.learners.optimisers.optimiser import FloatMatrix, Optimiser
from outflank.plugins import PluginError, blamed, load

PARTS_OF_OPTIMISER = (
    "ask", "tell", "generation", "survivors", "selection_size", "parents", "favourite", "state", "restore"
)  # fmt: skip
PARTS_OF_MEASURE = ("double_games", "opponents", "measure")


def own_optimiser(name: str, start: FloatMatrix, seed: int, options: Mapping[str, Any]) -> Optimiser:
    make = load(name, "optimisers")
    with blamed(name):
        made: Optimiser = make(np.array(start), seed=seed, **options)
    _check(made, name, "an optimiser", PARTS_OF_OPTIMISER, "outflank.Optimiser")
    return made


def own_measure(name: str, seed: int, options: Mapping[str, Any]) -> Measure:
    make = load(name, "fitness")
    with blamed(name):
        made: Measure = make(seed=seed, **options)
    _check(
        made, name, "a fitness measure", PARTS_OF_MEASURE, "outflank.learners.fitness.fixed_opponents.Measure"
    )
    return made


def _check(made: object, name: str, what: str, parts: tuple[str, ...], base: str) -> None:
    """Fails before the first game, not after it."""
    with blamed(name):
        missing = [part for part in parts if not hasattr(made, part)]
    if missing:
        raise PluginError(f"{name} has no {' or '.join(missing)}, so it is not {what}; see {base}")
