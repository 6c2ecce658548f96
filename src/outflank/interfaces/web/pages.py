"""The pages: the league table, players, competitions, comparisons, submission."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from outflank.interfaces.web.rendering import page

router = APIRouter()
FAULTS = {404: "Not found", 429: "Too many requests", 500: "Our fault"}


def fault_page(_request: Request, code: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """An error, for people."""
    return page("fault.html", status=code, headers=headers, title=FAULTS.get(code, "Not possible"), code=code,
                text=f"{text[:1].upper()}{text[1:]}.")  # fmt: skip
