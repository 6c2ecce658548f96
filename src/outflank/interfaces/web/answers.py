"""What the API answers with, made from what the league knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from outflank.games.standings import PairResult, Standings
from outflank.games.statistics import Tally
from outflank.interfaces.league_answers import (
    CompetitionAnswer,
    MatchAnswer,
    NominatedAnswer,
    PlayerAnswer,
    Result,
    RowAnswer,
    ScoreAnswer,
)
from outflank.league.competitions import CompetitionState
from outflank.league.league import TableRow
from outflank.league.schema import Player
from outflank.league.scoring import DOUBLE_GAMES


def result_of(tally: Tally) -> Result:
    return Result(games=tally.games, wins=tally.wins, draws=tally.draws, losses=tally.losses,
                  score=tally.score, ci95=tally.ci95)  # fmt: skip


def row_answer(row: TableRow) -> RowAnswer:
    return RowAnswer(
        rank=row.rank, id=row.id, name=row.name, entrant=row.entrant, kind=row.kind, view=row.view,
        weights=row.weights, created=row.created, fault=row.fault, state=row.state,
        result=result_of(row.tally) if row.tally else None,
    )  # fmt: skip


def player_answer(player: Player, table: Sequence[TableRow]) -> PlayerAnswer:
    rank = next((row.rank for row in table if row.id == player.id), None)
    scores = [
        ScoreAnswer(double_games=score.double_games, is_final=score.double_games >= DOUBLE_GAMES,
                    measured=score.measured, result=result_of(score.tally))
        for score in player.scores
    ]  # fmt: skip
    return PlayerAnswer(
        rank=rank, id=player.id, name=player.name, entrant=player.entrant.name, kind=player.kind,
        description=player.description, view=player.view, weights=player.weights, digest=player.digest,
        note=player.note, link=player.link, created=player.created, fault=player.fault, scores=scores,
    )  # fmt: skip


def match_answers(meetings: Sequence[tuple[str, float, PairResult]]) -> list[MatchAnswer]:
    return [
        MatchAnswer(competition=name, epsilon=epsilon, opponent=pair.second, result=result_of(pair.tally))
        for name, epsilon, pair in meetings
    ]


def competition_answer(state: CompetitionState, standings: Mapping[float, Standings]) -> CompetitionAnswer:
    players = [NominatedAnswer(id=one.id, name=one.name, entrant=one.entrant.name) for one in state.players]
    return CompetitionAnswer(
        id=state.id, name=state.name,
        state=state.state,  # type: ignore[arg-type]  # a column of text; pydantic checks it here
        double_games=state.double_games, created=state.created, players=players, meetings=state.meetings,
        meetings_in_all=state.meetings_in_all,
        standings={f"{epsilon:g}": one.report() for epsilon, one in standings.items()},
    )  # fmt: skip
