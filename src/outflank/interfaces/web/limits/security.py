"""Security headers, redirects that cannot leave the site, API keys and the admin token."""

from __future__ import annotations

import secrets
from typing import Annotated
from urllib.parse import urlsplit, urlunsplit

from fastapi import Depends, Header, HTTPException, Request
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class SecureHeaders:
    """Adds HEADERS to every response, and makes redirects relative: the framework's own name the host and
    scheme of the request, which a proxy changes and anyone can forge."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if "location" in headers:
                    headers["location"] = without_host(headers["location"])
            await send(message)

        await self.app(scope, receive, secured if scope["type"] == "http" else send)


def without_host(location: str) -> str:
    """The path, query and fragment. Two leading slashes would be a host again.

    >>> without_host("http://elsewhere/competitions?a=1#top"), without_host("http://here//elsewhere/")
    ('/competitions?a=1#top', '/elsewhere/')
    """
    _, _, path, query, fragment = urlsplit(location)
    return urlunsplit(("", "", f"/{path.lstrip('/')}", query, fragment))


def bearer(authorization: Annotated[str | None, Header(include_in_schema=False)] = None) -> str:
    """The key of `Authorization: Bearer KEY`."""
    scheme, _, key = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise HTTPException(401, "send your API key as Authorization: Bearer KEY")
    return key.strip()


def is_admin(request: Request, key: str) -> bool:
    """Whether the key is the admin token that the server was started with."""
    token = request.app.state.settings.admin_token
    return token is not None and secrets.compare_digest(key.encode(errors="replace"), token.encode())


def admin(request: Request, key: Annotated[str, Depends(bearer)]) -> None:
    """Only the league's admin."""
    if request.app.state.settings.admin_token is None:
        raise HTTPException(403, "this league has no admin token, so nobody may do this")
    if not is_admin(request, key):
        raise HTTPException(403, "this is not the admin token")


Key = Annotated[str, Depends(bearer)]
Admin = Depends(admin)
