"""The pseudocode of evolution with knowledge, Figure 3: who decides each move of a game.

>>> source_of(in_book=True, empty=2), source_of(in_book=False, empty=4), source_of(in_book=False, empty=5)
('opening book', 'endgame solver', 'game tree')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from outflank.board import Board
from outflank.games.match import Match
from outflank.learners.named_books import is_missing, make_book
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.initialisation import starting_point
from outflank.learners.runs.settings import load_preset
from outflank.players.opening_book import OpeningBook
from outflank.plots.style import COLOURS, legend_below, new_figure
from outflank.studies.game_analysis import final_score
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Outcome

SOLVED = 4  # empty squares: "invoked when the number of empty squares is 4"
MANY = 500_000
BOOK, TREE, ENDGAME = "opening book", "game tree", "endgame solver"
SOURCES = (BOOK, TREE, ENDGAME)


def source_of(in_book: bool, empty: int) -> str:
    """Lines 14 to 19 of the figure."""
    return BOOK if in_book else ENDGAME if empty <= SOLVED else TREE


def figure_3(lab: Laboratory) -> Outcome:
    """Games between networks with both kinds of knowledge, move by move."""
    s = lab.settings
    if is_missing(s["book"]):
        make_book(s["book"])
    record = lab.cached("games", lambda: _played(s))
    decided, wrong, positions = record["decided"], record["wrong"], record["positions"]
    moves = Counter(source for game in decided for source in game)
    caption = "The share of the games in which each source decides a move."
    order = [_in_order(game) for game in decided]
    return Outcome(
        {
            "book": Claim(
                wrong[BOOK] == 0, f"{moves[BOOK]:,} moves in the book, {wrong[BOOK]} not among its best three"
            ),
            "solver": Claim(
                wrong[ENDGAME] == 0,
                f"{moves[ENDGAME]:,} moves, {wrong[ENDGAME]} worse than an exact search's",
            ),
            "order": Claim(all(order), f"in {sum(order)} of {len(order)} games"),
            "positions": Claim(positions > MANY, f"{positions:,} in the book {s['book']}"),
        },
        [
            lab.draw(
                "figure-3", caption, draw_sources, decided, f"Who decides the moves of {len(decided)} games"
            ),
        ],
    )


def _played(s: Mapping[str, Any]) -> dict[str, Any]:
    """The source of every move, and how often a source did not choose as it should."""
    settings = load_preset(s["preset"], {"book": s["book"]}).settings
    assert isinstance(settings, EvolutionSettings)
    start = starting_point(settings, seed=1)
    style, book = settings.style(start.view), OpeningBook.open(s["book"])
    random = np.random.default_rng(1)
    weights = random.uniform(-0.2, 0.2, (2 * s["games"], start.evaluator.weights.size))
    players = [style.player(start.evaluator.with_weights(row), book) for row in weights]
    decided: list[list[str]] = []
    wrong: Counter[str] = Counter()
    for number in range(s["games"]):
        game = next(
            Match(players[2 * number], players[2 * number + 1], double_games=1, seed=1 + number).games()
        )
        decided.append([])
        for before, move in zip(game.boards, game.moves, strict=False):
            board = before.settled()
            source = source_of(board in book, 64 - board.discs)
            decided[-1].append(source)
            if source == BOOK:
                wrong[source] += move not in [one.square for one in book.moves(board)[: style.book_best]]
            elif source == ENDGAME:
                wrong[source] += best_result(board.play(move)) != best_result(board)
    return {"decided": decided, "wrong": {name: wrong[name] for name in SOURCES}, "positions": len(book)}


def best_result(board: Board) -> int:
    """Black's score at the end if both play perfectly, by plain minimax; for a few empty squares."""
    if board.is_over:
        return final_score(board)
    board = board.settled()
    results = [best_result(board.play(move)) for move in board.legal_moves]
    return max(results) if board.mover == "black" else min(results)


def _in_order(sources: Sequence[str]) -> bool:
    """The book first, then the tree, then the solver. A game may come back to the book by another way.

    >>> _in_order([BOOK, TREE, BOOK, TREE, ENDGAME]), _in_order([TREE, ENDGAME, TREE])
    (True, False)
    """
    solved = [source == ENDGAME for source in sources]
    return solved == sorted(solved) and sources[0] == BOOK


def draw_sources(decided: Sequence[Sequence[str]], title: str) -> Figure:
    """
    >>> figure = draw_sources([[BOOK, TREE, ENDGAME]], "a short game")
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['opening book', 'game tree', 'endgame solver']
    """
    figure, (axes,) = new_figure(4.2, title=title)
    longest = max(map(len, decided))
    moves = np.arange(1, longest + 1)
    shares = [
        [np.mean([game[at] == source for game in decided if len(game) > at]) for at in range(longest)]
        for source in SOURCES
    ]
    axes.stackplot(moves, shares, labels=SOURCES, colors=COLOURS[:3], step="mid")
    axes.set(xlim=(0.5, longest + 0.5), ylim=(0, 1), xlabel="move", ylabel="share of the games")
    legend_below(figure)
    return figure
