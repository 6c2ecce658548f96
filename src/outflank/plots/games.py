"""Games as curves: what each position was worth and who had more discs, move by move.

>>> from outflank import Game
>>> curve = ScoreCurve((0.0, 1.5, 6.0), (False, False, True), (MarkedMove(2, "2. d6 ?", "white"),))
>>> figure = draw_game(Game.from_transcript("f5d6"), curve, "two moves")
>>> [axes.get_ylabel() for axes in figure.axes]
['score for Black, discs', 'disc difference']

The lower panel is that of Kim 2007, Figures 6-9; several games over each other are Lucas 2007, Figure 10.
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
from outflank.plots.boards import GRID, INK
from outflank.plots.learning_curves import COLOURS

ESTIMATED, EXACT = "#8c8c8c", "#111111"
BLACK_LEADS, WHITE_LEADS = "#4a4a4a", "#d2d2d2"
ABOVE, BELOW = COLOURS[0], COLOURS[1]
SIZE = 9.5  # points of text; 8 inches at 800 pixels make it 13 pixels high


@dataclass(frozen=True)
class MarkedMove:
    """A move that gave something away, as it is labelled."""

    number: int
    label: str
    mover: Colour


@dataclass(frozen=True)
class ScoreCurve:
    """What each position of a game was worth to Black: before the first move and after each, NaN unknown."""

    scores_for_black: Sequence[float]
    exact: Sequence[bool]
    marked: Sequence[MarkedMove] = ()


def draw_game(game: Game, curve: ScoreCurve, title: str) -> Figure:
    """Above the score, estimated (grey, dotted) and exact (black); below the disc difference."""
    figure = Figure(figsize=(8, 6.4), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    _draw_scores(above, curve)
    differences = np.array(game.disc_differences, dtype=np.float64)
    _draw_leads(below, differences)
    _prepare(below, len(game.moves), "disc difference")
    _prepare(above, len(game.moves), "score for Black, discs")
    below.set_xlabel("move", fontsize=SIZE)
    figure.suptitle(title, fontsize=11, parse_math=False)
    return figure


def draw_disc_differences(games: Sequence[Game], title: str) -> Figure:
    """The disc difference of several games, move by move; games that Black won are solid."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    longest = max(len(game.moves) for game in games)
    strength = max(0.4, min(0.9, 12 / len(games)))
    counts = {"won": 0, "drawn": 0, "lost": 0}
    for game in games:
        differences = game.disc_differences
        kind = "won" if differences[-1] > 0 else "lost" if differences[-1] < 0 else "drawn"
        colour, dashes = {"won": (ABOVE, "-"), "drawn": (INK, ":"), "lost": (BELOW, "--")}[kind]
        label = None if counts[kind] else kind
        counts[kind] += 1
        axes.plot(differences, dashes, color=colour, linewidth=1.1, alpha=strength, label=label)
    axes.plot(_mean(games, longest), color="black", linewidth=2.6, label="mean")
    _prepare(axes, longest, "disc difference")
    axes.set_xlabel("move", fontsize=SIZE)
    axes.set_title(title, fontsize=11, parse_math=False)
    handles, labels = axes.get_legend_handles_labels()
    names = {"won": "more black discs at the end", "lost": "more white discs", "drawn": "as many of both",
             "mean": "mean; a game that has ended keeps its last value"}  # fmt: skip
    counted = [f"{names[label]}{f': {counts[label]}' if label in counts else ''}" for label in labels]
    key = figure.legend(handles, counted, loc="outside lower center", ncols=2, frameon=False, fontsize=SIZE)
    for handle in key.legend_handles:
        if handle is not None:
            handle.set_alpha(1)
    return figure


def _mean(games: Sequence[Game], longest: int) -> FloatArray:
    rows = []
    for game in games:
        differences = np.array(game.disc_differences, dtype=np.float64)
        rows.append(np.pad(differences, (0, longest + 1 - len(differences)), mode="edge"))
    return np.asarray(np.mean(rows, axis=0))


def _draw_scores(axes: Axes, curve: ScoreCurve) -> None:
    scores = np.array(curve.scores_for_black, dtype=np.float64)
    exact = np.array(curve.exact, dtype=bool)
    moves = np.arange(len(scores))
    is_edge = exact | np.append(exact[1:], False)  # the estimate leads up to the first exact score
    if (~exact & np.isfinite(scores)).any():
        estimated = np.where(~exact | is_edge & ~np.append(False, exact[:-1]), scores, np.nan)
        axes.plot(
            moves,
            estimated,
            ":",
            color=ESTIMATED,
            linewidth=1.6,
            marker="o",
            markersize=2.6,
            label="estimated",
        )
    if exact.any():
        axes.plot(
            moves, np.where(exact, scores, np.nan), "-", color=EXACT, linewidth=2.2, marker="o",
            markersize=3.2, label="exact",
        )  # fmt: skip
    _mark_moves(axes, curve, scores)
    _leave_room(axes, curve, scores)
    if axes.get_legend_handles_labels()[0]:
        _draw_key(axes)


def _leave_room(axes: Axes, curve: ScoreCurve, scores: FloatArray) -> None:
    """Limits with a place for the labels of marked moves."""
    known = np.append(scores[np.isfinite(scores)], [-4.0, 4.0])
    spread = float(np.ptp(known))
    low, high = float(known.min()) - 0.06 * spread, float(known.max()) + 0.06 * spread
    for move in curve.marked:
        if np.isfinite(score := float(scores[move.number])):
            low = min(low, score - 0.5 * spread) if move.mover == "black" else low
            high = max(high, score + 0.5 * spread) if move.mover == "white" else high
    axes.set_ylim(low, high)


def _mark_moves(axes: Axes, curve: ScoreCurve, scores: FloatArray) -> None:
    """Black's mistakes are filled and labelled below, where they take the curve; White's above."""
    for move in curve.marked:
        if not np.isfinite(scores[move.number]):
            continue
        is_black = move.mover == "black"
        place = (move.number, float(scores[move.number]))
        face = "black" if is_black else "white"
        axes.plot(*place, "o", markersize=7.5, markerfacecolor=face, markeredgecolor="black", zorder=4)
        axes.annotate(
            move.label, place, xytext=(0, -8 if is_black else 8), textcoords="offset points", rotation=90,
            ha="center", va="top" if is_black else "bottom", fontsize=SIZE - 1, color="black",
            path_effects=[withStroke(linewidth=2.5, foreground="white")], zorder=5,
        )  # fmt: skip


def _draw_leads(axes: Axes, differences: FloatArray) -> None:
    moves = np.arange(len(differences))
    axes.fill_between(moves, differences, 0, where=differences >= 0, color=BLACK_LEADS, interpolate=True,
                      linewidth=0, label="more black discs")  # fmt: skip
    axes.fill_between(moves, differences, 0, where=differences <= 0, color=WHITE_LEADS, interpolate=True,
                      linewidth=0, label="more white discs")  # fmt: skip
    axes.plot(moves, differences, color="black", linewidth=1.2)
    largest = max(8.0, float(np.abs(differences).max()))
    axes.set_ylim(-1.1 * largest, 1.1 * largest)
    _draw_key(axes)


def _draw_key(axes: Axes) -> None:
    """Above the panel, where no curve or label goes."""
    axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.1, frameon=False, fontsize=SIZE, ncols=2
    )


def _prepare(axes: Axes, moves: int, label: str) -> None:
    axes.axhline(0, color=INK, linewidth=0.9, zorder=1.5)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlim(-0.5, max(moves, 10) + 1)
    axes.xaxis.set_major_locator(MultipleLocator(10 if moves > 20 else 5 if moves > 10 else 2))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=7, integer=True))
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:+.0f}" if round(y) else "0")
    axes.set_ylabel(label, fontsize=SIZE)
    axes.tick_params(labelsize=SIZE)
    axes.spines[["top", "right"]].set_visible(False)
