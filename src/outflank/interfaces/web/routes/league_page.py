"""The league table as a page: sorted, filtered and cut into pages by links and a form alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from outflank.interfaces.web.caching.table_cache import Snapshot
from outflank.interfaces.web.rendering import rendered
from outflank.interfaces.web.routes.api import Order, Sort, chosen_rows
from outflank.league.published import TABLE_3

ROWS = 50  # of a page
COLUMNS: tuple[tuple[Sort, str, str], ...] = (
    ("rank", "Rank", "number"),
    ("name", "Player", "name"),
    ("rank", "Score", "score"),
    ("weights", "Weights", "number"),
    ("kind", "Kind and view", ""),
    ("entrant", "Entrant", ""),
    ("created", "Submitted", ""),
)


@dataclass(frozen=True)
class TableQuery:
    """What part of the table is asked for, in what order."""

    sort: Sort = "rank"
    order: Order = "ascending"
    text: str = ""
    page: int = 1

    @property
    def address(self) -> str:
        """
        >>> TableQuery(text="all 2", page=3).address, TableQuery().address
        ('/?filter=all+2&page=3', '/')
        """
        asked = {"sort": self.sort, "order": self.order, "filter": self.text, "page": self.page}
        usual = {"sort": "rank", "order": "ascending", "filter": "", "page": 1}
        said = {name: value for name, value in asked.items() if value != usual[name]}
        return f"/?{urlencode(said)}" if said else "/"

    def by(self, sort: Sort) -> TableQuery:
        """Sorted by a column; the other way round if it is sorted by it already."""
        turned: Order = "descending" if sort == self.sort and self.order == "ascending" else "ascending"
        return replace(self, sort=sort, order=turned, page=1)


@dataclass(frozen=True)
class ColumnHead:
    title: str
    style: str
    address: str  # of the table sorted by it
    sorted: str  # ascending, descending or empty


def league_page(snapshot: Snapshot, query: TableQuery) -> str:
    rows = chosen_rows(list(snapshot.rows), query.sort, query.order, query.text)
    pages = max(1, -(-len(rows) // ROWS))
    query = replace(query, page=min(query.page, pages))
    first = (query.page - 1) * ROWS
    return rendered(
        "league.html", active="/", title="League table", query=query, heads=_heads(query), snapshot=snapshot,
        rows=rows[first : first + ROWS], first=first + 1, found=len(rows), pages=pages,
        previous=replace(query, page=query.page - 1).address if query.page > 1 else "",
        next=replace(query, page=query.page + 1).address if query.page < pages else "", published=TABLE_3,
    )  # fmt: skip


def _heads(query: TableQuery) -> list[ColumnHead]:
    return [
        ColumnHead(
            title,
            style,
            query.by(sort).address,
            query.order if sort == query.sort and title != "Score" else "",  # rank is the order of scores
        )
        for sort, title, style in COLUMNS
    ]
