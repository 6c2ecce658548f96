"""Calls of functions as JSON: which function, and its arguments. So a figure can be drawn again, and a claim
be tested again, from a file.

>>> from outflank.studies.agreement import of_shares
>>> call = call_of(of_shares, (10, 10, 5, 10), {})
>>> call["function"], call["arguments"]["games"]
('outflank.studies.agreement:of_shares', 10)
>>> repeated(of_shares, call["arguments"]).test
'Fisher p = 0.033'

Arguments are numbers, texts, arrays, data classes, and lists and mappings of them; they are read back by the
function's annotations. Which functions a file may name, its reader decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from inspect import signature
from types import GenericAlias
from typing import Any, TypeVar, get_type_hints

import numpy as np
from pydantic import ConfigDict, TypeAdapter, ValidationError

T = TypeVar("T")
ARRAYS = ("float64", "float32", "int64", "int8", "uint8", "bool")


def call_of(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], digits: int | None = None
) -> dict[str, Any]:
    """The function and its arguments, as JSON has it; numbers with so many significant digits, or exactly."""
    given = signature(function).bind(*args, **kwargs).arguments
    arguments = {name: _plain(value, digits) for name, value in given.items()}
    return {"function": f"{function.__module__}:{function.__name__}", "arguments": arguments}


def repeated(function: Callable[..., T], arguments: Mapping[str, Any]) -> T:
    """Call the function again; ValueError if the arguments are not its own."""
    hints = get_type_hints(function)
    try:
        read = {key: _read(hints[key], _with_arrays(value)) for key, value in arguments.items()}
        signature(function).bind(**read)
    except (ValidationError, KeyError, TypeError):
        raise ValueError(f"these are no data of {function.__name__}; run the experiment again") from None
    return function(**read)


def _read(hint: Any, value: Any) -> Any:
    """A value of this type; in a list, since a configuration is not taken beside a dataclass."""
    in_list: Any = GenericAlias(list, (hint,))
    adapter: TypeAdapter[list[Any]] = TypeAdapter(in_list, config=ConfigDict(arbitrary_types_allowed=True))
    return adapter.validate_python([value])[0]


def _plain(value: Any, digits: int | None) -> Any:
    """
    >>> _plain({"a": (1, np.float64(0.1 + 0.2)), "b": np.array([1.0, np.nan])}, digits=8)
    {'a': [1, 0.3], 'b': {'array': [1.0, 'nan'], 'dtype': 'float64'}}
    """
    match value:
        case np.ndarray():
            return {"array": _plain(value.tolist(), digits), "dtype": str(value.dtype)}
        case np.generic():
            return _plain(value.item(), digits)
        case float():
            exact = value if digits is None else float(f"{value:.{digits}g}")
            return exact if math.isfinite(value) else str(value)
        case str() | bool() | int() | None:
            return value
        case Mapping():
            return {str(key): _plain(one, digits) for key, one in value.items()}
        case Sequence():
            return [_plain(one, digits) for one in value]
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name), digits) for field in fields(value)}
    raise TypeError(f"what is stored are numbers, texts and arrays, not {type(value).__name__}")


def _with_arrays(value: Any) -> Any:
    """Arrays are mappings of two keys."""
    if isinstance(value, list):
        return [_with_arrays(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"array", "dtype"} and value["dtype"] in ARRAYS:
        return np.array(value["array"], dtype=value["dtype"])
    return {key: _with_arrays(one) for key, one in value.items()}
