"""Players on a ladder: their ratings beside those of its rungs, with 95 % intervals.

>>> from outflank.games.ratings.ladder import Ladder
>>> from outflank.games.ratings.player_rating import PlayerRating
>>> from outflank.games.statistics import Tally
>>> results = {"positional": Tally(40, 0, 40, (0, 0, 40, 0, 0))}
>>> figure = draw_ratings([PlayerRating("mine", Ladder.built_in(), results)])
>>> "mine" in [text.get_text() for text in figure.axes[0].get_yticklabels()]
True
"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from outflank.games.ratings.player_rating import PlayerRating
from outflank.plots.style import COLOURS, FRAME, TEXT, new_figure, shortened

ROW = 0.3  # inches


def draw_ratings(rated: Sequence[PlayerRating]) -> Figure:
    """All rungs and players from the weakest up; the players stand out."""
    players = {one.player: (one.rating, one.ci95) for one in rated}
    rungs = {rung.name: (rung.rating, rung.ci95) for one in rated for rung in one.rungs}
    rows = [(name, *place, False) for name, place in rungs.items() if name not in players]
    rows += [(name, *place, True) for name, place in players.items()]
    rows.sort(key=lambda row: row[1])
    figure, (axes,) = new_figure(1.3 + ROW * len(rows))
    for place, (_, rating, (low, high), is_player) in enumerate(rows):
        colour = COLOURS[1] if is_player else COLOURS[0]
        axes.errorbar(
            rating, place, xerr=[[rating - low], [high - rating]], fmt="D" if is_player else "o",
            color=colour, markersize=6 if is_player else 4, capsize=3, elinewidth=1.4,
        )  # fmt: skip
        axes.annotate(
            f"{rating:.0f}", (high, place), xytext=(6, 0), textcoords="offset points", va="center",
            fontsize=TEXT - 1, color=colour if is_player else FRAME, fontweight="bold" if is_player else None,
        )  # fmt: skip
    axes.set_yticks(
        range(len(rows)), [shortened(row[0], 40) for row in rows], fontsize=TEXT, parse_math=False
    )
    for label, (*_, is_player) in zip(axes.get_yticklabels(), rows, strict=True):
        label.set_fontweight("bold" if is_player else "normal")
    axes.margins(x=0.1)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("rating (Elo; random is 0), 95 % interval")
    return figure
