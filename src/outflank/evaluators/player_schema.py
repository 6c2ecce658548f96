"""The metadata of a player file, as pydantic models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Architecture(_Strict):
    @property
    def placements(self) -> int:
        """The number of placements of tuples; other kinds have none."""
        return 0


class PieceCounterArchitecture(_Architecture):
    kind: Literal["piece-counter"]
    symmetric: bool = False


class IagoArchitecture(_Architecture):
    kind: Literal["iago"]


class NTupleNetworkArchitecture(_Architecture):
    kind: Literal["n-tuple-network"]
    stages: int = 1
    tables: list[list[list[int]]]

    @property
    def placements(self) -> int:
        return sum(len(table) for table in self.tables)


class MlpArchitecture(_Architecture):
    kind: Literal["mlp"]
    hidden: int = 32


class SpatialMlpArchitecture(_Architecture):
    kind: Literal["spatial-mlp"]


OneArchitecture = Annotated[
    PieceCounterArchitecture
    | IagoArchitecture
    | NTupleNetworkArchitecture
    | MlpArchitecture
    | SpatialMlpArchitecture,
    Field(discriminator="kind"),
]


class DoubledArchitecture(_Architecture):
    kind: Literal["doubled"]
    black: OneArchitecture
    white: OneArchitecture

    @property
    def placements(self) -> int:
        return self.black.placements + self.white.placements


class PlayerMetadata(_Strict):
    architecture: Annotated[
        PieceCounterArchitecture
        | IagoArchitecture
        | NTupleNetworkArchitecture
        | MlpArchitecture
        | SpatialMlpArchitecture
        | DoubledArchitecture,
        Field(discriminator="kind"),
    ]
    view: Literal["inversion", "negation", "doubled"] | None = None
    provenance: dict[str, Any] = Field(default_factory=dict)
