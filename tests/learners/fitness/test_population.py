"""A generation's games are those of matches, whatever the pieces and workers they are played in."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import GreedyPlayer, Match, _core, named_player
from outflank.evaluators.mlp import Mlp
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.piece_counter import PieceCounter
from outflank.learners.execution.executor import ThreadExecutor
from outflank.learners.fitness.population import (
    Games,
    Opponents,
    Pairings,
    PlayingStyle,
    Population,
    _pieces,
    pairings,
    play_pairings,
)
from outflank.players.opening_book import OpeningBook
from outflank.players.search import SearchLimits, SearchPlayer

WEIGHTS = np.random.default_rng(3).normal(0, 1, (4, 288))
NETWORK = NTupleNetwork.of_shape("all-2")
OPPONENTS = Opponents.named(
    ("standard-heuristic", "all-2,depth=2"), np.random.default_rng(4).uniform(-1, 1, (2, 64))
)


def population(
    style: PlayingStyle | None = None, double_games: bool = True, epsilon: float = 0.1
) -> Population:
    return Population(NETWORK, WEIGHTS, style or PlayingStyle(), OPPONENTS, epsilon, 7, double_games)


def played(made: Population, rows: Pairings, threads: int = 2) -> list[list[int]]:
    with ThreadExecutor(threads) as executor:
        outcomes: list[list[int]] = Games(executor, made).play(rows).tolist()
        return outcomes


def of_match(first: object, second: object, double_games: int, epsilon: float = 0.1) -> list[int]:
    tally = Match(first, second, double_games=double_games, epsilon=epsilon, seed=7).play()  # type: ignore[arg-type]
    return [tally.wins, tally.draws, tally.losses]


def test_outcomes_are_those_of_matches() -> None:
    mine = [GreedyPlayer(NETWORK.with_weights(row)) for row in WEIGHTS]
    rows = pairings((0, 4, 0, 200), (3, 5, 0, 20), (1, 2, 0, 100), (2, 7, 0, 100))
    drawn = GreedyPlayer(PieceCounter(OPPONENTS.piece_counters[1]))
    assert played(population(), rows) == [
        of_match(mine[0], named_player("standard-heuristic"), 100),
        of_match(mine[3], named_player("all-2,depth=2"), 10),
        of_match(mine[1], mine[2], 50),
        of_match(mine[2], drawn, 50),
    ]


def test_knowledge_is_on_top_of_every_individual() -> None:
    style = PlayingStyle("negation", depth=2, solve=4, book="default", book_best=3)
    player = SearchPlayer(
        GreedyPlayer(NETWORK.with_weights(WEIGHTS[0]), "negation"), SearchLimits(depth=2),
        solve=4, book=OpeningBook.open("default"), book_best=3,
    )  # fmt: skip
    heuristic = named_player("standard-heuristic")
    assert played(population(style), pairings((0, 4, 0, 40))) == [of_match(player, heuristic, 20)]


def test_without_double_games_the_first_is_black() -> None:
    made = population(double_games=False, epsilon=0.0)
    black, white = made.core_player(0), made.core_player(4)
    differences, moves = _core.play_games(black, white, made.rules, 5, 1, 1, True)
    assert moves is not None
    assert _core.disc_differences(made.rules, 5, moves)[0, -1] == differences[0]
    expected = [int(differences[0] > 0), int(differences[0] == 0), int(differences[0] < 0)]
    assert played(made, pairings((0, 4, 5, 1))) == [expected]


def test_workers_and_travel_change_nothing() -> None:
    rows = pairings((0, 4, 0, 137), (1, 4, 0, 137), (2, 3, 10, 1), (3, 2, 12, 2))
    expected = played(population(), rows, threads=1)
    assert played(population(), rows, threads=5) == expected
    travelled = population()
    travelled.core_player(0)  # compiled players stay at home
    assert played(pickle.loads(pickle.dumps(travelled)), rows) == expected


@given(
    counts=st.lists(st.integers(1, 50), min_size=1, max_size=20),
    size=st.integers(1, 60),
)
def test_pieces_hold_every_game_once(counts: list[int], size: int) -> None:
    rows = pairings(*((i, i + 1, 100 * i, count) for i, count in enumerate(counts)))
    pieces, owners = _pieces(rows, size)
    games = [
        (int(owner), int(number))
        for piece, owner_of in zip(pieces, owners, strict=True)
        for (first, second, start, count), owner in zip(piece, owner_of, strict=True)
        for number in range(start, start + count)
        if first == owner and second == owner + 1
    ]
    assert games == [(i, n) for i, count in enumerate(counts) for n in range(100 * i, 100 * i + count)]
    assert all(1 <= piece[:, 3].sum() < 2 * size for piece in pieces)


def test_each_kind_of_evaluator_plays() -> None:
    for evaluator in (Mlp(), PieceCounter.symmetric(), NTupleNetwork.of_shape("rand-3x4")):
        weights = np.random.default_rng(1).normal(0, 1, (2, evaluator.weights.size))
        made = Population(evaluator, weights, PlayingStyle(), Opponents(), 0.1, 1)
        assert play_pairings(made, pairings((0, 1, 0, 10))).sum() == 10


def test_who_cannot_play_in_the_core_is_refused() -> None:
    with pytest.raises(ValueError, match="all-2,time=1 does not play inside the core"):
        Opponents.named(["all-2,time=1"]).core_player(0)
    with pytest.raises(ValueError, match="names a player that is not there"):
        _core.play_pairings([], pairings((0, 0, 0, 1)), population().rules)
