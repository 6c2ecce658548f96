"""Evaluators that can learn: made from the name of an architecture, and their learning form in the core.

>>> Architecture.named("mlp-8").new(seed=1).weights.size
529
>>> Architecture.named("all-2", stages=2).new(seed=1).weights.size
576
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from outflank import _core
from outflank.evaluators.counted_network import CountedNetwork, without_counts
from outflank.evaluators.deep_network import DeepNetwork
from outflank.evaluators.mlp import PARTS, Mlp, SpatialMlp
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.piece_counter import CLASS_OF_SQUARE, PieceCounter
from outflank.evaluators.plugin_network import plugin_network
from outflank.evaluators.protocol import WeightedEvaluator
from outflank.plugins import is_plugin


@dataclass(frozen=True)
class Architecture:
    """piece-counter, piece-counter-10, mlp, mlp-HIDDEN, spatial-mlp, spatial-mlp-DISCS (discs that are worth
    one unit of the output), a shape of tuples (all-2, snakes-30x6, logistello, all-3+corner-2x5, ...), maybe
    with counts (logistello+mobility) or as a deep network (deep-8-16:logistello), or a plug-in."""

    kind: str  # "piece-counter", "mlp", "spatial-mlp", "n-tuple network", "deep network" or "plug-in"
    size: int | None = None  # weights of a piece counter, hidden units of an MLP, discs of a spatial one
    shape: str = ""  # of tuples; or the name of a plug-in
    stages: int = 1
    vector: int = 0  # numbers of an entry of a deep network; its hidden nodes are its size

    @classmethod
    def named(cls, name: str, stages: int = 1) -> Architecture:
        if found := re.fullmatch(r"deep-(\d{1,3})-(\d{1,3}):(.+)", name):
            return cls("deep network", int(found[2]), found[3], stages, vector=int(found[1]))
        known = cls._without_tuples(name)
        if known is None:
            return cls("n-tuple network", shape=name, stages=stages)
        if stages > 1:
            raise ValueError("stages are for n-tuple networks; this evaluator has none")
        return known

    @classmethod
    def _without_tuples(cls, name: str) -> Architecture | None:
        if name in ("piece-counter", "mlp", "spatial-mlp"):
            return cls(name)
        if name == "piece-counter-10":  # one weight for each class of symmetric squares
            return cls("piece-counter", 10)
        if found := re.fullmatch(r"(mlp|spatial-mlp)-(\d{1,9})", name):
            return cls(found[1], int(found[2]))
        return cls("plug-in", shape=name) if is_plugin(name, "evaluators") else None

    @property
    def is_mlp(self) -> bool:
        return self.kind in ("mlp", "spatial-mlp", "deep network")

    def new(self, seed: int) -> WeightedEvaluator:
        """An evaluator whose weights are all zero, but a plug-in's are its own. The seed places random
        tuples."""
        match self.kind:
            case "plug-in":
                return plugin_network(self.shape)
            case "piece-counter":
                return PieceCounter.symmetric() if self.size else PieceCounter()
            case "spatial-mlp":
                return SpatialMlp(discs_per_unit=1 if self.size is None else self.size)
            case "deep network":
                return DeepNetwork.of_shape(
                    self.shape, vector=self.vector, hidden=self.size or 1, stages=self.stages, seed=seed
                )
            case "mlp":
                return Mlp(hidden=32 if self.size is None else self.size)
            case _ if without_counts(self.shape)[1]:
                return CountedNetwork.of_shape(self.shape, stages=self.stages, seed=seed)
            case _:
                return NTupleNetwork.of_shape(self.shape, stages=self.stages, seed=seed)


def learnable(evaluator: WeightedEvaluator, coherent: bool, symmetric: bool = False) -> _core.Learnable:
    """The evaluator's learning form in the core, with its weights. `symmetric`: mirror-image entries of a
    network's tables share one weight."""
    if symmetric and not isinstance(evaluator, NTupleNetwork | DeepNetwork):
        raise ValueError("symmetric = true is for n-tuple networks; remove it from the settings")
    if isinstance(evaluator, PieceCounter):
        places = list(CLASS_OF_SQUARE) if evaluator.is_symmetric else list(range(64))
        made = _core.learning_piece_counter(places, evaluator.weights.size, coherent)
    elif isinstance(evaluator, NTupleNetwork):
        made = _core.learning_network(evaluator.placements, evaluator.stages, coherent, symmetric)
    elif isinstance(evaluator, DeepNetwork):
        made = _core.learning_deep_network(
            evaluator.placements, evaluator.vector, evaluator.hidden, evaluator.stages, coherent, symmetric
        )
    elif isinstance(evaluator, Mlp):
        weights = 64 * evaluator.hidden
        end = weights + evaluator.hidden
        made = _core.learning_mlp(
            list(evaluator.nodes), list(range(weights)), list(range(weights, end)), end, False, coherent
        )
    elif isinstance(evaluator, SpatialMlp) and evaluator.discs_per_unit == 1:
        made = _learnable_spatial_mlp(coherent)
    else:
        raise ValueError(f"{evaluator.description} cannot learn by temporal differences")
    made.set_weights(evaluator.weights.astype(np.float32))
    return made


def _learnable_spatial_mlp(coherent: bool) -> _core.Learnable:
    """Its weights are laid out as in SpatialMlp: for each part its squares, then a bias."""
    places = np.full((64, len(PARTS)), -1)
    biases = []
    at = 0
    for node, part in enumerate(PARTS):
        places[list(part), node] = range(at, at + len(part))
        biases.append(at + len(part))
        at += len(part) + 1
    return _core.learning_mlp(
        [64, len(PARTS), 40, 10, 1], places.ravel().tolist(), biases, at, True, coherent
    )
