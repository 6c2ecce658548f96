"""The disc difference of one game, before the band of many (Lucas 2007, Figure 5).

>>> import numpy as np
>>> figure = draw_typical_game(np.zeros((10, 61)), 3, 61, "ten draws")
>>> figure.axes[0].get_ylabel()
'black discs minus white discs'
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from outflank.evaluators.protocol import FloatArray
from outflank.plots.board_drawing import GRID, INK
from outflank.plots.learning_curves import COLOURS


def draw_typical_game(differences: FloatArray, typical: int, moves: int, title: str) -> Figure:
    """Of games [games, 61], the typical one over its moves; behind it where half and nine tenths of all
    games lie."""
    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.subplots()
    places = np.arange(differences.shape[1])
    edges = np.quantile(differences, (0.05, 0.25, 0.5, 0.75, 0.95), axis=0)
    axes.fill_between(places, edges[0], edges[4], color="#dedede", linewidth=0, label="nine tenths of games")
    axes.fill_between(places, edges[1], edges[3], color="#bdbdbd", linewidth=0, label="half of games")
    axes.plot(places, edges[2], "--", color=INK, linewidth=1.4, label="median")
    axes.plot(places[: moves + 1], differences[typical, : moves + 1], "o-", color=COLOURS[0], linewidth=1.8,
              markersize=3.5, label="one game")  # fmt: skip
    axes.axhline(0, color=INK, linewidth=0.9)
    axes.set(xlim=(0, differences.shape[1] - 1))
    axes.set_xlabel("move", fontsize=10)
    axes.set_ylabel("black discs minus white discs", fontsize=10)
    axes.tick_params(labelsize=9.5)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_title(title, fontsize=11, parse_math=False)
    handles, labels = axes.get_legend_handles_labels()
    order = [labels.index("one game"), *(i for i, label in enumerate(labels) if label != "one game")]
    figure.legend([handles[i] for i in order], [labels[i] for i in order], loc="outside lower center",
                  ncols=4, frameon=False, fontsize=9.5)  # fmt: skip
    return figure
