"""A tournament at a glance: who scored what against whom, and the ratings that follow.

>>> from outflank.games.tournaments.standings import PairResult, Standings
>>> from outflank.games.statistics import Tally
>>> beats = Tally(wins=150, draws=0, losses=50, double_games=(10, 0, 30, 0, 60))
>>> figure = draw_tournament(Standings.of([PairResult("strong", "weak", beats)]), "two players")
>>> [text.get_text() for text in figure.axes[0].texts]
['0.750', '0.250']
"""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from outflank.games.tournaments.standings import Standings
from outflank.plots.boards import ColourScale, Sheet, draw_frame
from outflank.plots.style import BLANK, COLOURS, GRID, INK, shortened

NAMES_WIDTH, RATINGS_WIDTH = 1.95, 1.75  # inches
# Orange for less than half of the points, purple for more: safe for all kinds of colour vision.
SCORES = ColourScale(colormaps["PuOr"], Normalize(0, 1), 1.0)


def draw_tournament(standings: Standings, title: str) -> Figure:
    """Players by rating: on the left the row's score against the column, on the right the ratings."""
    count = len(standings.rows)
    cell = min(0.8, max(0.262, 4.2 / count))
    side = cell * count
    width, top = NAMES_WIDTH + side + RATINGS_WIDTH + 0.4, 0.95
    figure = Figure(figsize=(max(width, 5.5), top + side + 0.75))
    sheet = Sheet(figure)
    sheet.write(title, left=0.15, top=0.12, size=11, bold=True)
    sheet.write("score of the row against the column", left=NAMES_WIDTH, top=0.44, size=8.5)
    axes = sheet.panel("scores", left=NAMES_WIDTH, top=top, width=side, height=side)
    _draw_scores(axes, standings, cell)
    axes = sheet.panel("ratings", left=NAMES_WIDTH + side + 0.2, top=top, width=RATINGS_WIDTH, height=side)
    _draw_ratings(axes, standings)
    return figure


def _draw_scores(axes: Axes, standings: Standings, cell: float) -> None:
    matrix = standings.matrix
    edges = np.arange(len(matrix) + 1.0)
    axes.set_facecolor(BLANK)
    axes.pcolormesh(
        edges, edges, np.ma.masked_invalid(matrix), cmap=SCORES.colours, norm=SCORES.norm,
        edgecolors=GRID, linewidth=0.4,
    )  # fmt: skip
    axes.set(ylim=(len(matrix), 0))
    digits, size = (3, 9.5) if cell >= 0.5 else (2, 6.8)
    for row, column in np.argwhere(np.isfinite(matrix)):
        score = float(matrix[row, column])
        text = f"{score:.{digits}f}"
        axes.text(
            column + 0.5, row + 0.5, text if digits == 3 else text.removeprefix("0"),
            ha="center", va="center", fontsize=size, color=SCORES.ink(score),
        )  # fmt: skip
    _name_rows(axes, standings)
    draw_frame(axes)


def _name_rows(axes: Axes, standings: Standings) -> None:
    """Rank and name at the left; the rank alone above the columns."""
    centres = np.arange(len(standings.rows)) + 0.5
    size = 9.0 if len(centres) <= 8 else 7.5
    names = [f"{_fitting(row.player, size)}  {row.rank}" for row in standings.rows]
    axes.set_yticks(centres, names, fontsize=size, parse_math=False)
    axes.set_xticks(centres, [str(row.rank) for row in standings.rows], fontsize=size)
    axes.tick_params(length=0, pad=3, top=False, labeltop=True, labelbottom=False, labelcolor=INK)


def _draw_ratings(axes: Axes, standings: Standings) -> None:
    places = np.arange(len(standings.rows)) + 0.5
    ratings = np.array([row.rating for row in standings.rows])
    edges = np.array([row.rating_ci95 for row in standings.rows])
    axes.axvline(0, color=GRID, linewidth=1.0, zorder=0)
    axes.errorbar(
        ratings, places, xerr=[ratings - edges[:, 0], edges[:, 1] - ratings],
        fmt="o", color=COLOURS[0], markersize=2.5, capsize=3, elinewidth=1.2,
    )  # fmt: skip
    axes.set(ylim=(len(places), 0), yticks=[])
    axes.set_xlabel("rating (Elo, mean 0),\n95 % interval", fontsize=8.5, color=INK)
    axes.tick_params(axis="x", labelsize=8, labelcolor=INK)
    axes.locator_params(axis="x", nbins=4)
    axes.grid(axis="x", color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["left", "top", "right"]].set_visible(False)


def _fitting(name: str, size: float) -> str:
    """As much of a name as fits at the left of its row."""
    font = FontProperties(size=size)
    room = 72 * NAMES_WIDTH - 4 * size  # points, less what rank and margins take
    text = shortened(name, 60)
    while (width := text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]) > room:
        text = shortened(name, min(len(text) - 1, int(len(text) * room / width)))
    return text
