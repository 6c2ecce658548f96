"""Preference learning: the gradient against NumPy's, threads, and prediction on games not learned from."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from outflank import Board, Match, NTupleNetwork, named_player
from outflank._core import learn_preferences
from outflank.games.formats.any_format import GameRecord, write_games
from outflank.games.game import Game
from outflank.learners.architectures import learnable
from outflank.learners.preferences import PreferenceLearner, PreferenceSettings, made_moves
from tests.conftest import Outflank
from tests.learners.runs.test_runs import COMMAND, contents, kill_and_resume


def games_of(player: str, count: int, seed: int) -> list[Game]:
    return list(Match(player, player, double_games=count // 2, epsilon=0.2, seed=seed).games())


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("games")
    for name, seed in (("learned.jsonl", 1), ("held-out.jsonl", 2)):
        write_games([GameRecord(game) for game in games_of("positional", 300, seed)], folder / name)
    return str(folder / "learned.jsonl"), str(folder / "held-out.jsonl")


def softmax(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    powers = np.exp(values - values.max())
    return np.asarray(powers / powers.sum())


def test_one_step_is_the_gradient_of_the_log_likelihood() -> None:
    weights = np.random.default_rng(4).normal(size=288).astype(np.float32)
    network = NTupleNetwork.of_shape("all-2", weights)
    board = Board.from_transcript("f5d6c3d3c4")
    made = board.legal_moves[2]
    core = learnable(network, coherent=False)
    decisions, loss, predicted = learn_preferences(
        core, np.array([board.mover_discs], np.uint64), np.array([board.opponent_discs], np.uint64),
        np.array([int(made)], np.uint8), 0.01,
    )  # fmt: skip
    after = [board.play(move) for move in board.legal_moves]
    # The side that moved last is seen as Black.
    black = np.array([one.opponent_discs for one in after], np.uint64)
    white = np.array([one.mover_discs for one in after], np.uint64)
    values = network.values_plainly(black, white)
    reads = np.stack([network.with_weights(one).values_plainly(black, white) for one in np.eye(288)], axis=1)
    wanted = np.eye(len(after))[2] - softmax(values)
    np.testing.assert_allclose(core.weights(), weights + 0.01 * wanted @ reads, atol=1e-6)
    assert (decisions, predicted) == (1, float(values.argmax() == 2))
    assert loss == pytest.approx(-np.log(softmax(values)[2]))


def test_threads_learn_the_same() -> None:
    moves = made_moves(games_of("positional", 20, 3))
    found = []
    for threads in (1, 3):
        core = learnable(NTupleNetwork.of_shape("all-3", stages=5), coherent=True, symmetric=True)
        totals = learn_preferences(core, moves.mover, moves.opponent, moves.squares, 0.1, threads)
        found.append((totals, core.weights().tobytes()))
    assert found[0] == found[1]


def test_it_predicts_moves_that_it_has_not_seen(files: tuple[str, str]) -> None:
    settings = PreferenceSettings(evaluator="all-2", stages=2, files=files[:1], held_out=files[1:], games=600)
    learner = PreferenceLearner(settings, seed=1)
    before = learner.measure()
    while not learner.is_finished:
        learner.play()
    after = learner.measure()
    assert before.predicted / before.decisions < 0.2
    assert after.predicted / after.decisions > 0.45
    assert after.log_loss < before.log_loss


def test_illegal_moves_are_refused() -> None:
    core = learnable(NTupleNetwork.of_shape("all-2"), coherent=False)
    start = Board()
    with pytest.raises(ValueError, match="a move is illegal"):
        learn_preferences(core, np.array([start.black], np.uint64), np.array([start.white], np.uint64),
                          np.array([0], np.uint8), 0.1)  # fmt: skip


def test_without_files() -> None:
    with pytest.raises(ValueError, match="preference learning needs games"):
        PreferenceLearner(PreferenceSettings(), seed=1)


@pytest.mark.long
def test_runs_killed_and_resumed(files: tuple[str, str], tmp_path: Path, outflank: Outflank) -> None:
    changes = ["evaluator=all-2", "stages=2", f'files=["{files[0]}"]', f'held_out=["{files[1]}"]',
               "games=6000", "measure_every=1000", "measure_double_games=20"]  # fmt: skip
    learn = ["learn", "preferences", *(part for change in changes for part in ("--set", change))]
    assert outflank(*learn, "--out", tmp_path / "unbroken").returncode == 0
    log = [json.loads(line) for line in (tmp_path / "unbroken" / "log.jsonl").read_text().splitlines()]
    assert log[-1]["held_out_predicted"] > 0.45
    assert kill_and_resume(tmp_path / "run", [*COMMAND, *learn], 4, 0.1) >= 1
    assert contents(tmp_path / "run") == contents(tmp_path / "unbroken")
    assert named_player(str(tmp_path / "run" / "last.safetensors")).choose(Board()) is not None
