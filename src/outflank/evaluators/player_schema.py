"""The metadata of a player file, as pydantic models that build evaluators."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from outflank.evaluators.counted_network import CountedNetwork
from outflank.evaluators.deep_network import DeepNetwork
from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.iago import Iago
from outflank.evaluators.mlp import Mlp, SpatialMlp
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.piece_counter import PieceCounter
from outflank.evaluators.protocol import CoreEvaluator, FloatArray


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    @property
    def placements(self) -> int:
        """The number of placements of tuples; other kinds have none."""
        return 0


class PieceCounterArchitecture(_Strict):
    kind: Literal["piece-counter"]
    symmetric: bool = False

    def build(self, weights: FloatArray | None) -> CoreEvaluator:
        return PieceCounter(weights, is_symmetric=self.symmetric)


class IagoArchitecture(_Strict):
    kind: Literal["iago"]

    def build(self, weights: FloatArray | None) -> CoreEvaluator:
        return Iago(weights)


class NTupleNetworkArchitecture(_Strict):
    kind: Literal["n-tuple-network"]
    stages: int = 1
    tables: list[list[list[int]]]

    @property
    def placements(self) -> int:
        return sum(len(table) for table in self.tables)

    def build(self, weights: FloatArray | None) -> CoreEvaluator:
        return NTupleNetwork(self.tables, weights, stages=self.stages)


class CountedNetworkArchitecture(_Strict):
    kind: Literal["counted-network"]
    stages: int = 1
    tables: list[list[list[int]]]
    counts: list[str] = Field(max_length=10)

    @property
    def placements(self) -> int:
        return sum(len(table) for table in self.tables)

    def build(self, weights: FloatArray | None) -> CoreEvaluator:
        return CountedNetwork(NTupleNetwork(self.tables, stages=self.stages), tuple(self.counts), weights)


class DeepNetworkArchitecture(_Strict):
    kind: Literal["deep-network"]
    stages: int = 1
    tables: list[list[list[int]]]
    vector: int
    hidden: int

    @property
    def placements(self) -> int:
        return sum(len(table) for table in self.tables)

    def build(self, weights: FloatArray | None) -> CoreEvaluator:
        return DeepNetwork(NTupleNetwork(self.tables), self.vector, self.hidden, self.stages, weights)


class MlpArchitecture(_Strict):
    kind: Literal["mlp"]
    hidden: int = 32

    def build(self, weights: FloatArray | None) -> CoreEvaluator:
        return Mlp(weights, hidden=self.hidden)


class SpatialMlpArchitecture(_Strict):
    kind: Literal["spatial-mlp"]
    discs_per_unit: int = 1

    def build(self, weights: FloatArray | None) -> CoreEvaluator:
        return SpatialMlp(weights, discs_per_unit=self.discs_per_unit)


class PluginArchitecture(_Strict):
    """Weights for an evaluator of somebody's own; the file names it, and reading the file imports nothing."""

    kind: Literal["plug-in"]
    evaluator: str = Field(max_length=500)
    weights: int

    def build(self, weights: FloatArray | None) -> CoreEvaluator:  # noqa: ARG002
        raise ValueError(
            f"it holds weights of the plug-in {self.evaluator}, not a player; name both, as "
            f"{self.evaluator},weights=FILE"
        )


OneArchitecture = (
    PieceCounterArchitecture
    | IagoArchitecture
    | NTupleNetworkArchitecture
    | CountedNetworkArchitecture
    | DeepNetworkArchitecture
    | MlpArchitecture
    | SpatialMlpArchitecture
)


class DoubledArchitecture(_Strict):
    kind: Literal["doubled"]
    black: Annotated[OneArchitecture, Field(discriminator="kind")]
    white: Annotated[OneArchitecture, Field(discriminator="kind")]

    @property
    def placements(self) -> int:
        return self.black.placements + self.white.placements

    def build(self, weights: FloatArray) -> DoubledFunction:
        split = self.black.build(None).weights.size
        return DoubledFunction(self.black.build(weights[:split]), self.white.build(weights[split:]))


class PlayerMetadata(_Strict):
    architecture: Annotated[
        OneArchitecture | DoubledArchitecture | PluginArchitecture, Field(discriminator="kind")
    ]
    view: Literal["inversion", "negation", "doubled"] | None = None
    provenance: dict[str, Any] = Field(default_factory=dict)
    outflank: str | None = None  # the version that wrote the file; earlier ones did not say it
