"""Pages from templates: every value is escaped.

>>> page("error.html", title="Gone", code=404, text="<b>no such page</b>").body.count(b"&lt;b&gt;")
1

Intervals are drawn side by side on a common scale.

>>> scale = Scale.of([(0.31, 0.35), (0.95, 0.96)])
>>> scale.low, scale.high, round(scale.x(0.8), 3), scale.ticks
(0.3, 1.0, 71.429, (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0))
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
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
    """A static file's address, which changes with its content: browsers show none from before an upgrade."""
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


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.globals.update(static=static_address)
    environment.filters.update(day=day, moment=moment, share=share, percent=percent,
                               thousands="{:,}".format, plain="{:.6g}".format)  # fmt: skip
    return environment


Interval = tuple[float, float]
WIDTH = 100.0
FEWEST_STEPS = 4


@dataclass(frozen=True)
class Scale:
    """From the lowest to the highest limit, widened to round numbers."""

    low: float
    high: float
    step: float

    @classmethod
    def of(cls, intervals: Iterable[Interval]) -> Scale:
        """The scale on which all of them fit; from 0 to 1 without any."""
        known = [edge for interval in intervals for edge in interval if math.isfinite(edge)]
        lowest, highest = (min(known), max(known)) if known else (0.0, 1.0)
        step = _round_step(max(highest - lowest, 1e-6) / FEWEST_STEPS)
        first, last = math.floor(lowest / step + 1e-9), math.ceil(highest / step - 1e-9)
        return cls(_plain(first * step), _plain(max(last, first + 1) * step), step)

    def x(self, value: float) -> float:
        """The position of a value, from 0 to 100."""
        return round(WIDTH * (min(max(value, self.low), self.high) - self.low) / (self.high - self.low), 3)

    @property
    def ticks(self) -> tuple[float, ...]:
        count = round((self.high - self.low) / self.step)
        return tuple(_plain(self.low + n * self.step) for n in range(count + 1))


def _round_step(least: float) -> float:
    """The largest of 1, 2, 5, 10, 20, ... that is not larger.

    >>> _round_step(0.17), _round_step(73.0)
    (0.1, 50.0)
    """
    power = 10.0 ** math.floor(math.log10(least))
    return _plain(max(factor for factor in (1, 2, 5) if factor * power <= least * (1 + 1e-9)) * power)


def _plain(value: float) -> float:
    return round(value, 9) + 0.0
