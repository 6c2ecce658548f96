"""Rate limits: a token bucket per client and kind of request. A client is an IPv4 address or an IPv6 /64."""

from __future__ import annotations

import ipaddress
import re
import time

from cachetools import LRUCache
from fastapi import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

CACHED_COST = 0.04  # of the cached league table, in requests of any other kind
MOST_CLIENTS = 50_000  # the least recently seen are forgotten first
WITH_PORT = re.compile(r"(\[.*\]|[^:]*)(:[0-9]{1,5})?")  # IPv6 addresses are in brackets


class Rates:
    """Token buckets by kind of request and client.

    >>> rates = Rates({"write": 2})
    >>> [rates.seconds_to_wait("write", "10.0.0.1", now=0.0) for _ in range(3)]
    [0.0, 0.0, 30.0]
    >>> rates.seconds_to_wait("write", "10.0.0.2", now=0.0)
    0.0
    """

    def __init__(self, per_minute: dict[str, int]) -> None:
        self._per_minute = per_minute
        self._buckets: LRUCache[tuple[str, str], tuple[float, float]] = LRUCache(MOST_CLIENTS)

    def seconds_to_wait(self, kind: str, client: str, now: float, cost: float = 1.0) -> float:
        """0 if the request may pass; then its cost is counted."""
        most = float(self._per_minute[kind])
        left, seen = self._buckets.get((kind, client), (most, now))
        left = min(most, left + (now - seen) * most / 60)
        waits = 0.0 if left >= cost else (cost - left) * 60 / most
        self._buckets[kind, client] = (left - cost if not waits else left, now)
        return waits


def network_of(address: str) -> str:
    """The client that an address belongs to: IPv6 is grouped by /64, for one customer has 2^64 addresses.

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
    """The last address of an X-Forwarded-For, which the proxy itself added, some with a port. None if it is
    not an address: the proxy did not write it, or hides it.

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
    """The client's address; behind a proxy, the one it forwards, or its own if it forwards none."""
    if request.app.state.settings.behind_proxy and (headers := request.headers.getlist("x-forwarded-for")):
        address = forwarded_address(headers[-1])
        if address is not None:
            return address
    return request.client.host if request.client else "unknown"


def client_of(request: Request) -> str:
    """Who shares the limits with whom: see network_of."""
    return network_of(address_of(request))


def seconds_to_wait(request: Request) -> float:
    """0 if a request is within its client's rates; then it is counted. A refused one is not."""
    rates: Rates = request.app.state.rates
    path, kind, cost = request.url.path, "read", 1.0
    if request.method not in ("GET", "HEAD"):
        kind = "write"
    elif path == "/api/v1/play":
        kind = "play"
    elif path in ("/", "/api/v1/players") and not request.url.query:
        cost = CACHED_COST
    return rates.seconds_to_wait(kind, client_of(request), time.monotonic(), cost)


class LimitRates:
    """Excess requests are refused at next to no cost. Static files are not counted: they cost no more."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app: ASGIApp = self.app
        if scope["type"] == "http" and not scope["path"].startswith("/static/"):
            waits = seconds_to_wait(Request(scope))
            if waits:
                seconds = int(waits) + 1
                text = f"too many requests from your address; try again in {seconds} s"
                app = JSONResponse({"error": text}, 429, {"Retry-After": str(seconds)})
        await app(scope, receive, send)
