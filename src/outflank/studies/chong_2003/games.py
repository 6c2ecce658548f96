"""Games of first parents against the benchmark opponents: Figures 3 to 6."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.board import Board
from outflank.plots.benchmark_opponents import draw_benchmark_games
from outflank.studies.chong_2003.mobility import BLACK, WHITE, mobility_along
from outflank.studies.chong_2003.runs import PDP, PSP, Generation, ReplayedRun, chosen, evolutions
from outflank.studies.inference import share_interval
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Finding, Measured, Outcome, ResultTable

NAMES = {PDP: "piece differential", PSP: "positional"}


@dataclass(frozen=True)
class GameCounts:
    """One game of the first parent, Black, against a benchmark opponent."""

    discs: tuple[int, int]  # the parent's and the opponent's, as all pairs here
    corners: tuple[int, int]  # at the end
    moves: tuple[float, float]  # from which each chose in the middle game, on average
    early_share: float  # the parent's share of the discs, mean of the boards after moves 1 to 30


def watched_games(lab: Laboratory) -> Outcome:
    """The generation chosen as the paper chose it, and the two games of its first parent."""
    s = lab.settings
    generation = chosen(evolutions(lab), s["window"], s["choice"])
    counted = lab.cached("games", lambda: _count(generation, s["middle"]), {**s, "seeds": list(lab.seeds)})
    games = {opponent: GameCounts(**counts) for opponent, counts in counted.items()}
    figure_name = lab.experiment.name.partition("/")[2]
    caption = f"The first parent of {generation.text}, Black, against both benchmark opponents."
    return Outcome(
        _points(generation) | _claims(games),
        [lab.draw(figure_name, caption, draw_benchmark_games, _drawn(generation.entry))],
        [_generations(generation, s["paper_generation"]), _table(games)],
    )


def _drawn(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Of the line of the log what is drawn."""
    return {"watch": {key: entry["watch"][key] for key in ("watchers", "best_discs")}}


def _count(generation: Generation, middle: tuple[int, int]) -> dict[str, Any]:
    """Replay the games of the log, with their moves."""
    run = ReplayedRun(generation.run, [generation.number])
    first, last = middle
    found = {}
    for opponent in (PDP, PSP):
        along = mobility_along(run.benchmark_game(generation.number, opponent), [Board()])
        watch = generation.entry["watch"]
        discs = np.array(watch["best_discs"][watch["watchers"].index(opponent)])
        if len(discs) != along.length[0] + 1:
            raise ValueError(
                f"{generation.run.path} was made by another version of outflank; remove it and start again"
            )
        found[opponent] = {
            "discs": discs[-1].tolist(),
            "corners": [int(along.corners_at_the_end(side)[0]) for side in (BLACK, WHITE)],
            "moves": [_mean(along.choices(BLACK, first, last)), _mean(along.replies(BLACK, first, last))],
            "early_share": float((discs[1:31, 0] / discs[1:31].sum(axis=1)).mean()),
        }
    return found


def _mean(counts: Any) -> float:
    return float(counts.mean()) if counts.size else 0.0


def _points(generation: Generation) -> dict[str, Finding]:
    def share(points: int, games: int) -> Measured:
        of = f"{games} games, {generation.text}"
        return Measured(points / games, share_interval(points, games), of, games=games)

    parents = generation.parents
    return {
        "points": share(generation.all_points, 2 * parents),
        f"points against {PDP}": share(generation.points(PDP), parents),
        f"points against {PSP}": share(generation.points(PSP), parents),
    }


def _claims(games: dict[str, GameCounts]) -> dict[str, Finding]:
    """The claims of all figures about their two games."""
    pdp, psp = games[PDP], games[PSP]
    results = ", ".join(f"{game.discs[0]}:{game.discs[1]} against {name}" for name, game in games.items())
    corners = ", ".join(f"{game.corners[0]}:{game.corners[1]} against {name}" for name, game in games.items())
    moves = ", ".join(
        f"{game.moves[0]:.1f}:{game.moves[1]:.1f} against {name}" for name, game in games.items()
    )
    return {
        "beats both": Claim(
            all(game.discs[0] > game.discs[1] for game in games.values()), f"discs {results}"
        ),
        "loses to disc-difference": Claim(pdp.discs[0] < pdp.discs[1], f"discs {results}"),
        "draws with positional": Claim(psp.discs[0] == psp.discs[1], f"discs {results}"),
        "positional": Claim(all(g.corners[0] > g.corners[1] for g in games.values()), f"corners {corners}"),
        "mobility": Claim(
            all(game.moves[0] > game.moves[1] for game in games.values()), f"moves to choose from {moves}"
        ),
        "few discs": Claim(
            pdp.early_share < 0.5 and pdp.discs[0] > pdp.discs[1],
            f"{100 * pdp.early_share:.0f} % of the discs, then {pdp.discs[0]}:{pdp.discs[1]}",
        ),
    }


def _generations(generation: Generation, papers: int) -> ResultTable:
    rows = [("generation", str(papers), generation.text)]
    return ResultTable("Which generation", ("", "paper", "outflank"), rows)


def _table(games: dict[str, GameCounts]) -> ResultTable:
    header = (
        "first parent against",
        "discs",
        "corners",
        "moves in the middle game",
        "discs in moves 1 to 30",
    )
    rows = [
        (
            NAMES[opponent],
            f"{game.discs[0]}:{game.discs[1]}",
            f"{game.corners[0]}:{game.corners[1]}",
            f"{game.moves[0]:.1f}:{game.moves[1]:.1f}",
            f"{100 * game.early_share:.0f} %",
        )
        for opponent, game in games.items()
    ]
    return ResultTable("The two games, counted", header, rows)
