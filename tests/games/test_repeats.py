"""Players that choose nothing at random repeat their games, and the statistics say so."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from outflank import Board, GreedyPlayer, Match
from outflank.board import symmetric_square
from outflank.evaluators.piece_counter import PieceCounter
from outflank.games.positions import openings_for
from outflank.games.statistics import Tally
from outflank.games.tournaments.standings import PairResult, Standings
from tests.conftest import Outflank


def unlike(seed: int) -> GreedyPlayer:
    """A player whose values are never equal."""
    return GreedyPlayer(PieceCounter(np.random.default_rng(seed).normal(size=64)))


def test_deterministic_players_play_two_games() -> None:
    tally = Match(unlike(1), unlike(2), double_games=200).play()
    assert (tally.games, tally.distinct, tally.ci95) == (400, 1, (0.0, 1.0))


def test_distinct_games_are_those_with_other_moves() -> None:
    """Mirrored games are the same: of the eight symmetries of squares four leave the start as it is."""
    match = Match(unlike(1), unlike(2), double_games=300, epsilon=0.02)
    games = list(match.games())
    keys = [min(tuple(symmetric_square(m, k) for m in game.moves) for k in same_start()) for game in games]
    doubles = set(zip(keys[::2], keys[1::2], strict=True))
    assert match.play().distinct == len(doubles)
    assert 1 < len(doubles) < 300


def same_start() -> list[int]:
    black, white = ([q for q in range(64) if Board().disc(q) == colour] for colour in ("black", "white"))
    return [
        k
        for k in range(8)
        if all({int(symmetric_square(q, k)) for q in discs} == set(discs) for discs in (black, white))
    ]


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
    assert reach(many) > 0.95 * reach(few) > 5 * reach(replace(many, repeated=0))


def test_a_match_without_random_moves_starts_from_openings(outflank: Outflank) -> None:
    ran = outflank("match", "positional", "iago,depth=2", "--epsilon", 0, "--double-games", 30, "--json")
    report = json.loads(ran.stdout)
    assert "30 openings of 8 random moves" in ran.stderr
    assert report["distinct_double_games"] == 30


def test_the_report_says_that_games_repeat(outflank: Outflank, tmp_path: Path) -> None:
    start = tmp_path / "start.txt"
    start.write_text("---------------------------OX------XO--------------------------- X\n")
    options = ("--starts", start, "--double-games", 200)
    ran = outflank("match", "league-champion", "td-all-rounder", *options)
    assert "Only 1 of league-champion's 200 double games are distinct" in " ".join(ran.stdout.split())
    report = json.loads(outflank("match", "league-champion", "td-all-rounder", *options, "--json").stdout)
    assert (report["distinct_double_games"], report["ci95"]) == (1, [0.0, 1.0])
