"""How a run of evolution begins: the evaluator whose weights evolve, the optimiser and the measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar
import numpy as np
from outflank.evaluators.protocol import CoreEvaluator
from outflank.evaluators.storage import View
from outflank.learners.optimisers.cma_es import CmaEs
from outflank.learners.fitness.coevolution import RandomOpponents, RoundRobin, TwoPopulations
from outflank.learners.fitness.contest import Opponents
from outflank.learners.optimisers.evolution_strategies import EvolutionStrategy, SelfAdaptiveEvolution, uniform_start
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.fitness.fixed_opponents import ExpectedUtility, LeagueScore, Measure
from outflank.learners.optimisers.genetic import GeneticSearch
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector, Optimiser
from outflank.learners.fitness.racing import RacedScore
from outflank.learners.td import TdSettings, new_evaluator
from outflank.learners.optimisers.two_populations import PairOfPopulations
from outflank.learners.fitness.benchmark_opponents import watcher_names
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player

Given = TypeVar("Given")


@dataclass(frozen=True)
class Beginning:
    """The architecture and view that all individuals share; the weights they start from, if they do."""

    evaluator: CoreEvaluator
    view: View
    seed: FloatVector | None = None


def beginning_of(settings: EvolutionSettings, seed: int, seed_player: str | None = None) -> Beginning:
    """`seed_player`: what the run's own temporal differences have learned."""
    if name := seed_player or settings.seed_player:
        player = named_player(name)
        if not isinstance(player, GreedyPlayer) or not isinstance(player.evaluator, CoreEvaluator):
            raise ValueError(
                f"{name} is no player of one ply with one evaluator; evolution cannot start from it"
            )
        return Beginning(player.evaluator, player.view, np.array(player.evaluator.weights))
    # new_evaluator places random tuples by the seed; its weights play no part.
    kind = TdSettings(evaluator=given(settings.evaluator), stages=given(settings.stages), initial_weights=0.1)
    return Beginning(new_evaluator(kind, seed), given(settings.view))


def given(value: Given | None) -> Given:
    """A setting that the chosen method or measure has; EvolutionSettings has seen to it."""
    assert value is not None
    return value


def new_optimiser(s: EvolutionSettings, begun: Beginning, seed: int) -> Optimiser:
    if s.fitness == "two-populations":
        return PairOfPopulations(
            _one_optimiser(s, begun, seed), _one_optimiser(s, begun, (seed + (1 << 32)) % (1 << 64))
        )
    return _one_optimiser(s, begun, seed)


def _one_optimiser(s: EvolutionSettings, begun: Beginning, seed: int) -> Optimiser:
    match s.method:
        case "evolution-strategy":
            parents, offspring = given(s.parents), given(s.offspring)
            return EvolutionStrategy(
                _start(s, begun, parents + offspring, seed), parents=parents, offspring=offspring,
                sigma=given(s.sigma), plus=s.selection == "plus", seed=seed,
            )  # fmt: skip
        case "self-adaptive":
            parents, offspring = given(s.parents), given(s.offspring)
            return SelfAdaptiveEvolution(
                _start(s, begun, parents, seed), parents=parents, offspring=offspring,
                sigma=given(s.sigma), tau=s.tau, seed=seed,
            )  # fmt: skip
        case "genetic":
            start = np.tile(given(begun.seed), (given(s.population), 1))
            rate, step = given(s.mutation_rate), given(s.mutation_step)
            return GeneticSearch(start, mutation_rate=rate, step=step, seed=seed)
        case "cma-es" | "sep-cma-es":
            mean = np.zeros(begun.evaluator.weights.size) if begun.seed is None else begun.seed
            return CmaEs(
                mean, sigma=given(s.sigma), population=given(s.population),
                separable=s.method == "sep-cma-es", adapt_rate=bool(s.adapt_rate), seed=seed,
            )  # fmt: skip


def _start(s: EvolutionSettings, begun: Beginning, individuals: int, seed: int) -> FloatMatrix:
    """Jaskowski 2014: the whole first population is drawn. Chong 2003: the parents are, their children are
    mutated. Seeded: every parent is the seed, its children are mutated."""
    if begun.seed is not None:
        return np.tile(begun.seed, (given(s.parents), 1))
    return uniform_start(individuals, begun.evaluator.weights.size, given(s.initial_weights), seed)


def new_measure(s: EvolutionSettings, optimiser: Optimiser, seed: int) -> Measure:
    match s.fitness:
        case "league":
            first = given(s.double_games)
            score = LeagueScore(given(s.opponents), first, s.last_double_games or first, s.generations)
            if s.racing:
                return RacedScore(score, optimiser.choosing, rank_counts="cma" in s.method)
            return score
        case "expected-utility":
            return ExpectedUtility(given(s.random_counters), given(s.games_each), seed)
        case "random-opponents":
            return RandomOpponents(seed, given(s.games_each))
        case "round-robin":
            return RoundRobin(given(s.games_each))
        case "two-populations":
            return TwoPopulations(given(s.games_each))


def seed_settings(s: EvolutionSettings) -> TdSettings:
    """How the player that all individuals start from is learned."""
    from outflank.learners.runs.settings import preset_or_file

    changes = [] if s.seed_games is None else [f"games={s.seed_games}"]
    settings, _ = preset_or_file(s.seed_preset, changes)
    if not isinstance(settings, TdSettings):
        raise ValueError(f"seed_preset must learn by temporal differences; {s.seed_preset} does not")
    return settings


def check_beginning(s: EvolutionSettings, seed: int) -> None:
    """Raises what would go wrong later: players that are not there, a preset of another kind, a population
    that is too small, a book that cannot be opened."""
    if s.seed_preset:
        settings = seed_settings(s)
        begun = Beginning((evaluator := new_evaluator(settings, seed)), settings.view, evaluator.weights)
    else:
        begun = beginning_of(s, seed)
    optimiser = new_optimiser(s, begun, seed)
    measure = new_measure(s, optimiser, seed)
    if isinstance(measure, RandomOpponents):
        measure.draw(len(optimiser.ask()), 0)
    fixed = Opponents((*(s.opponents or ()), s.measure_against, *watcher_names(s.watch)))
    for number in range(len(fixed)):
        fixed.core_player(number)
    s.style(begun.view).player(begun.evaluator)

