"""Openings for matches between strong players: positions of real games, and positions that are about even.

From random openings of a dozen plies, one side is often lost, and both players win their game of a pair.
Positions that a search values near zero, or that experts played, tell players apart in fewer games.

>>> from outflank.games.positions import new_random_openings
>>> [board.discs for board in several(is_balanced(new_random_openings(8), within=2.0), 3)]
[12, 12, 12]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from outflank.board import Board
from outflank.games.game import Game
from outflank.players.names import named_player
from outflank.players.search import SearchPlayer

JUDGE = "td-all-rounder,depth=6"


def openings_of_games(games: Iterable[Game], plies: int, seed: int = 1) -> Iterator[Board]:
    """The different positions that games reach after a number of plies, in random order."""
    if not 0 <= plies <= 60:
        raise ValueError(f"an opening has 0 to 60 plies, got {plies}")
    found: dict[Board, None] = {}
    for game in games:
        if len(game.moves) >= plies:
            board = Game(game.moves[:plies], game.start).boards[-1].settled()
            if not board.is_over:
                found[board] = None
    boards = list(found)
    for number in np.random.default_rng(seed).permutation(len(boards)):
        yield boards[number]


def is_balanced(boards: Iterable[Board], within: float) -> Iterator[Board]:
    """Those whose value, by a search of six plies, is at most `within` discs from zero."""
    judge = named_player(JUDGE)
    assert isinstance(judge, SearchPlayer)
    for board in boards:
        if abs(judge.analyze(board).moves[0].value_for_mover) <= within:
            yield board


def several(boards: Iterable[Board], count: int) -> list[Board]:
    """The first ones; an error if there are fewer."""
    found = list(islice(boards, count))
    if len(found) < count:
        raise ValueError(f"there are {len(found):,} such positions, not {count:,}; ask for fewer")
    return found
