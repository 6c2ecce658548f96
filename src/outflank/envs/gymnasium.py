"""A Gymnasium environment: one side of a game against any player.

>>> import gymnasium, outflank.envs
>>> env = gymnasium.make("outflank/Othello-v0", opponent="all-2", epsilon=0.1)
>>> observation, info = env.reset(seed=1)
>>> observation.shape, info["colour"], int(info["action_mask"].sum())
((2, 8, 8), 'black', 4)
>>> observation, reward, terminated, truncated, info = env.step(37)
>>> reward, terminated
(0.0, False)

An episode is a game of a match with the same seed: episode n after `reset(seed=s)` is game n of
`Match(..., seed=s)`, so the mean reward of many episodes is the match's result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

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
    opponent_named,
)
from outflank.games.game import START
from outflank.players.greedy import Player

try:
    from gymnasium import Env, spaces
except ImportError:
    raise missing("gymnasium") from None

Side = Literal["black", "white", "alternate"]
SIDES: tuple[Side, ...] = get_args(Side)


class OthelloEnv(Env[npt.NDArray[np.int8], np.int64]):
    """The agent plays one colour, or both in turn; passes and the opponent's moves are played for it.

    The reward is 1 for a win, 0 for a draw and -1 for a loss, at the end of the game. A move that is not
    legal loses the game. Legal moves are in `info["action_mask"]` and returned by `action_masks()`.
    """

    metadata = {"render_modes": list(MODES), "render_fps": 2}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self,
        opponent: Player | str = "standard-heuristic",
        *,
        colour: Side = "alternate",
        epsilon: float = 0.0,
        starts: Sequence[Board] | Board = START,
        render_mode: str | None = None,
    ) -> None:
        if colour not in SIDES:
            raise ValueError(f"colour is black, white or alternate, got {colour!r}")
        self.opponent = opponent_named(opponent)
        self.colour, self.epsilon, self.starts = colour, checked_epsilon(epsilon), checked_starts(starts)
        self.render_mode = checked_mode(render_mode)
        self.observation_space = spaces.Box(0, 1, (2, 8, 8), np.int8)
        self.action_space = spaces.Discrete(64)
        self._episode = 0
        self._seed: int | None = None
        self._game: EnvironmentGame | None = None
        self._is_over = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """The next game; with a seed, the first of its games."""
        super().reset(seed=seed, options=options)
        if seed is not None or self._seed is None:
            self._seed = int(self.np_random.integers(1 << 63)) if seed is None else checked_seed(seed)
            self._episode = 0
        self._game, self._is_over = self._next_game(), False
        return observation(self._game.board), self._info()

    def _next_game(self) -> EnvironmentGame:
        """The next game in which the agent has a choice."""
        assert self._seed is not None
        while True:
            number = {"black": 2 * self._episode, "white": 2 * self._episode + 1}.get(
                self.colour, self._episode
            )
            self._episode += 1
            self._agent_has_black = number % 2 == 0
            game = EnvironmentGame(self.starts, self.epsilon, seed=self._seed, number=number)
            self._let_opponent_move(game)
            if game.turn == 0:
                return game

    def _let_opponent_move(self, game: EnvironmentGame) -> None:
        while game.turn == 1:
            game.play_by(self.opponent)

    def step(self, action: np.int64) -> tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Plays a square 0..63, and the opponent's answers."""
        game = self._game
        if game is None or self._is_over:
            raise ValueError("the game is over or has not begun; call reset first")
        if not self.action_space.contains(np.int64(action)):
            raise ValueError(f"an action is a square, 0 to 63, got {action}")
        if not action_mask(game.board)[action]:
            self._is_over = True
            return observation(game.board), -1.0, True, False, self._info() | {"illegal": True}
        game.play(int(action))
        self._let_opponent_move(game)
        self._is_over = game.turn is None
        reward = float(np.sign(game.disc_difference_for_first)) if self._is_over else 0.0
        return self._seen(game.board), reward, self._is_over, False, self._info()

    def _seen(self, board: Board) -> npt.NDArray[np.int8]:
        """The agent's view, also of the last board, where nobody is to move."""
        is_own = (board.mover == "black") == self._agent_has_black
        seen = observation(board)
        return seen if is_own else seen[::-1].copy()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal moves, as sb3-contrib's MaskablePPO asks for them."""
        return action_mask(self._board).astype(np.bool_)

    @property
    def _board(self) -> Board:
        if self._game is None:
            raise ValueError("the game has not begun; call reset first")
        return self._game.board

    def _info(self) -> dict[str, Any]:
        board = self._board
        return {
            "action_mask": action_mask(board),
            "board": board.text,
            "colour": "black" if self._agent_has_black else "white",
            "disc_difference": board.disc_difference if self._agent_has_black else -board.disc_difference,
        }

    def render(self) -> Any:
        return None if self.render_mode is None else render(self._board, self.render_mode)

    def close(self) -> None:
        """Ends the process of an opponent that is an engine."""
        close = getattr(self.opponent, "close", None)
        if close is not None:
            close()
