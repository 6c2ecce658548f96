"""Expert iteration: its labels, what it learns, and that threads do not matter."""

from __future__ import annotations

import numpy as np
import pytest

from outflank import Board, DeepNetwork, GreedyPlayer, Match, named_player
from outflank._core import LabelSettings, descend, label_games
from outflank.evaluators.protocol import BitArray, FloatArray, board_bits
from outflank.learners.architectures import learnable
from outflank.learners.execution.executor import ThreadExecutor
from outflank.learners.expert_iteration import ExpertIteration, ExpertIterationSettings, ManyOpponents

SETTINGS = ExpertIterationSettings(
    evaluator="deep-4-8:all-4", stages=10, games=6_000, generations=18, solved=8, piece_counters=2,
    opponents=("self", "self", "iago"),
)  # fmt: skip


@pytest.fixture(scope="module")
def learned() -> DeepNetwork:
    learner = ExpertIteration(SETTINGS, seed=2, executor=ThreadExecutor(2))
    while not learner.is_finished:
        learner.play(1000)
    return learner.learned()


def test_it_learns_to_play(learned: DeepNetwork) -> None:
    player = GreedyPlayer(learned, "inversion")
    assert Match(player, named_player("random"), double_games=100, seed=1).play().score > 0.9


def test_a_board_and_its_images_are_worth_the_same(learned: DeepNetwork) -> None:
    values = learned.values(*board_bits(Board().play(move) for move in Board().legal_moves))
    assert values == pytest.approx([values[0]] * 4, abs=1e-4)  # sums of floats, in another order
    assert np.ptp(learned.values(*board_bits(Board.from_transcript("f5d6c3d3").symmetries))) < 1e-4


def test_values_are_discs(learned: DeepNetwork) -> None:
    """Beside exact scores of boards that it has not seen, with 8 empty squares."""
    settings = LabelSettings()
    settings.random_plies, settings.solved, settings.seed = 30, 8, 99
    settings.fewest_empties, settings.most_empties = 8, 8
    black, white, discs = label_games(learned.core, settings, 0, 300)
    values = learned.values(black, white)
    assert np.corrcoef(values, discs)[0, 1] > 0.75
    assert 0.7 < np.polyfit(values, discs, 1)[0] < 1.3


def test_threads_do_not_matter() -> None:
    settings = SETTINGS.model_copy(update={"games": 300, "generations": 2})
    made = []
    for executor in (None, ThreadExecutor(3)):
        learner = ExpertIteration(settings, seed=5, executor=executor)
        while not learner.is_finished:
            learner.play(100)
        made.append(learner.learned())
    assert made[0] == made[1]


def test_opponents_play_their_colour() -> None:
    """Against the one that always prefers the most discs, boards differ from those of self-play."""
    core = DeepNetwork.of_shape("all-2", vector=2, hidden=3).random(1, 0.02).core

    def boards(names: tuple[str, ...]) -> set[tuple[int, int]]:
        settings = LabelSettings()
        settings.epsilon, settings.depth = 0.0, 1
        settings.opponents = ManyOpponents(names, 0, 1).cores()
        black, white, _ = label_games(core, settings, 0, 2)
        return set(zip(map(int, black), map(int, white), strict=True))

    alone, both = boards(()), boards(("self",))
    assert alone == both
    assert len(boards(("disc-difference",)) - alone) > 20


def test_gradients_are_those_of_the_value() -> None:
    """One step of plain descent changes each weight by its slope, found by differences."""
    network = DeepNetwork.of_shape("all-1", vector=2, hidden=3, stages=2).random(4, 0.5)
    black, white = board_bits([Board.from_transcript("f5d6c3d3c4")])
    slopes = []
    for i in range(network.weights.size):
        beside = [network.weights.copy() for _ in range(2)]
        beside[0][i] += 1e-2
        beside[1][i] -= 1e-2
        up, down = (float(learnable_value(network, weights, black, white)) for weights in beside)
        slopes.append((up - down) / 2e-2)
    learning = learnable(network, coherent=False)
    before = np.array(learning.weights())
    label = np.array([learnable_value(network, network.weights, black, white) + 1], dtype=np.float32)
    descend(learning, black, white, label, 1e-3)
    layers = network.table_weights
    change = (np.array(learning.weights()) - before) / 1e-3
    np.testing.assert_allclose(change[layers:], slopes[layers:], rtol=0.02, atol=0.01)
    # An entry that several placements read changes once for each; tables at a quarter of the rate.
    np.testing.assert_allclose(4 * change[:layers], slopes[:layers], rtol=0.02, atol=0.01)


def learnable_value(network: DeepNetwork, weights: FloatArray, black: BitArray, white: BitArray) -> float:
    """By the reference, so that the rounding of tables to 16 bits stays small."""
    return float(network.with_weights(weights).values_plainly(black, white)[0])
