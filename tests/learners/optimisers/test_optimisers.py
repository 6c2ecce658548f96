"""One contract over every optimiser: what is asked, told, kept and stored, and that fitness is followed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from outflank.learners.optimisers.cma_es import CmaEs
from outflank.learners.optimisers.evolution_strategies import (
    EvolutionStrategy,
    SelfAdaptiveEvolution,
    uniform_start,
)
from outflank.learners.optimisers.genetic import GeneticSearch
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector, Optimiser
from outflank.learners.optimisers.two_populations import PairOfPopulations

WEIGHTS = 6
Maker = Callable[[int, int], Optimiser]  # the seed of its start, the seed of its search


def start(rows: int, seed: int) -> FloatMatrix:
    return uniform_start(rows, WEIGHTS, bound=2.0, seed=seed)


def strategy(rows: int, begin: int, seed: int, plus: bool = True) -> EvolutionStrategy:
    return EvolutionStrategy(start(rows, begin), parents=3, offspring=9, sigma=0.1, plus=plus, seed=seed)


def cma(begin: int, seed: int, separable: bool = False, adapt_rate: bool = False) -> CmaEs:
    mean = start(1, begin)[0]
    return CmaEs(mean, population=9, sigma=0.5, separable=separable, adapt_rate=adapt_rate, seed=seed)


KINDS: dict[str, Maker] = {
    "plus": lambda begin, seed: strategy(12, begin, seed),
    "plus, from parents": lambda begin, seed: strategy(3, begin, seed),
    "comma": lambda begin, seed: strategy(12, begin, seed, plus=False),
    "comma, from parents": lambda begin, seed: strategy(3, begin, seed, plus=False),
    "self-adaptive": lambda begin, seed: SelfAdaptiveEvolution(
        start(5, begin), parents=5, offspring=5, seed=seed
    ),
    "self-adaptive, whole start": lambda begin, seed: SelfAdaptiveEvolution(
        start(12, begin), parents=5, offspring=7, seed=seed
    ),
    "genetic": lambda begin, seed: GeneticSearch(start(10, begin), mutation_rate=0.3, step=0.1, seed=seed),
    "cma": lambda begin, seed: cma(begin, seed),
    "cma, separable": lambda begin, seed: cma(begin, seed, separable=True),
    "cma, adapting its rate": lambda begin, seed: cma(begin, seed, adapt_rate=True),
    "two strategies": lambda begin, seed: PairOfPopulations(
        strategy(12, begin, seed), strategy(12, begin + 1, seed + 1)
    ),
    "two cma": lambda begin, seed: PairOfPopulations(cma(begin, seed), cma(begin + 1, seed + 1)),
}
ALL = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
LEARNING = {name: make for name, make in KINDS.items() if "cma" not in name}


def nearness(rows: FloatMatrix) -> FloatVector:
    """Fitness of the sphere function: the nearer to 1, ..., 1, the fitter; never negative."""
    return np.asarray(1 / (0.01 + np.square(rows - 1).sum(axis=1)))


def live(search: Optimiser, generations: int) -> Optimiser:
    for _ in range(generations):
        search.tell(nearness(search.ask()))
    return search


def fingerprint(search: Optimiser) -> str:
    """Everything that can be seen of an optimiser, in bytes."""
    seen = [search.ask(), search.parents, search.favourite, search.survivors, np.array(search.generation)]
    seen += [tensor for _, tensor in sorted(search.state().items())]
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in seen)).hexdigest()


@ALL
def test_asking_twice_gives_the_same_and_belongs_to_the_caller(make: Maker) -> None:
    search = make(1, 2)
    for _ in range(4):
        asked = search.ask()
        original = asked.copy()
        for array in (asked, search.parents, search.favourite, search.survivors, *search.state().values()):
            array[...] = 77
        assert np.array_equal(search.ask(), original)
        search.tell(nearness(original))


@ALL
def test_the_seed_decides(make: Maker) -> None:
    assert fingerprint(live(make(1, 2), 3)) == fingerprint(live(make(1, 2), 3))
    assert fingerprint(live(make(1, 2), 3)) != fingerprint(live(make(1, 3), 3))


@ALL
def test_kept_rows_lead_unchanged(make: Maker) -> None:
    search = make(1, 2)
    assert len(search.survivors) == 0
    for generation in range(5):
        assert search.generation == generation
        asked = search.ask()
        assert asked.shape[1] == WEIGHTS
        assert 1 <= search.selection_size <= len(asked)
        search.tell(nearness(asked))
        assert np.array_equal(search.ask()[: len(search.survivors)], asked[search.survivors])


@ALL
def test_what_is_told_stays_as_it_was(make: Maker) -> None:
    search = make(1, 2)
    fitness = nearness(search.ask())
    before = fitness.copy()
    search.tell(fitness)
    follows = fingerprint(search)
    assert np.array_equal(fitness, before)
    fitness[:] = 0
    assert fingerprint(search) == follows


@ALL
@pytest.mark.parametrize("generation", [0, 1, 2, 7])
@pytest.mark.parametrize("asked_before", [False, True])
def test_a_checkpoint_changes_no_byte(
    make: Maker, generation: int, asked_before: bool, tmp_path: Path
) -> None:
    unbroken = live(make(1, 2), generation)
    if asked_before:
        unbroken.ask()
    save_file(unbroken.state(), tmp_path / "checkpoint.safetensors")
    # Of another start and another history, so that all it has afterwards comes from the file.
    resumed = live(make(5, 2), 2)
    resumed.ask()
    resumed.restore(load_file(tmp_path / "checkpoint.safetensors"))
    for _ in range(4):
        assert fingerprint(resumed) == fingerprint(unbroken)
        live(resumed, 1)
        live(unbroken, 1)


@ALL
def test_a_checkpoint_of_something_else_is_refused(make: Maker) -> None:
    search = live(make(1, 2), 1)
    state = search.state()
    assert state["generation"].tolist() == [1.0]
    assert {tensor.dtype for tensor in state.values()} == {np.dtype(np.float64)}
    for name in state:
        before = fingerprint(search)
        with pytest.raises(ValueError, match="does not belong to this search"):
            search.restore({key: tensor for key, tensor in state.items() if key != name})
        with pytest.raises(ValueError, match="does not belong to this search"):
            search.restore(state | {name: np.zeros((2, 3, 4))})
        assert fingerprint(search) == before


@ALL
def test_fitness_is_followed(make: Maker) -> None:
    """150 generations from 3.6 away. A comma strategy with fixed steps stays about n sigma / (2 c) away from
    the optimum (Beyer 2001), here 6 x 0.1 / (2 x 1), the others come nearer: all must be within twice that. A
    twin who is told fitness that has nothing to do with the weights walks at random, and none comes back."""
    search, blind = make(1, 2), make(1, 2)
    random = np.random.default_rng(3)
    for _ in range(150):
        search.tell(nearness(search.ask()))
        blind.tell(random.random(len(blind.ask())))
    distance, blind_distance = (np.linalg.norm(one.favourite - 1) for one in (search, blind))
    assert distance < 0.6
    assert blind_distance > 1.8


@ALL
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_any_fitness_is_taken(make: Maker, data: st.DataObject) -> None:
    """Ties, zeros, tiny and huge numbers: the search goes on with finite weights."""
    search = make(1, 2)
    numbers = st.one_of(st.just(0.0), st.just(1.0), st.floats(0, 1e300))
    for _ in range(3):
        rows = len(search.ask())
        search.tell(np.array(data.draw(st.lists(numbers, min_size=rows, max_size=rows))))
    assert np.isfinite(search.ask()).all()
    assert np.isfinite(search.favourite).all()


@ALL
def test_equal_fitness_prefers_the_lower_row(make: Maker) -> None:
    search = make(1, 2)
    asked = search.ask()
    search.tell(np.ones(len(asked)))
    assert search.survivors.tolist() == list(range(len(search.survivors)))
    for _ in range(30):
        search.tell(np.ones(len(search.ask())))
    assert np.isfinite(search.ask()).all()


@ALL
@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda fitness: fitness[:-1], "needs [0-9]+ fitness values"),
        (lambda fitness: fitness[:, np.newaxis], "needs [0-9]+ fitness values"),
        (lambda fitness: np.where(np.arange(len(fitness)) == 2, np.nan, fitness), "row 2 is not a number"),
    ],
)
def test_wrong_fitness_is_refused(
    make: Maker, fault: Callable[[FloatVector], FloatVector], message: str
) -> None:
    search = live(make(1, 2), 1)
    before = fingerprint(search)
    with pytest.raises(ValueError, match=message):
        search.tell(fault(nearness(search.ask())))
    assert fingerprint(search) == before


@pytest.mark.parametrize("make", LEARNING.values(), ids=LEARNING)
def test_what_individuals_learned_is_inherited(make: Maker) -> None:
    search = live(make(1, 2), 2)
    learned = search.ask() + 10
    before = learned.copy()
    search.tell(np.arange(len(learned), dtype=float), learned)
    assert np.array_equal(learned, before)
    assert np.array_equal(search.parents[0], learned[-1])
    assert np.array_equal(search.favourite, learned[-1])
    assert np.array_equal(search.ask()[: len(search.survivors)], learned[search.survivors])
    assert search.ask().min() > 5  # children too come from what was learned
    for fault, message in ((learned[1:], "shape"), (learned * np.inf, "finite")):
        with pytest.raises(ValueError, match=message):
            search.tell(np.ones(len(search.ask())), fault)


@pytest.mark.parametrize("name", [name for name in KINDS if "cma" in name])
def test_a_distribution_cannot_inherit(name: str) -> None:
    search = KINDS[name](1, 2)
    with pytest.raises(ValueError, match="CMA-ES learns from the vectors it drew"):
        search.tell(nearness(search.ask()), search.ask())


THREADS = """
import numpy as np, hashlib
from outflank.learners.optimisers.cma_es import CmaEs
from outflank.learners.optimisers.evolution_strategies import EvolutionStrategy, uniform_start
for search in (
    CmaEs(np.zeros(288), population=40, sigma=0.5, seed=1),
    CmaEs(np.zeros(200), population=20, sigma=0.5, adapt_rate=True, seed=1),
    EvolutionStrategy(uniform_start(100, 288, 0.1, 1), seed=1),
):
    for _ in range(6):
        search.tell(-np.square(search.ask() - 1).sum(axis=1))
    print(*(hashlib.sha256(tensor.tobytes()).hexdigest() for tensor in search.state().values()))
"""


def test_the_number_of_blas_threads_changes_no_byte() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", THREADS],
            env=os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "4")
    ]
    assert outputs[0]
    assert outputs[0] == outputs[1] == outputs[2]
