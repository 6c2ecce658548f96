"""Answers made from the league table, kept as long as the table is what it was.

A table of a thousand players takes tens of milliseconds to read and write out; it changes when a player comes
or is scored. So an answer is made once for each query and each version of the table.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Hashable, Sequence

from fastapi import Request
from fastapi.concurrency import run_in_threadpool

from outflank.league.league import League, TableRow

LOOK_SECONDS = 0.1  # between looks at whether another process, such as a worker, has changed the table
MOST_ANSWERS = 256
Make = Callable[[Sequence[TableRow]], bytes]


class KeptTable:
    """The league table and what was made from it. What this server itself writes shows at once."""

    def __init__(self, league: League) -> None:
        self._league = league
        self._one_looks = threading.Lock()
        self._one_makes = asyncio.Lock()  # the others wait here, and not in the pool of threads
        self._version: tuple[float, ...] = ()
        self._rows: tuple[TableRow, ...] = ()
        self._answers: dict[Hashable, bytes] = {}
        self._looked = self._changed = float("-inf")

    async def answer(self, query: Hashable, make: Make) -> bytes:
        """What `make` makes of the table for this query."""
        if (found := self._answer_at_hand(query)) is not None:
            return found
        async with self._one_makes:
            if (found := self._answer_at_hand(query)) is not None:
                return found
            return await run_in_threadpool(self._make, query, make)

    def rows(self) -> Sequence[TableRow]:
        """The table, the best first. Blocks: for threads."""
        with self._one_looks:
            began = time.monotonic()
            if not self._is_fresh(began):
                version = self._league.version()
                if version != self._version:
                    self._rows = tuple(self._league.table())
                    self._version, self._answers = version, {}
                self._looked = began
            return self._rows

    def changed(self) -> None:
        """This server has just changed the table."""
        self._changed = time.monotonic()

    def _is_fresh(self, now: float) -> bool:
        return self._looked > self._changed and now < self._looked + LOOK_SECONDS

    def _answer_at_hand(self, query: Hashable) -> bytes | None:
        return self._answers.get(query) if self._is_fresh(time.monotonic()) else None

    def _make(self, query: Hashable, make: Make) -> bytes:
        rows = self.rows()
        answers = self._answers
        if query not in answers:
            if len(answers) >= MOST_ANSWERS:
                answers.clear()
            answers[query] = make(rows)
        return answers[query]


def kept_table(request: Request) -> KeptTable:
    kept = request.app.state.kept
    assert isinstance(kept, KeptTable)
    return kept
