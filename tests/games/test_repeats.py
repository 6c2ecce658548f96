"""Players that choose nothing at random repeat their games, and the statistics say so."""

from __future__ import annotations

import json

import numpy as np

from outflank import GreedyPlayer, Match
from outflank.evaluators.piece_counter import PieceCounter
from outflank.games.positions import openings_for
from outflank.games.standings import PairResult, Standings
from outflank.games.statistics import Tally
from tests.conftest import Outflank


def unlike(seed: int) -> GreedyPlayer:
    """A player whose values are never equal."""
    return GreedyPlayer(PieceCounter(np.random.default_rng(seed).normal(size=64)))


def test_deterministic_players_play_two_games() -> None:
    tally = Match(unlike(1), unlike(2), double_games=200).play()
    assert (tally.games, tally.distinct, tally.ci95) == (400, 1, (0.0, 1.0))


def test_distinct_games_are_those_with_other_moves() -> None:
    match = Match(unlike(1), unlike(2), double_games=300, epsilon=0.02)
    games = list(match.games())
    doubles = {(a.transcript, b.transcript) for a, b in zip(games[::2], games[1::2], strict=True)}
    assert match.play().distinct == len(doubles)
    assert 1 < len(doubles) < 300


def test_openings_make_games_differ() -> None:
    starts = openings_for(50)
    tally = Match(unlike(1), unlike(2), double_games=100, starts=starts).play()
    assert (len(set(starts)), tally.distinct) == (50, 50)


def test_forced_random_moves_of_the_league_are_not_counted() -> None:
    match = Match(unlike(1), unlike(2), double_games=20, epsilon=0.1)
    assert not match.counts_repeats
    assert match.play().distinct == 20


def test_ratings_rest_on_distinct_games() -> None:
    def reach(tally: Tally) -> float:
        low, high = Standings.of([PairResult("a", "b", tally)]).rows[0].rating_ci95
        return high - low

    results = (2, 1, 4, 1, 2)
    few = Tally(11, 0, 9, results)
    many = Tally(1100, 0, 900, (200, 100, 400, 100, 200), repeated=990)
    assert reach(many) > 0.95 * reach(few) > 5 * reach(Tally(*many.__dict__.values()) + Tally(repeated=-990))


def test_a_match_without_random_moves_starts_from_openings(outflank: Outflank) -> None:
    ran = outflank("match", "positional", "iago,depth=2", "--epsilon", 0, "--double-games", 30, "--json")
    report = json.loads(ran.stdout)
    assert "30 openings of 8 random moves" in ran.stderr
    assert report["distinct_double_games"] == 30


def test_the_report_says_that_games_repeat(outflank: Outflank, tmp_path) -> None:  # type: ignore[no-untyped-def]
    start = tmp_path / "start.txt"
    start.write_text("---------------------------OX------XO--------------------------- X\n")
    options = ("--starts", start, "--double-games", 200)
    ran = outflank("match", "all-2", "standard-heuristic", *options)
    assert "double games are distinct" in " ".join(ran.stdout.split())
    report = json.loads(outflank("match", "all-2", "standard-heuristic", *options, "--json").stdout)
    low, high = report["ci95"]
    assert report["distinct_double_games"] < 100
    assert 0 <= low < high <= 1
    assert high - low > 0.1
