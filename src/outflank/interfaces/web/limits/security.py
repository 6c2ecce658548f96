"""What makes the server safe to expose: headers, rates per address, keys."""

from __future__ import annotations

import ipaddress
import re
import secrets
import time
from collections import OrderedDict
from typing import Annotated
from urllib.parse import urlsplit, urlunsplit

from fastapi import Depends, Header, HTTPException, Request
from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TABLE_COST = 0.04  # of the table as it stands, in requests of any other kind
MOST_ADDRESSES = 50_000  # remembered at once; the longest unseen are forgotten first
WITH_PORT = re.compile(r"(\[.*\]|[^:]*)(:[0-9]{1,5})?")  # an address of the newer internet is in brackets
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Rates:
    """A bucket of requests for each address and kind, filled steadily (a token bucket).

    >>> rates = Rates({"write": 2})
    >>> [rates.seconds_to_wait("write", "10.0.0.1", now=0.0) for _ in range(3)]
    [0.0, 0.0, 30.0]
    >>> rates.seconds_to_wait("write", "10.0.0.2", now=0.0)
    0.0
    """

    def __init__(self, a_minute: dict[str, int]) -> None:
        self._a_minute = a_minute
        self._buckets: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def seconds_to_wait(self, kind: str, address: str, now: float, cost: float = 1.0) -> float:
        """0 if the request may pass, and then its cost is counted."""
        most = float(self._a_minute[kind])
        left, seen = self._buckets.pop((kind, address), (most, now))
        left = min(most, left + (now - seen) * most / 60)
        waits = 0.0 if left >= cost else (cost - left) * 60 / most
        self._buckets[kind, address] = (left - cost if not waits else left, now)
        if len(self._buckets) > MOST_ADDRESSES:
            self._buckets.popitem(last=False)
        return waits


def network_of(address: str) -> str:
    """Whom an address stands for: one customer of the newer internet has 2^64 of them.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3:4:5:6"), network_of("::ffff:192.0.2.7")
    ('192.0.2.7', '2001:db8:1:2::/64', '192.0.2.7')
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((parsed.packed[:8] + bytes(8), 64)))


def forwarded_address(header: str) -> str | None:
    """The last address of an X-Forwarded-For, which the proxy itself has added; some add the port too. None
    if it is no address: the proxy did not write it, or hides it.

    >>> forwarded_address("10.0.0.1, 203.0.113.7:51234"), forwarded_address('"[2001:db8::1]:443"')
    ('203.0.113.7', '2001:db8::1')
    >>> forwarded_address("2001:db8::1"), forwarded_address("unknown"), forwarded_address("203.0.113.7:x")
    ('2001:db8::1', None, None)
    """
    last = header.rsplit(",", 1)[-1].strip().strip('"').strip()
    found = WITH_PORT.fullmatch(last)
    try:
        return str(ipaddress.ip_address(found[1].strip("[]") if found else last))
    except ValueError:
        return None


def address_of(request: Request) -> str:
    """Whose request it is; behind a proxy the address that the proxy says, or its own if it says none."""
    if request.app.state.settings.behind_proxy and (headers := request.headers.getlist("x-forwarded-for")):
        address = forwarded_address(headers[-1])
        if address is not None:
            return address
    return request.client.host if request.client else "unknown"


def kind_of(request: Request) -> str:
    if request.method not in ("GET", "HEAD"):
        return "write"
    return "play" if request.url.path == "/api/v1/play" else "read"


def cost_of(request: Request) -> float:
    """The whole table is kept ready, so that it costs little to hand out."""
    is_table = request.url.path in ("/", "/api/v1/players") and not request.url.query
    return TABLE_COST if is_table and kind_of(request) == "read" else 1.0


def seconds_to_wait(request: Request) -> float:
    """0 if a request is within the rates of its address, and then it is counted."""
    rates: Rates = request.app.state.rates
    address = network_of(address_of(request))
    return rates.seconds_to_wait(kind_of(request), address, time.monotonic(), cost_of(request))


def is_within_rates(request: Request) -> bool:
    """As above; one that is not is not counted, and may be asked about again."""
    return seconds_to_wait(request) == 0


class LimitRates:
    """Too many requests are answered at once, and cost next to nothing. Static files are not counted: they
    cost no more than the refusal."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith("/static/"):
            waits = seconds_to_wait(Request(scope))
            if waits:
                seconds = int(waits) + 1
                text = f"too many requests from your address; try again in {seconds} s"
                refusal = JSONResponse({"error": text}, 429, {"Retry-After": str(seconds)})
                await refusal(scope, receive, send)
                return
        await self.app(scope, receive, send)


class RelativeRedirects:
    """Redirects lead to a path, wherever the server is reached: the framework's own name the host and scheme
    that a request came with, which behind a proxy are the proxy's affair, and anyone's to write."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def redirected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if "location" in headers:
                    headers["location"] = without_host(headers["location"])
            await send(message)

        await self.app(scope, receive, redirected if scope["type"] == "http" else send)


def without_host(location: str) -> str:
    """A path with what follows it. Two slashes at its beginning would be a host again.

    >>> without_host("http://elsewhere/competitions?a=1#top"), without_host("http://here//elsewhere/")
    ('/competitions?a=1#top', '/elsewhere/')
    """
    _, _, path, query, fragment = urlsplit(location)
    return urlunsplit(("", "", f"/{path.lstrip('/')}", query, fragment))


class AddHeaders:
    """The headers that tell browsers to run nothing but our own files, on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


def bearer(authorization: Annotated[str | None, Header(include_in_schema=False)] = None) -> str:
    """The key of `Authorization: Bearer KEY`."""
    scheme, _, key = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise HTTPException(401, "send your key as Authorization: Bearer KEY")
    return key.strip()


def is_admin(request: Request, key: str) -> bool:
    """Whether it is the admin token, which the server was started with."""
    token = request.app.state.settings.admin_token
    return token is not None and secrets.compare_digest(key.encode(errors="replace"), token.encode())


def admin(request: Request, key: Annotated[str, Depends(bearer)]) -> None:
    """Only the league's keeper."""
    if request.app.state.settings.admin_token is None:
        raise HTTPException(403, "this league has no admin token, so nobody may do this")
    if not is_admin(request, key):
        raise HTTPException(403, "this is not the admin token")


Key = Annotated[str, Depends(bearer)]
Admin = Depends(admin)
