"""ONNX networks as players: `net.onnx[,view=...][,output=...][,perspective=...]`.

A value makes an evaluator, played one ply deep or searched. A policy gives a number to every square, and the
legal move with the largest is made; it sees the board as the mover does, its own discs as Black's.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outflank.board import Board, Square
from outflank.evaluators.onnx.file import OnnxOutput
from outflank.evaluators.onnx.network import PERSPECTIVES, OnnxEvaluator, OnnxNetwork
from outflank.evaluators.protocol import FloatArray
from outflank.evaluators.storage import View
from outflank.players.analysis import Analysis
from outflank.players.greedy import GreedyPlayer
from outflank.suggestions import unknown


@dataclass(frozen=True)
class PolicyPlayer:
    """The largest number of an ONNX network's policy."""

    network: OnnxNetwork
    output: OnnxOutput
    name: str = "policy"

    def __post_init__(self) -> None:
        if self.output.kind != "policy":
            raise ValueError(f"{self.network.source}: {self.output.name} is a value, not a policy")

    @property
    def core(self) -> None:
        """None: it does not play in the core."""
        return None

    def preferences(self, boards: Sequence[Board]) -> list[FloatArray]:
        """The policy of each board's legal moves, all boards in one call."""
        mover = np.array([board.mover_discs for board in boards], dtype=np.uint64)
        opponent = np.array([board.opponent_discs for board in boards], dtype=np.uint64)
        found = self.network.run(mover, opponent, self.output)
        return [row[list(board.legal_moves)] for row, board in zip(found, boards, strict=True)]

    def judge(self, board: Board) -> list[tuple[Square, float]]:
        """The legal moves with the policy's numbers."""
        return list(zip(board.legal_moves, self.preferences([board])[0].tolist(), strict=True))

    def analyze(self, board: Board, all_moves: bool = False) -> Analysis:
        """The policy's numbers: they order the moves, but are worth nothing in discs."""
        began = time.perf_counter()
        found = Analysis.of_values(self.judge(board), 1, time.perf_counter() - began)
        return found.with_ties_broken(all_moves)

    def choose(self, board: Board) -> Square:
        return self.analyze(board).best


def onnx_player(
    source: str, view: View | None, options: dict[str, str], text: str
) -> GreedyPlayer | PolicyPlayer:
    """The player in a file; takes its own options out of `options`."""
    network = OnnxNetwork.load(source)
    output = network.output(options.pop("output", None))
    wanted = options.pop("perspective", None)
    perspective = next((one for one in PERSPECTIVES if one == wanted), None)
    if wanted is not None and perspective is None:
        raise ValueError(unknown(wanted, PERSPECTIVES, "a perspective"))
    stated = view or network.view
    if output.kind == "policy":
        if stated not in (None, "inversion") or perspective is not None:
            raise ValueError(
                f"{text}: a policy sees the board as the mover does; leave out view and perspective"
            )
        return PolicyPlayer(network, output, text)
    evaluator = OnnxEvaluator(network, output, perspective)
    if evaluator.is_for_next and stated == "negation":
        raise ValueError(f"{text}: a value for the side to move next goes with view=inversion")
    notes = () if stated or evaluator.is_for_next else (
        f"{text} does not say its view, so it plays by inversion; if Black maximises and White minimises its "
        f"value, name it {text},view=negation",
    )  # fmt: skip
    return GreedyPlayer(evaluator, stated or "inversion", text, notes)
