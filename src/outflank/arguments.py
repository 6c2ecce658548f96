"""Wrong types fail where they are passed, in a sentence.

>>> check_type("limits are SearchLimits(depth=...)", 3, str)
Traceback (most recent call last):
TypeError: limits are SearchLimits(depth=...), got 3
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Any

from outflank.suggestions import shown


def check_type(sentence: str, value: object, kind: type[Any] | UnionType) -> None:
    """A TypeError unless the value is of this kind: the sentence, and what was got."""
    if not isinstance(value, kind):
        raise TypeError(f"{sentence}, got {shown(value)}")


def check_text(what: str, value: object) -> None:
    check_type(f"{what} is a text", value, str)


def check_several(sentence: str, values: object) -> None:
    """A TypeError unless it is a list, a tuple or the like; a text is none."""
    if not isinstance(values, Iterable) or isinstance(values, str | bytes | Mapping):
        raise TypeError(f"{sentence}, got {shown(values)}")


def check_whole(what: str, number: object) -> None:
    """A TypeError unless it is a whole number; true and false are none.

    >>> check_whole("double_games", 1.5)
    Traceback (most recent call last):
    TypeError: double_games must be a whole number, got 1.5
    """
    if not isinstance(number, numbers.Integral) or isinstance(number, bool):
        raise TypeError(f"{what} must be a whole number, got {shown(number)}")


def check_number(what: str, number: object) -> None:
    """A TypeError unless it is a real number; true and false are none."""
    if not isinstance(number, numbers.Real) or isinstance(number, bool):
        raise TypeError(f"{what} must be a number, got {shown(number)}")
