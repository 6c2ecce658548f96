"""Figures that can be drawn again without any run: beside each lies what it draws.

>>> import numpy as np
>>> from outflank.plots.curves import Curve
>>> from outflank.studies.jaskowski_2014.learning_pace import draw_learning_pace
>>> band = Curve(*np.array([[1e6, 2e6], [0.5, 0.6], [0.6, 0.7], [0.7, 0.8]]))
>>> stored = drawing_file(draw_learning_pace, {"all-2": band}, "standard-heuristic")
>>> figure_from(stored).axes[0].get_ylabel()
'score against standard-heuristic'

`NAME.data.json` names a function `draw_...` of outflank.studies or outflank.plots, or of the module of
an experiment of one's own, and holds its arguments. A file can name no other function.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from inspect import isfunction
from pathlib import Path
from typing import ParamSpec, get_type_hints

from matplotlib.figure import Figure

from outflank.files import write_whole
from outflank.plots import style
from outflank.studies.stored_calls import call_of, repeated

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
    call = call_of(function, args, kwargs, DIGITS)
    return json.dumps(call, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode()


def figure_from(stored: bytes, own_module: str = "") -> Figure:
    """Draw what a file holds."""
    try:
        record = json.loads(stored)
        name, arguments = str(record["function"]), dict(record["arguments"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"these are no data of a figure ({error})") from None
    return repeated(_function(name, own_module), arguments)


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
