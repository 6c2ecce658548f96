"""The league table as pages show it: worked out once for each state of the league."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from outflank.interfaces.web.rendering import rendered
from outflank.interfaces.web.scales import Interval, Scale
from outflank.interfaces.web.table_cache import TableCache
from outflank.league.league import TableRow


@dataclass(frozen=True)
class Snapshot:
    """The table at one moment, and what follows from it."""

    rows: Sequence[TableRow]

    @cached_property
    def by_id(self) -> dict[int, TableRow]:
        return {row.id: row for row in self.rows}

    @cached_property
    def by_name(self) -> dict[str, TableRow]:
        return {row.name: row for row in self.rows}

    @cached_property
    def intervals(self) -> dict[int, Interval]:
        """Of the scores, by player."""
        return {row.id: interval for row in self.rows if (interval := row.ci95) is not None}

    @cached_property
    def scale(self) -> Scale:
        """On which all intervals of the table are drawn."""
        return Scale.of(self.intervals.values())

    def options(self, chosen: int | None) -> Markup:
        """All players as options of a selection: written out once, for there may be a thousand."""
        return Markup(self._options.replace(f'value="{chosen}"', f'value="{chosen}" selected', 1))

    @cached_property
    def _options(self) -> str:
        return rendered("options.html", rows=self.rows)


class Snapshots:
    """The snapshot of the table that is kept."""

    def __init__(self, table: TableCache) -> None:
        self._table = table
        self._latest = Snapshot(())

    def now(self) -> Snapshot:
        return self.of(self._table.rows())

    def of(self, rows: Sequence[TableRow]) -> Snapshot:
        latest = self._latest
        if latest.rows is not rows:  # the table is kept as one object for as long as it is the same
            self._latest = latest = Snapshot(rows)
        return latest
