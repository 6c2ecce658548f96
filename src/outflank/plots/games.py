"""Games as curves: the score and the disc difference, move by move.

>>> from outflank import Game
>>> curve = ScoreCurve((0.0, 1.5, 6.0), (False, False, True), (MarkedMove(2, "2. d6 ?", "white"),))
>>> figure = draw_game(Game.from_transcript("f5d6"), curve, "two moves")
>>> [axes.get_ylabel() for axes in figure.axes]
['score for Black, discs', 'discs on the board']

The lower panel is that of Kim 2007, Figures 6-9; overlaid games are Lucas 2007, Figure 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator, MultipleLocator

from outflank.board import Colour
from outflank.evaluators.protocol import FloatArray
from outflank.games.game import Game
from outflank.plots.curves import explain
from outflank.plots.style import COLOURS, INK, TEXT, legend_above, legend_below, new_figure, signed

MOST_DISCS = 64
ESTIMATED, EXACT = "#8c8c8c", "#111111"
BLACK_LEADS, WHITE_LEADS = "#4a4a4a", "#d2d2d2"
RESULTS = {  # of Black: label, colour, dashes
    "won": ("more black discs at the end", COLOURS[0], "-"),
    "drawn": ("as many of both", INK, ":"),
    "lost": ("more white discs", COLOURS[1], "--"),
}


@dataclass(frozen=True)
class MarkedMove:
    """A mistake and its label."""

    number: int
    label: str
    mover: Colour


@dataclass(frozen=True)
class ScoreCurve:
    """Black's score before the first move and after each; NaN if unknown."""

    scores_for_black: Sequence[float]
    exact: Sequence[bool]
    marked: Sequence[MarkedMove] = ()


def draw_game(game: Game, curve: ScoreCurve, title: str) -> Figure:
    """Above, the score: estimated (grey, dotted) and exact (black). Below, the disc difference."""
    figure, (above, below) = new_figure(6.4, rows=2, title=title, sharex=True, height_ratios=(3, 2))
    _draw_scores(above, curve)
    _draw_leads(below, np.array(game.disc_differences, dtype=np.float64))
    if game.final.is_over and (empty := 64 - game.final.discs):
        explain(below, f"{empty} squares stayed empty: in the score above they count for the winner")
    for axes, label in ((below, "discs on the board"), (above, "score for Black, discs")):
        _set_scales(axes, len(game.moves), label)
    below.set_xlabel("move")
    return figure


def draw_disc_differences(games: Sequence[Game], title: str) -> Figure:
    """The disc differences of several games, move by move; games that Black won are solid."""
    figure, (axes,) = new_figure(5, title=title)
    longest = max(len(game.moves) for game in games)
    alpha = max(0.4, min(0.9, 12 / len(games)))
    handles, counts = {}, dict.fromkeys(RESULTS, 0)
    for game in games:
        differences = game.disc_differences
        result = "won" if differences[-1] > 0 else "lost" if differences[-1] < 0 else "drawn"
        _, colour, dashes = RESULTS[result]
        counts[result] += 1
        (handles[result],) = axes.plot(differences, dashes, color=colour, linewidth=1.1, alpha=alpha)
    (mean,) = axes.plot(_mean(games, longest), color="black", linewidth=2.6)
    _set_scales(axes, longest, "disc difference")
    axes.set_xlabel("move")
    labels = [f"{RESULTS[result][0]}: {counts[result]}" for result in handles]
    legend = legend_below(
        figure, [*handles.values(), mean], [*labels, "mean; a finished game keeps its last value"]
    )
    for handle in legend.legend_handles:
        if handle is not None:
            handle.set_alpha(1)
    return figure


def _mean(games: Sequence[Game], longest: int) -> FloatArray:
    differences = [np.array(game.disc_differences, dtype=np.float64) for game in games]
    rows = [np.pad(row, (0, longest + 1 - len(row)), mode="edge") for row in differences]
    return np.asarray(np.mean(rows, axis=0))


def _draw_scores(axes: Axes, curve: ScoreCurve) -> None:
    scores = np.array(curve.scores_for_black, dtype=np.float64)
    exact = np.array(curve.exact, dtype=bool)
    if (~exact & np.isfinite(scores)).any():
        first_exact = exact & ~np.append(False, exact[:-1])  # the estimate leads up to it
        axes.plot(np.where(~exact | first_exact, scores, np.nan), ":", color=ESTIMATED, linewidth=1.6,
                  marker="o", markersize=2.6, label="estimated")  # fmt: skip
    if exact.any():
        axes.plot(np.where(exact, scores, np.nan), "-", color=EXACT, linewidth=2.2, marker="o",
                  markersize=3.2, label="exact")  # fmt: skip
    _mark_moves(axes, curve, scores)
    _leave_room(axes, curve, scores)
    if axes.get_legend_handles_labels()[0]:
        legend_above(axes)


def _leave_room(axes: Axes, curve: ScoreCurve, scores: FloatArray) -> None:
    """Limits with room for the labels of marked moves."""
    known = np.append(scores[np.isfinite(scores)], [-4.0, 4.0])
    spread = float(np.ptp(known))
    low, high = float(known.min()) - 0.06 * spread, float(known.max()) + 0.06 * spread
    for move in curve.marked:
        if np.isfinite(score := float(scores[move.number])):
            low = min(low, score - 0.5 * spread) if move.mover == "black" else low
            high = max(high, score + 0.5 * spread) if move.mover == "white" else high
    axes.set_ylim(low, high)


def _mark_moves(axes: Axes, curve: ScoreCurve, scores: FloatArray) -> None:
    """Black's mistakes are filled and labelled below the curve, White's above."""
    for move in curve.marked:
        if not np.isfinite(scores[move.number]):
            continue
        is_black = move.mover == "black"
        place = (move.number, float(scores[move.number]))
        face = "black" if is_black else "white"
        axes.plot(*place, "o", markersize=7.5, markerfacecolor=face, markeredgecolor="black", zorder=4)
        axes.annotate(
            move.label, place, xytext=(0, -8 if is_black else 8), textcoords="offset points", rotation=90,
            ha="center", va="top" if is_black else "bottom", fontsize=TEXT - 1, color="black",
            path_effects=[withStroke(linewidth=2.5, foreground="white")], zorder=5,
        )  # fmt: skip


def _draw_leads(axes: Axes, differences: FloatArray) -> None:
    moves = np.arange(len(differences))
    for leads, colour, label in (
        (differences >= 0, BLACK_LEADS, "more black discs"),
        (differences <= 0, WHITE_LEADS, "more white discs"),
    ):
        axes.fill_between(moves, differences, 0, where=leads, color=colour, interpolate=True, linewidth=0,
                          label=label)  # fmt: skip
    axes.plot(moves, differences, color="black", linewidth=1.2)
    largest = max(8.0, float(np.abs(differences).max()))
    axes.set_ylim(-1.1 * largest, 1.1 * largest)
    legend_above(axes)


def _set_scales(axes: Axes, moves: int, label: str) -> None:
    axes.axhline(0, color=INK, linewidth=0.9, zorder=1.5)
    axes.set(xlim=(-0.5, max(moves, 10) + 1), ylabel=label)
    axes.xaxis.set_major_locator(MultipleLocator(10 if moves > 20 else 5 if moves > 10 else 2))
    ticks = MaxNLocator(nbins=7, integer=True).tick_values(*axes.get_ylim())
    low, high = axes.get_ylim()
    axes.set_yticks([tick for tick in ticks if low <= tick <= high and abs(tick) <= MOST_DISCS])
    axes.set_ylim(low, high)  # room for labels, where there are no more discs to win
    axes.yaxis.set_major_formatter(signed)
