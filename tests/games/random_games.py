"""Random legal games for the tests of game files: complete or cut short, from any start."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from outflank import Board, Game, GameRecord, Square


def random_game(random: Random, start: Board | None = None, moves: int = 60) -> Game:
    """The first moves of a random game."""
    start = Board() if start is None else start
    played: list[Square] = []
    board = start.settled()
    while len(played) < moves and not board.is_over:
        played.append(random.choice(board.legal_moves))
        board = board.play(played[-1]).settled()
    return Game(tuple(played), start)


@st.composite
def games(draw: st.DrawFn, any_start: bool = False) -> Game:
    random = Random(draw(st.integers(0, 1 << 32)))
    start = random_game(random, moves=random.randrange(30)).final if any_start else Board()
    return random_game(random, start, draw(st.sampled_from([60, 60, 60, 40, 7, 1])))


# What all formats with names can hold: WTHOR's 19 Latin-1 letters, none that means something to a format.
_LETTERS = st.characters(codec="latin-1", exclude_characters="[]?#", exclude_categories=["Cc", "Zs"])
NAMES = st.text(_LETTERS, max_size=19)


@st.composite
def records(draw: st.DrawFn, any_start: bool = False) -> GameRecord:
    """A game with names, a year, and a score as tournaments count."""
    game = draw(games(any_start))
    return GameRecord(
        game,
        black=draw(NAMES),
        white=draw(NAMES),
        event=draw(NAMES),
        date="1997",
        result=tournament_score(game),
    )


def tournament_score(game: Game) -> int:
    """Black's disc difference, empty squares to the side ahead."""
    black, white = game.final.black.bit_count(), game.final.white.bit_count()
    empties = 64 - black - white
    return black - white + (empties if black > white else -empties if black < white else 0)
