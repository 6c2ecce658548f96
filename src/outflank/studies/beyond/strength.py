"""League score against general strength: what a player gains against one opponent and loses against many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from outflank.board import Board
from outflank.league.scoring import EPSILON, OPPONENT
from outflank.players.names import NAMES, NamedPlayer, named_player
from outflank.plots.scatter import Point, draw_scatter
from outflank.studies.inference import mann_whitney, rank_correlation
from outflank.studies.laboratory import Laboratory
from outflank.studies.outcome import Finding, Judged, Missing, Outcome, Tabled

PRINTED = "all-2"  # the paper's best player, with its weights as Figure 7 prints them
SAME = "Jaskowski2014All2"  # the same before rounding
FOR_THE_LEAGUE = "learned against the League's opponent"
OTHERWISE = "learned otherwise"
NOT_LEARNED = "not learned"
SIGNIFICANT = 0.05
X_LABEL = f"League score: against {OPPONENT}, 10 % forced random moves"
Y_LABEL = "general strength: mean score against all others"


def league_against_strength(laboratory: Laboratory) -> Outcome:
    """Every player's League score and its mean score against all others, without forced random moves."""
    s = laboratory.settings
    players = all_players(laboratory)
    boards = _boards(laboratory)
    starts = boards[:: max(1, len(boards) // s["boards"])][: s["boards"]]
    standings = laboratory.tournament(
        "strength", players, double_games=len(starts), epsilon=0.0, starts=starts
    )
    strengths = {row.player: (row.score, *row.ci95) for row in standings.rows}
    points = {}
    for player in players:
        tally = laboratory.match(f"{player.name} in the League", player, named_player(OPPONENT),
                                 double_games=s["double_games"], epsilon=EPSILON)  # fmt: skip
        kind = FOR_THE_LEAGUE if player.name in s["for_the_league"] else OTHERWISE
        kind = NOT_LEARNED if player.name in s["not_learned"] else kind
        points[player.name] = Point((tally.score, *tally.ci95), strengths[player.name], kind)
    return Outcome(
        findings_of(points),
        [
            laboratory.draw(
                "scatter", draw_scatter(points, X_LABEL, Y_LABEL), _caption(laboratory, len(starts))
            )
        ],
        [_table(points)],
    )


def all_players(laboratory: Laboratory) -> list[NamedPlayer]:
    """All that come with outflank, at one ply, and the published ones that are there."""
    published = [player for player in laboratory.published.players() if player.name != SAME]
    return [*(named_player(name) for name in NAMES), *published]


def findings_of(points: Mapping[str, Point]) -> dict[str, Finding]:
    learned = {name: point for name, point in points.items() if point.kind != NOT_LEARNED}
    return {
        "not good in general": not_good_in_general(points),
        "because": _because(learned),
        "first is not strongest": _first_is_not_strongest(points),
        "all players": _correlated(points, 1),
        "learned players": _correlated(learned, -1),
    }


def not_good_in_general(points: Mapping[str, Point]) -> Judged:
    """Who is below the printed player in the League, and yet stronger; the intervals of both scores apart."""
    printed = points[PRINTED]
    stronger = [name for name, one in points.items() if one.x[2] < printed.x[1] and one.y[1] > printed.y[2]]
    place = 1 + sum(one.y[0] > printed.y[0] for one in points.values())
    return Judged(
        bool(stronger),
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
    if len(samples[OTHERWISE]) < 2:
        return Missing("needs the published files: there is only one such player without them")
    (found,) = mann_whitney(samples, [(FOR_THE_LEAGUE, OTHERWISE)], "greater")
    means = "; ".join(f"{kind} lost {np.mean(places):+.1f} places" for kind, places in samples.items())
    return Judged(found.p < SIGNIFICANT, f"{means}; {found.text}")


def _first_is_not_strongest(points: Mapping[str, Point]) -> Judged:
    first = max(points, key=lambda name: points[name].x[0])
    strongest = max(points, key=lambda name: points[name].y[0])
    a, b = points[first], points[strongest]
    return Judged(
        b.y[1] > a.y[2] and b.x[2] < a.x[1],
        f"first {first}: League score {a.x[0]:.4f}, strength {a.y[0]:.3f};"
        f" strongest {strongest}: {b.x[0]:.4f}, {b.y[0]:.3f}",
    )


def _correlated(points: Mapping[str, Point], sign: int) -> Judged:
    """Whether both scores rank the players alike (sign 1) or against each other (-1)."""
    found = rank_correlation([p.x[0] for p in points.values()], [p.y[0] for p in points.values()])
    return Judged(sign * found.rho > 0 and found.p < SIGNIFICANT, f"{len(points)} players: {found.text}")


def _boards(laboratory: Laboratory) -> tuple[Board, ...]:
    s = laboratory.settings
    return laboratory.published.boards() or random_boards(s["boards"], s["random_plies"], s["boards_seed"])


def random_boards(count: int, plies: int, seed: int) -> tuple[Board, ...]:
    """Different boards after so many random moves.

    >>> len({board.text for board in random_boards(50, 6, 1)})
    50
    """
    random = np.random.default_rng(seed)
    found: dict[str, Board] = {}
    while len(found) < count:
        board = Board()
        for _ in range(plies):
            board = board.play(board.legal_moves[random.integers(len(board.legal_moves))]).settled()
        found[board.text] = board
    return tuple(found.values())


def _caption(laboratory: Laboratory, starts: int) -> str:
    made = "of Lucas's thousand boards" if laboratory.published.boards() else (
        f"boards after {laboratory.settings['random_plies']} random moves")  # fmt: skip
    return (f"All at one ply. Strength: every player against every other from {starts:,} {made}, both"
            " colours, without forced random moves. Lines: 95 % intervals.")  # fmt: skip


def _table(points: Mapping[str, Point]) -> Tabled:
    ranked = sorted(points.items(), key=lambda one: -one[1].y[0])
    rows: Sequence[Sequence[str]] = [
        [name, point.kind, *(f"{x:.4f} ± {(high - low) / 2:.4f}" for x, low, high in (point.x, point.y))]
        for name, point in ranked
    ]
    return Tabled(
        "All players, the strongest first", ("player", "kind", "League score", "general strength"), rows
    )
