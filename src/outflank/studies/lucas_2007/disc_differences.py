"""Disc differences along games: Figure 5, the heuristic against random; Figure 10, the learned system.

>>> lead_changes(np.array([[0, 3, 0, -1, 2, 2]]))
array([2])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from outflank.evaluators.protocol import FloatArray
from outflank.games.game import Game
from outflank.games.match import Match
from outflank.players.greedy import Player
from outflank.players.names import named_player
from outflank.plots.games import draw_disc_differences
from outflank.plots.style import COLOURS, INK, legend_below, new_figure
from outflank.studies.agreement import same_sign
from outflank.studies.claims import all_of, describe, lies_above, opposite
from outflank.studies.inference import share_interval
from outflank.studies.laboratory import FinishedRun, Laboratory, identity
from outflank.studies.lucas_2007.learning_curve import AS_PRINTED, changes_of
from outflank.studies.lucas_2007.snakes import central_range, network_weights, snake_lengths
from outflank.studies.verdicts import (
    SCORES,
    Claim,
    Measured,
    Outcome,
    ResultFigure,
    ResultTable,
    mean_of_runs,
)

LAST = 60  # moves of a whole game
MIDDLE = slice(LAST // 3, 2 * LAST // 3 + 1)  # moves 20 to 40
FINAL_FIFTH = LAST * 4 // 5  # begins after move 48
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def figure_5(lab: Laboratory) -> Outcome:
    """How the disc difference goes up and down when the heuristic meets a random player."""
    s = lab.settings
    transcripts = lab.cached("games", lambda: _transcripts(s))
    games = [Game.from_transcript(moves) for moves in transcripts]
    differences = padded([game.disc_differences for game in games])
    changes = lead_changes(differences)
    typical = most_typical(differences, changes)
    volatile = int(np.sum(changes >= s["lead_changes"]))
    often = Measured(volatile / len(games), share_interval(volatile, len(games)), f"{len(games):,} games")
    quantiles = np.quantile(differences, QUANTILES, axis=0)
    caption = f"""One game of {len(games):,}, the one nearest to the median of those with {changes[typical]} \
changes of the lead, and where the others lie."""
    return Outcome(
        {"volatile": lies_above(f"games with {s['lead_changes']} or more changes of the lead", often, 0.5)},
        [lab.draw("figure-5", caption, draw_typical_game, games[typical].disc_differences, quantiles,
                  "The standard heuristic (Black) against a random player")],
        [_swings(differences, changes)],
    )  # fmt: skip


def figure_10(lab: Laboratory) -> Outcome:
    """Games of the learned system, Black, against the standard heuristic."""
    s = lab.settings
    wanted = {which: (s["preset"], changes_of(s, which, s["games"])) for which in s["curves"]}
    runs = lab.learn_all(wanted)
    measured = {which: _measured(lab, which, of_which) for which, of_which in runs.items()}
    printed = measured[AS_PRINTED]
    counts = network_weights(snake_lengths(s["squares"]), s["snakes"])
    mean = float(counts[0] @ counts[1])
    return Outcome(
        {
            "won": _share(printed, "won"),
            "worse in the middle": lies_above("share of games behind", _share(printed, "behind"), 0.5),
            "dominates at last": _dominates_at_last(printed),
            "weights": Measured(mean, central_range(counts), "95 % of networks, counted"),
        },
        [_ten_games(lab, number, which, runs[which]) for number, which in enumerate(runs, start=1)],
        [_summary(measured)],
    )  # fmt: skip


def draw_typical_game(game: Sequence[int], quantiles: FloatArray, title: str) -> Figure:
    """The disc differences of one game, in front of the middle half and nine tenths of all games, by their
    quantiles [5, moves].

    >>> draw_typical_game([0, 3, 0], np.zeros((5, 61)), "ten draws").axes[0].get_ylabel()
    'black discs minus white discs'
    """
    figure, (axes,) = new_figure(4.8, title=title)
    x = np.arange(quantiles.shape[1])
    lowest, low, median, high, highest = quantiles
    axes.plot(x[: len(game)], game, "o-", color=COLOURS[0], linewidth=1.8, markersize=3.5, label="one game",
              zorder=2.1)  # fmt: skip
    axes.fill_between(x, lowest, highest, color="#dedede", linewidth=0, label="nine tenths of games")
    axes.fill_between(x, low, high, color="#bdbdbd", linewidth=0, label="half of games")
    axes.plot(x, median, "--", color=INK, linewidth=1.4, label="median")
    axes.axhline(0, color=INK, linewidth=0.9)
    axes.set(xlim=(0, x[-1]), xlabel="move", ylabel="black discs minus white discs")
    lines, bands = axes.lines[:2], axes.collections
    legend_below(figure, [lines[0], *bands, lines[1]], columns=4)
    return figure


def _swings(differences: FloatArray, changes: FloatArray) -> ResultTable:
    """What else "volatile" could mean."""
    played = np.abs(np.diff(differences, axis=1))
    measures = {
        "changes of the lead": changes,
        "highest minus lowest difference, discs": np.ptp(differences, axis=1),
        "mean change with a move, discs": played.sum(axis=1) / (played > 0).sum(axis=1),
        "difference at the end, discs": differences[:, -1],
    }
    rows = [[name, *(f"{x:.3g}" for x in np.quantile(of_games, QUANTILES))]
            for name, of_games in measures.items()]  # fmt: skip
    header = ["measure", "5 %", "25 %", "median", "75 %", "95 %"]
    return ResultTable("How the games went: quantiles over the games", header, rows)


def padded(games: Sequence[Sequence[int]]) -> FloatArray:
    """Disc differences [games, 61]; a game that ends early keeps its last."""
    return np.array([[*game, *[game[-1]] * (LAST + 1 - len(game))] for game in games], dtype=np.float64)


def lead_changes(differences: FloatArray) -> FloatArray:
    """How often the lead goes from one side to the other, in each game; a tie on the way does not count."""
    return np.array([
        np.count_nonzero(np.diff(signs[signs != 0])) for signs in np.sign(differences)
    ])  # fmt: skip


def most_typical(differences: FloatArray, changes: FloatArray) -> int:
    """Of the games with the median number of lead changes, the one nearest to the median curve."""
    middle = np.sort(changes)[len(changes) // 2]
    distance = np.square(differences - np.median(differences, axis=0)).sum(axis=1)
    return int(np.argmin(np.where(changes == middle, distance, np.inf)))


def _transcripts(s: Mapping[str, Any]) -> list[str]:
    """The games in which the first player is Black: every other one."""
    match = Match(named_player("standard-heuristic"), named_player("random"), double_games=s["double_games"],
                  epsilon=s["epsilon"])  # fmt: skip
    return [game.transcript for game in list(match.games())[::2]]


def _measured(lab: Laboratory, which: str, runs: Sequence[FinishedRun]) -> list[dict[str, Any]]:
    s = lab.settings
    pieces = {}
    for run in runs:
        player = run.player()
        settings = {**s, "seed": run.seed, "player": identity(player)}
        pieces[f"{which} seed {run.seed}"] = ((player, run.seed), settings)
    return list(lab.cached_map(_count_games, dict(s), pieces).values())


def _count_games(s: Mapping[str, Any], piece: tuple[Player, int]) -> dict[str, Any]:
    player, seed = piece
    return games_as_black(_match(player, s, s["double_games"], seed))


def _match(player: Player, s: Mapping[str, Any], double_games: int, seed: int) -> Match:
    heuristic = named_player("standard-heuristic")
    return Match(player, heuristic, double_games=double_games, epsilon=s["epsilon"], seed=seed, threads=1)


def games_as_black(match: Match) -> dict[str, Any]:
    """Of the games in which the first player is Black: how many, won, behind in the middle; the mean curve
    and its standard error."""
    curves = np.concatenate([
        match.disc_differences(batch)[batch.first_game % 2 :: 2] for batch in match.batches(record=True)
    ]).astype(np.float64)  # fmt: skip
    behind = curves[:, MIDDLE].mean(axis=1) < 0
    return {"games": len(curves), "won": int(np.sum(curves[:, -1] > 0)), "behind": int(behind.sum()),
            "mean": curves.mean(axis=0).tolist(),
            "error": (curves.std(axis=0, ddof=1) / np.sqrt(len(curves))).tolist()}  # fmt: skip


def _share(measured: Sequence[Mapping[str, Any]], what: str) -> Measured:
    first = measured[0]
    return mean_of_runs([one[what] / one["games"] for one in measured],
                        alone=share_interval(first[what], first["games"]), within=SCORES)  # fmt: skip


def _dominates_at_last(measured: Sequence[Mapping[str, Any]]) -> Claim:
    """The mean difference is below 0 where the final fifth begins and above 0 at the end."""
    before, after = (_mean_at(measured, move) for move in (FINAL_FIFTH, LAST))
    return Claim(
        all_of([opposite(same_sign(before.ci95, 0)), same_sign(after.ci95, 0)]),
        f"{describe(f'disc difference after move {FINAL_FIFTH}', before, 2)}; "
        f"{describe('at the end', after, 2)}",
    )


def _mean_at(measured: Sequence[Mapping[str, Any]], move: int) -> Measured:
    mean, reach = measured[0]["mean"][move], 1.96 * measured[0]["error"][move]
    return mean_of_runs([one["mean"][move] for one in measured], alone=(mean - reach, mean + reach))


def _ten_games(lab: Laboratory, number: int, which: str, runs: Sequence[FinishedRun]) -> ResultFigure:
    """The first ten games as Black of the first run."""
    s = lab.settings
    games = list(_match(runs[0].player(), s, s["drawn"], runs[0].seed).games())[::2]
    won = sum(game.disc_differences[-1] > 0 for game in games)
    caption = f"""{which}: the first {len(games)} games of the first run after {s["games"]:,} games of \
self-play; it won {won}."""
    return lab.draw(f"figure-10-{number}", caption, draw_games, [game.transcript for game in games],
                    f"N-tuple system (Black), {which}, against the heuristic")  # fmt: skip


def draw_games(transcripts: Sequence[str], title: str) -> Figure:
    """
    >>> draw_games(["f5d6"], "two moves").axes[0].get_ylabel()
    'disc difference'
    """
    return draw_disc_differences([Game.from_transcript(moves) for moves in transcripts], title)


def _summary(measured: Mapping[str, Sequence[Mapping[str, Any]]]) -> ResultTable:
    moves = (10, 20, 30, 40, FINAL_FIFTH, 54, LAST)
    rows = []
    for which, of_which in measured.items():
        won, behind = _share(of_which, "won"), _share(of_which, "behind")
        rows.append([which, *(f"{100 * one.value:.0f} ({100 * one.ci95[0]:.0f} to {100 * one.ci95[1]:.0f})"
                              for one in (won, behind)),
                     *(f"{_mean_at(of_which, move).value:+.1f}" for move in moves)])  # fmt: skip
    header = ["setting", "won, %", "behind in moves 20 to 40, %", *(f"move {move}" for move in moves)]
    return ResultTable("All runs, as Black: games won, games behind, mean disc difference", header, rows)
