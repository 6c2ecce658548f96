"""The JSON of the league's API, for server and clients."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from outflank.board import Colour


class ErrorResponse(BaseModel):
    """Every error."""

    error: str


class EntrantResponse(BaseModel):
    name: str
    key: str


class Result(BaseModel):
    """One player's results, with the 95 % interval of the score."""

    model_config = ConfigDict(from_attributes=True)
    games: int
    wins: int
    draws: int
    losses: int
    score: float
    ci95: tuple[float, float]  # rests on the distinct double games
    distinct_double_games: int | None = Field(
        None, validation_alias=AliasChoices("distinct_double_games", "distinct")
    )


class RowResponse(BaseModel):
    """A row of the league table."""

    rank: int | None
    id: int
    name: str
    entrant: str
    kind: str
    view: str
    weights: int
    created: float
    state: Literal["final", "provisional", "waiting", "failed"]
    fault: str | None  # why it could not be scored
    result: Result | None


class TableResponse(BaseModel):
    total: int  # before limit and offset
    players: list[RowResponse]


class SubmittedResponse(BaseModel):
    id: int
    name: str
    kind: str
    view: str
    weights: int
    state: Literal["waiting"]
    page: str


class ScoreResponse(BaseModel):
    double_games: int
    is_final: bool
    measured: float
    result: Result


class PlayerResponse(BaseModel):
    rank: int | None
    id: int
    name: str
    entrant: str
    kind: str
    description: str
    view: str
    weights: int
    digest: str
    note: str
    link: str
    created: float
    fault: str | None  # why it could not be scored
    scores: list[ScoreResponse]


class MatchResponse(BaseModel):
    competition: str
    epsilon: float
    opponent: str
    result: Result


class NominatedResponse(BaseModel):
    id: int
    name: str
    entrant: str


class CompetitionResponse(BaseModel):
    id: int
    name: str
    state: Literal["open", "playing", "finished"]
    double_games: int
    created: float
    players: list[NominatedResponse]
    meetings: int
    meetings_in_all: int
    standings: dict[str, dict[str, Any]]  # by rate: players, pairs, cycles


class PositionResponse(BaseModel):
    """A board of a game: before the first move, or after a move."""

    move: str | None  # that led here
    mover: Colour | None  # who made it
    flipped: list[str]
    passed: Colour | None  # who has to pass now
    squares: str  # 64 characters from a1, b1, ... to h8: X black, O white, - empty
    turn: Colour | None  # None: the game is over
    legal: list[str]
    black: int  # discs
    white: int
    disc_difference: int  # Black's minus White's
    evaluation: float | None  # for Black, without search, in the evaluator's unit; None at the end


class MoveValue(BaseModel):
    """A move's value for the mover: in the evaluator's unit, or in discs if the search reached the end."""

    square: str
    value: float | None
    discs: int | None


class PlayResponse(PositionResponse):
    """The board after a transcript, and the game that led there."""

    transcript: str
    is_over: bool
    outcome: Literal["black", "white", "draw"] | None
    positions: list[PositionResponse]  # the whole game, from the start to this board
    values: list[MoveValue] | None  # best first; if requested
    choice: MoveValue | None  # the player's move; if requested
    depth: int | None  # of the search behind the values


class MeasurementResponse(BaseModel):
    """A point of a learning curve."""

    model_config = ConfigDict(from_attributes=True)
    games: int
    generation: int | None
    seconds: float  # of learning
    score: float
    ci95: tuple[float, float]


class RunResponse(BaseModel):
    """The state of a learning run."""

    model_config = ConfigDict(from_attributes=True)
    name: str
    method: str
    settings: dict[str, Any]
    seed: int
    state: Literal["learning", "stopped", "finished"]
    unit: Literal["games", "generations"]
    done: int  # as last logged
    total: int
    last: MeasurementResponse | None
    changed: float  # seconds since 1970
    has_player: bool = False  # which /player sends


class LogResponse(BaseModel):
    run: RunResponse
    measurements: list[MeasurementResponse]
