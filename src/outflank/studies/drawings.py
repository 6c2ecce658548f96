"""Figures that can be drawn again without any run: beside each lies what it draws.

>>> from outflank.plots.curves import Curve
>>> from outflank.studies.jaskowski_2014.learning_pace import draw_learning_pace
>>> band = Curve(*np.array([[1e6, 2e6], [0.5, 0.6], [0.6, 0.7], [0.7, 0.8]]))
>>> stored = drawing_file(draw_learning_pace, {"all-2": band}, "standard-heuristic")
>>> figure_from(stored).axes[0].get_ylabel()
'score against standard-heuristic'

`NAME.data.json` names a function `draw_...` of outflank.studies or outflank.plots, or of the module of
an experiment of one's own, and holds its arguments. They are read back by the function's annotations; a
file can name no other function.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import isfunction, signature
from pathlib import Path
from types import GenericAlias
from typing import Any, ParamSpec, get_type_hints

import numpy as np
from matplotlib.figure import Figure
from pydantic import ConfigDict, TypeAdapter, ValidationError

from outflank.files import write_whole
from outflank.plots import style

P = ParamSpec("P")
ENDING = ".data.json"
LARGEST = 4_000_000  # bytes of a figure's data; what has more is drawn, and not stored
DIGITS = 8  # significant ones of a stored number: more than a figure shows
DOTS_PER_INCH = 200  # figures are 1,600 pixels wide
PACKAGES = ("outflank.studies.", "outflank.plots.")


def data_file(folder: Path, figure: str) -> Path:
    """Where the data of a figure lie.

    >>> data_file(Path("reports"), "figure-9.png").name
    'figure-9.data.json'
    """
    return folder / f"{Path(figure).stem}{ENDING}"


def save_drawing(
    folder: Path, name: str, function: Callable[P, Figure], *args: P.args, **kwargs: P.kwargs
) -> None:
    """Draw from what is stored, so that the figure is the same when it is drawn again."""
    stored = drawing_file(function, *args, **kwargs)
    target = data_file(folder, name)
    if len(stored) <= LARGEST:
        write_whole(target, stored)
    else:
        target.unlink(missing_ok=True)
    save_figure(folder, name, figure_from(stored, function.__module__))


def save_figure(folder: Path, name: str, figure: Figure) -> None:
    """PNG for the report, SVG for print."""
    for ending in ("png", "svg"):
        style.save_figure(figure, folder / f"{name}.{ending}", DOTS_PER_INCH)


def redraw(folder: Path, figure: str, own_module: str = "") -> bool:
    """Draw a figure again; False if its data are not there."""
    path = data_file(folder, figure)
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError(f"{path} is larger than {LARGEST:,} bytes, the most of a figure")
        stored = path.read_bytes()
    except FileNotFoundError:
        return False
    try:
        drawn = figure_from(stored, own_module)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    save_figure(folder, Path(figure).stem, drawn)
    return True


def drawing_file(function: Callable[P, Figure], *args: P.args, **kwargs: P.kwargs) -> bytes:
    """The file's content: the function and its arguments."""
    given = signature(function).bind(*args, **kwargs).arguments
    arguments = {name: _plain(value) for name, value in given.items()}
    record = {"drawing": f"{function.__module__}:{function.__name__}", "arguments": arguments}
    return json.dumps(record, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode()


def figure_from(stored: bytes, own_module: str = "") -> Figure:
    """Draw what a file holds."""
    try:
        record = json.loads(stored, object_hook=_with_arrays)
        name, given = str(record["drawing"]), dict(record["arguments"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"these are no data of a figure ({error})") from None
    function = _function(name, own_module)
    hints = get_type_hints(function)
    try:
        arguments = {key: _read(hints[key], value) for key, value in given.items()}
        signature(function).bind(**arguments)
    except (ValidationError, KeyError, TypeError):
        raise ValueError(f"its data are not those of {name}; run the experiment again") from None
    return function(**arguments)


def _function(name: str, own_module: str) -> Callable[..., Figure]:
    """The drawing of this name; data can name nothing else."""
    module, _, function = name.partition(":")
    if not function.startswith("draw_") or not (module.startswith(PACKAGES) or module == own_module):
        raise ValueError(
            f"{name!r} is no drawing: a function draw_... of outflank or of the experiment's module"
        )
    try:
        found = getattr(import_module(module), function, None)
    except ImportError:
        found = None
    if not isfunction(found) or get_type_hints(found).get("return") is not Figure:
        raise ValueError(f"{name} does not draw a figure; run the experiment again")
    return found


def _read(hint: Any, value: Any) -> Any:
    """A value of this type; in a list, since a configuration is not taken beside a dataclass."""
    in_list: Any = GenericAlias(list, (hint,))
    adapter: TypeAdapter[list[Any]] = TypeAdapter(in_list, config=ConfigDict(arbitrary_types_allowed=True))
    return adapter.validate_python([value])[0]


def _plain(value: Any) -> Any:
    """
    >>> _plain({"a": (1, np.float64(0.1 + 0.2)), "b": np.array([1.0, np.nan])})
    {'a': [1, 0.3], 'b': {'array': [1.0, 'nan'], 'dtype': 'float64'}}
    """
    match value:
        case np.ndarray():
            return {"array": _plain(value.tolist()), "dtype": str(value.dtype)}
        case np.generic():
            return _plain(value.item())
        case float():
            return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)
        case str() | bool() | int() | None:
            return value
        case Mapping():
            return {str(key): _plain(one) for key, one in value.items()}
        case Sequence():
            return [_plain(one) for one in value]
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"a figure's data are numbers, texts and arrays, not {type(value).__name__}")


def _with_arrays(record: dict[str, Any]) -> Any:
    if record.keys() != {"array", "dtype"}:
        return record
    if record["dtype"] not in ("float64", "float32", "int64", "int8", "uint8", "bool"):
        raise ValueError(f"an array of {record['dtype']}")
    return np.array(record["array"], dtype=record["dtype"])
