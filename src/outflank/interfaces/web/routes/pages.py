"""The pages: league table, players, competitions, submission. All but submission work without JavaScript, and
for that there is a command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from outflank.games.tournaments.standings import Standings
from outflank.interfaces.web.caching.competition_cache import CompetitionCache
from outflank.interfaces.web.caching.responses import TableResponder
from outflank.interfaces.web.caching.table_cache import Order, Snapshot, Sort, TableQuery
from outflank.interfaces.web.rendering import Scale, page, rendered
from outflank.interfaces.web.routes.dependencies import LeagueDep, TableDep, number_of, player_of
from outflank.league.competitions import FEW_RANDOM_MOVES, Competitions
from outflank.league.league import HOUSE
from outflank.league.scoring import DOUBLE_GAMES as FINAL
from outflank.league.scoring import TABLE_3
from outflank.league.text_fields import LONGEST_LINK, LONGEST_NOTE, folded

router = APIRouter(include_in_schema=False)
SHOWN = ["GET", "HEAD"]
COLUMNS: tuple[tuple[Sort, str, str], ...] = (
    ("rank", "Rank", "number"),
    ("name", "Player", "name"),
    ("rank", "Score", "score"),
    ("weights", "Weights", "number"),
    ("kind", "Kind and view", ""),
    ("entrant", "Entrant", ""),
    ("created", "Submitted", ""),
)
SHADES = 10  # of the heat map, from 0 to 1
MOST_CYCLES = 20  # shown; a large field has hundreds


@router.api_route("/", methods=SHOWN)
async def league_table(
    request: Request,
    table: TableDep,
    sort: Sort = "rank",
    order: Order = "ascending",
    filter: Annotated[str, Query(max_length=80)] = "",
    page: Annotated[int, Query(ge=1, le=10**6)] = 1,
) -> Response:
    query = TableQuery(sort, order, filter.strip()).at_page(page)
    return await table_page_responder(query).respond(request, table)


def table_page_responder(query: TableQuery) -> TableResponder:
    return TableResponder(
        query, lambda snapshot: _league_page(snapshot, query).encode(), "text/html; charset=utf-8"
    )


class ColumnHead(NamedTuple):
    title: str
    style: str
    address: str  # of the table sorted by it
    sorted: str  # ascending, descending or empty


def _league_page(snapshot: Snapshot, query: TableQuery) -> str:
    """Sorted, filtered and paged by links and a form alone."""
    rows = query.matching(snapshot.rows)
    pages = max(1, -(-len(rows) // query.limit))
    query = query.at_page(min(query.page, pages))
    heads = [
        ColumnHead(title, style, query.by(sort).address,
                   query.order if sort == query.sort and title != "Score" else "")  # sorted as rank is
        for sort, title, style in COLUMNS
    ]  # fmt: skip
    return rendered(
        "league.html", active="/", title="League table", query=query, heads=heads, snapshot=snapshot,
        rows=rows[query.offset : query.offset + query.limit], first=query.offset + 1, found=len(rows),
        pages=pages, previous=query.at_page(query.page - 1).address if query.page > 1 else "",
        next=query.at_page(query.page + 1).address if query.page < pages else "", published=TABLE_3,
    )  # fmt: skip


@router.api_route("/players/{player_id}", methods=SHOWN)
def player(league: LeagueDep, table: TableDep, player_id: str) -> Response:
    found = player_of(league, player_id)
    snapshot = table.snapshot()
    competitions = Competitions(league)
    return page(
        "player.html", active="/", title=found.name, player=found, row=snapshot.by_id.get(found.id),
        ranked=sum(row.rank is not None for row in snapshot.rows),
        has_picture=league.picture(found.id) is not None,
        scale=Scale.of(score.tally.ci95 for score in found.scores), final=FINAL, players=snapshot.by_name,
        matches=competitions.meetings_of(found.id),
        competitions={state.name: state.id for state in competitions.all()},
    )  # fmt: skip


@router.api_route("/competitions", methods=SHOWN)
def competitions(league: LeagueDep) -> Response:
    found = Competitions(league).all()
    return page("competitions.html", active="/competitions", title="Competitions", competitions=found)


@router.api_route("/competitions/{competition_id}", methods=SHOWN)
def competition(request: Request, league: LeagueDep, table: TableDep, competition_id: str) -> Response:
    state = Competitions(league).state(number_of(competition_id, "competition"))
    cache: CompetitionCache = request.app.state.competition_cache

    def make(standings: Mapping[float, Standings]) -> str:
        rows = table.snapshot().rows if state.state == "open" else ()
        return rendered(
            "competition.html", active="/competitions", title=state.name, competition=state,
            sections=[RateSection(epsilon, found) for epsilon, found in standings.items()],
            players={player.name: player for player in state.players}, few_random_moves=FEW_RANDOM_MOVES,
            nominable=[row for row in rows if folded(row.entrant) not in HOUSE],
        )  # fmt: skip

    return HTMLResponse(make({}) if state.state == "open" else cache.page(state, make))


@dataclass(frozen=True)
class Cell:
    """Of the heat map: the row's score against the column."""

    score: float | None
    title: str

    @property
    def shade(self) -> str:
        """
        >>> Cell(0.96, "").shade, Cell(None, "").shade
        ('shade-10', '')
        """
        return "" if self.score is None else f"shade-{round(SHADES * self.score)}"


@dataclass(frozen=True)
class RateSection:
    """Results at one rate of forced random moves."""

    epsilon: float
    standings: Standings

    @cached_property
    def rating_scale(self) -> Scale:
        return Scale.of(row.rating_ci95 for row in self.standings.rows)

    @cached_property
    def heat_map(self) -> list[list[Cell]]:
        players = self.standings.players
        return [[self._cell(row, column) for column in players] for row in players]

    @property
    def double_games(self) -> int:
        """Of all pairs."""
        return sum(sum(row.tally.double_games) for row in self.standings.rows) // 2

    @property
    def distinct(self) -> int:
        return sum(row.tally.distinct for row in self.standings.rows) // 2

    @property
    def cycles(self) -> tuple[object, ...]:
        return self.standings.cycles[:MOST_CYCLES]

    def _cell(self, row: str, column: str) -> Cell:
        result = self.standings.results.get((row, column))
        if result is None:
            return Cell(None, "")
        tally = result.tally
        words = f"{tally.wins:,} wins, {tally.draws:,} draws, {tally.losses:,} losses"
        if tally.repeated:
            words += f"; {tally.distinct:,} distinct double games"
        return Cell(tally.score, f"{row} against {column}: {words}")


@router.api_route("/submit", methods=SHOWN)
def submit() -> Response:
    return page("submit.html", active="/submit", title="Submit a player", longest_note=LONGEST_NOTE,
                longest_link=LONGEST_LINK)  # fmt: skip
