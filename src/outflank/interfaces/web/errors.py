"""How errors are told: one sentence, as JSON for machines and as a page for people; never a stack trace."""

from __future__ import annotations

import json
import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from sqlalchemy.exc import IntegrityError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from outflank.interfaces.web.routes import pages
from outflank.league.league import NotFound, Taken, UnknownKey
from outflank.league.store import Busy

STATUS: dict[type[ValueError], int] = {UnknownKey: 401, NotFound: 404, Taken: 409}
KNOWN = {"Not Found": "there is no such page", "Method Not Allowed": "this cannot be done here"}
log = logging.getLogger("outflank.web")


def add_to(app: FastAPI) -> None:
    app.add_exception_handler(ValueError, _refused)
    app.add_exception_handler(HTTPException, _http_fault)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(IntegrityError, _too_late)
    for unavailable in (OperationalError, InternalError, InterfaceError, PoolTimeoutError, Busy):
        app.add_exception_handler(unavailable, _no_database)
    for ours in (ValidationError, UnicodeError, json.JSONDecodeError):  # ValueErrors that are no sentences
        app.add_exception_handler(ours, failed)


async def failed(request: Request, error: Exception) -> Response:
    """Our own mistake: the log has all of it, whoever asked is told nothing but that."""
    log.error("fault", exc_info=error, extra={"fields": {"path": request.url.path}})
    return _fault(request, 500, "something went wrong on our side; it has been noted")


async def _refused(request: Request, error: Exception) -> Response:
    """What whoever asked can put right: our ValueErrors are sentences for people."""
    code = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 400)
    return _fault(request, code, " ".join(str(error).split()))


async def _http_fault(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _fault(
        request, error.status_code, KNOWN.get(error.detail, error.detail), dict(error.headers or {})
    )


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    return _fault(request, 422, f"{where[:80]}: {first['msg']}" if where else str(first["msg"]))


async def _too_late(request: Request, _error: Exception) -> Response:
    """Two asked for the same at the same moment, and the database took one."""
    return _fault(request, 409, "somebody else has just taken this name or file")


async def _no_database(request: Request, error: Exception) -> Response:
    """It is away, locked by somebody, full, not writable, or asked for more than it can take."""
    reason, statement = getattr(error, "orig", error), getattr(error, "statement", None)
    fields = {"path": request.url.path, "reason": " ".join(str(reason).split()), "statement": statement}
    log.error("database", extra={"fields": fields})
    return _fault(request, 503, "the league's database does not answer; try again soon", {"Retry-After": "5"})


def _fault(request: Request, code: int, text: str, headers: dict[str, str] | None = None) -> Response:
    headers = dict(headers or {})
    if code == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        content = json.dumps({"error": text})  # ASCII alone: a sentence may quote what is no Unicode
        return Response(content, code, headers, "application/json")
    printable = text.encode(errors="replace").decode()
    return pages.fault_page(request, code, printable, headers)
