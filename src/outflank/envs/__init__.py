"""Othello where people do reinforcement learning: batches of games, Gymnasium, PettingZoo, OpenSpiel.

>>> import outflank.envs
>>> batch = outflank.envs.BatchedOthello(1000, seed=1)
>>> batch.step(batch.random_actions()).terminated.any().item()
False

An action is a square, 0 (a1) to 63 (h8); passes are implied, as everywhere in outflank. An observation has
two planes, [2, 8, 8]: the discs of the side to move and those of its opponent. Importing this package
registers `outflank/Othello-v0` with Gymnasium, if that is installed (the extra outflank[envs]).
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from types import ModuleType

from outflank.envs.batched import BatchedOthello as BatchedOthello
from outflank.envs.batched import BatchStep as BatchStep

ENVIRONMENT = "outflank/Othello-v0"
_SUBMODULES = ("gymnasium", "openspiel", "pettingzoo", "vector")


def __getattr__(name: str) -> ModuleType:
    """`outflank.envs.pettingzoo` without an import of its own."""
    if name in _SUBMODULES:
        return importlib.import_module(f"outflank.envs.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _register() -> None:
    from gymnasium import register, registry

    if ENVIRONMENT not in registry:
        register(
            ENVIRONMENT,
            entry_point="outflank.envs.gymnasium:OthelloEnv",
            vector_entry_point="outflank.envs.vector:OthelloVectorEnv",
        )


if find_spec("gymnasium") is not None:
    _register()
