"""Error responses: one sentence, as JSON for programs and as a page for people; never a stack trace."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from sqlalchemy.exc import IntegrityError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from outflank.interfaces.web.rendering import page
from outflank.league.league import NotFound, Taken, UnknownKey
from outflank.league.store import Busy

STATUS: dict[type[ValueError], int] = {UnknownKey: 401, NotFound: 404, Taken: 409}
SENTENCES = {"Not Found": "there is no such page", "Method Not Allowed": "this cannot be done here"}
TITLES = {404: "Not found", 429: "Too many requests", 500: "Server error", 503: "Busy"}
log = logging.getLogger("outflank.web")


def add_to(app: FastAPI) -> None:
    app.add_exception_handler(ValueError, _refused)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(IntegrityError, _too_late)
    for unavailable in (OperationalError, InternalError, InterfaceError, PoolTimeoutError, Busy):
        app.add_exception_handler(unavailable, _no_database)
    for ours in (ValidationError, UnicodeError, json.JSONDecodeError):  # ValueErrors that are not sentences
        app.add_exception_handler(ours, failed)


async def failed(request: Request, error: Exception) -> Response:
    """Our own mistake: the log has the details, the client only learns that it happened."""
    log.error("unexpected error", exc_info=error, extra={"fields": {"path": request.url.path}})
    return _error_response(request, 500, "something went wrong on our side; it has been logged")


async def _refused(request: Request, error: Exception) -> Response:
    """What the client can put right: our ValueErrors are sentences for people."""
    code = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 400)
    return _error_response(request, code, " ".join(str(error).split()))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error_response(
        request, error.status_code, SENTENCES.get(error.detail, error.detail), error.headers or {}
    )


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    return _error_response(request, 422, f"{where[:80]}: {first['msg']}" if where else str(first["msg"]))


async def _too_late(request: Request, _error: Exception) -> Response:
    """Two requests for the same name or file at the same moment: the database took one."""
    return _error_response(request, 409, "somebody else has just taken this name or file")


async def _no_database(request: Request, error: Exception) -> Response:
    """It is away, locked, full, read-only or overloaded."""
    reason, statement = getattr(error, "orig", error), getattr(error, "statement", None)
    fields = {"path": request.url.path, "reason": " ".join(str(reason).split()), "statement": statement}
    log.error("database", extra={"fields": fields})
    return _error_response(
        request, 503, "the league's database does not respond; try again soon", {"Retry-After": "5"}
    )


def _error_response(
    request: Request, code: int, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    headers = {**(headers or {}), **({"WWW-Authenticate": "Bearer"} if code == 401 else {})}
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        content = json.dumps({"error": text})  # ASCII: a sentence may quote lone surrogates
        return Response(content, code, headers, "application/json")
    printable = text.encode(errors="replace").decode()
    return page("error.html", status=code, headers=headers, title=TITLES.get(code, "Not possible"), code=code,
                text=f"{printable[:1].upper()}{printable[1:]}.")  # fmt: skip
