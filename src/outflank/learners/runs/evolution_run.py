"""Evolutionary runs: ask, play, tell; after every generation benchmark, measure, log and save.

Generation g depends on the settings, the seed and g alone, so a run that was killed and resumed, or played
on a cluster, ends with the same bytes as any other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.evaluators.protocol import CoreEvaluator
from outflank.evaluators.storage import StoredPlayer, save_player, save_weights
from outflank.learners.execution.executor import CoreClock, Executor, ThreadExecutor
from outflank.learners.fitness.benchmark_opponents import benchmark_population, play_benchmarks
from outflank.learners.fitness.population import Games, Opponents, Population
from outflank.learners.fitness.racing import RacedScore
from outflank.learners.optimisers import checks
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector, Optimiser
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.initialisation import (
    Evolution,
    check_settings,
    initialise,
    seed_settings,
    starting_point,
)
from outflank.learners.runs.learning_between_generations import SelfPlay, learned_individuals
from outflank.learners.runs.own_learners import checkpoint_state
from outflank.learners.runs.parent_replay import is_replayable, selecting_fitness
from outflank.learners.runs.run import RunProgress
from outflank.learners.runs.settings import settings_toml
from outflank.learners.runs.td_run import TdRun
from outflank.learners.td import TdSettings
from outflank.plugins import Group, blamed, is_plugin

SEED_RUN = "seed"  # the folder of the TD run that comes first


class Purpose(IntEnum):
    """What games are for; each purpose has its own streams. Zero would be the optimiser's."""

    FITNESS = 1
    LEARNING = 2
    BENCHMARK = 3
    MEASURING = 4


def generation_seed(seed: int, generation: int, purpose: Purpose) -> int:
    """Other games for each generation and purpose."""
    return int(np.random.SeedSequence([seed, generation, int(purpose)]).generate_state(1, np.uint64)[0])


def core_seconds_of(entry: Mapping[str, Any]) -> float:
    """Seconds of one core up to a generation of a log. Logs of earlier versions have real time alone."""
    return float(entry.get("core_seconds", entry["seconds"]))


class EvolutionRun:
    """A population and its folder."""

    unit = "generations"

    def __init__(self, folder: RunFolder, executor: Executor | None = None) -> None:
        self.folder = folder
        settings, self.seed = folder.settings()
        assert isinstance(settings, EvolutionSettings)
        self.settings: EvolutionSettings = settings
        self.executor = CoreClock(executor or ThreadExecutor())
        self.games = 0
        self._games_not_played = 0  # saved by racing
        self._best: FloatVector | None = None
        self._seconds = self._core_seconds = 0.0
        self._evolution: Evolution | None = None  # None until the seed run is finished
        self._seed_run = self._open_seed_run()
        if self._seed_run is None or self._seed_run.is_finished:
            self._start()

    @classmethod
    def create(
        cls, path: Path, settings: EvolutionSettings, seed: int, executor: Executor | None = None
    ) -> EvolutionRun:
        check_settings(settings, seed)  # settings that cannot work fail before anything is written
        return cls(RunFolder.create(path, settings, seed), executor)

    @property
    def done(self) -> int:
        return self.optimiser.generation if self._evolution else 0

    @property
    def total(self) -> int:
        return self.settings.generations

    @property
    def is_finished(self) -> bool:
        return self.done >= self.total

    def steps(self) -> Iterator[RunProgress]:
        """Evolve to the end, one generation at a time, each saved."""
        if self._seed_run is not None and self._evolution is None:
            for _ in self._seed_run.steps():
                yield RunProgress(0)
            self._start()
        while not self.is_finished:
            yield self._generation()

    def save(self) -> None:
        """Generations are saved when they end; only a seed run may have something to save."""
        if self._seed_run is not None and self._evolution is None:
            self._seed_run.save()

    def _open_seed_run(self) -> TdRun | None:
        if not self.settings.seed_preset:
            return None
        path = self.folder.path / SEED_RUN
        if (path / "settings.toml").is_file():
            return TdRun(RunFolder.open(path))
        return TdRun.create(path, seed_settings(self.settings), self.seed)

    def _start(self) -> None:
        learned = self.folder.path / SEED_RUN / "best.safetensors" if self._seed_run is not None else None
        start = starting_point(self.settings, self.seed, learned)
        self._evolution = initialise(self.settings, self.seed, start)
        self._restore()

    @property
    def evolution(self) -> Evolution:
        assert self._evolution is not None
        return self._evolution

    @property
    def optimiser(self) -> Optimiser:
        return self.evolution.optimiser

    def _population(
        self, weights: FloatMatrix, opponents: Opponents, epsilon: float, seed: int, double_games: bool = True
    ) -> Population:
        evaluator, style = self.evolution.start.evaluator, self.evolution.style
        return Population(evaluator, weights, style, opponents, epsilon, seed, double_games)

    def _generation(self) -> RunProgress:
        began = time.perf_counter()
        self.executor.start()
        optimiser, measure = self.optimiser, self.evolution.measure
        generation = optimiser.generation
        with self._own(self.settings.method, "optimisers"):
            asked = optimiser.ask()
            checks.generation(asked, self.evolution.start.evaluator.weights.size)
        learned = self._learned(asked, generation)
        individuals = asked if learned is None else learned
        seed = generation_seed(self.seed, generation, Purpose.FITNESS)
        with self._own(self.settings.fitness, "fitness"):
            opponents = measure.opponents(generation)
        games = Games(
            self.executor,
            self._population(individuals, opponents, self.settings.epsilon, seed, measure.double_games),
        )
        with self._own(self.settings.fitness, "fitness"):
            fitness = checks.fitness(measure.measure(games, generation), len(individuals))
        with self._own(self.settings.method, "optimisers"):
            optimiser.tell(fitness, learned)
        self.games += games.played
        entry = {
            "generation": generation + 1,
            "games": self.games,
            "fitness_best": float(fitness.max()),
            "fitness_mean": float(fitness.mean()),
        }
        if optimiser.survivors.size:
            entry["kept"] = optimiser.survivors.tolist()  # for runs/parent_replay.py
        if isinstance(measure, RacedScore):
            measure.survivors = optimiser.survivors
            full = 2 * measure.score.double_games_in(generation) * len(opponents) * len(individuals)
            self._games_not_played += full - games.played
            entry["games_not_played"] = self._games_not_played
        self._seconds += time.perf_counter() - began
        self._core_seconds += self.executor.seconds
        return self._after(entry)

    def _own(self, name: str, group: Group) -> AbstractContextManager[None]:
        """Errors within are those of a plug-in, if there is one."""
        return blamed(name) if is_plugin(name, group) else nullcontext()

    def _learned(self, asked: FloatMatrix, generation: int) -> FloatMatrix | None:
        """The individuals after this generation's self-play; None if there is none."""
        s, start = self.settings, self.evolution.start
        if s.td_games == 0:
            return None
        assert start.view != "doubled"  # evolution does not start from a player with two evaluators
        settings = TdSettings(view=start.view, games=s.td_games, alpha=s.td_alpha, epsilon=s.epsilon,
                              coherence=False)  # fmt: skip
        seed = generation_seed(self.seed, generation, Purpose.LEARNING)
        self.games += s.td_games * len(asked)
        return learned_individuals(self.executor, SelfPlay(settings, start.evaluator, asked, seed))

    def _after(self, entry: dict[str, Any]) -> RunProgress:
        """Benchmark and measure if it is time, log, and save the checkpoint that counts the generation."""
        s, evolution = self.settings, self.evolution
        generation = self.optimiser.generation
        if s.watch:
            seed = generation_seed(self.seed, generation, Purpose.BENCHMARK)
            parents = benchmark_population(
                evolution.start.evaluator, self.optimiser.parents, evolution.style,
                evolution.benchmark_opponents, seed,
            )  # fmt: skip
            entry["watch"] = play_benchmarks(self.executor, parents, s.watch).as_entry()
        if generation % s.measure_every == 0 or self.is_finished:
            entry |= self._measured(generation)
        entry["games_per_second"] = round(self.games / self._seconds, 1)
        entry["seconds"] = round(self._seconds, 3)
        entry["core_seconds"] = round(self._core_seconds, 3)
        self.folder.append_to_log(entry)
        self._save_checkpoint()
        return RunProgress(generation, entry)

    def _measured(self, generation: int) -> dict[str, Any]:
        """The favourite and the best so far play the same fresh games, and the winner is the best: one lucky
        measurement does not last."""
        s = self.settings
        favourite = self.optimiser.favourite
        best = favourite if self._best is None else self._best
        seed = generation_seed(self.seed, generation, Purpose.MEASURING)
        both = np.stack([favourite, best])
        games = Games(
            self.executor, self._population(both, self.evolution.measure_against, s.measure_epsilon, seed)
        )
        now = games.tally(0, s.measure_double_games)
        before = now if best is favourite else games.tally(1, s.measure_double_games)
        self._save_player(favourite, "last.safetensors")
        if now.score >= before.score:
            self._best, before = favourite.copy(), now
            self._save_player(favourite, "best.safetensors")
        entry = {"score": now.score, "ci95": list(now.ci95)}
        entry |= {"best_score": before.score, "best_ci95": list(before.ci95)}
        if self.evolution.start.seed_weights is not None:
            entry["changed_weights"] = int(np.count_nonzero(favourite != self.evolution.start.seed_weights))
        return entry

    def _save_player(self, weights: FloatVector, name: str) -> None:
        provenance = {"learned by": "evolution", "games": self.games, "seed": self.seed,
                      "generations": self.optimiser.generation,
                      "settings": settings_toml(self.settings, self.seed)}  # fmt: skip
        start = self.evolution.start
        evaluator = start.evaluator.with_weights(weights)
        if isinstance(evaluator, CoreEvaluator):
            save_player(StoredPlayer(evaluator, start.view, provenance), self.folder.path / name)
        else:
            save_weights(evaluator, start.view, provenance, self.folder.path / name)

    def _save_checkpoint(self) -> None:
        with self._own(self.settings.method, "optimisers"):
            state_of_optimiser = checkpoint_state(self.optimiser)
        tensors: dict[str, npt.NDArray[Any]] = {
            f"optimiser {key}": value for key, value in state_of_optimiser.items()
        }
        if self._best is not None:
            tensors["best"] = self._best
        if isinstance(self.evolution.measure, RacedScore):
            tensors["tallies"] = np.ascontiguousarray(self.evolution.measure.tallies)
        state = {"games": self.games, "games_not_played": self._games_not_played}
        self.folder.save_checkpoint(tensors, state)

    def _restore(self) -> None:
        saved = self.folder.load_checkpoint()
        if saved is None:
            self._replay(self.folder.log())
            return
        tensors, state = saved
        prefix = "optimiser "
        with self._own(self.settings.method, "optimisers"):
            self.optimiser.restore(
                {key.removeprefix(prefix): value for key, value in tensors.items() if key.startswith(prefix)}
            )
        self._best = tensors.get("best")
        if isinstance(measure := self.evolution.measure, RacedScore):
            measure.tallies, measure.survivors = tensors["tallies"], self.optimiser.survivors
        self.games, self._games_not_played = state["games"], state["games_not_played"]
        self._seconds = self.folder.truncate_log("generation", self.optimiser.generation)
        self._core_seconds = core_seconds_of(log[-1]) if (log := self.folder.log()) else 0.0

    def _replay(self, log: Sequence[Mapping[str, Any]]) -> None:
        """Without a checkpoint: the state after the last line of the log, if that says who survived. So runs
        can be stored and sent without their checkpoints, which are large. Otherwise the run begins again."""
        if not is_replayable(self.settings) or not all("kept" in entry for entry in log):
            self.folder.rewrite_log([])
            return
        measured = [entry["generation"] for entry in log if "score" in entry]
        improved = [e["generation"] for e in log if "score" in e and e["score"] == e["best_score"]]
        individuals = len(self.optimiser.ask())
        for entry in log:
            self.optimiser.tell(selecting_fitness(entry["kept"], individuals))
            self.games, self._seconds = entry["games"], entry["seconds"]
            self._core_seconds = core_seconds_of(entry)
            if entry["generation"] in improved[-1:]:
                self._best = self.optimiser.favourite.copy()
                self._save_player(self._best, "best.safetensors")
            if entry["generation"] in measured[-1:]:
                self._save_player(self.optimiser.favourite, "last.safetensors")
        if log:
            self._save_checkpoint()
