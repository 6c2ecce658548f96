"""How the style of the parents changes with evolution: positional first, mobility later (section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Board
from outflank.games.match import Match
from outflank.players.greedy import Player
from outflank.players.names import named_player
from outflank.studies.chong_2003.mobility import BLACK, WHITE, draw_styles, mobility_along
from outflank.studies.chong_2003.points import over_runs
from outflank.studies.chong_2003.runs import (
    PDP,
    PSP,
    Parents,
    ReplayedRun,
    evolutions,
    random_openings,
    rises,
)
from outflank.studies.claims import all_of, lies_above, lies_below
from outflank.studies.laboratory import FinishedRun, Laboratory
from outflank.studies.verdicts import Claim, Outcome, ResultTable

FloatArray = npt.NDArray[np.float64]
MEASURES = ("own", "left", "mobility", "corners", "discs", "score")


def mobility(lab: Laboratory) -> Outcome:
    """Moves, corners and discs of the parents of some generations against both benchmark opponents."""
    s = lab.settings
    runs = evolutions(lab)
    rows = np.array(_along_generations(lab, runs))  # [runs, generations, measures]
    found = {measure: rows[:, :, at] for at, measure in enumerate(MEASURES)}
    generations = np.array(s["measured"])

    def of(measure: str, window: Sequence[int]) -> FloatArray:  # a share in percent: [runs, generations]
        first, last = window
        return np.asarray(100 * found[measure][:, (first <= generations) & (generations <= last)])

    late_moves, late_discs = of("mobility", s["mobile"]), of("discs", s["mobile"])
    percent = {name: 100 * found[name] for name in ("mobility", "corners", "discs", "score")}
    panels = {
        "moves to choose from,\nmoves 11 to 40": {"parents": found["own"], "opponents": found["left"]},
        "share, %": {"moves": percent["mobility"], "corners": percent["corners"], "points": percent["score"]},
    }  # fmt: skip
    caption = "Parents against both opponents at depth 4, from random openings."
    return Outcome(
        {
            "positional": rises(of("corners", s["random"]), of("corners", s["positional"]), "{:.1f} %"),
            "mobility": rises(of("mobility", s["positional"]), of("mobility", s["mobile"]), "{:.1f} %"),
            "few discs": _few_discs(late_discs, late_moves),
        },
        [lab.draw("mobility", caption, draw_styles, s["measured"], panels)],
        [_table(s["measured"], found)],
    )


def _few_discs(discs: FloatArray, moves: FloatArray) -> Claim:
    """Fewer than half of the discs and more than half of the moves, in percent: [runs, generations]."""
    few = lies_below("late: % of the discs up to move 30", over_runs(discs, 1), 50, 1)
    many = lies_above("% of the moves", over_runs(moves, 1), 50, 1)
    return Claim(all_of([few.holds, many.holds]), f"{few.evidence}; {many.evidence}")


def _along_generations(lab: Laboratory, runs: Sequence[FinishedRun]) -> list[list[list[float]]]:
    """The measures of the chosen generations, run by run."""
    s = lab.settings
    found = []
    for run in runs:
        replayed = ReplayedRun(run, s["measured"])
        pieces = {}
        for generation in s["measured"]:
            parents = replayed.parents(generation, replayed.settings.depth)
            pieces[f"run {run.seed} generation {generation}"] = parents, {**s, "parents": parents.identity}
        found.append(list(lab.cached_map(_measure, dict(s), pieces).values()))
    return found


def _measure(s: Mapping[str, Any], parents: Parents) -> list[float]:
    """MEASURES of the parents of one generation against both benchmark opponents."""
    openings = random_openings(s["openings"], s["opening_plies"], seed=1)
    opponents = [named_player(f"{name},depth={s['watcher_depth']}") for name in (PDP, PSP)]
    counts = [play_counted(one, other, openings, s) for one in parents.players() for other in opponents]
    return measures(np.array(counts))


def play_counted(
    player: Player, opponent: Player, openings: Sequence[Board], settings: Mapping[str, Any]
) -> tuple[float, ...]:
    """A double game from each opening. Sums and counts for the player: its own moves to choose from and those
    it left, in the middle game; its corners and the opponent's at the end; its share of the discs up to
    move 30; its points."""
    first, last = (move - settings["opening_plies"] for move in settings["middle"])
    match = Match(player, opponent, double_games=len(openings), starts=openings, threads=1)
    batches = list(match.batches(record=True))
    moves = np.concatenate([batch.moves for batch in batches if batch.moves is not None])
    black_leads = np.concatenate([match.disc_differences(batch) for batch in batches]).astype(np.float64)
    along = mobility_along(moves, [openings[game // 2] for game in range(len(moves))])
    total = np.zeros(10)
    for side, games in ((BLACK, slice(0, None, 2)), (WHITE, slice(1, None, 2))):
        of_side = along.of_games(games)
        own, left = of_side.choices(side, first, last), of_side.replies(side, first, last)
        placed = 4 + settings["opening_plies"] + np.arange(31 - settings["opening_plies"])
        played = np.arange(len(placed)) <= of_side.length[:, None]
        share = ((1 + side * black_leads[games, : len(placed)] / placed) / 2)[played]
        ends = side * black_leads[games, :][np.arange(len(of_side.length)), of_side.length]
        total += (
            own.sum(), own.size, left.sum(), left.size, of_side.corners_at_the_end(side).sum(),
            of_side.corners_at_the_end(-side).sum(), share.sum(), share.size,
            (ends > 0).sum() + (ends == 0).sum() / 2, len(ends),
        )  # fmt: skip
    return tuple(total.tolist())


def measures(counts: FloatArray) -> list[float]:
    """MEASURES of all games of a generation.

    >>> [round(x, 2) for x in measures(np.array([[60.0, 10, 30, 10, 1, 3, 4, 10, 1, 4]]))]
    [6.0, 3.0, 0.67, 0.25, 0.4, 0.25]
    """
    s = counts.sum(axis=0)
    own, left = s[0] / max(1, s[1]), s[2] / max(1, s[3])
    return [float(x) for x in (own, left, own / max(own + left, 1e-9), s[4] / max(1, s[4] + s[5]),
                               s[6] / s[7], s[8] / s[9])]  # fmt: skip


def _table(generations: Sequence[int], found: dict[str, FloatArray]) -> ResultTable:
    header = ("generation", "own moves", "moves left", "share of the moves", "of the corners",
              "of the discs up to move 30", "of the points")  # fmt: skip
    rows = [
        (
            str(generation),
            *(f"{found[name][:, at].mean():.2f}" for name in ("own", "left")),
            *(f"{100 * found[name][:, at].mean():.1f} %" for name in MEASURES[2:]),
        )
        for at, generation in enumerate(generations)
    ]
    return ResultTable("Means of all runs", header, rows)
