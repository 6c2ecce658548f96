"""Runs of evolution on disk: every method and measure, killed and resumed, benchmarked and raced."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outflank import GreedyPlayer, load_player, named_player
from outflank.learners.execution.executor import ThreadExecutor
from outflank.learners.runs.evolution_run import EvolutionRun
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.parallel_runs import open_run
from outflank.learners.runs.settings import load_preset, parse_settings, preset_names, settings_toml
from tests.conftest import Outflank
from tests.learners.runs.test_runs import COMMAND, contents, kill_and_resume

SMALL: dict[str, Any] = {"generations": 4, "measure_every": 2, "measure_double_games": 50}
TINY_SEED = (
    """evaluator = "piece-counter-10"\ngames = 300\nmeasure_every = 100\nmeasure_double_games = 20\n"""
)


def settings(**changes: Any) -> EvolutionSettings:
    made = parse_settings(SMALL | changes, "test")
    assert isinstance(made, EvolutionSettings)
    return made


KINDS: dict[str, dict[str, Any]] = {
    "strategy": {"method": "evolution-strategy", "parents": 3, "offspring": 5, "double_games": 20},
    "comma": {"method": "evolution-strategy", "parents": 2, "offspring": 5, "selection": "comma",
              "double_games": 10, "opponents": ("all-2", "random"), "view": "negation"},
    "raced": {"method": "evolution-strategy", "parents": 3, "offspring": 12, "double_games": 40,
              "racing": True, "generations": 6},
    "raced by rank": {"method": "cma-es", "population": 8, "double_games": 20, "racing": True},
    "growing": {"method": "cma-es", "population": 6, "double_games": 5, "last_double_games": 20},
    "adapting": {"method": "cma-es", "population": 6, "double_games": 5, "adapt_rate": True,
                 "evaluator": "piece-counter-10"},
    "separable": {"method": "sep-cma-es", "population": 6, "fitness": "expected-utility",
                  "random_counters": 5, "evaluator": "mlp-4"},
    "genetic": {"method": "genetic", "population": 6, "double_games": 10,
                "seed_player": "standard-heuristic"},
    "chong": {"method": "self-adaptive", "parents": 3, "offspring": 3, "fitness": "random-opponents",
              "games_each": 2, "depth": 2, "evaluator": "piece-counter", "epsilon": 0.0,
              "watch": ("disc-difference", "positional")},
    "knowledge": {"method": "self-adaptive", "parents": 3, "offspring": 3, "fitness": "random-opponents",
                  "games_each": 2, "depth": 2, "evaluator": "piece-counter", "book": "default",
                  "book_best": 3, "solve": 4},
    "round robin": {"method": "cma-es", "population": 6, "fitness": "round-robin"},
    "two populations": {"method": "evolution-strategy", "parents": 2, "offspring": 3,
                        "fitness": "two-populations"},
    "learning": {"method": "evolution-strategy", "parents": 2, "offspring": 3, "fitness": "round-robin",
                 "td_games": 20, "evaluator": "rand-3x4"},
}  # fmt: skip


def run_all(run: EvolutionRun, until: int | None = None) -> EvolutionRun:
    for step in run.steps():
        if step.done == until:
            break
    return run


@pytest.mark.parametrize("kind", KINDS)
def test_resumed_after_every_generation(kind: str, tmp_path: Path) -> None:
    made = settings(**KINDS[kind])
    with ThreadExecutor(2) as two, ThreadExecutor(1) as one:
        run_all(EvolutionRun.create(tmp_path / "unbroken", made, 7, two))
        EvolutionRun.create(tmp_path / "broken", made, 7, one)
        for generation in range(1, made.generations + 1):
            again = open_run(tmp_path / "broken", one if generation % 2 else two)
            assert isinstance(again, EvolutionRun)
            run_all(again, until=generation)
    assert contents(tmp_path / "broken") == contents(tmp_path / "unbroken")
    log = [json.loads(line) for line in (tmp_path / "unbroken" / "log.jsonl").read_text().splitlines()]
    assert [entry["generation"] for entry in log] == list(range(1, made.generations + 1))
    assert [entry["generation"] for entry in log if "score" in entry] == list(
        range(2, made.generations + 1, 2)
    )
    assert ("watch" in log[0]) == (kind == "chong")
    for which in ("unbroken", "broken"):  # a resumed run goes on counting
        times = [entry["core_seconds"] for entry in open_run(tmp_path / which).folder.log()]
        assert 0 < times[0] < times[-1]
        assert times == sorted(times)
    stored = load_player(tmp_path / "unbroken" / "best.safetensors")
    assert stored.provenance["learned by"] == "evolution"
    assert stored.view == made.view or made.seed_player


def test_another_seed_is_another_run(tmp_path: Path) -> None:
    for seed in (1, 2):
        run_all(EvolutionRun.create(tmp_path / str(seed), settings(**KINDS["growing"]), seed))
    one, two = (load_player(tmp_path / str(seed) / "last.safetensors").evaluator for seed in (1, 2))
    assert not np.array_equal(one.weights, two.weights)


def test_settings_survive_the_folder() -> None:
    import tomllib

    for kind in KINDS.values():
        made = settings(**kind)
        values = tomllib.loads(settings_toml(made, 5))
        assert values.pop("seed") == 5
        assert parse_settings(values, "again") == made


def test_evolution_learns(tmp_path: Path) -> None:
    """Thirty generations of CMA-ES take ten symmetric weights from nothing to about the heuristic's level:
    0.5 against itself; random play scores 0.16. The measured score's 95 % interval is 0.02 wide."""
    made = settings(method="cma-es", population=12, double_games=100, generations=30, measure_every=30,
                    measure_double_games=2000, evaluator="piece-counter-10")  # fmt: skip
    run = run_all(EvolutionRun.create(tmp_path / "run", made, 1))
    assert run.folder.log()[-1]["score"] > 0.45
    assert run.games == 30 * 12 * 200


def test_temporal_differences_first_then_evolution(tmp_path: Path) -> None:
    (tmp_path / "seed.toml").write_text(TINY_SEED)
    made = settings(method="genetic", population=4, double_games=10, mutation_rate=0.3,
                    seed_preset=str(tmp_path / "seed.toml"))  # fmt: skip
    run = run_all(EvolutionRun.create(tmp_path / "run", made, 3))
    seed = load_player(tmp_path / "run" / "seed" / "best.safetensors").evaluator.weights
    last = load_player(tmp_path / "run" / "last.safetensors").evaluator.weights
    entry = run.folder.log()[-1]
    assert entry["changed_weights"] == np.count_nonzero(last != seed)
    steps = np.abs(last - seed) / 0.01
    assert np.allclose(steps, np.round(steps), atol=1e-4)  # Kim 2007: weights move by 0.01


def test_racing_counts_the_games_it_saves(tmp_path: Path) -> None:
    run = run_all(EvolutionRun.create(tmp_path / "run", settings(**KINDS["raced"]), 7))
    saved = run.folder.log()[-1]["games_not_played"]
    assert saved > 0
    assert run.games + saved == 6 * 15 * 80


def test_what_was_learned_between_generations_is_inherited(tmp_path: Path) -> None:
    kind = KINDS["learning"]
    run_all(EvolutionRun.create(tmp_path / "with", settings(**kind), 1))
    run_all(EvolutionRun.create(tmp_path / "without", settings(**kind | {"td_games": 0}), 1))
    learned, plain = (
        load_player(tmp_path / name / "last.safetensors").evaluator for name in ("with", "without")
    )
    assert not np.array_equal(learned.weights, plain.weights)


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_can_be_run(name: str) -> None:
    made = load_preset(name).settings
    if isinstance(made, EvolutionSettings):
        from outflank.learners.runs.initialisation import check_settings

        check_settings(made, 1)


@pytest.mark.long
def test_killed_at_random_moments_a_run_ends_with_the_same_bytes(tmp_path: Path) -> None:
    options = ["--set", "generations=5", "--set", "offspring=30", "--set", "double_games=100",
               "--set", "measure_every=2", "--set", "measure_double_games=300",
               "--set", "racing=true"]  # fmt: skip
    learn = [*COMMAND, "learn", "jaskowski-2014-all-2", *options]
    whole = [*learn, "--out", str(tmp_path / "whole")]
    assert subprocess.run(whole, capture_output=True, timeout=120).returncode == 0
    assert kill_and_resume(tmp_path / "killed", learn, 3, 0.8) >= 2
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"method": "cma"}, "'cma' is not a method; did you mean cma-es?"),
        ({"method": "cma-es", "fitness": "leage"}, "did you mean league?"),
        ({"method": "cma-es", "parents": 3}, "parents means nothing to cma-es (it is for"),
        (
            {"method": "cma-es", "fitness": "round-robin", "racing": True},
            "racing means nothing to round-robin",
        ),
        ({"method": "genetic"}, "genetic search starts from one player"),
        ({"method": "cma-es", "td_games": 5}, "cma-es cannot take over what individuals learn"),
        ({"method": "cma-es", "seed_player": "all-2", "evaluator": "all-3"}, "evaluator is that of all-2"),
        ({"method": "cma-es", "sigma": 0}, "sigma must be above zero, got 0"),
        ({"method": "cma-es", "generations": 0}, "generations must be at least 1, got 0"),
        ({"method": "genetic", "seed_player": "all-2", "racing": True}, "roulette needs every fitness"),
        ({"method": "cma-es", "seed_games": 5}, "seed_games are those of a seed_preset"),
        ({"method": "cma-es", "opponents": []}, "a league needs at least one opponent"),
        ({"method": "cma-es", "epsilon": 2}, "epsilon must be within 0..1, got 2"),
        ({"method": "cma-es", "populaton": 2}, "did you mean population?"),
    ],
)
def test_settings_that_cannot_be(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        settings(**changes)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"opponents": ["nobody"]}, "'nobody' is not a player or a file"),
        ({"opponents": ["all-2,time=1"]}, "all-2,time=1 does not play inside the core"),
        ({"watch": ["positionl"]}, "did you mean positional?"),
        ({"book": "no.book"}, "no.book"),
        ({"seed_preset": "co-cma-es"}, "co-cma-es does not"),
        ({"seed_player": "iago,depth=2"}, "iago,depth=2 is not a one-ply player"),
        ({"population": 2}, "population"),
        ({"evaluator": "all-99"}, "all-99"),
    ],
)
def test_what_is_not_there_is_said_before_anything_is_written(
    changes: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises((ValueError, OSError)) as error:
        EvolutionRun.create(tmp_path / "run", settings(method="cma-es", **changes), 1)
    assert sentence in str(error.value)
    assert not (tmp_path / "run").exists()


def test_a_cluster_is_for_evolution_and_batches(outflank: Outflank, tmp_path: Path) -> None:
    result = outflank("learn", "all-2", "--cluster", "local:2", "--out", tmp_path / "run")
    assert result.returncode == 2
    assert (
        "without batches temporal differences learn game after game on one core; leave out --cluster"
        in result.stderr
    )
    assert not (tmp_path / "run").exists()


def test_the_command_line_learns_and_names_what_it_made(outflank: Outflank, tmp_path: Path) -> None:
    run = tmp_path / "run"
    result = outflank("learn", "co-cma-es", "--set", "generations=2", "--set", "population=8",
                      "--set", "measure_double_games=50", "--out", run)  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert f"outflank score {run}" in result.stdout.replace("\n", " ").replace("  ", " ")
    player = named_player(str(run / "best.safetensors"))
    assert isinstance(player, GreedyPlayer)
    assert outflank("resume", run).returncode == 0  # nothing left to do
