"""What the metadata of a player file may say, checked by pydantic."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class PieceCounterArchitecture(_Strict):
    kind: Literal["piece-counter"]
    symmetric: bool = False


class IagoArchitecture(_Strict):
    kind: Literal["iago"]


class NTupleNetworkArchitecture(_Strict):
    kind: Literal["n-tuple-network"]
    stages: int = 1
    tables: list[list[list[int]]]


class MlpArchitecture(_Strict):
    kind: Literal["mlp"]
    hidden: int = 32


class SpatialMlpArchitecture(_Strict):
    kind: Literal["spatial-mlp"]


OneArchitecture = Annotated[
    PieceCounterArchitecture
    | IagoArchitecture
    | NTupleNetworkArchitecture
    | MlpArchitecture
    | SpatialMlpArchitecture,
    Field(discriminator="kind"),
]


class DoubledArchitecture(_Strict):
    kind: Literal["doubled"]
    black: OneArchitecture
    white: OneArchitecture


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
