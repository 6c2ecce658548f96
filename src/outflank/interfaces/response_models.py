"""What a league's API answers with: the shapes of its JSON, for server and clients."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel


class Fault(BaseModel):
    """Every error."""

    error: str


class EntrantAnswer(BaseModel):
    name: str
    key: str


class Result(BaseModel):
    """Games of one player, with the 95 % interval of the score."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    ci95: tuple[float, float]


class RowAnswer(BaseModel):
    rank: int | None
    id: int
    name: str
    entrant: str
    kind: str
    view: str
    weights: int
    created: float
    state: Literal["final", "provisional", "waiting", "failed"]
    fault: str | None
    result: Result | None


class TableAnswer(BaseModel):
    total: int  # before limit and offset
    players: list[RowAnswer]


class SubmittedAnswer(BaseModel):
    id: int
    name: str
    kind: str
    view: str
    weights: int
    state: Literal["waiting"]
    page: str


class ScoreAnswer(BaseModel):
    double_games: int
    is_final: bool
    measured: float
    result: Result


class PlayerAnswer(BaseModel):
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
    fault: str | None
    scores: list[ScoreAnswer]


class MatchAnswer(BaseModel):
    competition: str
    epsilon: float
    opponent: str
    result: Result


class NominatedAnswer(BaseModel):
    id: int
    name: str
    entrant: str


class CompetitionAnswer(BaseModel):
    id: int
    name: str
    state: Literal["open", "playing", "finished"]
    double_games: int
    created: float
    players: list[NominatedAnswer]
    meetings: int
    meetings_in_all: int
    standings: dict[str, dict[str, Any]]  # by rate: players, pairs, cycles
