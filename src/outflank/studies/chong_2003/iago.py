"""The closing match against a player modelled on Iago, and how few moves it is left: the end of section 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Board
from outflank.games.match import Match
from outflank.players.greedy import Player
from outflank.players.names import named_player
from outflank.studies.chong_2003.mobility import (
    BLACK,
    WHITE,
    Mobility,
    draw_discs_at_depths,
    draw_moves_left,
    mobility_along,
)
from outflank.studies.chong_2003.runs import Generation, Parents, ReplayedRun, chosen, evolutions
from outflank.studies.claims import lies_above
from outflank.studies.inference import mean_interval
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Measured, Outcome, ResultTable

FloatArray = npt.NDArray[np.float64]
COLOURS = ((BLACK, "black"), (WHITE, "white"))


def closing_match(lab: Laboratory) -> Outcome:
    """Discs of the parents of each run's best late generation at either depth."""
    s = lab.settings
    generations = late_champions(lab)
    by_run = np.array(_discs(lab, generations))  # [runs, depths, parents, colours]
    shallow, deep = by_run[:, 0], by_run[:, 1]
    named = {f"depth {depth}": by_run[:, at] for at, depth in enumerate(s["depths"])}
    caption = "All parents of each run's chosen generation, run by run; the first parents are filled."
    return Outcome(
        {
            "equal depth": over_groups(shallow),
            "deeper": over_groups(deep),
            "wins deeper": lies_above("disc difference", over_groups(2 * deep - 64), 0, 1),
            "depth helps": lies_above("discs gained by two more plies", over_groups(deep - shallow), 0, 1),
        },
        [lab.draw("iago", caption, draw_discs_at_depths, named, s["paper_discs"], s["opponent"])],
        [_first_parents(generations, s["depths"], by_run)],
    )


def one_reply(lab: Laboratory) -> Outcome:
    """How many moves the late parents leave to their opponent in the last moves of a game."""
    s = lab.settings
    generations = late_champions(lab)
    late = _endgames(lab, [(one, one.number) for one in generations])
    first = _endgames(lab, [(one, 1) for one in generations])
    left, own = (np.array([run[key] for run in late]) for key in ("left", "own"))
    share = over_groups(np.array([run["one or none"] for run in late]))
    curves = {"late parents": _by_move(late), "parents of the first generation": _by_move(first)}
    caption = f"Parents at depth {s['depth']}, {s['opponent']} at depth {s['opponent_depth']}."
    return Outcome(
        {
            "moves left": over_groups(left),
            "one or none": lies_above("share", share, 0.5),
            "fewer than own": lies_above("own moves beyond those left", over_groups(own - left), 0, 2),
        },
        [lab.draw("one-reply", caption, draw_moves_left, curves, s["first_move"], s["opponent"])],
        [_endgame_table(generations, late, first)],
    )


def late_champions(lab: Laboratory) -> list[Generation]:
    """Of each run the late generation with the most points, as the paper's 892."""
    return [chosen([run], lab.settings["window"], "most points") for run in evolutions(lab)]


def over_groups(values: FloatArray) -> Measured:
    """The mean of all games (rows are runs) with the 95 % interval of the runs' means; of one run, of its
    games.

    >>> over_groups(np.array([[1.0, 2.0, 3.0]])).of, over_groups(np.array([[1.0, 2.0], [2.0, 3.0]])).of
    ('3 games of one run', '4 games of 2 runs')
    """
    rows = values.reshape(len(values), -1)
    samples = rows.mean(axis=1) if len(rows) > 1 else rows[0]
    of = f"{rows.size} games of {f'{len(rows)} runs' if len(rows) > 1 else 'one run'}"
    spread = Measured.spread(samples) if len(rows) > 1 else ()
    return Measured(float(rows.mean()), mean_interval(samples), of, *spread)


def endgame_counts(along: Mobility, first_move: int) -> dict[str, Any]:
    """Of double games in which the player of interest has Black in every first game, White in every second.

    left: moves left to the opponent from that move on, mean of each game; `one or none`: the share of such
    moves that leave at most one; own: moves that the player had itself; `by move`: left, mean of all games.
    A game that was over by then counts as 0 moves left and 0 own moves.
    """
    single = [along.of_games(slice(game, game + 1)) for game in range(len(along.movers))]
    sides = [COLOURS[game % 2][0] for game in range(len(single))]
    left = [game.replies(side, first_move) for game, side in zip(single, sides, strict=True)]
    own = [game.choices(side, first_move) for game, side in zip(single, sides, strict=True)]
    return {
        "left": [_mean(counts) for counts in left],
        "one or none": [float((counts <= 1).mean()) if counts.size else 1.0 for counts in left],
        "own": [_mean(counts) for counts in own],
        "by move": [_replies_to_move(single, sides, move) for move in range(1, 61)],
    }


def _games(player: Player, opponent: str, depth: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.uint8]]:
    """A double game: disc differences, and the moves."""
    match = Match(player, named_player(f"{opponent},depth={depth}"), double_games=1, threads=1)
    batches = list(match.batches(record=True))
    moves = [batch.moves for batch in batches if batch.moves is not None]
    return np.concatenate([batch.disc_differences for batch in batches]), np.concatenate(moves)


def _discs(lab: Laboratory, generations: Sequence[Generation]) -> list[list[list[list[float]]]]:
    """Of each parent as Black and as White, empty squares shared: [runs, depths, parents, 2]."""
    s = lab.settings
    pieces = {}
    for one in generations:
        replayed = ReplayedRun(one.run, [one.number])
        for depth in s["depths"]:
            parents = replayed.parents(one.number, depth)
            pieces[f"run {one.run.seed} depth {depth}"] = parents, {**s, "parents": parents.identity}
    found = lab.cached_map(_discs_of, dict(s), pieces)
    return [[found[f"run {one.run.seed} depth {depth}"] for depth in s["depths"]] for one in generations]


def _discs_of(s: Mapping[str, Any], parents: Parents) -> list[list[float]]:
    """Of each parent, as Black and as White."""
    games = [_games(player, s["opponent"], s["opponent_depth"])[0] for player in parents.players()]
    return [[32 + float(difference) / 2 for difference in differences] for differences in games]


def _endgames(lab: Laboratory, chosen: Sequence[tuple[Generation, int]]) -> list[dict[str, Any]]:
    """The last moves of the parents of generations of runs, counted game by game."""
    s = lab.settings
    pieces = {}
    for one, number in chosen:
        parents = ReplayedRun(one.run, [number]).parents(number, s["depth"])
        pieces[f"run {one.run.seed} generation {number}"] = parents, {**s, "parents": parents.identity}
    return list(lab.cached_map(_endgames_of, dict(s), pieces).values())


def _endgames_of(s: Mapping[str, Any], parents: Parents) -> dict[str, Any]:
    games = [_games(player, s["opponent"], s["opponent_depth"])[1] for player in parents.players()]
    moves = np.concatenate(games)
    return endgame_counts(mobility_along(moves, [Board()] * len(moves)), s["first_move"])


def _replies_to_move(games: Sequence[Mobility], sides: Sequence[int], move: int) -> float | None:
    counts = np.concatenate([game.replies(side, move, move) for game, side in zip(games, sides, strict=True)])
    return float(counts.mean()) if counts.size else None


def _by_move(runs: Sequence[dict[str, Any]]) -> FloatArray:
    """One row per run; nan where it has no number."""
    return np.array([run["by move"] for run in runs], dtype=np.float64)


def _mean(counts: npt.NDArray[np.int8]) -> float:
    return float(counts.mean()) if counts.size else 0.0


def _first_parents(
    generations: Sequence[Generation], depths: Sequence[int], discs: FloatArray
) -> ResultTable:
    rows = []
    for run, one in enumerate(generations):
        for at, depth in enumerate(depths):
            games = (f"{own:g}:{64 - own:g}" for own in discs[run, at, 0])
            rows.append((one.text, f"{one.all_points} of {2 * one.parents}", str(depth), *games))
    header = ("first parent of", "points", "depth", *(f"as {colour}" for _, colour in COLOURS))
    return ResultTable("The first parents' games", header, rows)


def _endgame_table(
    generations: Sequence[Generation], late: Sequence[dict[str, Any]], first: Sequence[dict[str, Any]]
) -> ResultTable:
    rows = [
        (name, *(f"{np.mean(counts[key]):.2f}" for key in ("left", "one or none", "own")))
        for one, *both in zip(generations, late, first, strict=True)
        for name, counts in zip((one.text, f"generation 1 of run {one.run.seed}"), both, strict=True)
    ]
    header = ("parents of", "moves left", "share of one or none", "own moves")
    return ResultTable("The last moves, means of all games", header, rows)
