"""One look for all figures: sizes, colours, legends, a dark variant, files, shortened names.

>>> figure, (left, right) = new_figure(4, columns=2, sharey=True)
>>> left.set(xlabel="move", ylabel="discs")[0].get_fontsize()
9.5
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.colors import rgb_to_hsv, to_rgba_array
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from outflank.evaluators.protocol import FloatArray
from outflank.players.names import short_name

WIDTH = 8.0  # inches; 800 pixels at 100 dots per inch
TEXT, TITLE = 9.5, 11.0  # points; 9.5 are 13 pixels at 100 dots per inch
TITLE_LETTERS, LABEL_LETTERS = 85, 95  # that fit into a line
LEFT_OF_PANEL = 0.7  # inches, of ticks and labels
INK, GRID, BLANK, FRAME = "#333333", "#d5ddd5", "#e4e4e4", "#8a938a"
COLOURS = ("#5b3a9b", "#d9780f", "#1b7f4d", "#b5172f", "#2069b4", "#7a5c00", "#444444", "#c2408c", "#00a3a3")
DASHES = ("-", "--", "-.", ":")  # curves differ without colours too
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
FORMATS = (".png", ".svg", ".pdf")
DARKEST = 0.09  # lightness of a dark figure's background
COLOUR_PROPERTIES = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")


def new_figure(
    height: float, rows: int = 1, columns: int = 1, *, title: str | None = None, **options: Any
) -> tuple[Figure, list[Axes]]:
    """A figure of the common width with plain panels: a grid behind the data, no box around it."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    panels: list[Axes] = list(figure.subplots(rows, columns, squeeze=False, **options).flat)
    for axes in panels:
        axes.grid(color=GRID, linewidth=0.6)
        axes.set_axisbelow(True)
        axes.tick_params(labelsize=TEXT)
        axes.spines[["top", "right"]].set_visible(False)
        for label in (axes.xaxis.label, axes.yaxis.label):
            label.set(fontsize=TEXT, parse_math=False)
    if title:
        figure.suptitle(fill(title, TITLE_LETTERS), fontsize=TITLE, parse_math=False)
    return figure, panels


def legend_below(
    figure: Figure,
    handles: Sequence[Artist] | None = None,
    labels: Sequence[str] | None = None,
    columns: int = 2,
) -> Legend:
    """Below all panels; of the first panel's artists unless others are given. In as many columns as fit."""
    handles = figure.axes[0].get_legend_handles_labels()[0] if handles is None else handles
    labels = [str(handle.get_label()) for handle in handles] if labels is None else labels

    def placed(columns: int) -> Legend:
        return figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False,
                             fontsize=TEXT)  # fmt: skip

    return _fitting(placed, columns, WIDTH)


def legend_above(axes: Axes, columns: int = 2) -> Legend:
    """Above the panel, where no curve goes; in as many columns as fit."""

    def placed(columns: int) -> Legend:
        return axes.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.1, frameon=False,
                           fontsize=TEXT, ncols=columns)  # fmt: skip

    return _fitting(placed, columns, WIDTH - LEFT_OF_PANEL)


def legend_inside(axes: Axes) -> Legend:
    """In the upper left corner."""
    return _printed_as_is(axes.legend(loc="upper left", frameon=False, fontsize=TEXT))


def _fitting(placed: Callable[[int], Legend], columns: int, inches: float) -> Legend:
    """The legend in so many columns, or in fewer if it would be wider than this; longer labels are broken."""
    while True:
        legend = _printed_as_is(placed(columns))
        figure = legend.get_figure(root=True)
        assert isinstance(figure, Figure)
        if legend.get_window_extent().width <= inches * figure.dpi or columns == 1:
            return legend
        legend.remove()
        columns -= 1


def _printed_as_is(legend: Legend) -> Legend:
    for text in legend.get_texts():
        text.set_text("\n".join(fill(line, LABEL_LETTERS) for line in text.get_text().splitlines()))
    for text in legend.get_texts():
        text.set_parse_math(False)
    return legend


def signed(number: float, _: float = 0) -> str:
    """A tick label with its sign.

    >>> signed(3), signed(0), signed(-3)
    ('+3', '0', '-3')
    """
    return f"{number:+.0f}" if round(number) else "0"


def darken(figure: Figure) -> Figure:
    """The same figure for a dark page: the lightness of greys is mirrored, hues become lighter."""
    for artist in figure.findobj(lambda one: isinstance(one, Text | Line2D | Patch | Collection)):
        old = {name: getattr(artist, f"get_{name}", lambda: "none")() for name in COLOUR_PROPERTIES}
        artist.set(**{name: _dark(colour) for name, colour in old.items() if not _is_none(colour)})
        artist.set_path_effects([])  # white outlines
    for axes in figure.axes:  # last: for ticks that are there, and for those that are not made yet
        axes.tick_params(which="both", color=_dark(INK), labelcolor=_dark("black"), grid_color=_dark(GRID))
    return figure


def _is_none(colour: Any) -> bool:
    return isinstance(colour, str) and colour == "none"


def _dark(colours: Any) -> Any:
    """
    >>> _dark("white").round(2).tolist(), _dark("black").round(2).tolist()
    ([0.09, 0.09, 0.09, 1.0], [1.0, 1.0, 1.0, 1.0])
    """
    found: FloatArray = to_rgba_array(colours)
    rgb = found[:, :3]
    grey = rgb_to_hsv(rgb)[:, 1:2] < 0.1
    mirrored = DARKEST + (1 - DARKEST) * (1 - rgb)
    turned = np.where(grey, mirrored, 0.6 * rgb + 0.4)
    dark = np.hstack([turned, found[:, 3:]])
    return dark[0] if len(dark) == 1 else dark


def save_figure(figure: Figure, path: Path, dots_per_inch: int = 150) -> None:
    """Write a figure as PNG, SVG or PDF, by the ending of the file's name."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"cannot draw to {path}: its name must end with one of {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise ValueError(f"cannot draw to {path}: there is no folder {path.parent}")
    if path.suffix.lower() == ".svg":  # the same bytes for the same figure
        with rc_context({"svg.hashsalt": "outflank"}):
            figure.savefig(path, dpi=dots_per_inch, metadata={"Date": None})
    else:
        figure.savefig(path, dpi=dots_per_inch)


def shortened(name: str, longest: int) -> str:
    """A player's name that fits into a figure, in characters that the font has.

    >>> shortened("players/Szubert2013CTDL.player,view=negation", 24)
    'Szubert2013CTDL,negation'
    """
    drawable = get_font(findfont(FontProperties())).get_charmap()
    return "".join(letter if ord(letter) in drawable else "?" for letter in short_name(name, longest))
