"""A PettingZoo environment (AEC): two agents, black_0 and white_0, on one board.

>>> game = env()
>>> game.reset(seed=1)
>>> for agent in game.agent_iter():
...     observation, reward, termination, truncation, info = game.last()
...     legal = observation["action_mask"].nonzero()[0]
...     game.step(None if termination else legal[0])
>>> game.unwrapped.board.is_over
True
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from outflank.board import Board
from outflank.envs.rendering import MODES, checked_mode, render
from outflank.envs.rules import (
    EnvironmentGame,
    action_mask,
    checked_epsilon,
    checked_seed,
    checked_starts,
    missing,
    observation,
)
from outflank.games.game import START

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise missing("pettingzoo") from None

AGENTS = ("black_0", "white_0")


def env(
    *,
    epsilon: float = 0.0,
    starts: Sequence[Board] | Board = START,
    render_mode: str | None = None,
) -> AECEnv[str, dict[str, Any], int | None]:
    """The environment with PettingZoo's usual wrappers: a move that is not legal loses the game."""
    game: AECEnv[str, dict[str, Any], int | None] = raw_env(
        epsilon=epsilon, starts=starts, render_mode=render_mode
    )
    game = wrappers.TerminateIllegalWrapper(game, illegal_reward=-1)
    game = wrappers.AssertOutOfBoundsWrapper(game)
    return wrappers.OrderEnforcingWrapper(game)


class raw_env(AECEnv[str, dict[str, Any], int | None]):  # PettingZoo's name for it
    """The game itself. Observations are dictionaries: `observation` is [2, 8, 8], the agent's own discs and
    its opponent's; `action_mask` is [64], all zero for the agent that is not to move.

    Rewards come at the end: 1 for the winner, -1 for the loser, 0 for a draw. Passes are implied, so an agent
    may move twice in a row.
    """

    metadata = {  # noqa: RUF012  # as PettingZoo declares it
        "name": "outflank_othello_v0",
        "render_modes": list(MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        starts: Sequence[Board] | Board = START,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.epsilon, self.starts = checked_epsilon(epsilon), checked_starts(starts)
        self.render_mode = checked_mode(render_mode)
        self.possible_agents = list(AGENTS)
        self.observation_spaces = {agent: _observation_space() for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(64) for agent in AGENTS}
        self._random = np.random.default_rng()
        self._seed: int | None = None
        self._number = 0

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """The next game; with a seed, the first of its games."""
        if seed is not None or self._seed is None:
            self._seed = int(self._random.integers(1 << 63)) if seed is None else checked_seed(seed)
            self._number = 0
        self._game = self._next_game()
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._select()

    def _next_game(self) -> EnvironmentGame:
        """The next game that forced random moves have not ended already."""
        assert self._seed is not None
        while True:
            number, self._number = self._number, self._number + 1
            game = EnvironmentGame(self.starts, self.epsilon, seed=self._seed, number=number, alternate=False)
            if game.turn is not None:
                return game

    def _select(self) -> None:
        self.agent_selection = AGENTS[0 if self._game.board.mover == "black" else 1]

    @property
    def board(self) -> Board:
        return self._game.board

    def observe(self, agent: str) -> dict[str, Any]:
        """The board as this agent sees it."""
        seen = observation(self.board)
        if agent == AGENTS[0 if self.board.mover == "black" else 1]:
            return {"observation": seen, "action_mask": action_mask(self.board)}
        return {"observation": seen[::-1].copy(), "action_mask": np.zeros(64, dtype=np.int8)}

    def step(self, action: int | None) -> None:
        """Plays a square 0..63 for the agent whose turn it is."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None or not 0 <= action < 64 or not action_mask(self.board)[action]:
            raise ValueError(f"{action} is not a legal move for {self.agent_selection}; see action_mask")
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        self._game.play(int(action))
        if self._game.turn is None:
            won = float(np.sign(self._game.disc_difference_for_first))
            self.rewards = {AGENTS[0]: won, AGENTS[1]: -won}
            self.terminations = dict.fromkeys(AGENTS, True)
        self._select()
        self._accumulate_rewards()

    def render(self) -> Any:
        return None if self.render_mode is None else render(self.board, self.render_mode)

    def close(self) -> None:
        """Nothing to release."""


def _observation_space() -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (2, 8, 8), np.int8),
            "action_mask": spaces.Box(0, 1, (64,), np.int8),
        }
    )
