"""Pages from templates. Whatever people wrote stays text: every value is escaped.

>>> page("fault.html", title="Gone", code=404, text="<b>no such page</b>").body.count(b"&lt;b&gt;")
1
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import jinja2
from starlette.responses import HTMLResponse

HERE = Path(__file__).parent
STATIC = HERE / "static"


def page(
    template: str, *, active: str = "", status: int = 200, headers: Mapping[str, str] | None = None,
    **content: object,
) -> HTMLResponse:  # fmt: skip
    """A page of the site; `active` is the path of the navigation's entry that it belongs to."""
    return HTMLResponse(rendered(template, active=active, **content), status, headers)


def rendered(template: str, **content: object) -> str:
    return _environment().get_template(template).render(**content)


@cache
def static_address(name: str) -> str:
    """A static file's address, which changes with the file: no browser shows an old one after an upgrade."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()
    return f"/static/{name}?{digest[:12]}"


def day(seconds: float) -> str:
    """
    >>> day(0.0)
    '1970-01-01'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def moment(seconds: float) -> str:
    """
    >>> moment(0.0)
    '1970-01-01 00:00 UTC'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def share(value: float, digits: int = 4) -> str:
    """
    >>> share(0.95921), share(float("nan"))
    ('0.9592', 'none')
    """
    return "none" if math.isnan(value) else f"{value:.{digits}f}"


def percent(epsilon: float) -> str:
    r"""
    >>> percent(0.1), percent(0.0)
    ('10\xa0%', '0\xa0%')
    """
    return f"{100 * epsilon:g}\xa0%"


def thousands(number: int) -> str:
    """
    >>> thousands(50000)
    '50,000'
    """
    return f"{number:,}"


def plain(value: float) -> str:
    """
    >>> plain(0.30000000000000004), plain(-150.0)
    ('0.3', '-150')
    """
    return f"{value:.6g}"


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.globals.update(static=static_address)
    filters = (day, moment, share, percent, thousands, plain)
    environment.filters.update({function.__name__: function for function in filters})
    return environment
