"""How fast fitness is measured: compared with the bare playout kernel, and on a cluster with one worker."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from outflank import _core
from outflank.benchmarks.timing import Target, Timing, best_rates
from outflank.cores import available_cores
from outflank.evaluators.protocol import CoreEvaluator
from outflank.learners.execution.executor import Executor, ThreadExecutor, executor_for
from outflank.learners.fitness.fixed_opponents import LeagueScore
from outflank.learners.fitness.population import Games, Opponents, PlayingStyle, Population
from outflank.players.built_in import load_built_in

ROUNDS = 5
INDIVIDUALS = 100  # Jaskowski 2014: 10 + 90
DOUBLE_GAMES = 1000
KERNEL, FITNESS, ONE_WORKER, TWO_WORKERS = (
    "all-2 - heuristic, the games of one generation as one match",
    "fitness of a generation: 100 networks all-2, 1,000 double games each",
    "the same, a cluster of one worker process",
    "the same, a cluster of two worker processes",
)


def time_evolution(with_cluster: bool) -> Iterator[Timing]:
    """`with_cluster`: also on Dask workers of this machine."""
    threads = available_cores()
    with ThreadExecutor(threads) as executor:
        kernel, fitness = best_rates(
            [lambda: _kernel_per_second(threads), lambda: _fitness_per_second(executor)], ROUNDS
        )
    yield Timing(KERNEL, "games", kernel, threads)
    yield Timing(FITNESS, "games", fitness, threads)
    if with_cluster:
        with executor_for("local:1") as one, executor_for("local:2") as two:
            measurements = [lambda: _fitness_per_second(one), lambda: _fitness_per_second(two)]
            best_rates(measurements, 1)  # workers import and compile what they need
            alone, together = best_rates(measurements, ROUNDS)
        yield Timing(ONE_WORKER, "games", alone, 1)
        yield Timing(TWO_WORKERS, "games", together, 2)


def evolution_targets(timings: list[Timing]) -> Iterator[Target]:
    speed = {timing.name: timing.per_second for timing in timings}
    yield Target("fitness over the bare playout kernel", speed[FITNESS] / speed[KERNEL], 0.9)
    if TWO_WORKERS in speed:
        yield Target("a cluster of two workers over one", speed[TWO_WORKERS] / speed[ONE_WORKER], 1.7)


def _generation() -> Population:
    """Networks close to the published one, as late in a run: their games are long."""
    evaluator = load_built_in("all-2").evaluator
    assert isinstance(evaluator, CoreEvaluator)
    noise = np.random.default_rng(1).normal(0, 5, (INDIVIDUALS, evaluator.weights.size))
    opponents = Opponents.named(["standard-heuristic"])
    return Population(evaluator, evaluator.weights + noise, PlayingStyle(), opponents, 0.1, seed=1)


def _fitness_per_second(executor: Executor) -> float:
    population = _generation()  # nothing is compiled yet: that counts too
    games = Games(executor, population)
    score = LeagueScore(population.opponents.players, DOUBLE_GAMES, DOUBLE_GAMES, 1)
    began = perf_counter()
    score.measure(games, 0)
    return games.played / (perf_counter() - began)


def _kernel_per_second(threads: int) -> float:
    generation = _generation()
    players = generation.core_player(0), generation.core_player(generation.individuals)
    count = 2 * DOUBLE_GAMES * INDIVIDUALS
    began = perf_counter()
    _core.play_games(*players, generation.rules, 0, count, threads, False)
    return count / (perf_counter() - began)
