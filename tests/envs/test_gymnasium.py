"""The Gymnasium environments: the official checks, the games of a match, and what goes wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

import outflank.envs
from outflank import Board, FunctionEvaluator, GreedyPlayer, Match, named_player
from tests.conftest import ROOT


@pytest.mark.parametrize("arguments", [{}, {"opponent": "all-2", "epsilon": 0.1, "render_mode": "rgb_array"},
                                       {"colour": "white", "render_mode": "ansi"}])  # fmt: skip
def test_the_official_check(arguments: dict[str, Any]) -> None:
    check_env(gymnasium.make(outflank.envs.ENVIRONMENT, **arguments).unwrapped)


class LastMove:
    """An agent without randomness: its games do not depend on who draws what."""

    name = "last move"

    def choose(self, board: Board) -> int:
        return board.legal_moves[-1]


@pytest.mark.parametrize("colour", ["alternate", "black", "white"])
def test_episodes_are_the_games_of_a_match(colour: str) -> None:
    agent = LastMove()
    env = gymnasium.make("outflank/Othello-v0", opponent="all-2", epsilon=0.1, colour=colour)
    match = Match(agent, named_player("all-2"), double_games=10, epsilon=0.1, seed=9)
    expected = np.concatenate([part.disc_differences for part in match.batches()]).tolist()
    numbers = {"alternate": range(20), "black": range(0, 20, 2), "white": range(1, 20, 2)}[colour]
    for episode, number in enumerate(numbers):
        _, info = env.reset(seed=9 if episode == 0 else None)
        assert info["colour"] == ("black" if number % 2 == 0 else "white")
        terminated, reward = False, 0.0
        while not terminated:
            action = agent.choose(Board(info["board"]))
            _, reward, terminated, _, info = env.step(action)  # type: ignore[assignment]
        assert info["disc_difference"] == expected[number]
        assert reward == np.sign(expected[number])


def test_any_player_can_be_the_opponent() -> None:
    in_python = GreedyPlayer(FunctionEvaluator(lambda boards: boards[:, 0] + boards.sum(axis=1)), name="mine")
    engine = named_player(f"gtp:{Path(sys.executable).with_name('outflank')} engine standard-heuristic")
    for opponent in ("random", "all-2,depth=2", in_python, engine):
        env = gymnasium.make("outflank/Othello-v0", opponent=opponent)
        _, info = env.reset(seed=4)
        terminated = False
        while not terminated:
            _, reward, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))
        assert reward in (-1, 0, 1)
        env.close()


def test_an_illegal_move_loses_and_later_moves_are_refused() -> None:
    env = gymnasium.make("outflank/Othello-v0").unwrapped
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["illegal"]) == (-1, True, True)
    with pytest.raises(ValueError, match="call reset first"):
        env.step(37)
    env.reset()
    with pytest.raises(ValueError, match="a square, 0 to 63, got 64"):
        env.step(64)


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"opponent": "all-3"}, "all-2"), ({"colour": "red"}, "black, white or alternate"),
    ({"epsilon": -1}, "epsilon"), ({"render_mode": "video"}, "ansi or rgb_array"), ({"starts": ()}, "start"),
])  # fmt: skip
def test_wrong_settings_are_refused(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        outflank.envs.gymnasium.OthelloEnv(**arguments)


def test_pictures() -> None:
    env = outflank.envs.gymnasium.OthelloEnv(colour="black", render_mode="rgb_array")
    env.reset(seed=1)
    image = env.render()
    assert (image.shape, image.dtype) == ((320, 320, 3), np.uint8)
    black, white = image[3 * 40 + 20, 4 * 40 + 20], image[3 * 40 + 20, 3 * 40 + 20]
    assert black.max() < 50
    assert white.min() > 200


def test_the_vector_environment() -> None:
    envs = [
        gymnasium.make_vec("outflank/Othello-v0", num_envs=50, opponent="all-2", epsilon=0.1) for _ in "ab"
    ]
    resets = [each.reset(seed=2) for each in envs]
    assert data_equivalence(resets[0], resets[1])
    finished = 0
    for _ in range(40):
        actions = envs[0].unwrapped.random_actions()  # type: ignore[attr-defined]
        assert (envs[1].unwrapped.random_actions() == actions).all()  # type: ignore[attr-defined]
        results = [each.step(actions) for each in envs]
        assert data_equivalence(results[0], results[1])
        observations, rewards, terminations, _, infos = results[0]
        assert observations in envs[0].observation_space
        assert (np.sign(infos["disc_difference"]) == rewards).all()
        finished += int(terminations.sum())
    assert finished >= 50
    with pytest.raises(ValueError, match="one seed serves all games"):
        envs[0].reset(seed=[1] * 50)  # type: ignore[arg-type]


def test_the_extra_is_named_where_it_is_missing() -> None:
    """In a process where the libraries cannot be imported."""
    code = """
import sys
sys.modules.update(dict.fromkeys(["gymnasium", "pettingzoo", "pyspiel"]))
import importlib
for name in ("gymnasium", "vector", "pettingzoo", "openspiel"):
    try:
        importlib.import_module("outflank.envs." + name)
    except ImportError as error:
        print(error)
import outflank.envs
print(outflank.envs.BatchedOthello(2).games)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    lines = result.stdout.splitlines()
    assert len(lines) == 5
    assert all('pip install "outflank[' in line for line in lines[:4])
