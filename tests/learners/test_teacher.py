"""A teacher's labels against solver and minimax, its fit against NumPy's, and what it learns."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from outflank import Board, CountedNetwork, Match, NTupleNetwork, named_player
from outflank._core import LabelSettings, fit_stage, label_games, label_positions
from outflank.evaluators.protocol import board_bits
from outflank.learners.teacher import TeacherLearner, TeacherSettings, blocks_of
from outflank.players.greedy import GreedyPlayer
from outflank.players.search import SearchLimits, SearchPlayer
from outflank.players.solver import Solver

Bits = npt.NDArray[np.uint64]


def random_network(shape: str = "all-3", stages: int = 2) -> NTupleNetwork:
    network = NTupleNetwork.of_shape(shape, stages=stages)
    return network.with_weights(np.random.default_rng(5).normal(size=network.weights.size))


def label_settings(**changes: object) -> LabelSettings:
    settings = LabelSettings()
    for key, value in changes.items():
        setattr(settings, key, value)
    return settings


def test_solved_labels_are_the_solvers_scores() -> None:
    found = label_games(random_network().core, label_settings(solved=8, most_empties=8, seed=3), 0, 20)
    solver = Solver()
    for black, white, discs in zip(*(column[::7] for column in found), strict=True):
        board = Board.from_discs(int(black), int(white), "white")  # White moves: Black moved last
        assert 64 - board.discs <= 8
        if not board.is_over:
            assert -solver.solve(board).score_for_mover == discs


def test_searched_labels_are_those_of_minimax() -> None:
    network = random_network()
    settings = label_settings(depth=2, fewest_empties=30, most_empties=31, random_plies=12, side_moves=0.5)
    found = label_games(network.core, settings, 0, 30)
    player = SearchPlayer(GreedyPlayer(network), SearchLimits(depth=2))
    assert len(found[2]) > 30
    for black, white, discs in zip(*found, strict=True):
        board = Board.from_discs(int(black), int(white), "white").settled()
        best = max(value for _, value in player.judge(board))
        assert (best if board.mover == "black" else -best) == pytest.approx(discs, abs=1e-4)


def test_labels_do_not_depend_on_threads_and_pieces() -> None:
    core = random_network().core
    settings = label_settings(solved=6, depth=2, fewest_empties=4, most_empties=20, side_moves=0.3)
    whole = label_games(core, settings, 5, 24, 2)
    pieces = [label_games(core, settings, first, 8, 1) for first in (5, 13, 21)]
    for column, parts in zip(whole, zip(*pieces, strict=True), strict=True):
        assert np.array_equal(np.asarray(column), np.concatenate(parts))


def test_labels_of_given_positions() -> None:
    core = random_network().core
    black, white, discs = label_games(core, label_settings(solved=6, most_empties=7, depth=2), 0, 10)
    assert np.array_equal(label_positions(core, 2, 6, white, black, 2), -discs)


def examples(count: int = 400) -> tuple[Bits, Bits, npt.NDArray[np.float32]]:
    settings = label_settings(fewest_empties=20, most_empties=24, random_plies=30)
    black, white, _ = label_games(random_network().core, settings, 0, count)
    labels = np.random.default_rng(2).normal(scale=10, size=len(black)).astype(np.float32)
    return black, white, labels


def design(network: NTupleNetwork, black: Bits, white: Bits) -> npt.NDArray[np.float64]:
    """How often each board reads each entry, found by setting one weight at a time."""
    columns = np.eye(network.weights.size)
    return np.stack([network.with_weights(column).values_plainly(black, white) for column in columns], axis=1)


@pytest.mark.parametrize("ridge", [0.5, 20.0])
def test_fit_is_that_of_the_normal_equations(ridge: float) -> None:
    network = NTupleNetwork.of_shape("all-2")
    black, white, labels = examples()
    prior = np.random.default_rng(1).normal(size=network.weights.size).astype(np.float32)
    fitted, error, before = fit_stage(
        network.placements, [], black, white, labels, prior, ridge, 400, symmetric=False
    )
    reads = design(network, black, white)
    change = np.linalg.solve(
        reads.T @ reads + ridge * np.eye(reads.shape[1]), reads.T @ (labels - reads @ prior)
    )
    np.testing.assert_allclose(fitted, prior + change, atol=1e-3)
    assert error == pytest.approx(np.mean((labels - reads @ fitted) ** 2), rel=1e-3)
    assert before == pytest.approx(np.mean((labels - reads @ prior) ** 2), rel=1e-6)


@pytest.mark.parametrize("counts", [[], ["mobility", "frontier"]])
def test_fit_does_not_depend_on_threads(counts: list[str]) -> None:
    network = NTupleNetwork.of_shape("logistello")
    black, white, labels = examples(3000)
    prior = np.zeros(network.weights.size + 1024 * len(counts), dtype=np.float32)
    one, two = (
        fit_stage(network.placements, counts, black, white, labels, prior, 2.0, 10, True, threads)
        for threads in (1, 3)
    )
    assert np.array_equal(one[0], two[0])
    assert one[1:] == two[1:]


def test_symmetric_fit_values_images_alike() -> None:
    network = NTupleNetwork.of_shape("logistello")
    black, white, labels = examples()
    prior = np.zeros(network.weights.size, dtype=np.float32)
    fitted, _, _ = fit_stage(network.placements, [], black, white, labels, prior, 1.0, 20)
    learned = network.with_weights(fitted)
    for b, w in zip(black[:20], white[:20], strict=True):
        values = [learned(image) for image in Board.from_discs(int(b), int(w)).symmetries]
        assert values == pytest.approx([values[0]] * 8, abs=1e-6)


def test_blocks_cover_all_games_and_boards() -> None:
    settings = TeacherSettings(games=10_007, stages=7, sweeps=2, depth=9)
    blocks = list(blocks_of(settings))
    assert [block.stage for block in blocks] == [*range(6, -1, -1)] * 2
    assert blocks[0].first == 0
    assert blocks[-1].end == 10_007
    assert all(before.end == after.first for before, after in pairwise(blocks))
    assert sum(block.games for block in blocks[7:]) == pytest.approx(4 * 10_007 / 5, abs=2)
    covered = [empties for block in blocks[:7] for empties in range(block.empties[0], block.empties[1] + 1)]
    assert sorted(covered) == list(range(61))


def learned(settings: TeacherSettings) -> TeacherLearner:
    learner = TeacherLearner(settings, seed=2)
    while not learner.is_finished:
        learner.play(500)
    return learner


@pytest.mark.parametrize("shape", ["all-4", "all-3+mobility"])
def test_it_learns_to_play(shape: str) -> None:
    settings = TeacherSettings(evaluator=shape, stages=21, games=6000, sweeps=2, depth=3, solved=8)
    learner = learned(settings)
    tally = Match(learner.player(), named_player("random"), double_games=100, seed=1).play()
    assert tally.score > 0.85
    values = learner.learned().values(*board_bits(Board().play(move) for move in Board().legal_moves))
    assert np.ptp(values) == 0  # the four first moves are one


def test_weights_are_on_the_grid() -> None:
    settings = TeacherSettings(evaluator="all-2", stages=21, games=300, sweeps=1, solved=4, grid=0.25)
    learner = learned(settings)
    assert np.array_equal(learner.weights, np.rint(4 * learner.weights) / 4)


def test_searches_must_leave_the_stage() -> None:
    with pytest.raises(ValueError, match="depth must be at least 4: labels come from the stages after"):
        TeacherSettings(stages=16, depth=3)


def test_only_networks_of_tuples() -> None:
    with pytest.raises(ValueError, match="a teacher fits n-tuple networks, not deep-4-4:all-2"):
        TeacherLearner(TeacherSettings(evaluator="deep-4-4:all-2"), seed=1)


def test_counts_are_told_apart_from_tuples() -> None:
    settings = TeacherSettings(evaluator="all-2+frontier", stages=31, games=100, sweeps=1, depth=2, solved=2)
    network = learned(settings).learned()
    assert isinstance(network, CountedNetwork)
    assert network.counts == ("frontier",)


def test_labels_without_a_solver_reach_the_last_square() -> None:
    settings = label_settings(solved=0, fewest_empties=0, most_empties=3, depth=1, random_plies=0)
    black, white, discs = label_games(random_network().core, settings, 0, 20)
    full = [int(b | w).bit_count() == 64 for b, w in zip(black, white, strict=True)]
    assert any(full)
    scores = [int(b).bit_count() - int(w).bit_count() for b, w in zip(black, white, strict=True)]
    assert [d for d, is_full in zip(discs, full, strict=True) if is_full] == [
        s for s, is_full in zip(scores, full, strict=True) if is_full
    ]
