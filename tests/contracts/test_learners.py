"""One suite over every learner: optimisers (ask, tell, checkpoints), temporal differences (seeds, batches,
checkpoints), and runs of both kinds, interrupted and resumed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from outflank import EvolutionSettings, TdSettings, create_run, load_player, open_run
from outflank.learners.optimisers.cma_es import CmaEs
from outflank.learners.optimisers.evolution_strategies import (
    EvolutionStrategy,
    SelfAdaptiveEvolution,
    uniform_start,
)
from outflank.learners.optimisers.genetic import GeneticSearch
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector, Optimiser
from outflank.learners.optimisers.two_populations import PairOfPopulations
from outflank.learners.td import TdLearner

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
    """Everything visible of an optimiser, in bytes."""
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


# What the settings are refused for, where an optimiser is made.
WRONG_OPTIMISERS: dict[str, tuple[Callable[[], Optimiser], str]] = {
    "a start of another size": (lambda: strategy(5, 1, 2), "the start must have 3 rows"),
    "a start that is not finite": (
        lambda: GeneticSearch(np.full((4, 2), np.nan), seed=1),
        "the start must be finite",
    ),
    "no matrix": (lambda: EvolutionStrategy(np.zeros(6), parents=2, offspring=4, seed=1), "shape"),
    "sigma": (lambda: CmaEs(np.zeros(3), population=6, sigma=0.0, seed=1), "sigma must be a number above 0"),
    "a small population": (lambda: CmaEs(np.zeros(3), population=3, sigma=1.0, seed=1), "at least 4, got 3"),
    "both forms of CMA-ES": (
        lambda: CmaEs(np.zeros(3), population=6, sigma=1.0, separable=True, adapt_rate=True, seed=1),
        "choose one of them",
    ),
    "too few offspring": (
        lambda: EvolutionStrategy(np.zeros((4, 3)), parents=4, offspring=2, plus=False, seed=1),
        "need at least 4 offspring, got 2",
    ),
    "a mutation rate": (lambda: GeneticSearch(start(4, 1), mutation_rate=0.0, seed=1), "mutation rate"),
    "a seed": (lambda: GeneticSearch(start(4, 1), seed=-1), "the seed must be 0 or more, got -1"),
}


@pytest.mark.parametrize(("make", "message"), WRONG_OPTIMISERS.values(), ids=WRONG_OPTIMISERS)
def test_wrong_arguments_are_refused(make: Callable[[], Optimiser], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


# Every kind of evaluator, and every variant of temporal differences.
SMALL: dict[str, Any] = {"games": 60, "initial_weights": 0.1, "alpha": 0.01}
VARIANTS: dict[str, dict[str, Any]] = {
    "piece counter": {"evaluator": "piece-counter"},
    "symmetric piece counter": {"evaluator": "piece-counter-10", "view": "negation"},
    "network with stages": {"evaluator": "all-2", "stages": 3},
    "random network": {"evaluator": "snakes-5x4"},
    "MLP": {"evaluator": "mlp-4"},
    "spatial MLP": {"evaluator": "spatial-mlp", "games": 20},
    "TD(0) of Lucas": {
        "evaluator": "all-1",
        "output": "tanh",
        "successor": "every-board",
        "expected_target": False,
        "coherence": False,
    },
    "TD(lambda)": {"evaluator": "all-1", "trace": 0.7},
    "falling rate": {"evaluator": "all-1", "final_alpha": 0.0, "random_plies": 10},
    "fixed opponents": {"evaluator": "all-1", "opponents": ("standard-heuristic", "random", "self")},
    "pool of former selves": {"evaluator": "all-1", "pool": 2, "pool_every": 15},
}
TD = {name: TdSettings(**(SMALL | changes)) for name, changes in VARIANTS.items()}
every_td = pytest.mark.parametrize("settings", TD.values(), ids=TD)


def learned_bytes(learner: TdLearner) -> bytes:
    return b"".join(
        array.tobytes() for array in (learner.core.weights(), learner.core.coherence(), *learner.pool)
    )


@every_td
def test_td_depends_on_the_seed_and_not_on_batches(settings: TdSettings) -> None:
    whole, parts, other = TdLearner(settings, 7), TdLearner(settings, 7), TdLearner(settings, 8)
    before = learned_bytes(whole)
    total = whole.play(settings.games)
    progress = [parts.play(count) for count in (1, 9, settings.games - 10)]
    other.play(settings.games)
    assert learned_bytes(parts) == learned_bytes(whole)
    assert len({before, learned_bytes(whole), learned_bytes(other)}) == 3
    assert sum(part.updates for part in progress) == total.updates > 0
    assert sum(part.squared_error for part in progress) == total.squared_error
    assert np.array_equal(whole.learned().weights, whole.core.weights())


@every_td
def test_a_td_checkpoint_changes_no_byte(settings: TdSettings) -> None:
    """What a checkpoint holds is all that the games to come depend on."""
    unbroken, resumed = TdLearner(settings, 7), TdLearner(settings, 7)
    unbroken.play(settings.games // 2)
    resumed.core.set_weights(unbroken.core.weights())
    resumed.core.set_coherence(unbroken.core.coherence())
    resumed.set_pool(unbroken.pool)
    resumed.games = unbroken.games
    for learner in (unbroken, resumed):
        learner.play(settings.games - learner.games)
    assert learned_bytes(resumed) == learned_bytes(unbroken)
    for wrong in (np.zeros(3, np.float32), np.append(unbroken.core.weights(), np.float32(0))):
        with pytest.raises(ValueError, match="the number of weights differs"):
            resumed.core.set_weights(wrong)
        with pytest.raises(ValueError, match="the number of coherence sums differs"):
            resumed.core.set_coherence(wrong)
    assert learned_bytes(resumed) == learned_bytes(unbroken)


MEASURED: dict[str, Any] = {"measure_double_games": 20}
TD_RUN: dict[str, Any] = MEASURED | {"games": 1500, "measure_every": 1000, "evaluator": "all-1"}
EVOLUTION_RUN: dict[str, Any] = MEASURED | {"generations": 3, "measure_every": 2}
SMALL_RUN: dict[str, Any] = EVOLUTION_RUN | {"evaluator": "piece-counter-10"}
RUNS: dict[str, TdSettings | EvolutionSettings] = {
    "td": TdSettings(**TD_RUN),
    "td with a pool": TdSettings(**TD_RUN, pool=2, pool_every=300, trace=0.5),
    "evolution strategy": EvolutionSettings(
        **SMALL_RUN, method="evolution-strategy", parents=2, offspring=3, double_games=5
    ),
    "self-adaptive": EvolutionSettings(
        **SMALL_RUN, method="self-adaptive", parents=3, offspring=3, fitness="random-opponents", games_each=2
    ),
    "genetic": EvolutionSettings(
        **EVOLUTION_RUN, method="genetic", population=4, double_games=5, seed_player="standard-heuristic"
    ),
    "cma-es": EvolutionSettings(**SMALL_RUN, method="cma-es", population=5, fitness="round-robin"),
    "sep-cma-es": EvolutionSettings(**SMALL_RUN, method="sep-cma-es", population=5, double_games=5),
    "learning between generations": EvolutionSettings(
        **EVOLUTION_RUN, method="evolution-strategy", parents=2, offspring=3, fitness="round-robin",
        td_games=20, evaluator="rand-3x4",
    ),
}  # fmt: skip
every_run = pytest.mark.parametrize("settings", RUNS.values(), ids=RUNS)


def folder_contents(path: Path) -> dict[str, object]:
    """Every file of a run, the log without what a clock says."""
    files: dict[str, object] = {file.name: file.read_bytes() for file in path.iterdir()}
    log = [json.loads(line) for line in (path / "log.jsonl").read_text().splitlines()]
    clock = ("games_per_second", "seconds", "core_seconds")
    files["log.jsonl"] = [{key: value for key, value in entry.items() if key not in clock} for entry in log]
    return files


@every_run
def test_a_run_interrupted_after_every_step_ends_with_the_same_bytes(
    settings: TdSettings | EvolutionSettings, tmp_path: Path
) -> None:
    for name, seed in (("unbroken", 7), ("other seed", 8)):
        for _ in create_run(tmp_path / name, settings, seed).steps():
            pass
    run = create_run(tmp_path / "broken", settings, 7)
    interruptions = 0
    while not run.is_finished:
        next(run.steps())
        run.save()
        interruptions += 1
        run = open_run(tmp_path / "broken")
        assert (run.seed, run.folder.settings()) == (7, (settings, 7))
    assert interruptions >= 3
    assert run.done == run.total
    assert folder_contents(tmp_path / "broken") == folder_contents(tmp_path / "unbroken")
    unbroken, other = (
        load_player(tmp_path / name / "last.safetensors").evaluator.weights
        for name in ("unbroken", "other seed")
    )
    assert not np.array_equal(unbroken, other)


@every_run
def test_a_run_overwrites_nothing(settings: TdSettings | EvolutionSettings, tmp_path: Path) -> None:
    create_run(tmp_path / "run", settings, 7)
    before = folder_contents(tmp_path / "run") if (tmp_path / "run" / "log.jsonl").exists() else None
    with pytest.raises((ValueError, FileExistsError)):
        create_run(tmp_path / "run", settings, 8)
    if before is not None:
        assert folder_contents(tmp_path / "run") == before
    assert open_run(tmp_path / "run").seed == 7


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TdSettings(epsilon=1.5), r"epsilon must be within 0\.\.1, got 1\.5"),
        (lambda: TdSettings(games=0), "games must be at least 1, got 0"),
        (lambda: TdSettings(evaluator="mlp"), "all start at zero"),
        (
            lambda: EvolutionSettings(**SMALL_RUN, method="cma-es", epsilon=-0.1),
            r"epsilon must be within 0\.\.1, got -0\.1",
        ),
        (lambda: EvolutionSettings(method="cma-es", generations=0), "generations must be at least 1, got 0"),
    ],
)
def test_wrong_settings_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()
