"""Evaluators with weights, written in Python as plug-ins: evolution learns their weights, files hold them.

A file holds the weights and the name of the plug-in, never its code, and reading it imports nothing: the
owner names both, as `mine:Network,weights=runs/mine/best.safetensors`.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from outflank.evaluators.protocol import (
    BitArray,
    CoreEvaluator,
    FloatArray,
    WeightedEvaluator,
    checked_values,
)
from outflank.plugins import PluginError, blamed, load, made


class PluginNetwork(WeightedEvaluator):
    """Somebody's evaluator with weights, whose errors say whose they are."""

    def __init__(self, inner: WeightedEvaluator, name: str) -> None:
        super().__init__(inner.weights, inner.weights.size)
        self._inner, self._name = inner, name

    @property
    def code(self) -> WeightedEvaluator:
        """What somebody wrote."""
        return self._inner

    def with_weights(self, weights: npt.ArrayLike) -> PluginNetwork:
        with blamed(self._name):
            return PluginNetwork(self._inner.with_weights(weights), self._name)

    @property
    def architecture(self) -> dict[str, Any]:
        return {"kind": "plug-in", "evaluator": self._name, "weights": int(self.weights.size)}

    @property
    def description(self) -> str:
        return self._name

    def values(self, black: BitArray, white: BitArray) -> FloatArray:
        with blamed(self._name):
            values = self._inner.values(black, white)
            return checked_values(values, len(black), f"{self._name}.values()")


def plugin_network(name: str) -> CoreEvaluator | PluginNetwork:
    """The evaluator that a plug-in's name stands for, or that its class or function makes."""
    found = made(load(name, "evaluators"), name)
    if isinstance(found, CoreEvaluator | PluginNetwork):
        return found
    if not isinstance(found, WeightedEvaluator):
        raise PluginError(
            f"{name} is of type {type(found).__name__}, which has no weights to learn; make it a "
            "subclass of outflank.WeightedEvaluator"
        )
    return PluginNetwork(found, name)
