"""Evolves a weighted piece counter by an optimiser of your own, with games on all cores.

    python own_optimiser.py --generations 20

An optimiser is asked for a generation of weights and told how fit each is. This one is a hill climber: the
best so far is the parent of the next generation, and steps get smaller when nothing improves.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

from outflank import (
    Games,
    GreedyPlayer,
    LeagueScore,
    PieceCounter,
    PlayingStyle,
    Population,
    ThreadExecutor,
    league_match,
    named_player,
)

Floats = npt.NDArray[np.float64]


class HillClimber:
    def __init__(self, start: Floats, population: int, seed: int) -> None:
        self._best, self._fitness, self._step = start, -np.inf, 1.0
        self._population, self._random = population, np.random.default_rng(seed)

    def ask(self) -> Floats:
        changes = self._step * self._random.normal(size=(self._population, self._best.size))
        self._asked: Floats = self._best + changes
        return self._asked

    def tell(self, fitness: Floats) -> None:
        improved = fitness.max() > self._fitness
        self._step *= 1.1 if improved else 0.8
        if improved:
            self._best, self._fitness = self._asked[fitness.argmax()], fitness.max()

    @property
    def best(self) -> Floats:
        return self._best


def main() -> None:
    parser = argparse.ArgumentParser(description="Evolve a piece counter.")
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--population", type=int, default=20)
    options = parser.parse_args()

    counter = PieceCounter(np.zeros(64))
    optimiser = HillClimber(np.asarray(counter.weights), options.population, seed=1)
    measure = LeagueScore((named_player("standard-heuristic"),), 100, 100, generations=options.generations)
    with ThreadExecutor() as executor:
        for generation in range(options.generations):
            opponents = measure.opponents(generation)
            population = Population(
                counter, optimiser.ask(), PlayingStyle(), opponents, epsilon=0.1, seed=generation
            )
            fitness = measure.measure(Games(executor, population), generation)
            optimiser.tell(fitness)
            print(f"generation {generation:3}: best {fitness.max():.3f}, mean {fitness.mean():.3f}")
    player = GreedyPlayer(counter.with_weights(optimiser.best), "inversion", name="hill climber")
    print(f"League score {league_match(player, double_games=5000).play().score:.3f}")


if __name__ == "__main__":
    main()
