"""The settings of an evolutionary run.

>>> settings = EvolutionSettings(method="evolution-strategy", evaluator="all-2", generations=5000)
>>> settings.parents, settings.offspring, settings.sigma, settings.double_games
(10, 90, 1.0, 1000)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import model_validator

from outflank.evaluators.storage import View
from outflank.learners.fitness.population import PlayingStyle
from outflank.learners.validation import PlayerNames, SettingsModel, Whole, setting
from outflank.plugins import is_plugin
from outflank.suggestions import unknown

OWN = "module:name"  # a plug-in

# The settings that belong to one method or one measure, with their defaults: the values of the paper, where
# there is one. None: a formula of the number of weights.
OF_METHOD: dict[str, dict[str, Any]] = {
    # Jaskowski 2014
    "evolution-strategy": {"parents": 10, "offspring": 90, "selection": "plus", "sigma": 1.0,
                           "initial_weights": 0.1},
    # Chong 2003
    "self-adaptive": {"parents": 10, "offspring": 10, "sigma": 0.05, "tau": None,
                      "largest_weight": None, "largest_sigma": None, "initial_weights": 0.2},
    # Kim 2007
    "genetic": {"population": 50, "mutation_rate": 0.01, "mutation_step": 0.01},
    "cma-es": {"population": 40, "sigma": 1.0, "adapt_rate": False},
    "sep-cma-es": {"population": 40, "sigma": 1.0},
    OWN: {"population": 40, "initial_weights": 0.1, "optimiser_options": {}},
}  # fmt: skip
OF_FITNESS: dict[str, dict[str, Any]] = {
    "league": {"opponents": ("standard-heuristic",), "double_games": 1000, "last_double_games": None,
               "racing": False},
    "expected-utility": {"random_counters": 100, "games_each": 1},
    "random-opponents": {"games_each": 5},
    "round-robin": {"games_each": 1},
    "two-populations": {"games_each": 1},
    OWN: {"fitness_options": {}},
}  # fmt: skip
OF_RANDOM_START = {"evaluator": "all-2", "stages": 1, "view": "inversion"}  # without a seed player or preset


def settings_of(tables: dict[str, dict[str, Any]], chosen: str, key: str) -> dict[str, Any]:
    """The settings of a method or a measure, with their defaults."""
    if chosen in tables:
        return tables[chosen]
    if is_plugin(chosen, "optimisers" if key == "method" else "fitness"):
        return tables[OWN]
    raise ValueError(unknown(chosen, tuple(tables), f"a {key}"))


class EvolutionSettings(SettingsModel):
    """Everything that determines what evolves, except the seed. Settings that belong to another method or
    measure than the chosen one must be left out; those left out get the papers' values. `optimiser` is
    another word for `method`."""

    method: str = setting(..., "Optimiser; module:name for one of your own.")
    generations: Whole = setting(..., "Generations to evolve.", ge=1)

    # Where it starts: from one player, or from random weights.
    seed_player: str = setting("", "Player that all individuals start from: its name or file.")
    seed_preset: str = setting("", "Or a TD preset that is learned first (Kim 2007).")
    seed_games: Whole | None = setting(None, "Games of the seed preset, if not its own.", ge=1)
    evaluator: str | None = setting(None, "Architecture of random individuals.")
    stages: Whole | None = setting(None, "Game stages, each with its own tables.", ge=1, le=61)
    view: Literal["inversion", "negation"] | None = setting(None, "How the evaluator serves both colours.")
    initial_weights: float | None = setting(None, "Weights start uniform within plus or minus this.", gt=0)

    # How weights become a player.
    depth: Whole = setting(1, "Plies of minimax in all games.", ge=1)
    solve: Whole = setting(0, "Perfect play from this many empty squares (Kim 2007).", ge=0, le=60)
    book: str = setting("", "Opening book: a file, default or large (Kim 2007).")
    book_best: Whole = setting(1, "Choose at random among this many best book moves.", ge=1)

    # The conventions of all games; None like random, and as many passes as there are.
    ties: Literal["random", "first"] | None = setting(None, "Of equal moves: one at random, or the first.")
    most_passes: Whole | None = setting(None, "One pass more ends the game (Chong 2003: ten).", ge=0, le=60)

    # The optimiser.
    parents: Whole | None = setting(None, "Parents, mu.", ge=1)
    offspring: Whole | None = setting(None, "Children per generation, lambda.", ge=1)
    selection: Literal["plus", "comma"] | None = setting(None, "plus: parents can survive; comma: not.")
    population: Whole | None = setting(None, "Individuals per generation.", ge=1)
    sigma: float | None = setting(None, "Step size of mutation; of CMA-ES, the initial one.", gt=0)
    tau: float | None = setting(None, "How fast self-adaptive step sizes change.", gt=0)
    largest_weight: float | None = setting(None, "Mutated weights stay within plus or minus this.", gt=0)
    largest_sigma: float | None = setting(None, "Mutated step sizes stay at or below this.", gt=0)
    mutation_rate: float | None = setting(None, "Probability that a weight mutates.", gt=0)
    mutation_step: float | None = setting(None, "Size of a mutation, plus or minus.", gt=0)
    adapt_rate: bool | None = setting(None, "Learning rates that follow the noise (Nomura 2023).")
    optimiser_options: dict[str, Any] | None = setting(None, "Keyword arguments of an optimiser of your own.")

    # Fitness.
    fitness: str = setting("league", "How fitness is measured; module:name for a measure of your own.")
    fitness_options: dict[str, Any] | None = setting(None, "Keyword arguments of a measure of your own.")
    epsilon: float = setting(0.1, "Probability of a forced random move of both players.", ge=0, le=1)
    opponents: PlayerNames | None = setting(None, "Fixed opponents.")
    double_games: Whole | None = setting(None, "Double games against each opponent.", ge=1)
    last_double_games: Whole | None = setting(None, "At the end, if they are to grow geometrically.", ge=1)
    racing: bool | None = setting(None, "Drop hopeless individuals early.")
    random_counters: Whole | None = setting(None, "Random piece counters per generation.", ge=1)
    games_each: Whole | None = setting(None, "Double games per pair; random-opponents: as Black.", ge=1)

    # Learning between generations.
    td_games: Whole = setting(0, "Self-play games of TD per individual before each selection.", ge=0)
    td_alpha: float = setting(0.01, "Learning rate of these games.", gt=0)

    # How it is measured; nothing of it feeds back.
    watch: PlayerNames = setting((), "Benchmark opponents of the parents at depth 2, 4 and 6.")
    measure_every: Whole = setting(10, "Generations between two measurements.", ge=1)
    measure_double_games: Whole = setting(2_000, "Double games per measurement.", ge=1)
    measure_against: str = setting("standard-heuristic", "Opponent in measurements.")
    measure_epsilon: float = setting(0.1, "Probability of a forced random move in measurements.", ge=0, le=1)

    @model_validator(mode="before")
    @classmethod
    def _with_defaults(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Defaults of the chosen method and measure; an error for settings that they do not have."""
        given = {key: value for key, value in values.items() if value is not None}
        if (optimiser := given.pop("optimiser", None)) is not None:
            if "method" in given:
                raise ValueError("method and optimiser are one setting; leave one of them out")
            given["method"] = optimiser
        seed = given.get("seed_player") or given.get("seed_preset")
        defaults = {} if seed else dict(OF_RANDOM_START)
        for key in (*OF_RANDOM_START, "initial_weights") if seed else ():
            if key in given:
                raise ValueError(f"{key} is that of {seed}, from which all individuals start; leave it out")
        fitness = given.get("fitness", cls.model_fields["fitness"].default)
        for key, tables, chosen in (
            ("method", OF_METHOD, given.get("method")),
            ("fitness", OF_FITNESS, fitness),
        ):
            if not isinstance(chosen, str):
                return given  # the field's own check reports it
            own = settings_of(tables, chosen, key)
            of_others = {name for table in tables.values() for name in table} - own.keys()
            for name in sorted(of_others & given.keys()):
                users = ", ".join(user for user, table in tables.items() if name in table)
                raise ValueError(f"{name} means nothing to {chosen} (it is for {users}); leave it out")
            defaults |= own
        if seed:
            defaults.pop("initial_weights", None)
        return defaults | given

    @model_validator(mode="after")
    def _combinations(self) -> Self:
        if self.seed_player and self.seed_preset:
            raise ValueError("give seed_player or seed_preset, not both")
        if self.seed_games and not self.seed_preset:
            raise ValueError("seed_games are those of a seed_preset; give one")
        if self.opponents == ():
            raise ValueError("a league needs at least one opponent")
        if self.method == "genetic" and not (self.seed_player or self.seed_preset):
            raise ValueError("genetic search starts from one player; set seed_player or seed_preset")
        if self.method == "genetic" and self.racing:
            raise ValueError("racing only finds the best; genetic selection by roulette needs every fitness")
        if self.method in ("cma-es", "sep-cma-es") and self.td_games:
            raise ValueError(
                f"{self.method} cannot take over what individuals learn between generations; use "
                "evolution-strategy or self-adaptive with td_games"
            )
        return self

    def style(self, view: View) -> PlayingStyle:
        return PlayingStyle(view, self.depth, self.solve, self.book, self.book_best,
                            self.ties or "random", self.most_passes)  # fmt: skip

    def defaults(self) -> dict[str, Any]:
        own = settings_of(OF_METHOD, self.method, "method") | settings_of(OF_FITNESS, self.fitness, "fitness")
        own |= OF_RANDOM_START
        if self.seed_player or self.seed_preset:
            own = {key: own[key] for key in own.keys() - OF_RANDOM_START.keys() - {"initial_weights"}}
        tables = (OF_RANDOM_START, *OF_METHOD.values(), *OF_FITNESS.values())
        of_others = {key for table in tables for key in table} - own.keys()
        return {
            key: own.get(key, default) for key, default in super().defaults().items() if key not in of_others
        }
