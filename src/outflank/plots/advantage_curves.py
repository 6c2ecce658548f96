"""Who leads a game, move by move: Kim 2007, Figures 6-9, of one game and of the mean of many.

>>> import numpy as np
>>> figure = draw_advantage(np.zeros((3, 61)), AdvantageLabels("EV_O_E", "EV", 12.5), "a tie")
>>> figure.axes[0].get_ylabel()
'advantage of Black, discs'
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from outflank.evaluators.protocol import FloatArray
from outflank.plots.board_drawing import GRID, INK
from outflank.plots.learning_curves import COLOURS

SIZE = 10  # points of text


@dataclass(frozen=True)
class AdvantageLabels:
    """Who plays, and after how many moves the opening book has no more to say on average."""

    black: str
    white: str
    book_moves: float


def draw_advantage(advantages: FloatArray, labels: AdvantageLabels, title: str) -> Figure:
    """Black's advantage before the first move and after each, a row a game: [games, 61]. The first game
    is drawn alone, all of them by their mean and their middle half."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    moves = np.arange(advantages.shape[1])
    low, high = np.quantile(advantages, (0.25, 0.75), axis=0)
    axes.fill_between(moves, low, high, color=COLOURS[0], alpha=0.18, linewidth=0,
                      label="middle half of the games")  # fmt: skip
    axes.plot(moves, advantages.mean(axis=0), color=COLOURS[0], linewidth=2.4,
              label=f"mean of {len(advantages)} games")  # fmt: skip
    axes.plot(moves, advantages[0], "--", color=COLOURS[1], linewidth=1.4, marker="o", markersize=2.8,
              label="one game: fittest against fittest")  # fmt: skip
    axes.axvline(labels.book_moves, color=INK, linestyle=":", linewidth=1.4,
                 label=f"the book ends: after {labels.book_moves:.1f} moves on average")  # fmt: skip
    axes.axhline(0, color=INK, linewidth=0.9, zorder=1.5)
    reach = 1.2 * max(8.0, float(np.abs(advantages[0]).max()), float(np.abs([low, high]).max()))
    axes.set(xlim=(-0.5, moves[-1] + 0.5), ylim=(-reach, reach))
    for place, side, colour in ((0.97, "top", labels.black), (0.03, "bottom", labels.white)):
        who = f"{colour} ({'Black' if side == 'top' else 'White'}) leads"
        axes.text(0.015, place, who, transform=axes.transAxes, va=side, fontsize=SIZE, parse_math=False,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5}, zorder=5)  # fmt: skip
    axes.set_title(title, fontsize=11, parse_math=False)
    axes.set_xlabel("move", fontsize=SIZE)
    axes.set_ylabel("advantage of Black, discs", fontsize=SIZE)
    axes.xaxis.set_major_locator(MultipleLocator(10))
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:+.0f}" if round(y) else "0")
    axes.tick_params(labelsize=SIZE)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=SIZE)
    return figure
