"""Where the tuples of networks lie: a small board for each (Jaskowski 2014, Figure 3).

>>> from outflank.evaluators.tuple_shapes import shape
>>> figure = draw_tuple_boards({"rand-2x4": shape("rand-2x4"), "all-8": shape("all-8")})
>>> [axes.get_label() for axes in figure.axes][:3]
['rand-2x4 0', 'rand-2x4 1', 'all-8 0']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from outflank.evaluators.tuple_shapes import Table
from outflank.plots.board_drawing import Sheet, draw_tuple

COLUMNS = 8
SIDE, GAP = 0.86, 0.11  # inches of a board and between two
MARGIN, HEADING = 0.17, 0.36
KEY = "red: the tuple, with a ring on its first square; grey: its symmetric expansions, with the same weights"


def draw_tuple_boards(networks: Mapping[str, Sequence[Table]]) -> Figure:
    """Under each network's name its tuples in turn, a board each."""
    rows = [-(-len(tables) // COLUMNS) for tables in networks.values()]
    height = 0.45 + sum(HEADING + count * (SIDE + GAP) for count in rows)
    sheet = Sheet(Figure(figsize=(8, height)))
    top = 0.1
    for (name, tables), count in zip(networks.items(), rows, strict=True):
        sheet.write(name, left=MARGIN, top=top, size=10, bold=True)
        for number, table in enumerate(tables):
            row, column = divmod(number, COLUMNS)
            axes = sheet.panel(
                f"{name} {number}", left=MARGIN + column * (SIDE + GAP),
                top=top + HEADING - 0.08 + row * (SIDE + GAP), width=SIDE, height=SIDE,
            )  # fmt: skip
            draw_tuple(axes, table, SIDE)
        top += HEADING + count * (SIDE + GAP)
    sheet.write(KEY, left=MARGIN, top=top, size=9)
    return sheet.figure
