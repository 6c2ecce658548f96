"""Players as points: one score against another, each with its interval and its name.

>>> points = {"a": Point((0.5, 0.4, 0.6), (0.3, 0.2, 0.4), "learned"),
...           "b": Point((0.5, 0.4, 0.6), (0.3, 0.2, 0.4), "hand-made")}
>>> figure = draw_scatter(points, "League score", "general strength")
>>> sorted(text.get_text() for text in figure.axes[0].texts)
['a', 'b']
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from scipy import special

from outflank.plots.board_drawing import GRID, INK
from outflank.plots.learning_curves import COLOURS, SCORE_TICKS

SIZE = 9.5  # points of text; 8 inches at 800 pixels make it 13 pixels high
MARKERS = ("o", "s", "^", "D", "v", "P")
NEAR, FAR = 7.0, 150.0  # points from a mark to its name
ROOM = 5.0  # pixels around a mark that no name covers
NEAREST_TICKS = 0.5  # on the logit scale; nearer ones would write over each other

Score = tuple[float, float, float]  # the value, and the edges of its 95 % interval


@dataclass(frozen=True)
class Point:
    """A player: its two scores, and what kind of player it is."""

    x: Score
    y: Score
    kind: str

    @property
    def place(self) -> tuple[float, float]:
        """Where it is drawn: a logit scale has no 0 and 1, so within its first and last tick."""
        return _within_ticks(self.x[0]), self.y[0]


def draw_scatter(points: Mapping[str, Point], x_label: str, y_label: str) -> Figure:
    """A mark a player; x, whose best scores lie near 1, on a logit scale."""
    figure = Figure(figsize=(8, 6.4), layout="constrained")
    axes = figure.add_subplot()
    for number, kind in enumerate(dict.fromkeys(point.kind for point in points.values())):
        chosen = [point for point in points.values() if point.kind == kind]
        _draw_kind(axes, number, kind, chosen)
    _prepare(axes, [point.x[0] for point in points.values()])
    axes.set_xlabel(x_label, fontsize=SIZE, parse_math=False)
    axes.set_ylabel(y_label, fontsize=SIZE, parse_math=False)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=SIZE)
    figure.draw_without_rendering()  # names are placed where everything else has its final place
    figure.set_layout_engine("none")
    _write_names(axes, points)
    return figure


def _draw_kind(axes: Axes, number: int, kind: str, points: Sequence[Point]) -> None:
    reach_x, reach_y = (
        np.array([(max(0.0, middle - low), max(0.0, high - middle)) for middle, low, high in scores]).T
        for scores in (
            [(point.place[0], *map(_within_ticks, point.x[1:])) for point in points],
            [point.y for point in points],
        )
    )
    places = np.array([point.place for point in points])
    axes.errorbar(
        places[:, 0], places[:, 1], xerr=reach_x, yerr=reach_y,
        fmt=MARKERS[number % len(MARKERS)], color=COLOURS[number % len(COLOURS)], markersize=6.5,
        elinewidth=1.0, label=kind,
    )  # fmt: skip


def _within_ticks(score: float) -> float:
    return min(max(score, SCORE_TICKS[0]), SCORE_TICKS[-1])


def _prepare(axes: Axes, scores: Sequence[float]) -> None:
    below = [tick for tick in SCORE_TICKS if tick < min(scores)] or [SCORE_TICKS[0]]
    above = [tick for tick in SCORE_TICKS if tick > max(scores)] or [SCORE_TICKS[-1]]
    ticks = [below[-1]]
    for tick in SCORE_TICKS:
        if ticks[-1] < tick <= above[0] and special.logit(tick) - special.logit(ticks[-1]) > NEAREST_TICKS:
            ticks.append(tick)
    axes.set_xscale("logit")
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlim(0.8 * below[-1], (1 + above[0]) / 2)
    axes.set_ylim(0, 1)
    axes.tick_params(labelsize=SIZE)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _write_names(axes: Axes, points: Mapping[str, Point]) -> None:
    """Each name at the nearest place that is free; a name that is not next to its mark has a line to it."""
    marks = {name: axes.transData.transform(point.place) for name, point in points.items()}
    taken = [Bbox.from_extents(x - ROOM, y - ROOM, x + ROOM, y + ROOM) for x, y in marks.values()]
    for point in points.values():  # nor its interval
        edges = [(_within_ticks(edge), point.y[0]) for edge in point.x[1:]]
        (left, y), (right, _) = axes.transData.transform(edges)
        taken.append(Bbox.from_extents(left, y - 1, right, y + 1))
    for name, point in points.items():
        text = axes.annotate(name, point.place, xytext=(0, 0), textcoords="offset points", fontsize=SIZE,
                             color=INK, parse_math=False)  # fmt: skip
        for distance, (right, up) in _places():
            text.set_position((right * distance, up * distance))
            text.set_horizontalalignment("left" if right > 0 else "right" if right < 0 else "center")
            text.set_verticalalignment("bottom" if up > 0 else "top" if up < 0 else "center")
            box = text.get_window_extent()
            if _is_free(box, taken, axes.bbox):
                break
        taken.append(box)
        if distance > NEAR:
            nearest = np.clip(marks[name], box.min, box.max)
            ends = axes.transData.inverted().transform([marks[name], nearest])
            axes.plot(*ends.T, color=INK, linewidth=0.6, zorder=1)


def _places() -> Iterator[tuple[float, tuple[float, float]]]:
    """Distances and directions to try, the nearest first."""
    directions = [(right, up) for right, up in product((1.0, -1.0, 0.0), (0.0, 1.0, -1.0)) if right or up]
    distance = NEAR
    while distance <= FAR:
        for direction in directions:
            yield distance, direction
        distance *= 1.3


def _is_free(box: Bbox, taken: Sequence[Bbox], within: Bbox) -> bool:
    is_inside = within.x0 <= box.x0 and box.x1 <= within.x1 and within.y0 <= box.y0 and box.y1 <= within.y1
    return is_inside and not any(box.overlaps(other) for other in taken)
