"""Random games through OpenSpiel's Python API: moves per second, best of three.

Run by the Python of the peer's own environment, which has no outflank.
"""

from random import Random
from time import perf_counter

import pyspiel

GAMES = 100


def steps_per_second(random: Random) -> float:
    othello = pyspiel.load_game("othello")
    steps = 0
    began = perf_counter()
    for _ in range(GAMES):
        state = othello.new_initial_state()
        while not state.is_terminal():
            state.apply_action(random.choice(state.legal_actions()))
            steps += 1
    return steps / (perf_counter() - began)


print(max(steps_per_second(Random(1)) for _ in range(3)))
