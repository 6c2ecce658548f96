"""What decides an evolutionary run, but the seed.

>>> settings = EvolutionSettings(method="evolution-strategy", evaluator="all-2", generations=5000)
>>> settings.parents, settings.offspring, settings.sigma, settings.double_games
(10, 90, 1.0, 1000)
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal
import numpy as np
from outflank.evaluators.storage import View
from outflank.learners.fitness.contest import PlayingStyle
from outflank.suggestions import unknown

Method = Literal["evolution-strategy", "self-adaptive", "genetic", "cma-es", "sep-cma-es"]
FitnessName = Literal["league", "expected-utility", "random-opponents", "round-robin", "two-populations"]

# The settings that belong to one method or one measure, with the value they have if none is given: the
# paper's, where there is one. None: its formula depends on the number of weights.
OF_METHOD: dict[str, dict[str, Any]] = {
    # Jaskowski 2014
    "evolution-strategy": {"parents": 10, "offspring": 90, "selection": "plus", "sigma": 1.0,
                           "initial_weights": 0.1},
    # Chong 2003
    "self-adaptive": {"parents": 10, "offspring": 10, "sigma": 0.05, "tau": None,
                      "initial_weights": 0.2},
    # Kim 2007
    "genetic": {"population": 50, "mutation_rate": 0.01, "mutation_step": 0.01},
    "cma-es": {"population": 40, "sigma": 1.0, "adapt_rate": False},
    "sep-cma-es": {"population": 40, "sigma": 1.0},
}  # fmt: skip
OF_BEGINNING = {"evaluator": "all-2", "stages": 1, "view": "inversion"}
OF_FITNESS: dict[str, dict[str, Any]] = {
    "league": {"opponents": ("standard-heuristic",), "double_games": 1000, "last_double_games": None,
               "racing": False},
    "expected-utility": {"random_counters": 100, "games_each": 1},
    "random-opponents": {"games_each": 5},
    "round-robin": {"games_each": 1},
    "two-populations": {"games_each": 1},
}  # fmt: skip


@dataclass(frozen=True)
class EvolutionSettings:
    """Everything that decides what evolves, but the seed. Settings of other methods than the one chosen
    must be left out; those left out get the papers' values."""

    method: Method
    generations: int

    # Where it begins: one player for all individuals,
    seed_player: str = ""  # its name or file,
    seed_preset: str = ""  # or a preset of temporal differences that is learned first (Kim 2007);
    seed_games: int | None = None  # from so many games, if not from as many as the preset says;
    evaluator: str | None = None  # or random weights of such an evaluator (all-2 if nothing is said),
    stages: int | None = None  # so many game stages,
    view: Literal["inversion", "negation"] | None = None  # seen so (inversion if nothing is said),
    initial_weights: float | None = None  # uniform within plus or minus this

    # How weights become a player.
    depth: int = 1
    solve: int = 0  # knowledge (Kim 2007): perfect play from so many empty squares,
    book: str = ""  # an opening book, a file or `default`,
    book_best: int = 1  # at random among so many of its best moves

    # The optimiser.
    parents: int | None = None
    offspring: int | None = None
    selection: Literal["plus", "comma"] | None = None
    population: int | None = None
    sigma: float | None = None  # of a mutation; of CMA-ES, of the first generation
    tau: float | None = None  # how fast self-adaptive sigmas change
    mutation_rate: float | None = None
    mutation_step: float | None = None
    adapt_rate: bool | None = None  # learning rates of CMA-ES that follow the noise (Nomura 2023)

    # Fitness.
    fitness: FitnessName = "league"
    epsilon: float = 0.1  # forced random moves of both players
    opponents: tuple[str, ...] | None = None
    double_games: int | None = None  # an individual's against each opponent,
    last_double_games: int | None = None  # at the end, if they are to grow; geometric between
    racing: bool | None = None  # give up hopeless individuals early
    random_counters: int | None = None
    games_each: int | None = None  # random-opponents: games as Black; otherwise double games of a pair

    # Learning within a lifetime: self-play games of temporal differences before each selection.
    td_games: int = 0
    td_alpha: float = 0.01

    # How it is watched; nothing of it feeds back.
    watch: tuple[str, ...] = ()  # the parents meet these players at depth 2, 4 and 6, rising on each win
    measure_every: int = 10  # generations
    measure_double_games: int = 2_000
    measure_against: str = "standard-heuristic"
    measure_epsilon: float = 0.1

    def __post_init__(self) -> None:
        if self.method not in OF_METHOD:
            raise ValueError(unknown(self.method, tuple(OF_METHOD), "a method"))
        if self.fitness not in OF_FITNESS:
            raise ValueError(unknown(self.fitness, tuple(OF_FITNESS), "a fitness"))
        self._fill_beginning()
        self._fill(OF_METHOD, self.method)
        self._fill(OF_FITNESS, self.fitness)
        for problem, broken in _problems(self).items():
            if broken:
                raise ValueError(problem)

    def _fill_beginning(self) -> None:
        seed = self.seed_player or self.seed_preset
        for key in (*OF_BEGINNING, "initial_weights"):
            if seed and getattr(self, key) is not None:
                raise ValueError(f"{key} is that of {seed}, from which all individuals start; leave it out")
            if not seed and key in OF_BEGINNING and getattr(self, key) is None:
                object.__setattr__(self, key, OF_BEGINNING[key])

    def _fill(self, tables: dict[str, dict[str, Any]], chosen: str) -> None:
        """Values for what was left out; an error for what the choice has no use for."""
        own = tables[chosen]
        for key in {key for table in tables.values() for key in table}:
            if key not in own and getattr(self, key) is not None:
                users = ", ".join(name for name, table in tables.items() if key in table)
                raise ValueError(f"{key} means nothing to {chosen} (it is for {users}); leave it out")
            if key == "initial_weights" and (self.seed_player or self.seed_preset):
                continue
            if key in own and getattr(self, key) is None:
                object.__setattr__(self, key, own[key])

    def style(self, view: View) -> PlayingStyle:
        return PlayingStyle(view, self.depth, self.solve, self.book, self.book_best)


def _problems(s: EvolutionSettings) -> dict[str, bool]:
    """What is wrong with settings: a sentence, and whether it applies."""
    at_least_one = ("generations", "parents", "offspring", "population", "double_games", "last_double_games",
                    "random_counters", "games_each", "measure_every", "measure_double_games", "book_best",
                    "depth", "stages", "seed_games")  # fmt: skip
    shares = ("epsilon", "measure_epsilon")
    positive = ("mutation_rate", "initial_weights", "sigma", "tau", "mutation_step", "td_alpha")
    given = {field.name: value for field in fields(s) if (value := getattr(s, field.name)) is not None}
    return (
        {f"{k} must be at least 1, got {given[k]}": given[k] < 1 for k in at_least_one if k in given}
        | {f"{k} must be within 0..1, got {given[k]}": not 0 <= given[k] <= 1 for k in shares if k in given}
        | {
            f"{k} must be above zero, got {given[k]}": not (np.isfinite(given[k]) and given[k] > 0)
            for k in positive
            if k in given
        }
        | {
            "give seed_player or seed_preset, not both": bool(s.seed_player and s.seed_preset),
            "seed_games are those of a seed_preset; give one": s.seed_games is not None and not s.seed_preset,
            "a league needs at least one opponent": s.opponents == (),
            f"td_games must not be negative, got {s.td_games}": s.td_games < 0,
            f"solve must be within 0..60, got {s.solve}": not 0 <= s.solve <= 60,
            f"{s.method} cannot take over what individuals learn in their lives; use evolution-strategy or "
            "self-adaptive with td_games": s.td_games > 0 and s.method in ("cma-es", "sep-cma-es"),
            "racing finds out who is best; genetic selection by roulette needs every fitness": bool(s.racing)
            and s.method == "genetic",
            "genetic search starts from one player; set seed_player or seed_preset": s.method == "genetic"
            and not (s.seed_player or s.seed_preset),
        }
    )

