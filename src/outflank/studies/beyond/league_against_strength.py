"""League score against general strength: what a player gains against one opponent and loses against many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from outflank.board import Board
from outflank.league.scoring import EPSILON, OPPONENT
from outflank.players.names import NAMES, NamedPlayer, named_player
from outflank.plots.curves import SCORE_TICKS, set_score_scale
from outflank.plots.style import COLOURS, INK, MARKERS, TEXT, legend_below, new_figure
from outflank.studies.agreement import same_sign
from outflank.studies.chong_2003.runs import random_openings
from outflank.studies.claims import retested
from outflank.studies.inference import mann_whitney, rank_correlation
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Finding, NotMeasured, Outcome, ResultTable

NEAR, FAR = 7.0, 150.0  # points from a mark to its name
ROOM = 5.0  # pixels around a mark that no name covers
TICK_GAP = 0.5  # on the logit scale; labels of nearer ticks would overlap

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
    """One mark per player; x, whose best scores are near 1, on a logit scale.

    >>> points = {"a": Point((0.5, 0.4, 0.6), (0.3, 0.2, 0.4), "learned"),
    ...           "b": Point((0.5, 0.4, 0.6), (0.3, 0.2, 0.4), "hand-made")}
    >>> figure = draw_scatter(points, "League score", "general strength")
    >>> sorted(text.get_text() for text in figure.axes[0].texts)
    ['a', 'b']
    """
    figure, (axes,) = new_figure(6.4)
    for number, kind in enumerate(dict.fromkeys(point.kind for point in points.values())):
        _draw_kind(axes, number, kind, [point for point in points.values() if point.kind == kind])
    scores = [point.x[0] for point in points.values()]
    set_score_scale(axes, min(scores), max(scores), "x", TICK_GAP)
    axes.set(xlabel=x_label, ylabel=y_label, ylim=(0, 1))
    legend_below(figure, columns=3)
    figure.draw_without_rendering()  # names are placed when everything else has its final place
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


def _write_names(axes: Axes, points: Mapping[str, Point]) -> None:
    """Each name at the nearest place that is free; a name that is not next to its mark has a line to it."""
    marks = {name: axes.transData.transform(point.place) for name, point in points.items()}
    taken = [Bbox.from_extents(x - ROOM, y - ROOM, x + ROOM, y + ROOM) for x, y in marks.values()]
    for point in points.values():  # nor its interval
        edges = [(_within_ticks(edge), point.y[0]) for edge in point.x[1:]]
        (left, y), (right, _) = axes.transData.transform(edges)
        taken.append(Bbox.from_extents(left, y - 1, right, y + 1))
    for name, point in points.items():
        text = axes.annotate(name, point.place, xytext=(0, 0), textcoords="offset points", fontsize=TEXT,
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


PRINTED = "all-2"  # the paper's best player, with its weights as Figure 7 prints them
SAME = "Jaskowski2014All2"  # the same before rounding
FOR_THE_LEAGUE = "learned against the League's opponent"
OTHERWISE = "learned otherwise"
NOT_LEARNED = "not learned"
SIGNIFICANT = 0.05
FEWEST = 4  # players that learned otherwise: three against four can be told apart at that level, fewer cannot
X_LABEL = f"League score: against {OPPONENT}, 10 % forced random moves"
Y_LABEL = "general strength: mean score against all others"


def league_against_strength(lab: Laboratory) -> Outcome:
    """Every player's League score and its mean score against all others, without forced random moves."""
    s = lab.settings
    players = all_players(lab)
    boards = _boards(lab)
    starts = boards[:: max(1, len(boards) // s["boards"])][: s["boards"]]
    standings = lab.tournament("strength", players, double_games=len(starts), epsilon=0.0, starts=starts)
    strengths = {row.player: (row.score, *row.ci95) for row in standings.rows}
    points = {}
    for player in players:
        tally = lab.match(f"{player.name} in the League", player, named_player(OPPONENT),
                          double_games=s["double_games"], epsilon=EPSILON)  # fmt: skip
        kind = FOR_THE_LEAGUE if player.name in s["for_the_league"] else OTHERWISE
        kind = NOT_LEARNED if player.name in s["not_learned"] else kind
        points[player.name] = Point((tally.score, *tally.ci95), strengths[player.name], kind)
    return Outcome(
        findings_of(points),
        [lab.draw("scatter", _caption(lab, len(starts)), draw_scatter, points, X_LABEL, Y_LABEL)],
        [_table(points)],
    )


def all_players(lab: Laboratory) -> list[NamedPlayer]:
    """The built-in players at one ply, and the published ones that are available."""
    published = [player for player in lab.published.players() if player.name != SAME]
    return [*(named_player(name) for name in NAMES), *published]


def findings_of(points: Mapping[str, Point]) -> dict[str, Finding]:
    learned = {name: point for name, point in points.items() if point.kind != NOT_LEARNED}
    return {
        "not good in general": not_good_in_general(points),
        "because": _because(learned),
        "first is not strongest": first_is_not_strongest(points),
        "all players": correlated(points, 1),
        "learned players": correlated(learned, -1),
    }


@retested
def not_good_in_general(points: Mapping[str, Point]) -> Claim:
    """Who is below the printed player in the League, and yet stronger; the intervals of both scores apart."""
    printed = points[PRINTED]
    stronger = [name for name, one in points.items() if one.x[2] < printed.x[1] and one.y[1] > printed.y[2]]
    place = 1 + sum(one.y[0] > printed.y[0] for one in points.values())
    return Claim(
        True if stronger else None,
        f"{PRINTED}: League score {printed.x[0]:.4f}, strength {printed.y[0]:.3f}, place {place} of"
        f" {len(points)}; below it in the League and stronger: {', '.join(sorted(stronger)) or 'nobody'}",
    )


def places_lost(points: Mapping[str, Point]) -> dict[str, float]:
    """From the place in the League to the place by strength, among these players.

    >>> a, b = Point((0.9,) * 3, (0.4,) * 3, ""), Point((0.8,) * 3, (0.6,) * 3, "")
    >>> places_lost({"a": a, "b": b})
    {'a': 1.0, 'b': -1.0}
    """
    league, strength = (
        np.argsort(np.argsort([-score for score in scores]))
        for scores in ([point.x[0] for point in points.values()], [point.y[0] for point in points.values()])
    )
    return {name: float(lost) for name, lost in zip(points, strength - league, strict=True)}


def _because(learned: Mapping[str, Point]) -> Finding:
    """Those that learned against the League's opponent lose more places than the others."""
    lost = places_lost(learned)
    samples = {
        kind: [lost[name] for name, point in learned.items() if point.kind == kind]
        for kind in (FOR_THE_LEAGUE, OTHERWISE)
    }
    if (count := len(samples[OTHERWISE])) < FEWEST:
        return NotMeasured(f"needs the published files: there are only {count} such players without them")
    (found,) = mann_whitney(samples, [(FOR_THE_LEAGUE, OTHERWISE)], "greater")
    means = "; ".join(f"{kind} lost {np.mean(places):+.1f} places" for kind, places in samples.items())
    return Claim(True if found.p < SIGNIFICANT else None, f"{means}; {found.text}")


@retested
def first_is_not_strongest(points: Mapping[str, Point]) -> Claim:
    first = max(points, key=lambda name: points[name].x[0])
    strongest = max(points, key=lambda name: points[name].y[0])
    a, b = points[first], points[strongest]
    return Claim(
        False if first == strongest else True if b.y[1] > a.y[2] and b.x[2] < a.x[1] else None,
        f"first {first}: League score {a.x[0]:.4f}, strength {a.y[0]:.3f};"
        f" strongest {strongest}: {b.x[0]:.4f}, {b.y[0]:.3f}",
    )


@retested
def correlated(points: Mapping[str, Point], sign: int) -> Claim:
    """Whether both scores rank the players alike (sign 1) or against each other (-1): the permutation test
    and the bootstrap interval have to agree."""
    found = rank_correlation([p.x[0] for p in points.values()], [p.y[0] for p in points.values()])
    is_clear = found.p < SIGNIFICANT and same_sign(found.ci95, 0) is not None
    return Claim(sign * found.rho > 0 if is_clear else None, f"{len(points)} players: {found.text}")


def _boards(lab: Laboratory) -> tuple[Board, ...]:
    s = lab.settings
    return lab.published.boards() or random_openings(s["boards"], s["random_plies"], s["boards_seed"])


def _caption(lab: Laboratory, starts: int) -> str:
    made = "of Lucas's thousand boards" if lab.published.boards() else (
        f"boards after {lab.settings['random_plies']} random moves")  # fmt: skip
    return (f"All at one ply. Strength: every player against every other from {starts:,} {made}, both"
            " colours, without forced random moves. Lines: 95 % intervals.")  # fmt: skip


def _table(points: Mapping[str, Point]) -> ResultTable:
    ranked = sorted(points.items(), key=lambda one: -one[1].y[0])
    rows: Sequence[Sequence[str]] = [
        [name, point.kind, *(f"{x:.4f} ± {(high - low) / 2:.4f}" for x, low, high in (point.x, point.y))]
        for name, point in ranked
    ]
    return ResultTable(
        "All players, the strongest first", ("player", "kind", "League score", "general strength"), rows
    )
