"""How fast games are played and learned from, beside rust-reversi."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import numpy as np

from outflank import _core
from outflank.benchmarks.peer_libraries import InstalledPeer
from outflank.benchmarks.timing import Target, Timing, best_rates
from outflank.board import Board
from outflank.cores import available_cores
from outflank.evaluators.mlp import Mlp, SpatialMlp
from outflank.games.match import Match
from outflank.learners.execution.executor import ThreadExecutor
from outflank.learners.runs.settings import load_preset
from outflank.learners.td import TdLearner, TdSettings
from outflank.players.greedy import GreedyPlayer, Player, RandomPlayer
from outflank.players.names import named_player


def _random_network(kind: type[Mlp] | type[SpatialMlp]) -> GreedyPlayer:
    weights = np.random.default_rng(1).uniform(-0.2, 0.2, kind().weights.size)
    return GreedyPlayer(kind(weights), "inversion", kind.__name__)


def _games_per_second(
    first: Player, second: Player, double_games: int, epsilon: float, threads: int
) -> float:
    match = Match(first, second, double_games=double_games, epsilon=epsilon, threads=threads)
    first_batch = next(iter(match.batches()))  # compiles the networks and warms the caches
    assert len(first_batch.disc_differences)
    began = perf_counter()
    match._play_batch(0, 2 * double_games, record=False)
    return 2 * double_games / (perf_counter() - began)


def _separately(measure: Callable[[], float], count: int) -> Callable[[], float]:
    """Measurements that share nothing, each on a thread, at the same time: what the machine itself gives."""

    def both() -> float:
        with ThreadPoolExecutor(count) as pool:
            return sum(future.result() for future in [pool.submit(measure) for _ in range(count)])

    return both


def _perft_per_second() -> float:
    board = Board()
    began = perf_counter()
    paths = _core.perft(board.mover_discs, board.opponent_discs, 10)
    return paths / (perf_counter() - began)


def _learning_per_second(preset: str, games: int, batch: int | None = None, threads: int = 1) -> float:
    settings = load_preset(preset, {} if batch is None else {"batch": batch, "symmetric": True}).settings
    assert isinstance(settings, TdSettings)
    learner = TdLearner(settings, seed=1, executor=ThreadExecutor(threads))
    learner.play(games // 5)
    began = perf_counter()
    played = learner.play(games).games
    return played / (perf_counter() - began)


RANDOM, ALL_2, HEURISTIC = "random playouts", "all-2 - heuristic", "heuristic - heuristic"
CHAMPION = "league-champion - heuristic"
SEPARATE = "all-2 - heuristic, two matches at the same time"
MLP, SPATIAL = "MLP 64-32-1 - heuristic", "spatial MLP - heuristic"
PEER_RANDOM = "rust-reversi random playouts"
PERFT, TD_SNAKES, TD_CHAMPION = "perft 10", "TD self-play, 30 snakes", "TD, league-champion"
TD_BATCHES = "TD in batches of 1,024, td-all-rounder"


def time_playouts(peer: InstalledPeer | None = None) -> Iterator[Timing]:
    """Every kernel on one thread, the League's match on all cores too, and the peer if there is one."""
    heuristic, all_2 = named_player("standard-heuristic"), named_player("all-2")
    champion = named_player("league-champion")
    cores = available_cores()

    def playing(first: Player, second: Player, games: int, threads: int = 1) -> Callable[[], float]:
        return lambda: _games_per_second(first, second, games, 0.1, threads)

    kernels: list[tuple[str, int, Callable[[], float]]] = [
        (RANDOM, 1, lambda: _games_per_second(RandomPlayer(), RandomPlayer(), 200_000, 0.0, 1)),
        (ALL_2, 1, playing(all_2, heuristic, 20_000)),
        (ALL_2, 2, playing(all_2, heuristic, 40_000, 2)),
        (SEPARATE, 2, _separately(playing(all_2, heuristic, 20_000), 2)),
        (CHAMPION, 1, playing(champion, heuristic, 10_000)),
        (HEURISTIC, 1, playing(heuristic, heuristic, 40_000)),
        (MLP, 1, playing(_random_network(Mlp), heuristic, 4_000)),
        (SPATIAL, 1, playing(_random_network(SpatialMlp), heuristic, 500)),
        (TD_SNAKES, 1, lambda: _learning_per_second("lucas-2007", 1_500)),
        (TD_CHAMPION, 1, lambda: _learning_per_second("league-champion", 6_000)),
        (TD_BATCHES, 1, lambda: _learning_per_second("td-all-rounder", 5 * 1024, 1024)),
        (TD_BATCHES, 2, lambda: _learning_per_second("td-all-rounder", 5 * 1024, 1024, 2)),
        (PERFT, 1, _perft_per_second),
    ]
    kernels = [kernel for kernel in kernels if kernel[1] <= cores]
    if peer is not None:
        kernels.append((PEER_RANDOM, 1, peer.per_second))
    rates = best_rates([measure for _, _, measure in kernels])
    for (name, threads, _), rate in zip(kernels, rates, strict=True):
        yield Timing(name, "paths" if name == PERFT else "games", rate, threads)


def playout_targets(timings: list[Timing]) -> Iterator[Target]:
    """The ratios that the project promises, where both sides were timed."""
    rate = {(timing.name, timing.threads): timing.per_second for timing in timings}
    if (ALL_2, 2) in rate:
        yield Target("all-2 - heuristic: two threads over one", rate[ALL_2, 2] / rate[ALL_2, 1], 1.95)
        # Two virtual processors may share a core, or its clock: then two threads cannot be twice as fast.
        alone = rate[SEPARATE, 2]
        yield Target("all-2 - heuristic: two threads over two matches", rate[ALL_2, 2] / alone, 0.97)
    if (TD_BATCHES, 2) in rate:
        yield Target(f"{TD_BATCHES}: two threads over one", rate[TD_BATCHES, 2] / rate[TD_BATCHES, 1], 1.8)
    if (PEER_RANDOM, 1) in rate:
        peer = rate[PEER_RANDOM, 1]
        yield Target("random playouts over rust-reversi's", rate[RANDOM, 1] / peer, 20.0)
        yield Target("all-2 - heuristic over rust-reversi's random playouts", rate[ALL_2, 1] / peer, 3.0)
