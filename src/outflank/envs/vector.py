"""Gymnasium's vector environment over a batch of games in the core.

>>> import gymnasium, outflank.envs
>>> envs = gymnasium.make_vec("outflank/Othello-v0", num_envs=512, opponent="all-2")
>>> observations, infos = envs.reset(seed=1)
>>> observations, rewards, terminations, truncations, infos = envs.step(envs.unwrapped.random_actions())
>>> observations.shape, infos["action_mask"].shape
((512, 2, 8, 8), (512, 64))

A game that is over is replaced within the same step (`AutoresetMode.SAME_STEP`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Board
from outflank.envs.batched import BatchedOthello
from outflank.envs.rules import missing
from outflank.games.game import START
from outflank.players.greedy import Player

try:
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise missing("gymnasium") from None


class OthelloVectorEnv(VectorEnv[npt.NDArray[np.int8], npt.NDArray[np.int64], Any]):
    """Games against a player of the core; the agent has Black in even games and White in odd ones.

    Rewards are those of the single environment. Legal moves are in `infos["action_mask"]`; a move that is not
    legal is an error.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Player | str = "standard-heuristic",
        *,
        epsilon: float = 0.0,
        starts: Sequence[Board] | Board = START,
        threads: int = 1,
    ) -> None:
        self.num_envs = num_envs
        self._batch = BatchedOthello(
            num_envs, opponent=opponent, epsilon=epsilon, starts=starts, threads=threads
        )
        self.single_observation_space = spaces.Box(0, 1, (2, 8, 8), np.int8)
        self.single_action_space = spaces.Discrete(64)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Starts all games anew; one seed serves all of them."""
        if isinstance(seed, list):
            raise ValueError("one seed serves all games of the batch; give a whole number")
        super().reset(seed=seed, options=options)
        observations, masks = self._batch.reset(
            int(self.np_random.integers(1 << 63)) if seed is None else seed
        )
        return observations, {"action_mask": masks}

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[
        npt.NDArray[np.int8],
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Plays a legal move in every game, and the opponent's answers."""
        step = self._batch.step(actions)
        infos = {"action_mask": step.masks, "disc_difference": step.disc_differences}
        never = np.zeros(self.num_envs, dtype=np.bool_)
        return step.observations, step.rewards.astype(np.float64), step.terminated, never, infos

    def random_actions(self) -> npt.NDArray[np.uint8]:
        """A random legal move for each game."""
        return self._batch.random_actions()
