"""How players play rather than how well: the moves they have and leave, and the corners they hold.

>>> from outflank.games.game import Game
>>> from outflank.games.game import GameRecord, moves_matrix
>>> game = Game.from_transcript("f5d6c3d3c4")
>>> along = mobility_along(moves_matrix([GameRecord(game)]), [game.start])
>>> along.movers[0, :5].tolist(), along.length[0].item()
([1, -1, 1, -1, 1], 5)
>>> along.black[0, :6].tolist(), along.white[0, :6].tolist()
([4, 3, 5, 4, 6, 9], [4, 3, 4, 4, 7, 6])
>>> along.replies(side=1, first_move=3).tolist()  # what Black's third and fifth move leave to White
[4, 6]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, MultipleLocator

from outflank import _core
from outflank.board import Board, Square
from outflank.evaluators.protocol import FloatArray
from outflank.plots.curves import Curve, draw_curve, draw_single_runs, explain
from outflank.plots.style import COLOURS, DASHES, INK, MARKERS, TEXT, legend_above, new_figure

Counts = npt.NDArray[np.int8]
BLACK, WHITE = 1, -1
AFTER_THE_END = -1
SPACIOUS = 10  # runs whose games have large marks
CORNERS = 1 << 0 | 1 << 7 | 1 << 56 | 1 << 63


@dataclass(frozen=True)
class Mobility:
    """One row per game. Counts: before the first move and after each, -1 after the end of the game."""

    movers: Counts  # [games, 60]: who made each move, Black 1 or White -1; 0 after the end
    black: Counts  # [games, 61]: legal moves Black has or would have, were it Black's turn
    white: Counts
    black_corners: Counts  # [games, 61]
    white_corners: Counts

    @property
    def length(self) -> npt.NDArray[np.int64]:
        """Moves of each game."""
        return np.asarray(np.count_nonzero(self.movers, axis=1), dtype=np.int64)

    def of_games(self, games: slice) -> Mobility:
        """Some of the games."""
        return Mobility(self.movers[games], self.black[games], self.white[games], self.black_corners[games],
                        self.white_corners[games])  # fmt: skip

    def choices(self, side: int, first_move: int = 1, last_move: int = 60) -> Counts:
        """From how many moves a side chose each of its moves with these numbers."""
        made = _between(self.movers == side, first_move, last_move)
        return (self.black if side == BLACK else self.white)[:, :-1][made]

    def replies(self, side: int, first_move: int = 1, last_move: int = 60) -> Counts:
        """How many moves each of a side's moves with these numbers left to the other side, 0 if it had to
        pass; a move that ended the game counts nothing."""
        made = _between(self.movers == side, first_move, last_move)
        goes_on = (self.black[:, 1:] > 0) | (self.white[:, 1:] > 0)
        return (self.white if side == BLACK else self.black)[:, 1:][made & goes_on]

    def corners_at_the_end(self, side: int) -> Counts:
        corners = self.black_corners if side == BLACK else self.white_corners
        return np.asarray(corners[np.arange(len(corners)), self.length])


def mobility_along(moves: npt.NDArray[np.uint8], starts: Sequence[Board]) -> Mobility:
    """`moves`: one row per game, 255 after its last move, as a match records them; `starts`: their boards."""
    movers = np.zeros((len(moves), _core.LONGEST_GAME), dtype=np.int8)
    counts = np.full((4, len(moves), _core.LONGEST_GAME + 1), AFTER_THE_END, dtype=np.int8)
    for number, (row, start) in enumerate(zip(moves.tolist(), starts, strict=True)):
        placed = row[: row.index(_core.NO_MOVE)] if _core.NO_MOVE in row else row
        sides, rows = _along(placed, start)
        movers[number, : len(sides)] = sides
        counts[:, number, : len(rows)] = np.array(rows, dtype=np.int8).T
    return Mobility(movers, *counts)


def _along(moves: Sequence[int], start: Board) -> tuple[list[int], list[tuple[int, int, int, int]]]:
    """Who made each move; the counts before the first and after each."""
    black, white, side = start.black, start.white, BLACK if start.mover == "black" else WHITE
    sides, rows = [], [_counts(black, white)]
    for number, square in enumerate(moves, start=1):
        if not rows[-1][0 if side == BLACK else 1]:
            side = -side  # a pass
        mover, opponent = (black, white) if side == BLACK else (white, black)
        flipped = 0 if (black | white) >> square & 1 else _core.flips(square, mover, opponent)
        if not flipped:
            raise ValueError(f"move {number} ({Square(square)}) of a recorded game is not legal")
        mover, opponent = mover | flipped | 1 << square, opponent & ~flipped
        black, white = (mover, opponent) if side == BLACK else (opponent, mover)
        sides.append(side)
        rows.append(_counts(black, white))
        side = -side
    return sides, rows


def _counts(black: int, white: int) -> tuple[int, int, int, int]:
    return (
        _core.legal_moves(black, white).bit_count(), _core.legal_moves(white, black).bit_count(),
        (black & CORNERS).bit_count(), (white & CORNERS).bit_count(),
    )  # fmt: skip


def _between(made: npt.NDArray[np.bool_], first_move: int, last_move: int) -> npt.NDArray[np.bool_]:
    numbers = np.arange(1, made.shape[1] + 1)
    return made & (numbers >= first_move) & (numbers <= last_move)


def draw_moves_left(curves: Mapping[str, FloatArray], first_move: int, opponent: str) -> Figure:
    """Moves that each move of a player left to the opponent, by move number (the first move is 1): one row
    per run, NaN where it has no such move.

    >>> left = np.linspace(8, 1, 60)[None]
    >>> draw_moves_left({"late": left}, first_move=48, opponent="iago").axes[0].get_xlabel()
    'move number'
    """
    figure, (axes,) = new_figure(4.4)
    axes.axvspan(first_move, 60, color="#efe9f7", zorder=0.5, label=f"from move {first_move} on")
    for number, (name, rows) in enumerate(curves.items()):
        moves = np.arange(1.0, rows.shape[1] + 1)
        if len(rows) > 1:
            draw_single_runs(axes, moves, rows, number)
        axes.plot(
            moves, mean_of_known(rows), DASHES[number], color=COLOURS[number], linewidth=1.9, label=name
        )
    axes.axhline(1, color=INK, linewidth=1, linestyle=":", label="one move")
    if max(map(len, curves.values())) > 1:
        axes.text(0.99, 0.99, "thin lines: single runs", transform=axes.transAxes, ha="right", va="top",
                  fontsize=TEXT - 1.5, color=INK)  # fmt: skip
    axes.set(xlim=(1, 60), ylim=(0, None), xlabel="move number", ylabel=f"moves left to {opponent}, mean")
    axes.xaxis.set_major_locator(MultipleLocator(6))
    legend_above(axes)
    return figure


def mean_of_known(rows: FloatArray) -> FloatArray:
    """The mean of the rows; NaN where none has a number.

    >>> mean_of_known(np.array([[1.0, np.nan, np.nan], [2.0, 4.0, np.nan]]))
    array([1.5, 4. , nan])
    """
    known = np.isfinite(rows)
    sums = np.where(known, rows, 0).sum(axis=0)
    return np.where(known.any(axis=0), sums / np.maximum(1, known.sum(axis=0)), np.nan)


def draw_discs_at_depths(
    discs: Mapping[str, FloatArray], published: Sequence[float], opponent: str
) -> Figure:
    """Discs of parents against an opponent: one column per depth, in it one group per run, one dot per game.
    `discs`: [runs, parents, colours], the first parent first, Black before White.

    >>> draw_discs_at_depths({"depth 2": np.full((3, 10, 2), 30.0)}, [30], "iago").axes[0].get_ylabel()
    'discs of the parent against iago'
    """
    figure, (axes,) = new_figure(4.4)
    for column, (values, paper) in enumerate(zip(discs.values(), published, strict=True)):
        _draw_games(axes, column, values)
        axes.plot([column - 0.42, column + 0.42], [paper] * 2, color=INK, linewidth=1.6, linestyle="--",
                  label="the paper's one game" if column == 0 else None)  # fmt: skip
        axes.plot([column - 0.42, column + 0.42], [values.mean()] * 2, color=COLOURS[3], linewidth=2.2,
                  label="mean of all games" if column == 0 else None)  # fmt: skip
    axes.axhline(32, color=INK, linewidth=0.8)
    axes.set(xlim=(-0.55, len(discs) - 0.45), ylim=(0, 64), ylabel=f"discs of the parent against {opponent}")
    axes.set_xticks(range(len(discs)), [f"parents at {name}" for name in discs])
    axes.grid(visible=False, axis="x")
    axes.yaxis.set_major_locator(MultipleLocator(16))
    legend_above(axes)
    return figure


def draw_styles(generations: Sequence[int], panels: Mapping[str, Mapping[str, FloatArray]]) -> Figure:
    """Measures of play by generation: one panel per label with one curve per name, [runs, generations] each;
    several runs by their mean with its 95 % interval.

    >>> panels = {"moves": {"own": np.ones((3, 2)), "left": np.ones((3, 2))}}
    >>> draw_styles([1, 100], panels).axes[0].get_ylabel()
    'moves'
    """
    figure, rows = new_figure(0.6 + 2.7 * len(panels), rows=len(panels), sharex=True)
    for axes, (label, curves) in zip(rows, panels.items(), strict=True):
        for number, (name, values) in enumerate(curves.items()):
            curve = Curve.mean_of(np.asarray(generations, dtype=np.float64), values)
            draw_curve(axes, curve, name, number, marker=MARKERS[number], markersize=4.5)
            if len(values) > 1:
                draw_single_runs(axes, curve.x, values, number)
        axes.set_ylabel(label)
        if "%" in label:
            axes.set_ylim(0, 100)
        legend_above(axes, 3)
    explain(rows[0], "bands: 95 % interval of the mean; thin lines: single runs")
    rows[-1].set_xlabel("generation")
    rows[-1].xaxis.set_major_locator(MaxNLocator(nbins=10, steps=(1, 2, 5, 10), integer=True))
    rows[-1].xaxis.set_major_formatter("{x:,.0f}")
    return figure


def _draw_games(axes: Axes, column: int, values: FloatArray) -> None:
    """Of each run the parents side by side, Black round and White square; the first parent filled."""
    runs, parents, _ = values.shape
    width = 0.78 / runs
    size = 5 if runs <= SPACIOUS else 2.5
    for run in range(runs):
        places = column - 0.39 + width * (run + (np.arange(parents) + 0.5) / parents * 0.9)
        for colour, marker, name in ((0, "o", "as Black"), (1, "s", "as White")):
            label = name if column == run == 0 else None
            axes.plot(places, values[run, :, colour], marker, markersize=size, markerfacecolor="white",
                      markeredgecolor=COLOURS[colour], markeredgewidth=0.2 * size, label=label)  # fmt: skip
            axes.plot(
                places[:1], values[run, :1, colour], marker, markersize=1.2 * size, color=COLOURS[colour]
            )
