"""Games between the versions, move by move: Figures 6-9.

The paper shows one game a figure and tells what happened in it. One game says little, so we play many of the
same kind and ask whether what it tells is usual: a statement about who leads is tested by the mean of the
runs, a number (the move after which the book had no more to say) by whether it lies within the middle 95 %
of our games. The judge is the all-rounder, and the exact solver in the ending; the paper's is not named.

Who leads a game, move by move: Kim 2007, Figures 6-9, of one game and of the mean of many.

>>> import numpy as np
>>> figure = draw_advantage(np.zeros((3, 61)), AdvantageLabels("EV_O_E", "EV", 12.5), "a tie")
>>> figure.axes[0].get_ylabel()
'advantage of Black, discs'
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from outflank.board import Colour
from outflank.evaluators.protocol import FloatArray
from outflank.games.game import Game
from outflank.games.match import Match
from outflank.players.opening_book import OpeningBook
from outflank.players.solver import Solver
from outflank.plots.boards import GRID, INK
from outflank.plots.learning_curves import COLOURS
from outflank.studies.game_analysis import SIDES, GameAnalysis, analyst, judge_game
from outflank.studies.inference import mean_interval, share_interval
from outflank.studies.kim_2007.versions import Population, evolved_versions, population_of
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import (
    SCORES,
    Finding,
    Judged,
    Measured,
    Outcome,
    lies_above,
    lies_below,
    of_runs,
    told,
)

SIZE = 10  # points of text


@dataclass(frozen=True)
class AdvantageLabels:
    """Who plays, and after how many moves the opening book has no more to say on average."""

    black: str
    white: str
    book_moves: float


def draw_advantage(advantages: FloatArray, labels: AdvantageLabels, title: str) -> Figure:
    """Black's advantage before the first move and after each, a row a game: [games, 61]. The first game
    is drawn alone, all of them by their mean and their middle half."""
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    moves = np.arange(advantages.shape[1])
    low, high = np.quantile(advantages, (0.25, 0.75), axis=0)
    axes.fill_between(moves, low, high, color=COLOURS[0], alpha=0.18, linewidth=0,
                      label="middle half of the games")  # fmt: skip
    axes.plot(moves, advantages.mean(axis=0), color=COLOURS[0], linewidth=2.4,
              label=f"mean of {len(advantages)} games")  # fmt: skip
    axes.plot(moves, advantages[0], "--", color=COLOURS[1], linewidth=1.4, marker="o", markersize=2.8,
              label="one game: fittest against fittest")  # fmt: skip
    axes.axvline(labels.book_moves, color=INK, linestyle=":", linewidth=1.4,
                 label=f"the book ends: after {labels.book_moves:.1f} moves on average")  # fmt: skip
    axes.axhline(0, color=INK, linewidth=0.9, zorder=1.5)
    reach = 1.2 * max(8.0, float(np.abs(advantages[0]).max()), float(np.abs([low, high]).max()))
    axes.set(xlim=(-0.5, moves[-1] + 0.5), ylim=(-reach, reach))
    for place, side, colour in ((0.97, "top", labels.black), (0.03, "bottom", labels.white)):
        who = f"{colour} ({'Black' if side == 'top' else 'White'}) leads"
        axes.text(0.015, place, who, transform=axes.transAxes, va=side, fontsize=SIZE, parse_math=False,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5}, zorder=5)  # fmt: skip
    axes.set_title(title, fontsize=11, parse_math=False)
    axes.set_xlabel("move", fontsize=SIZE)
    axes.set_ylabel("advantage of Black, discs", fontsize=SIZE)
    axes.xaxis.set_major_locator(MultipleLocator(10))
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:+.0f}" if round(y) else "0")
    axes.tick_params(labelsize=SIZE)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=SIZE)
    return figure


LONGEST = 60
BOOK_ENDS = "Black's advantage when the book ends"
LOSSES = "discs that Black gives away in the ending, beyond White's"
ENDING = 10  # empty squares: the end stage, where the solver's four and two plies before it count


@dataclass(frozen=True)
class JudgedGame:
    """A game between two versions as the judge sees it."""

    advantages: Sequence[float]  # of Black, before the first move and after each, in discs; [61]
    book_moves: int  # moves until a player with a book was out of it
    ending_losses: tuple[float, float]  # discs that Black and White gave away in the ending

    @property
    def result(self) -> float:
        """Black's points."""
        return float(np.sign(self.advantages[-1]) + 1) / 2


Runs = list[list[JudgedGame]]  # of each seed


def figure_6(laboratory: Laboratory) -> Outcome:
    """EV_O_E (Black) - EV (White)."""
    runs = _judged(laboratory)
    led_later = _share(runs, lambda game: float(min(game.advantages[game.book_moves :]) < 0))
    return _outcome(laboratory, runs, {
        "early lead": lies_above(BOOK_ENDS, _when_the_book_ends(runs), 0.0, 2),
        "book": _within(runs, laboratory.settings["paper_book_moves"]),
        "the lead changes": lies_above("share of games in which EV leads later", led_later, 0.5),
        "wins": lies_above("score of EV_O_E", _score(runs), 0.5),
    })  # fmt: skip


def figure_7(laboratory: Laboratory) -> Outcome:
    """EV_O (Black) - EV_E (White)."""
    runs = _judged(laboratory)
    opening, middle = laboratory.settings["paper_book_moves"], laboratory.settings["lead_after"]
    return _outcome(laboratory, runs, {
        "early lead": lies_above(*_advantage_after(runs, opening), 0.0, 2),
        "book": _within(runs, opening),
        "middle lead": lies_above(*_advantage_after(runs, middle), 0.0, 2),
        "better ending": lies_above(LOSSES, _losses_of_black(runs), 0.0, 2),
        "wins": lies_below("score of EV_O", _score(runs), 0.5),
    })  # fmt: skip


def figure_8(laboratory: Laboratory) -> Outcome:
    """EV_O_E (Black) - EV_O (White)."""
    runs = _judged(laboratory)
    return _outcome(laboratory, runs, {
        "tie": _contains_zero(BOOK_ENDS, _when_the_book_ends(runs)),
        "book": _within(runs, laboratory.settings["paper_book_moves"]),
        "better ending": lies_below(LOSSES, _losses_of_black(runs), 0.0, 2),
        "wins": lies_above("score of EV_O_E", _score(runs), 0.5),
    })  # fmt: skip


def figure_9(laboratory: Laboratory) -> Outcome:
    """EV_E (Black) - EV_O_E (White)."""
    runs = _judged(laboratory)
    since = laboratory.settings["lead_after"]
    later = of_games(runs, lambda game: float(np.mean(game.advantages[since:])))
    return _outcome(laboratory, runs, {
        "early lead": lies_below(BOOK_ENDS, _when_the_book_ends(runs), 0.0, 2),
        "later lead": lies_below(f"Black's mean advantage from move {since} on", later, 0.0, 2),
        "equal endings": _contains_zero(LOSSES, _losses_of_black(runs)),
        "wins": lies_below("score of EV_E", _score(runs), 0.5),
    })  # fmt: skip


def moves_in_book(game: Game, book: OpeningBook, owners: Sequence[Colour]) -> int:
    """How many moves were played before one of the owners, to move, was out of the book."""
    for number, board in enumerate(game.boards):
        position = board.settled()
        if position.mover in owners and position not in book:
            return number
    return len(game.moves)


def of_games(runs: Runs, value: Callable[[JudgedGame], float]) -> Measured:
    """The mean over the runs of each run's mean; of one run, the interval of its games."""
    values = [[value(game) for game in run] for run in runs]
    alone = mean_interval(values[0]) if len(values[0]) > 1 else (values[0][0], values[0][0])
    return of_runs([float(np.mean(run)) for run in values], alone)


def _share(runs: Runs, value: Callable[[JudgedGame], float]) -> Measured:
    """As of_games, of something that is 0, one half or 1 in each game."""
    values = [[value(game) for game in run] for run in runs]
    alone = share_interval(sum(values[0]), len(values[0]))
    return of_runs([float(np.mean(run)) for run in values], alone, within=SCORES)


def _score(runs: Runs) -> Measured:
    return _share(runs, lambda game: game.result)


def _when_the_book_ends(runs: Runs) -> Measured:
    return of_games(runs, lambda game: game.advantages[game.book_moves])


def _advantage_after(runs: Runs, moves: int) -> tuple[str, Measured]:
    return f"Black's advantage after {moves} moves", of_games(runs, lambda game: game.advantages[moves])


def _losses_of_black(runs: Runs) -> Measured:
    return of_games(runs, lambda game: game.ending_losses[0] - game.ending_losses[1])


def _contains_zero(what: str, found: Measured) -> Judged:
    return Judged(found.ci95[0] <= 0 <= found.ci95[1], told(what, found, 2))


def _within(runs: Runs, published: int) -> Judged:
    """Whether a number of one game of the paper lies within the middle 95 % of ours."""
    counts = [game.book_moves for run in runs for game in run]
    low, middle, high = np.quantile(counts, (0.025, 0.5, 0.975))
    evidence = f"after {middle:g} moves (median of {len(counts)} games), 95 % of them {low:g} to {high:g}"
    return Judged(bool(low <= published <= high), evidence)


def _judged(laboratory: Laboratory) -> Runs:
    """Games of the fittest against the fittest, the second against the second and so on, of each seed."""
    s = laboratory.settings
    versions = evolved_versions(laboratory)
    runs = []
    for black, white in zip(versions[s["black"]], versions[s["white"]], strict=True):
        pair = population_of(s["black"], black), population_of(s["white"], white)
        settings = {**s, "players": [one.identity for one in pair]}
        work = partial(_play_and_judge, laboratory, *pair)
        kept = laboratory.part(f"games {black.seed}", work, settings)
        runs.append([JudgedGame(g["advantages"], g["book_moves"], tuple(g["ending_losses"])) for g in kept])
    return runs


def _play_and_judge(laboratory: Laboratory, black: Population, white: Population) -> list[dict[str, Any]]:
    s = laboratory.settings
    judge, solver = analyst(s["judge"], threads=1), Solver()
    owners = [side for side, one in zip(SIDES, (black, white), strict=True) if one.style.book]
    book = OpeningBook.open(black.style.book or white.style.book)
    judged = []
    for number in range(s["games"]):
        match = Match(black.player(number), white.player(number), double_games=1, seed=number)
        game = next(match.games())
        analysis = GameAnalysis(game, tuple(judge_game(game, judge, solver, s["solve_from"])))
        losses = [
            sum(m.loss for m in analysis.moves if m.mover == side and _empty_before(game, m.number) <= ENDING)
            for side in SIDES
        ]
        scores = list(analysis.scores_for_black)
        scores += [scores[-1]] * (LONGEST + 1 - len(scores))  # a game that ended early keeps its result
        judged.append({"transcript": game.transcript, "advantages": [round(x, 3) for x in scores],
                       "book_moves": moves_in_book(game, book, owners), "ending_losses": losses})  # fmt: skip
        laboratory.show("judging games", number + 1, s["games"], "games")
    return judged


def _empty_before(game: Game, number: int) -> int:
    return 64 - game.boards[number - 1].discs


def _outcome(laboratory: Laboratory, runs: Runs, findings: dict[str, Finding]) -> Outcome:
    s = laboratory.settings
    games = [game for run in runs for game in run]
    advantages: FloatArray = np.array([game.advantages for game in games])
    ended = float(np.mean([game.book_moves for game in games]))
    title = f"{s['black']} (Black) - {s['white']} (White), as {s['judge']} and the exact solver judge"
    figure = draw_advantage(advantages, AdvantageLabels(s["black"], s["white"], ended), title)
    caption = "Mean of all games of all runs, and the first game of the first run; above 0 Black leads."
    return Outcome(findings, [laboratory.draw("advantage", figure, caption)])
