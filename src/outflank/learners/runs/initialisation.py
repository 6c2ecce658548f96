"""How an evolutionary run starts: from its settings to the objects it works with.

Players, books and architectures are named in settings. They become objects here, once, when a run is made or
resumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from outflank.evaluators.protocol import CoreEvaluator, WeightedEvaluator
from outflank.evaluators.storage import View
from outflank.learners.architectures import Architecture
from outflank.learners.fitness.benchmark_opponents import at_all_depths
from outflank.learners.fitness.coevolution import RandomOpponents, RoundRobin, TwoPopulations
from outflank.learners.fitness.fixed_opponents import ExpectedUtility, LeagueScore, Measure
from outflank.learners.fitness.population import Opponents, PlayingStyle
from outflank.learners.fitness.racing import RacedScore
from outflank.learners.optimisers.cma_es import CmaEs
from outflank.learners.optimisers.evolution_strategies import (
    EvolutionStrategy,
    SelfAdaptiveEvolution,
    uniform_start,
)
from outflank.learners.optimisers.genetic import GeneticSearch
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector, Optimiser
from outflank.learners.optimisers.two_populations import PairOfPopulations
from outflank.learners.runs.evolution_settings import OF_METHOD, EvolutionSettings
from outflank.learners.runs.own_learners import check_resumable, own_measure, own_optimiser
from outflank.learners.runs.settings import load_preset
from outflank.learners.td import TdSettings, new_evaluator
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player

Value = TypeVar("Value")


@dataclass(frozen=True)
class StartingPoint:
    """The architecture and view that all individuals share; the seed player's weights, if there is one."""

    evaluator: WeightedEvaluator
    view: View
    seed_weights: FloatVector | None = None


@dataclass(frozen=True)
class Evolution:
    """What an evolutionary run works with."""

    start: StartingPoint
    style: PlayingStyle
    optimiser: Optimiser
    measure: Measure
    measure_against: Opponents  # one player
    benchmark_opponents: Opponents  # at all depths


def starting_point(
    settings: EvolutionSettings, seed: int, seed_player: str | Path | None = None
) -> StartingPoint:
    """`seed_player`: the one that the run's own seed preset has learned."""
    if name := str(seed_player or settings.seed_player):
        player = named_player(name)
        if not isinstance(player, GreedyPlayer) or not isinstance(player.evaluator, WeightedEvaluator):
            raise ValueError(
                f"{name} is not a one-ply player with one evaluator; evolution cannot start from it"
            )
        return StartingPoint(player.evaluator, player.view, np.array(player.evaluator.weights))
    architecture = Architecture.named(required(settings.evaluator), required(settings.stages))
    return StartingPoint(architecture.new(seed), required(settings.view))


def seed_settings(s: EvolutionSettings) -> TdSettings:
    """How the player that all individuals start from is learned."""
    settings = load_preset(s.seed_preset, {"games": s.seed_games} if s.seed_games else {}).settings
    if not isinstance(settings, TdSettings):
        raise ValueError(f"seed_preset must learn by temporal differences; {s.seed_preset} does not")
    return settings


def initialise(s: EvolutionSettings, seed: int, start: StartingPoint) -> Evolution:
    optimiser = new_optimiser(s, start, seed)
    return Evolution(
        start,
        s.style(start.view),
        optimiser,
        _new_measure(s, optimiser, seed),
        Opponents.named([s.measure_against]),
        at_all_depths(s.watch),
    )


def check_settings(s: EvolutionSettings, seed: int) -> None:
    """Raises what would go wrong later: missing players, a preset of another kind, a population that is too
    small, a book that cannot be opened."""
    if s.seed_preset:
        settings = seed_settings(s)
        start = StartingPoint((evaluator := new_evaluator(settings, seed)), settings.view, evaluator.weights)
    else:
        start = starting_point(s, seed)
    evolution = initialise(s, seed, start)
    if s.method not in OF_METHOD:
        rows = _individuals(s, start, required(s.population), seed)
        check_resumable(s.method, rows, seed, required(s.optimiser_options))
    if isinstance(evolution.measure, RandomOpponents):
        evolution.measure.draw(len(evolution.optimiser.ask()), 0)
    for fixed in (evolution.measure.opponents(0), evolution.measure_against):
        for number in range(len(fixed)):
            fixed.player(number)
    if (s.watch or s.td_games) and not isinstance(start.evaluator, CoreEvaluator):
        what = "td_games" if s.td_games else "watch"
        raise ValueError(f"{start.evaluator.description} is written in Python, which {what} cannot use")
    for number in range(len(evolution.benchmark_opponents)):
        evolution.benchmark_opponents.core_player(number)
    evolution.style.player(start.evaluator)


def required(value: Value | None) -> Value:
    """A setting that the chosen method or measure has; EvolutionSettings has checked it."""
    assert value is not None
    return value


def new_optimiser(s: EvolutionSettings, start: StartingPoint, seed: int) -> Optimiser:
    if s.fitness == "two-populations":
        return PairOfPopulations(
            _one_optimiser(s, start, seed), _one_optimiser(s, start, (seed + (1 << 32)) % (1 << 64))
        )
    return _one_optimiser(s, start, seed)


def _one_optimiser(s: EvolutionSettings, start: StartingPoint, seed: int) -> Optimiser:
    match s.method:
        case "evolution-strategy":
            parents, offspring = required(s.parents), required(s.offspring)
            return EvolutionStrategy(
                _individuals(s, start, parents + offspring, seed), parents=parents, offspring=offspring,
                sigma=required(s.sigma), plus=s.selection == "plus", seed=seed,
            )  # fmt: skip
        case "self-adaptive":
            parents, offspring = required(s.parents), required(s.offspring)
            return SelfAdaptiveEvolution(
                _individuals(s, start, parents, seed), parents=parents, offspring=offspring,
                sigma=required(s.sigma), tau=s.tau, largest_weight=s.largest_weight,
                largest_sigma=s.largest_sigma, seed=seed,
            )  # fmt: skip
        case "genetic":
            copies = np.tile(required(start.seed_weights), (required(s.population), 1))
            rate, step = required(s.mutation_rate), required(s.mutation_step)
            return GeneticSearch(copies, mutation_rate=rate, step=step, seed=seed)
        case "cma-es" | "sep-cma-es":
            mean = start.seed_weights
            return CmaEs(
                np.zeros(start.evaluator.weights.size) if mean is None else mean, sigma=required(s.sigma),
                population=required(s.population), separable=s.method == "sep-cma-es",
                adapt_rate=bool(s.adapt_rate), seed=seed,
            )  # fmt: skip
        case _:
            rows = _individuals(s, start, required(s.population), seed)
            return own_optimiser(s.method, rows, seed, required(s.optimiser_options))


def _individuals(s: EvolutionSettings, start: StartingPoint, count: int, seed: int) -> FloatMatrix:
    """Jaskowski 2014: the whole first population is drawn. Chong 2003: the parents are drawn, their children
    mutated. With a seed player: every parent is the seed, its children are mutated."""
    if start.seed_weights is not None:
        return np.tile(start.seed_weights, (s.parents or required(s.population), 1))
    return uniform_start(count, start.evaluator.weights.size, required(s.initial_weights), seed)


def _new_measure(s: EvolutionSettings, optimiser: Optimiser, seed: int) -> Measure:
    match s.fitness:
        case "league":
            players = tuple(named_player(name) for name in required(s.opponents))
            first = required(s.double_games)
            score = LeagueScore(players, first, s.last_double_games or first, s.generations)
            if s.racing:
                is_cma_or_own = s.method not in ("evolution-strategy", "self-adaptive")
                return RacedScore(score, optimiser.selection_size, rank_counts=is_cma_or_own)
            return score
        case "expected-utility":
            return ExpectedUtility(required(s.random_counters), required(s.games_each), seed)
        case "random-opponents":
            return RandomOpponents(seed, required(s.games_each))
        case "round-robin":
            return RoundRobin(required(s.games_each))
        case "two-populations":
            return TwoPopulations(required(s.games_each))
        case _:
            return own_measure(s.fitness, seed, required(s.fitness_options))
