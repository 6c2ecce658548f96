"""Ratings on a ladder, with real games: found again, resumed, alone and on workers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from outflank import named_player
from outflank.games.ratings.bradley_terry import bradley_terry
from outflank.games.ratings.ladder import Ladder, calibrate, neighbours
from outflank.games.ratings.player_rating import PlayerRating, described, rate
from outflank.games.ratings.rating_file import RatingFile
from outflank.games.statistics import Tally

Step = TypeVar("Step")
FAST = ("random", "disc-difference", "positional", "iago")


@pytest.fixture(scope="module")
def ladder() -> Ladder:
    (*_, last) = calibrate(FAST, 60)
    return last.ladder


def last_of(steps: Iterable[Step]) -> Step:
    *_, last = steps
    return last


def test_ratings_follow_from_the_results(ladder: Ladder, tmp_path: Path) -> None:
    assert set(ladder.results) == set(neighbours(FAST))
    assert ladder.rungs[0].name == "random"
    assert ladder.rungs[0].rating == 0
    ratings = bradley_terry(FAST, ladder.results).values
    found = {rung.name: rung.rating for rung in ladder.rungs}
    assert found == pytest.approx(dict(zip(FAST, ratings - ratings[0], strict=True)))
    ladder.save(tmp_path / "ladder.json")
    assert Ladder.load(tmp_path / "ladder.json") == ladder


def test_a_calibration_goes_on_where_it_was(ladder: Ladder) -> None:
    steps = calibrate(FAST, 60)
    begun = [next(steps) for _ in range(3)][-1].ladder
    assert len(begun.results) == 3
    assert last_of(calibrate(FAST, 60, begun=begun)).ladder == ladder
    assert next(calibrate(FAST, 50, begun=begun)).done == 100  # other games: nothing is kept


def test_a_rung_is_found_again(ladder: Ladder) -> None:
    """A player of the ladder meets the other rungs only, and is rated near the rating it has there."""
    found = last_of(rate(named_player("positional"), ladder, within=60))
    there = next(rung.rating for rung in ladder.rungs if rung.name == "positional")
    assert "positional" not in found.results
    assert found.half_width <= 60
    assert abs(found.rating - there) < 150


def test_an_interrupted_rating_ends_the_same(ladder: Ladder, tmp_path: Path) -> None:
    player = named_player("standard-heuristic")
    whole = last_of(rate(player, ladder, within=70))
    steps = rate(player, ladder, within=70)
    part = [next(steps) for _ in range(4)][-1]
    file = RatingFile(tmp_path, player.name, ladder.seed)
    file.write(part.results)
    assert file.read() == part.results
    assert last_of(rate(player, ladder, within=70, results=file.read())) == whole


def test_workers_play_the_same_games(ladder: Ladder) -> None:
    class Here:
        workers = 3

        def map(self, function: Callable[[Any, Any], Any], shared: Any, pieces: Sequence[Any]) -> list[Any]:
            return [function(shared, piece) for piece in pieces]

    player = named_player("standard-heuristic")
    alone = last_of(rate(player, ladder, within=90))
    assert last_of(rate(player, ladder, within=90, workers=Here())) == alone


def test_the_most_likely_rating_in_closed_form(ladder: Ladder) -> None:
    """Against one rung, three points of four are 400 log10(3) above it."""
    rung = ladder.rungs[2]
    many = Tally(30000, 0, 10000, (0, 0, 10000, 0, 10000))
    found = PlayerRating("new", ladder, {rung.name: many})
    assert found.rating - rung.rating == pytest.approx(190.85, abs=0.1)


def test_a_player_off_the_ladder_is_bounded(ladder: Ladder) -> None:
    """It lost every game against the weakest rung: more games would not help."""
    lost = {"random": Tally(0, 0, 600, (300, 0, 0, 0, 0))}
    found = PlayerRating("worst", ladder, lost)
    assert found.is_beyond
    assert found.is_done
    assert found.rating < -500
    assert found.sentence == "weaker than random, the lowest rung"
    won = PlayerRating("best", ladder, {ladder.rungs[-1].name: Tally(600, 0, 0, (0, 0, 0, 0, 300))})
    assert won.is_beyond
    assert "stronger than" in won.sentence


def test_extra_rungs_are_met(ladder: Ladder) -> None:
    heuristic = last_of(rate(named_player("standard-heuristic"), ladder, within=80))
    found = last_of(rate(named_player("iago,depth=2"), ladder, within=80, extra=[heuristic]))
    assert "standard-heuristic" in {rung.name for rung in found.rungs}


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ({"rungs": ["random"]}, "two or more"),
        ({"pairs": [{}]}, "not a ladder"),
        ({"seed": "x"}, "not a ladder"),
    ],
)
def test_a_damaged_ladder_is_refused(
    ladder: Ladder, tmp_path: Path, damage: dict[str, Any], sentence: str
) -> None:
    path = tmp_path / "ladder.json"
    ladder.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | damage))
    with pytest.raises(ValueError, match=sentence):
        Ladder.load(path)


def test_players_in_words() -> None:
    assert described("td-all-rounder,depth=1") == "td-all-rounder at 1 ply"
    assert described("td-all-rounder,time=0.5") == "td-all-rounder with 0.5 seconds per move"
    assert described("gtp:/usr/games/gtp-rhino -b 0") == "gtp:/usr/games/gtp-rhino -b 0"
