"""Random games through pgx, compiled by JAX for the CPU: moves per second, best of three.

4,096 games in step that are replaced when over, actions and steps in one compiled loop, as pgx's own examples
do it; JAX uses all cores. Run by the Python of the peer's own environment, which has no outflank.
"""

from time import perf_counter
from typing import Any

import jax  # type: ignore[import-not-found]  # lives in its own environment
import jax.numpy as jnp  # type: ignore[import-not-found]  # the same
import pgx  # type: ignore[import-not-found]  # the same
from pgx.experimental import auto_reset  # type: ignore[import-not-found]  # the same

GAMES, STEPS = 4096, 20

env = pgx.make("othello")
step_all = jax.vmap(auto_reset(env.step, env.init))


def one_step(carried: Any, _: Any) -> Any:
    states, key = carried
    key, action_key, step_key = jax.random.split(key, 3)
    actions = jax.random.categorical(action_key, jnp.log(states.legal_action_mask.astype(jnp.float32)))
    return (step_all(states, actions, jax.random.split(step_key, GAMES)), key), None


@jax.jit  # type: ignore[untyped-decorator]  # jax is unknown to mypy, see above
def many_steps(carried: Any) -> Any:
    return jax.lax.scan(one_step, carried, None, length=STEPS)[0]


def steps_per_second() -> float:
    global carried
    began = perf_counter()
    carried = jax.block_until_ready(many_steps(carried))
    return GAMES * STEPS / (perf_counter() - began)


key = jax.random.PRNGKey(1)
carried = (jax.jit(jax.vmap(env.init))(jax.random.split(key, GAMES)), key)
steps_per_second()  # compiles
print(max(steps_per_second() for _ in range(3)))
