"""The PettingZoo environment: the official tests, the rules, and illegal moves."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import outflank.envs
from outflank import Board
from outflank.envs import pettingzoo


def _random_game(game: Any, seed: int, random: np.random.Generator) -> dict[str, float]:
    game.reset(seed=seed)
    total = dict.fromkeys(game.possible_agents, 0.0)
    board = Board()
    for agent in game.agent_iter():
        seen, reward, termination, truncation, _ = game.last()
        total[agent] += reward
        if termination or truncation:
            game.step(None)
            continue
        assert agent == f"{board.mover}_0"
        assert tuple(np.flatnonzero(seen["action_mask"])) == board.legal_moves
        action = int(random.choice(board.legal_moves))
        board = board.play(action).settled()
        game.step(action)
    assert board.is_over
    assert total["black_0"] == np.sign(board.disc_difference) == -total["white_0"]
    return total


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_the_official_tests(epsilon: float) -> None:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        # A dictionary with a mask is what all of PettingZoo's own board games have, by a list of their names.
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        api_test(pettingzoo.env(epsilon=epsilon), num_cycles=200)
        seed_test(lambda: pettingzoo.env(epsilon=epsilon), num_cycles=50)


def test_games_follow_the_rules() -> None:
    random = np.random.default_rng(1)
    game = outflank.envs.pettingzoo.env()
    results = [_random_game(game, seed, random)["black_0"] for seed in range(20)]
    assert {-1.0, 1.0} <= set(results)


def test_an_illegal_move_loses() -> None:
    game = pettingzoo.env()
    game.reset(seed=1)
    with contextlib.redirect_stderr(io.StringIO()):
        game.step(0)
    assert game.terminations == {"black_0": True, "white_0": True}
    assert game.rewards == {"black_0": -1, "white_0": 0}
    raw = pettingzoo.raw_env()
    raw.reset(seed=1)
    with pytest.raises(ValueError, match="0 is not a legal move for black_0"):
        raw.step(0)


def test_other_starts() -> None:
    start = Board.from_transcript("f5")
    game = pettingzoo.env(starts=[start])
    game.reset()
    assert game.agent_selection == "white_0"
    seen, other = game.observe("white_0"), game.observe("black_0")
    assert (seen["observation"] == other["observation"][::-1]).all()
    assert seen["action_mask"].sum() == 3
    assert not other["action_mask"].any()


def test_pictures() -> None:
    game = pettingzoo.env(render_mode="ansi")
    game.reset()
    assert str(game.render()).splitlines()[4] == "4 - - . O X - - -"
    with pytest.raises(ValueError, match="ansi or rgb_array, got 'human'"):
        pettingzoo.env(render_mode="human")
