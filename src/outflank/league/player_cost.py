"""The cost of a player: memory, and CPU time to read, compile and play.

>>> cost = PlayerCost(bytes_held=3_000_000, read_seconds=0.01, compile_seconds=0.1, game_seconds=0.31)
>>> cost.excess
'it takes 0.31 s per game; the limit is 0.0025 s'

Seconds are CPU time, so that a busy machine does not count against a player.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.onnx.network import OnnxEvaluator
from outflank.evaluators.protocol import CoreEvaluator
from outflank.games.match import Match
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player

# A score is 100,000 games: four minutes of one core at this bound. Players of the literature take 0.02 to
# 0.15 ms, an MLP of 512 hidden nodes 0.7 ms, a network of 130 tuples of 10 squares in 8 symmetries 1 ms.
MOST_GAME_SECONDS = 0.0025
# The largest network that may be submitted, 8 million weights, holds 64 MB of them and a compiled form.
MOST_BYTES_HELD = 256 << 20
# A visitor who plays waits for both, within the 10 s of the server's compute processes; players of the
# literature take 0.1 s.
MOST_READ_SECONDS = 4.0
MOST_COMPILE_SECONDS = 4.0
MOST_DOUBLE_GAMES = 4096
FEWEST_SECONDS = 0.05  # of a measurement: the CPU clock may tick every 10 ms
ENOUGH_SECONDS = 0.5  # a measurement that took longer is not repeated
REPEATS = 3  # the best counts: other load can only make a player slower


@dataclass(frozen=True)
class PlayerCost:
    """As measured."""

    bytes_held: int
    read_seconds: float
    compile_seconds: float
    game_seconds: float

    @property
    def excess(self) -> str | None:
        """What exceeds the league's budget, with the figures; None if nothing does."""
        if self.bytes_held > MOST_BYTES_HELD:
            held, most = self.bytes_held / 2**20, MOST_BYTES_HELD >> 20
            return f"it holds {held:,.0f} MB of memory; the limit is {most} MB"
        for seconds, most_seconds, what in (
            (self.read_seconds, MOST_READ_SECONDS, "to read"),
            (self.compile_seconds, MOST_COMPILE_SECONDS, "to compile"),
            (self.game_seconds, MOST_GAME_SECONDS, "per game"),
        ):
            if seconds > most_seconds:
                return f"it takes {seconds:.2g} s {what}; the limit is {most_seconds:g} s"
        return None


def measured_cost(player: GreedyPlayer, read_seconds: float, note: Callable[[str], None]) -> PlayerCost:
    """The cost of a player that took `read_seconds` to read. `note` is called with each stage."""
    note("to compile")
    began = time.process_time()
    _ = player.core
    compile_seconds = time.process_time() - began
    held = bytes_held(player)
    cost = PlayerCost(held, read_seconds, compile_seconds, 0.0)
    if cost.excess is not None:  # no need to play
        return cost
    note("for a few games")
    return PlayerCost(held, read_seconds, compile_seconds, _seconds_per_game(player))


def bytes_held(player: GreedyPlayer) -> int:
    """The memory that a loaded player takes: its weights and its compiled form."""
    evaluator = player.evaluator
    assert isinstance(evaluator, CoreEvaluator | DoubledFunction | OnnxEvaluator)  # the kinds in files
    return evaluator.bytes_held


def _seconds_per_game(player: GreedyPlayer) -> float:
    """One ply against the standard heuristic, as in the league: as many games as the clock's resolution
    needs, and only two with a slow player."""
    double_games, took = 1, 0.0
    while (took := _seconds_for(player, double_games)) < FEWEST_SECONDS and double_games < MOST_DOUBLE_GAMES:
        double_games *= 4
    repeats = REPEATS if took < ENOUGH_SECONDS else 0
    best = min([took, *(_seconds_for(player, double_games) for _ in range(repeats))])
    return best / (2 * double_games)


def _seconds_for(player: GreedyPlayer, double_games: int) -> float:
    heuristic = named_player("standard-heuristic")
    match = Match(player, heuristic, double_games=double_games, epsilon=0.1, threads=1)
    began = time.process_time()
    match.play()
    return time.process_time() - began
