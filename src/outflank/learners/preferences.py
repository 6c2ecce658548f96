"""Preference learning: an evaluator learns the moves of recorded games (Runarsson and Lucas 2014).

The probability of a move is the softmax of the values of the boards after all legal moves; gradient ascent
raises the log-likelihood of the moves that were made (core/learning/preferences.hpp).

>>> from outflank.games.game import Game
>>> moves = made_moves([Game.from_transcript("f5d6c3d3c4f4f6")])
>>> len(moves.squares), len(moves.some([0]).squares)
(7, 7)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.evaluators.protocol import CoreEvaluator
from outflank.games.formats.any_format import read_game_file
from outflank.games.game import Game
from outflank.learners.architectures import Architecture, learnable
from outflank.learners.validation import PlayerNames, SettingsModel, Whole, setting
from outflank.players.greedy import GreedyPlayer

BATCH = 256  # games per call of the core
MOST_MEASURED = 200_000  # moves of the held-out games


class PreferenceSettings(SettingsModel):
    """Everything that determines what is learned, except the seed and the contents of the files."""

    method: Literal["preferences"] = setting("preferences", "Learn which moves were made in recorded games.")

    # What learns.
    evaluator: str = setting("logistello", "piece-counter, mlp-32 or a shape of tuples.")
    stages: Whole = setting(12, "Game stages, each with its own tables (n-tuples only).", ge=1, le=61)
    symmetric: bool = setting(True, "Mirror-image entries of a table share one weight (n-tuples only).")

    # From which games it learns.
    files: PlayerNames = setting((), "Files of games: WTHOR, GGF, transcripts, JSON lines.")
    held_out: PlayerNames = setting((), "Files of games on which prediction is measured: other years.")
    games: Whole = setting(50_000, "Games to learn from; the files' are repeated in a new order.", ge=1)

    # How it learns.
    alpha: float = setting(0.1, "Learning rate of a weight.", gt=0)
    final_alpha: float | None = setting(0.01, "Learning rate at the end, if it is to fall linearly.", ge=0)
    coherence: bool = setting(True, "Temporal-coherence rates: weights whose changes cancel out slow down.")

    # How it is measured.
    measure_every: Whole = setting(10_000, "Games between two measurements.", ge=1)
    measure_double_games: Whole = setting(1_000, "Double games per measurement.", ge=1)
    measure_against: str = setting("standard-heuristic", "Opponent in measurements.")
    measure_epsilon: float = setting(0.1, "Probability of a forced random move in measurements.", ge=0, le=1)


@dataclass(frozen=True)
class MadeMoves:
    """All moves of some games: who had which discs before each, and its square. Game n has moves
    firsts[n] .. firsts[n + 1] - 1."""

    mover: npt.NDArray[np.uint64]
    opponent: npt.NDArray[np.uint64]
    squares: npt.NDArray[np.uint8]
    firsts: npt.NDArray[np.int64]

    @property
    def games(self) -> int:
        return len(self.firsts) - 1

    def some(self, games: Sequence[int] | npt.NDArray[np.int64]) -> MadeMoves:
        """The moves of these games, in this order."""
        rows = [np.arange(self.firsts[n], self.firsts[n + 1]) for n in games]
        at = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
        firsts = np.cumsum([0, *map(len, rows)])
        return MadeMoves(self.mover[at], self.opponent[at], self.squares[at], firsts)


def made_moves(games: Iterable[Game]) -> MadeMoves:
    mover, opponent, squares, firsts = [], [], [], [0]
    for game in games:
        for board, move in zip(game.boards, game.moves, strict=False):
            decision = board.settled()
            mover.append(decision.mover_discs)
            opponent.append(decision.opponent_discs)
            squares.append(int(move))
        firsts.append(len(squares))
    return MadeMoves(
        np.array(mover, dtype=np.uint64), np.array(opponent, dtype=np.uint64),
        np.array(squares, dtype=np.uint8), np.array(firsts, dtype=np.int64),
    )  # fmt: skip


def read_moves(files: Sequence[str]) -> MadeMoves:
    """The moves of all legal games in some files."""
    found = made_moves(
        record.game for file in files for record in read_game_file(Path(file), skip_bad=True).records
    )
    if files and not found.games:
        raise ValueError("there are no legal games in " + ", ".join(files))
    return found


@dataclass(frozen=True)
class PreferenceTotals:
    """Sums over some moves, each from before it was learned."""

    games: int = 0
    decisions: int = 0
    log_loss: float = 0.0
    predicted: float = 0.0

    def __add__(self, other: PreferenceTotals) -> PreferenceTotals:
        return PreferenceTotals(
            self.games + other.games, self.decisions + other.decisions, self.log_loss + other.log_loss,
            self.predicted + other.predicted,
        )  # fmt: skip


class PreferenceLearner:
    """Learns batch after batch of games. Its weights after n games depend on the settings, the seed and the
    files."""

    def __init__(self, settings: PreferenceSettings, seed: int, threads: int = 1) -> None:
        if not settings.files:
            raise ValueError("preference learning needs games; name files: --set 'files=[\"WTH_1998.wtb\"]'")
        self.settings = settings
        self.seed = seed
        self.threads = threads
        empty = Architecture.named(settings.evaluator, settings.stages).new(seed)
        if not isinstance(empty, CoreEvaluator):
            raise ValueError(f"{settings.evaluator} is written in Python, so it learns by evolution only")
        self.evaluator = empty
        self.core = learnable(empty, settings.coherence, settings.symmetric)
        self.moves = read_moves(settings.files)
        held_out = read_moves(settings.held_out)
        every = max(1, -(-len(held_out.squares) // MOST_MEASURED))
        self.held_out = held_out.some(range(0, held_out.games, every))
        self.games = 0
        self._epoch: tuple[int, npt.NDArray[np.int64]] = (-1, np.zeros(0, dtype=np.int64))

    @property
    def is_finished(self) -> bool:
        return self.games >= self.settings.games

    def play(self) -> PreferenceTotals:
        """Learn the next batch of games."""
        s = self.settings
        end = min(self.games - self.games % BATCH + BATCH, s.games)
        moves = self.moves.some([self._game(number) for number in range(self.games, end)])
        last = s.alpha if s.final_alpha is None else s.final_alpha
        alpha = s.alpha + (last - s.alpha) * self.games / s.games
        learned = self._prefer(moves, alpha)
        self.games = end
        return PreferenceTotals(moves.games, *learned)

    def measure(self) -> PreferenceTotals:
        """How the held-out moves are predicted."""
        return PreferenceTotals(self.held_out.games, *self._prefer(self.held_out, 0.0))

    def _prefer(self, moves: MadeMoves, alpha: float) -> tuple[int, float, float]:
        return _core.learn_preferences(
            self.core, moves.mover, moves.opponent, moves.squares, alpha, self.threads
        )

    def _game(self, number: int) -> int:
        """Which game of the files is learned as number `number`: each epoch has its own order."""
        epoch, at = divmod(number, self.moves.games)
        if self._epoch[0] != epoch:
            self._epoch = epoch, np.random.default_rng([self.seed, epoch]).permutation(self.moves.games)
        return int(self._epoch[1][at])

    def learned(self) -> CoreEvaluator:
        """The evaluator as it is now."""
        return self.evaluator.with_weights(self.core.weights())

    def player(self, name: str = "learned") -> GreedyPlayer:
        return GreedyPlayer(self.learned(), "inversion", name)
