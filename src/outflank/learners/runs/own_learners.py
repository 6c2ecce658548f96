"""Optimisers and fitness measures of one's own, as plug-ins (plugins.py).

>>> start = np.zeros((4, 3))
>>> own_optimiser("outflank.learners.optimisers.genetic:GeneticSearch", start, 1, {"step": 0.1}).ask().shape
(4, 3)

An optimiser is made by NAME(start, seed=..., **optimiser_options), where `start` holds the first population,
one weight vector per row; a measure by NAME(seed=..., **fitness_options). An optimiser is tried before the
first game, so that no run begins that could not be resumed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from outflank.evaluators.league_text import PlayerFileError
from outflank.evaluators.storage import load_weights
from outflank.learners.fitness.fixed_opponents import Measure
from outflank.learners.optimisers import checks
from outflank.learners.optimisers.optimiser import FloatMatrix, Optimiser, Tensors
from outflank.players.engines.player import is_external
from outflank.plugins import GROUPS, PluginError, blamed, is_plugin, load, source_digest

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


def check_resumable(name: str, start: FloatMatrix, seed: int, options: Mapping[str, Any]) -> None:
    """Fails unless an optimiser that is restored from a checkpoint asks what the first one asks."""
    first, again = (own_optimiser(name, start, seed, options) for _ in range(2))
    with blamed(name):
        asked = first.ask()
        checks.generation(asked, start.shape[1])
        if not np.array_equal(asked, first.ask()):
            raise ValueError(
                "asked twice, ask() must return the same: generation g draws from stream(seed, g)"
            )
        first.tell(np.arange(len(asked), dtype=np.float64))
        again.restore(checkpoint_state(first))
        if (first.generation, again.generation) != (1, 1):
            raise ValueError(
                f"generation must count the tells, restored or not: after one it is {first.generation}, and "
                f"{again.generation} restored from state()"
            )
        if not np.array_equal(first.ask(), again.ask()):
            raise ValueError("restored from state(), ask() returns other weights; it must hold everything")


def checkpoint_state(optimiser: Optimiser) -> Tensors:
    """An optimiser's state, in arrays that a checkpoint can hold."""
    state: Any = optimiser.state()
    if not isinstance(state, Mapping):
        raise TypeError(f"state() must return a dictionary of arrays, got {type(state).__name__}")
    arrays = {key: np.ascontiguousarray(value) for key, value in state.items()}
    for key, array in arrays.items():
        if array.dtype.kind not in "fiub":
            raise TypeError(f"state() must return arrays of numbers, but {key!r} holds {array.dtype}")
    return arrays


def own_measure(name: str, seed: int, options: Mapping[str, Any]) -> Measure:
    make = load(name, "fitness")
    with blamed(name):
        made: Measure = make(seed=seed, **options)
    _check(
        made, name, "a fitness measure", PARTS_OF_MEASURE, "outflank.learners.fitness.fixed_opponents.Measure"
    )
    return made


def plugins_of(settings: BaseModel) -> dict[str, str]:
    """The plug-ins that a run's settings name, with the digests of their code."""
    names = {text.partition(",")[0] for text in _texts(settings.model_dump()) if not is_external(text)}
    found = {}
    for name in sorted(names):
        group = next((one for one in GROUPS if is_plugin(name, one)), None)
        with suppress(ValueError):  # a text that only looks like one, or a wrong name, which the run refuses
            if group is not None:
                found[name] = source_digest(name, group)
    return found


def _texts(values: Any) -> Iterator[str]:
    """All texts within lists and tables."""
    if isinstance(values, str):
        yield values
    elif isinstance(values, Mapping):
        for value in values.values():
            yield from _texts(value)
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _texts(value)


def weights_of_plugin(settings: BaseModel, file: Path) -> str | None:
    """The plug-in whose weights a run has written to a file; None if the file is a player of its own."""
    evaluator = getattr(settings, "evaluator", None) or ""
    if not is_plugin(evaluator, "evaluators"):
        return None
    try:
        load_weights(file)
    except PlayerFileError:  # the plug-in made one of our own networks
        return None
    return str(evaluator)


def _check(made: object, name: str, what: str, parts: tuple[str, ...], base: str) -> None:
    """Fails before the first game, not after it."""
    with blamed(name):
        missing = [part for part in parts if not hasattr(made, part)]
    if missing:
        raise PluginError(f"{name} has no {' or '.join(missing)}, so it is not {what}; see {base}")
