"""Thousands of games in step: NumPy arrays in and out, the games in the core.

>>> batch = BatchedOthello(4096, seed=1)
>>> observations, masks = batch.reset()
>>> observations.shape, masks.shape, int(masks[0].sum())
((4096, 2, 8, 8), (4096, 64), 4)
>>> finished = 0
>>> for _ in range(70):
...     step = batch.step(batch.random_actions())
...     finished += int(step.terminated.sum())
>>> finished > 4096
True

A game that is over is replaced by the next one within the same step. Game number n draws only from
stream(seed, n), as in a match: the same seed gives the same games on any number of threads. With an opponent,
the batch asks for the moves of one side only, which has Black in even games and White in odd ones.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board
from outflank.envs.rules import checked_epsilon, checked_seed, checked_starts, opponent_named
from outflank.games.game import START
from outflank.games.match import match_rules
from outflank.players.greedy import Player

MOST_GAMES = 1 << 24
Observations = npt.NDArray[np.int8]
Masks = npt.NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True)
class BatchStep:
    """What a step led to, one element per game.

    Rewards and disc differences are for the side that made the step's move: 1 for a win, -1 for a loss, 0 for
    a draw or a game that goes on. Where `terminated`, the other arrays show the next game.
    """

    observations: Observations  # [games, 2, 8, 8]: discs of the side to move, of its opponent
    masks: Masks  # [games, 64]: legal moves
    rewards: npt.NDArray[np.float32]
    terminated: npt.NDArray[np.bool_]
    disc_differences: npt.NDArray[np.int8]  # at the end of a game, otherwise 0
    black_to_move: npt.NDArray[np.bool_]


class BatchedOthello:
    """A batch of games; without an opponent, the actions are those of both sides.

    opponent: a player or its name, such as "all-2", that answers within the step. epsilon: the probability of
    a forced random move, at every move of either side. starts: a position to start from, or several, in turn.
    copy: whether arrays are the caller's own; if not, the next step overwrites them, which is faster.
    """

    def __init__(
        self,
        games: int,
        *,
        opponent: Player | str | None = None,
        epsilon: float = 0.0,
        starts: Sequence[Board] | Board = START,
        seed: int = 1,
        threads: int = 1,
        copy: bool = True,
    ) -> None:
        for what, number in (("games", games), ("threads", threads)):
            if not isinstance(number, int | np.integer):
                raise TypeError(f"{what} is a whole number, got {number!r}")
        if not 1 <= games <= MOST_GAMES:
            raise ValueError(f"a batch has 1 to {MOST_GAMES:,} games, got {games}")
        if not 1 <= threads <= 1024:
            raise ValueError(f"threads must be within 1..1024, got {threads}")
        self.games, self.threads, self.copy = games, threads, copy
        self.opponent = None if opponent is None else opponent_named(opponent)
        self._core_opponent = _in_the_core(self.opponent)
        self._epsilon, self._starts = checked_epsilon(epsilon), checked_starts(starts)
        self._planes = np.zeros((games, 2, 8, 8), dtype=np.int8)
        self._masks = np.zeros((games, 64), dtype=np.bool_)
        self._black_to_move = np.zeros(games, dtype=np.bool_)
        self._over = np.zeros(games, dtype=np.bool_)
        self._differences = np.zeros(games, dtype=np.int8)
        self.seed = checked_seed(seed)
        self._lock = threading.Lock()  # the core plays without the GIL
        self.reset()

    def reset(self, seed: int | None = None) -> tuple[Observations, Masks]:
        """Starts all games anew; the same seed gives the same games again."""
        self.seed = self.seed if seed is None else checked_seed(seed)
        rules = match_rules(self._starts, (self._epsilon, self._epsilon), self.seed)
        with self._lock:
            self._batch = _core.BatchedGames(rules, self.games, self._core_opponent)
            self._batch.observe(*self._view)
            return self._handed(self._planes), self._handed(self._masks)

    def step(self, actions: npt.ArrayLike) -> BatchStep:
        """Plays one legal move, a square 0..63, in every game."""
        squares = _squares(actions, self.games)
        over = self._over.view(np.uint8)
        with self._lock:
            self._batch.step(squares, self.threads, over, self._differences, *self._view)
            differences = self._handed(self._differences)
            return BatchStep(
                self._handed(self._planes),
                self._handed(self._masks),
                np.sign(differences).astype(np.float32),
                self._handed(self._over),
                differences,
                self._handed(self._black_to_move),
            )

    def random_actions(self) -> npt.NDArray[np.uint8]:
        """A random legal move for each game, drawn as the random player of a match draws it."""
        with self._lock:
            return self._batch.draw_moves()

    @property
    def observations(self) -> Observations:
        return self._handed(self._planes)

    @property
    def masks(self) -> Masks:
        return self._handed(self._masks)

    @property
    def black_to_move(self) -> npt.NDArray[np.bool_]:
        return self._handed(self._black_to_move)

    @property
    def bitboards(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        """The discs of the sides to move and of their opponents, as sets of 64 bits."""
        with self._lock:
            return self._batch.positions()

    @property
    def _view(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        """The arrays that the core fills, flat."""
        planes, masks = self._planes.reshape(-1).view(np.uint8), self._masks.reshape(-1).view(np.uint8)
        return planes, masks, self._black_to_move.view(np.uint8)

    def _handed(self, array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
        return array.copy() if self.copy else array


def _in_the_core(opponent: Player | None) -> _core.Player | None:
    core: _core.Player | None = getattr(opponent, "core", None)
    if opponent is not None and core is None:
        raise ValueError(
            f"{opponent.name} does not play in the core, so it cannot answer a batch of games; use the "
            "Gymnasium environment, which takes any player"
        )
    return core


def _squares(actions: npt.ArrayLike, games: int) -> npt.NDArray[np.uint8]:
    """Actions as squares; whole numbers of any type are accepted."""
    array = np.asarray(actions)
    if array.shape != (games,) or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(
            f"actions are {games:,} whole numbers, one per game; got an array of shape {array.shape} and "
            f"type {array.dtype}"
        )
    if array.dtype == np.uint8:
        return np.ascontiguousarray(array)
    if outside := np.flatnonzero((array < 0) | (array > 63)).tolist():
        raise ValueError(f"action {array[outside[0]]} in game {outside[0]} is outside 0..63")
    return array.astype(np.uint8)
