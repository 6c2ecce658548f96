"""How players play rather than how well: moves they have and leave, corners they hold (Chong 2003).

>>> figure = draw_moves_left({"late": np.linspace(8, 1, 60)}, first_move=48, opponent="iago")
>>> figure.axes[0].get_xlabel()
'move number'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, MultipleLocator

from outflank.evaluators.protocol import FloatArray
from outflank.plots.board_drawing import GRID, INK
from outflank.plots.learning_curves import COLOURS, mean_and_band

SIZE = 9.5
DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D")


def draw_moves_left(curves: Mapping[str, FloatArray], first_move: int, opponent: str) -> Figure:
    """Moves that each move of a player left to the opponent, mean by move number (the first move is 1)."""
    figure, axes = _one_panel()
    axes.axvspan(first_move, 60, color="#efe9f7", zorder=0.5, label=f"from move {first_move} on")
    for number, (name, left) in enumerate(curves.items()):
        moves = np.arange(1, len(left) + 1)
        axes.plot(moves, left, DASHES[number], color=COLOURS[number], linewidth=1.9, label=name)
    axes.axhline(1, color=INK, linewidth=1, linestyle=":", label="one move")
    axes.set(xlim=(1, 60), ylim=(0, None))
    axes.xaxis.set_major_locator(MultipleLocator(6))
    axes.set_xlabel("move number", fontsize=SIZE)
    axes.set_ylabel(f"moves left to {opponent}, mean", fontsize=SIZE)
    _draw_key(axes, 2)
    return figure


def draw_discs_at_depths(
    discs: Mapping[str, FloatArray], published: Sequence[float], opponent: str
) -> Figure:
    """Discs of parents against an opponent; a column a depth, a part of it a run, a dot a game. `discs`:
    [runs, parents, colours], the first parent first, Black before White.

    >>> draw_discs_at_depths({"depth 2": np.full((3, 10, 2), 30.0)}, [30], "iago").axes[0].get_ylabel()
    'discs of the parent against iago'
    """
    figure, axes = _one_panel()
    for column, (values, paper) in enumerate(zip(discs.values(), published, strict=True)):
        _draw_games(axes, column, values)
        axes.plot([column - 0.42, column + 0.42], [paper] * 2, color=INK, linewidth=1.6, linestyle="--",
                  label="the paper's one game" if column == 0 else None)  # fmt: skip
        axes.plot([column - 0.42, column + 0.42], [values.mean()] * 2, color=COLOURS[3], linewidth=2.2,
                  label="mean of all games" if column == 0 else None)  # fmt: skip
    axes.axhline(32, color=INK, linewidth=0.8)
    axes.set(xlim=(-0.55, len(discs) - 0.45), ylim=(0, 64))
    axes.set_xticks(range(len(discs)), [f"parents at {name}" for name in discs], fontsize=SIZE)
    axes.grid(visible=False, axis="x")
    axes.yaxis.set_major_locator(MultipleLocator(16))
    axes.set_ylabel(f"discs of the parent against {opponent}", fontsize=SIZE)
    _draw_key(axes, 2)
    return figure


def draw_styles(generations: Sequence[int], panels: Mapping[str, Mapping[str, FloatArray]]) -> Figure:
    """Measures of play along the generations: a panel a label, in it a curve a name, [runs, generations]
    each; of several runs the mean with its 95 % interval.

    >>> panels = {"moves": {"own": np.ones((3, 2)), "left": np.ones((3, 2))}}
    >>> draw_styles([1, 100], panels).axes[0].get_ylabel()
    'moves'
    """
    figure = Figure(figsize=(8, 0.6 + 2.7 * len(panels)), layout="constrained")
    rows = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (label, curves) in zip(rows, panels.items(), strict=True):
        for number, (name, values) in enumerate(curves.items()):
            low, middle, high = mean_and_band(values) if len(values) > 1 else (values[0],) * 3
            axes.plot(generations, middle, DASHES[number], color=COLOURS[number], linewidth=1.8, label=name,
                      marker=MARKERS[number], markersize=4.5)  # fmt: skip
            axes.fill_between(generations, low, high, color=COLOURS[number], alpha=0.18, linewidth=0)
        axes.set_ylabel(label, fontsize=SIZE)
        if "%" in label:
            axes.set_ylim(0, 100)
        _prepare(axes)
        _draw_key(axes, 3)
    rows[-1].set_xlabel("generation", fontsize=SIZE)
    rows[-1].xaxis.set_major_locator(MaxNLocator(nbins=10, steps=(1, 2, 5, 10), integer=True))
    rows[-1].xaxis.set_major_formatter("{x:,.0f}")
    return figure


def _draw_games(axes: Axes, column: int, values: FloatArray) -> None:
    """Of each run the parents side by side, Black round and White square; the first parent filled."""
    runs, parents, _ = values.shape
    width = 0.78 / runs
    for run in range(runs):
        places = column - 0.39 + width * (run + (np.arange(parents) + 0.5) / parents * 0.9)
        for colour, marker, name in ((0, "o", "as Black"), (1, "s", "as White")):
            label = name if column == run == 0 else None
            axes.plot(places, values[run, :, colour], marker, markersize=5, markerfacecolor="white",
                      markeredgecolor=COLOURS[colour], label=label)  # fmt: skip
            axes.plot(places[:1], values[run, :1, colour], marker, markersize=6, color=COLOURS[colour])


def _one_panel() -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8, 4.4), layout="constrained")
    axes = figure.add_subplot()
    _prepare(axes)
    return figure, axes


def _prepare(axes: Axes) -> None:
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=SIZE)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_key(axes: Axes, columns: int) -> None:
    """Above the panel, where no curve goes."""
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0.1,
        frameon=False,
        fontsize=SIZE,
        ncols=columns,
    )
