"""Openings of games, and balanced ones."""

from __future__ import annotations

import pytest

from outflank import Board, Game, SearchPlayer, named_player
from outflank.games.openings import is_balanced, openings_of_games, several
from outflank.games.positions import new_random_openings
from tests.conftest import ROOT

WTHOR = ROOT.parent / "shared" / "wthor" / "WTH_2009.wtb"


def test_openings_of_games_are_their_different_positions() -> None:
    games = [Game.from_transcript(moves) for moves in ("f5d6c3", "f5d6c3d3", "f5d6c5", "f5")]
    found = list(openings_of_games(games, 3))
    assert set(found) == {Board.from_transcript("f5d6c3"), Board.from_transcript("f5d6c5")}
    assert len(found) == 2
    assert list(openings_of_games(games, 3)) == found


def test_balanced_openings_are_near_even() -> None:
    judge = named_player("td-all-rounder,depth=6")
    assert isinstance(judge, SearchPlayer)
    for board in several(is_balanced(new_random_openings(8, seed=4), within=3.0), 5):
        assert abs(judge.analyze(board).moves[0].value_for_mover) <= 3


def test_too_few_openings_are_an_error() -> None:
    with pytest.raises(ValueError, match="1 such positions, not 2"):
        several(openings_of_games([Game.from_transcript("f5d6c3")], 3), 2)


@pytest.mark.skipif(not WTHOR.exists(), reason="needs WTHOR games")
def test_openings_of_expert_games() -> None:
    from outflank.games.formats.any_format import read_games

    games = (record.game for record in read_games(WTHOR))
    boards = several(openings_of_games(games, 12), 200)
    assert {board.discs for board in boards} == {16}
