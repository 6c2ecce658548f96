"""How fast the environments for reinforcement learning are, beside OpenSpiel and pgx.

A step is one move in one game, chosen at random among the legal ones. In OpenSpiel and pgx a pass is a step
of its own (one in about 60), here it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter

from outflank.benchmarks.peer_libraries import OPEN_SPIEL, PGX, InstalledPeer
from outflank.benchmarks.timing import Target, Timing, best_rates
from outflank.board import Board
from outflank.cores import available_cores
from outflank.envs.batched import BatchedOthello
from outflank.envs.rules import EnvironmentGame

GAMES, STEPS, ROUNDS = 4096, 100, 3
BATCH, AGAINST, SINGLE = "batch of 4,096 games", "batch against all-2", "one game in Python"
PEER_NAMES = {OPEN_SPIEL: "OpenSpiel, one game in Python", PGX: "pgx, batch of 4,096 games, all cores"}


def _batch_steps_per_second(threads: int, opponent: str | None = None) -> float:
    batch = BatchedOthello(GAMES, opponent=opponent, threads=threads)
    steps = STEPS if opponent is None else STEPS // 5
    began = perf_counter()
    for _ in range(steps):
        batch.step(batch.random_actions())
    return GAMES * steps / (perf_counter() - began)


def _single_steps_per_second() -> float:
    steps, games = 0, 50
    began = perf_counter()
    for number in range(games):
        game = EnvironmentGame((Board(),), 0.0, seed=1, number=number)
        while game.turn is not None:
            game.play(game.board.legal_moves[0])
            steps += 1
    return steps / (perf_counter() - began)


def time_environments(peers: dict[str, InstalledPeer]) -> Iterator[Timing]:
    """Batches on one thread and on all cores, and the peers that are installed."""
    kernels: list[tuple[str, int, Callable[[], float]]] = [
        (BATCH, 1, lambda: _batch_steps_per_second(1)),
        (AGAINST, 1, lambda: _batch_steps_per_second(1, "all-2")),
        (SINGLE, 1, _single_steps_per_second),
    ]
    if (cores := available_cores()) > 1:
        kernels.append((BATCH, cores, lambda: _batch_steps_per_second(cores)))
    for peer, name in PEER_NAMES.items():
        if peer.name in peers:
            kernels.append((name, cores if peer is PGX else 1, peers[peer.name].per_second))
    rates = best_rates([measure for _, _, measure in kernels], ROUNDS)
    for (name, threads, _), rate in zip(kernels, rates, strict=True):
        yield Timing(name, "steps", rate, threads)


def environment_targets(timings: list[Timing]) -> Iterator[Target]:
    """A batch on one thread over each peer."""
    ours = next(timing.per_second for timing in timings if (timing.name, timing.threads) == (BATCH, 1))
    for timing in timings:
        if timing.name in PEER_NAMES.values():
            yield Target(f"batch on one thread over {timing.name}", ours / timing.per_second, 10.0)
