"""Games between the versions, move by move: Figures 6-9.

The paper shows one game per figure and describes it. One game says little, so we play many of the same kind
and test whether the description is typical: a statement about who leads is tested by the mean of the
runs, a number (the move after which the book ends) by whether it lies within the middle 95 %
of our games. The judge is the td-all-rounder, and the exact solver in the ending; the paper's is not named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
from outflank.plots.curves import Curve, draw_curve, draw_single_runs
from outflank.plots.style import COLOURS, INK, TEXT, legend_below, new_figure, signed
from outflank.studies.claims import is_near, lies_above, lies_below
from outflank.studies.game_analysis import SIDES, GameAnalysis, analyst, judge_game
from outflank.studies.inference import mean_interval, share_interval
from outflank.studies.kim_2007.versions import Population, evolved_versions, population_of
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import SCORES, Claim, Finding, Measured, Outcome, mean_of_runs

LONGEST = 60
BOOK_ENDS = "Black's advantage when the book ends"
LOSSES = "discs that Black gives away in the ending, beyond White's"
ONE_FLIP = 2.0  # discs of difference that one disc makes: within this, a tie
GAMES_OF_A_SEED = 1_000  # more than are played
ENDING = 10  # empty squares: the end stage, where the solver's four and two plies before it count


@dataclass(frozen=True)
class JudgedGame:
    """A game between two versions, as the judge evaluates it."""

    advantages: Sequence[float]  # of Black, before the first move and after each, in discs; [61]
    book_moves: int  # moves until a player with a book was out of it
    ending_losses: tuple[float, float]  # discs that Black and White gave away in the ending

    @property
    def result(self) -> float:
        """Black's points."""
        return float(np.sign(self.advantages[-1]) + 1) / 2


Runs = list[list[JudgedGame]]  # of each seed


def figure_6(lab: Laboratory) -> Outcome:
    """EV_O_E (Black) - EV (White)."""
    runs = _judged(lab)
    led_later = _share(runs, lambda game: float(min(game.advantages[game.book_moves :]) < 0))
    return _outcome(lab, runs, {
        "early lead": lies_above(BOOK_ENDS, _when_the_book_ends(runs), 0.0, 2),
        "book": _within(runs, lab.settings["paper_book_moves"]),
        "the lead changes": lies_above("share of games in which EV leads later", led_later, 0.5),
        "wins": lies_above("score of EV_O_E", _score(runs), 0.5),
    })  # fmt: skip


def figure_7(lab: Laboratory) -> Outcome:
    """EV_O (Black) - EV_E (White)."""
    runs = _judged(lab)
    opening, middle = lab.settings["paper_book_moves"], lab.settings["lead_after"]
    return _outcome(lab, runs, {
        "early lead": lies_above(*_advantage_after(runs, opening), 0.0, 2),
        "book": _within(runs, opening),
        "middle lead": lies_above(*_advantage_after(runs, middle), 0.0, 2),
        "better ending": lies_above(LOSSES, _losses_of_black(runs), 0.0, 2),
        "wins": lies_below("score of EV_O", _score(runs), 0.5),
    })  # fmt: skip


def figure_8(lab: Laboratory) -> Outcome:
    """EV_O_E (Black) - EV_O (White)."""
    runs = _judged(lab)
    return _outcome(lab, runs, {
        "tie": is_near(BOOK_ENDS, _when_the_book_ends(runs), 0, ONE_FLIP, 2),
        "book": _within(runs, lab.settings["paper_book_moves"]),
        "better ending": lies_below(LOSSES, _losses_of_black(runs), 0.0, 2),
        "wins": lies_above("score of EV_O_E", _score(runs), 0.5),
    })  # fmt: skip


def figure_9(lab: Laboratory) -> Outcome:
    """EV_E (Black) - EV_O_E (White)."""
    runs = _judged(lab)
    since = lab.settings["lead_after"]
    later = of_games(runs, lambda game: float(np.mean(game.advantages[since:])))
    return _outcome(lab, runs, {
        "early lead": lies_below(BOOK_ENDS, _when_the_book_ends(runs), 0.0, 2),
        "later lead": lies_below(f"Black's mean advantage from move {since} on", later, 0.0, 2),
        "equal endings": is_near(LOSSES, _losses_of_black(runs), 0, ONE_FLIP, 2),
        "wins": lies_below("score of EV_E", _score(runs), 0.5),
    })  # fmt: skip


def moves_in_book(game: Game, book: OpeningBook, owners: Sequence[Colour]) -> int:
    """The number of moves before one of the owners of the book, to move, has left it."""
    for number, board in enumerate(game.boards):
        position = board.settled()
        if position.mover in owners and position not in book:
            return number
    return len(game.moves)


def of_games(runs: Runs, value: Callable[[JudgedGame], float]) -> Measured:
    """The mean over the runs of their means; one run has the interval of its games."""
    values = [[value(game) for game in run] for run in runs]
    alone = mean_interval(values[0]) if len(values[0]) > 1 else (values[0][0], values[0][0])
    return mean_of_runs([float(np.mean(run)) for run in values], alone)


def _share(runs: Runs, value: Callable[[JudgedGame], float]) -> Measured:
    """As of_games, for values of 0, one half or 1."""
    values = [[value(game) for game in run] for run in runs]
    alone = share_interval(sum(values[0]), len(values[0]))
    return mean_of_runs([float(np.mean(run)) for run in values], alone, within=SCORES)


def _score(runs: Runs) -> Measured:
    return _share(runs, lambda game: game.result)


def _when_the_book_ends(runs: Runs) -> Measured:
    return of_games(runs, lambda game: game.advantages[game.book_moves])


def _advantage_after(runs: Runs, moves: int) -> tuple[str, Measured]:
    return f"Black's advantage after {moves} moves", of_games(runs, lambda game: game.advantages[moves])


def _losses_of_black(runs: Runs) -> Measured:
    return of_games(runs, lambda game: game.ending_losses[0] - game.ending_losses[1])


def _within(runs: Runs, published: int) -> Claim:
    """Whether a number of one game of the paper lies within the middle 95 % of ours."""
    counts = [game.book_moves for run in runs for game in run]
    low, middle, high = np.quantile(counts, (0.025, 0.5, 0.975))
    evidence = f"after {middle:g} moves (median of {len(counts)} games), 95 % of them {low:g} to {high:g}"
    return Claim(bool(low <= published <= high), evidence)


def _judged(lab: Laboratory) -> Runs:
    """Games of fittest against fittest, second against second and so on, for each seed."""
    s = lab.settings
    versions = evolved_versions(lab)
    pieces = {}
    for black, white in zip(versions[s["black"]], versions[s["white"]], strict=True):
        pair = population_of(s["black"], black), population_of(s["white"], white)
        settings = {**s, "players": [one.identity for one in pair], "book choices of seed": black.seed}
        pieces[f"games {black.seed}"] = (pair, settings)
    runs = lab.cached_map(play_and_judge, dict(s), pieces)
    return [
        [JudgedGame(game["advantages"], game["book_moves"], tuple(game["ending_losses"])) for game in games]
        for games in runs.values()
    ]


def play_and_judge(s: Mapping[str, Any], pair: tuple[Population, Population]) -> list[dict[str, Any]]:
    """The games of two populations of one seed. What the book leaves to chance is drawn for each seed and
    game, so that runs are independent of each other."""
    black, white = pair
    judge, solver = analyst(s["judge"], threads=1), Solver()
    owners = [side for side, one in zip(SIDES, (black, white), strict=True) if one.style.book]
    book = OpeningBook.open(black.style.book or white.style.book)
    judged = []
    for number in range(s["games"]):
        match = Match(black.player(number), white.player(number), double_games=1,
                      seed=GAMES_OF_A_SEED * black.seed + number)  # fmt: skip
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
    return judged


def _empty_before(game: Game, number: int) -> int:
    return 64 - game.boards[number - 1].discs


def draw_advantage(
    of_runs: FloatArray, names: Sequence[str], book_moves: float, title: str, printed: float | None = None
) -> Figure:
    """Black's advantage before the first move and after each: [runs, games, 61]. The first game
    is drawn alone, all of them by their mean and their middle half, runs by their means. `names`: of Black
    and White; `printed`: the move after which the book ends in the paper's game.

    >>> draw_advantage(np.zeros((1, 3, 61)), ("EV_O_E", "EV"), 12.5, "a tie").axes[0].get_ylabel()
    'advantage of Black, discs'
    """
    figure, (axes,) = new_figure(5.2, title=title)
    advantages = of_runs.reshape(-1, of_runs.shape[-1])
    moves = np.arange(float(advantages.shape[1]))
    if len(of_runs) > 1:
        draw_single_runs(axes, moves, of_runs.mean(axis=1))
    low, high = np.quantile(advantages, (0.25, 0.75), axis=0)
    curve = Curve(moves, low, advantages.mean(axis=0), high)
    draw_curve(axes, curve, f"mean of {len(advantages)} games", band_label="middle half of the games",
               linewidth=2.4)  # fmt: skip
    axes.plot(moves, advantages[0], "--", color=COLOURS[1], linewidth=1.4, marker="o", markersize=2.8,
              label="one game: fittest against fittest")  # fmt: skip
    axes.axvline(book_moves, color=INK, linestyle=":", linewidth=1.4,
                 label=f"the book ends: after {book_moves:.1f} moves on average")  # fmt: skip
    if printed is not None:
        axes.axvline(printed, color=COLOURS[3], linestyle="--", linewidth=1.2,
                     label=f"in the paper's game: after {printed:g} moves")  # fmt: skip
    axes.axhline(0, color=INK, linewidth=0.9, zorder=1.5)
    reach = 1.2 * max(8.0, float(np.abs(advantages[0]).max()), float(np.abs([low, high]).max()))
    axes.set(xlim=(-0.5, moves[-1] + 0.5), ylim=(-reach, reach), xlabel="move",
             ylabel="advantage of Black, discs")  # fmt: skip
    for height, side, text in ((0.97, "top", f"{names[0]} (Black)"), (0.03, "bottom", f"{names[1]} (White)")):
        axes.text(0.015, height, f"{text} leads", transform=axes.transAxes, va=side, fontsize=TEXT,
                  parse_math=False, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
                  zorder=5)  # fmt: skip
    axes.xaxis.set_major_locator(MultipleLocator(10))
    axes.yaxis.set_major_formatter(signed)
    legend_below(figure)
    return figure


def _outcome(lab: Laboratory, runs: Runs, findings: dict[str, Finding]) -> Outcome:
    s = lab.settings
    games = [game for run in runs for game in run]
    advantages: FloatArray = np.array([[game.advantages for game in run] for run in runs])
    ended = float(np.mean([game.book_moves for game in games]))
    title = f"{s['black']} (Black) - {s['white']} (White), as {s['judge']} and the exact solver judge"
    thin = " Thin lines: the means of single runs." if len(runs) > 1 else ""
    caption = (
        "Mean of all games of all runs, and the first game of the first run; above 0 Black leads." + thin
    )
    figure = lab.draw(
        "advantage", caption, draw_advantage, advantages, (s["black"], s["white"]), ended, title,
        s.get("paper_book_moves"),
    )  # fmt: skip
    return Outcome(findings, [figure])
