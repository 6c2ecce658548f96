"""The printed code of temporal-difference learning, Figure 8, beside what the core learns.

The two methods of the figure are written out again in Python, on the look-up tables of an n-tuple network
(equation 4), and play the core's own games: same generator, same choices. Both must end with the same
weights.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from outflank import _core
from outflank.board import Board
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.learners.runs.settings import load_preset
from outflank.learners.td import TdLearner, TdSettings
from outflank.plots.style import COLOURS, INK, new_figure
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Measured, Outcome

FloatArray = npt.NDArray[np.float64]
ROUNDING = 1e-5  # of single precision, over some hundred updates
TIE = 1e-6  # values this close count as equal
MOST_DRAWS = 500  # random numbers of a game


class PrintedLearner:
    """inGameUpdate and terminalUpdate of Figure 8, and the games around them."""

    def __init__(self, network: NTupleNetwork, settings: TdSettings, seed: int) -> None:
        self.weights = network.weights.astype(np.float64)
        self.alpha, self.epsilon, self.seed = settings.alpha, settings.epsilon, seed
        sizes = [3 ** len(table[0]) for table in network.tables]
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self._placements = [
            (int(start), np.array(squares))
            for start, table in zip(starts, network.tables, strict=True)
            for squares in table
        ]

    def indices(self, board: Board) -> npt.NDArray[np.int64]:
        """The entries of all look-up tables that the board indexes: D(b) of equation 4."""
        digits = np.array([1 + (board.black >> s & 1) - (board.white >> s & 1) for s in range(64)])
        return np.array([
            start + int(digits[squares] @ 3 ** np.arange(len(squares) - 1, -1, -1))
            for start, squares in self._placements
        ])  # fmt: skip

    def forward(self, board: Board) -> float:
        return float(self.weights[self.indices(board)].sum())

    def in_game_update(self, previous: Board, following: Board) -> None:
        self._update(previous, np.tanh(self.forward(following)))

    def terminal_update(self, previous: Board, target: float) -> None:
        self._update(previous, target)

    def _update(self, previous: Board, target: float) -> None:
        output = np.tanh(self.forward(previous))
        delta = self.alpha * (target - output) * (1 - output * output)
        np.add.at(self.weights, self.indices(previous), delta)

    def play(self, number: int) -> None:
        """One game; the engine calls the updates after each move."""
        draws = iter(_core.stream_numbers(self.seed, number, MOST_DRAWS).tolist())
        board, previous = Board(), None
        while not board.is_over:
            board = self._moved(board.settled(), draws)
            if previous is not None and board.is_over:
                self.terminal_update(previous, float(np.sign(board.disc_difference)))
            elif previous is not None:
                self.in_game_update(previous, board)
            previous = board

    def _moved(self, board: Board, draws: Iterator[int]) -> Board:
        """After the best move for the mover, or a random one."""
        sign = 1 if board.mover == "black" else -1
        after = [board.play(move) for move in board.legal_moves]
        values = [sign * np.tanh(self.forward(one)) for one in after]
        forced = (next(draws) >> 11) * 2.0**-53 < self.epsilon
        ties = [at for at, value in enumerate(values) if value >= max(values) - TIE]
        choice = ties[0] if len(ties) == 1 else ties[(next(draws) >> 32) * len(ties) >> 32]
        return after[(next(draws) >> 32) * len(after) >> 32 if forced else choice]


def figure_8(lab: Laboratory) -> Outcome:
    """Some games of the printed code and of the core, from the same weights."""
    s = lab.settings
    settings = load_preset(s["preset"], {"initial_weights": s["initial_weights"]}).settings
    assert isinstance(settings, TdSettings)
    learner = TdLearner(settings, seed=1)
    assert isinstance(learner.evaluator, NTupleNetwork)
    before = learner.core.weights().astype(np.float64)
    printed = PrintedLearner(learner.evaluator, settings, seed=1)
    for number in range(s["games"]):
        printed.play(number)
    learner.play(s["games"])
    ours, theirs = learner.core.weights() - before, printed.weights - before
    apart = float(np.abs(ours - theirs).max())
    moved = (ours != 0) | (theirs != 0)
    title = f"Changes of {np.count_nonzero(moved):,} of {len(before):,} weights in {s['games']} games"
    caption = "Each point is a weight: its change by the core, and by the printed code."
    return Outcome(
        {
            "alpha": Measured.exactly(settings.alpha),
            "same updates": Claim(
                apart < ROUNDING and bool(np.abs(theirs).max() > 10 * ROUNDING),
                f"largest difference {apart:.1e}, largest change {np.abs(theirs).max():.1e},"
                f" {np.count_nonzero(theirs):,} weights changed",
            ),
        },
        [lab.draw("figure-8", caption, draw_changes, ours[moved], theirs[moved], title)],
    )


def draw_changes(ours: FloatArray, theirs: FloatArray, title: str) -> Figure:
    """
    >>> draw_changes(np.zeros(3), np.zeros(3), "nothing").axes[0].get_ylabel()
    'change by the core'
    """
    figure, (axes,) = new_figure(4.8, title=title)
    reach = 1.1 * max(1e-9, float(np.abs(theirs).max()))
    axes.plot([-reach, reach], [-reach, reach], color=INK, linewidth=0.8, label="equal")
    axes.plot(theirs, ours, ".", color=COLOURS[0], markersize=3, label="a weight")
    axes.set(xlim=(-reach, reach), ylim=(-reach, reach), xlabel="change by the printed code",
             ylabel="change by the core")  # fmt: skip
    axes.legend(frameon=False)
    return figure
