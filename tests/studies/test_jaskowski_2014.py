"""Jaskowski 2014: our statistics on the paper's own numbers give the paper's own verdicts; runs share their
budget; claims fail where they should."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from outflank.games.statistics import Tally
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.initialisation import starting_point
from outflank.players.greedy import GreedyPlayer
from outflank.studies.experiment import SCALES, find_experiments
from outflank.studies.jaskowski_2014.architectures import (
    BUDGET,
    RANDOM,
    SYSTEMATIC,
    TABLE_4,
    Performance,
    architecture,
    mean_score,
)
from outflank.studies.jaskowski_2014.comparisons import architecture_claims, inversion_claims
from outflank.studies.jaskowski_2014.expected_utility import utility
from outflank.studies.jaskowski_2014.league import one_ply
from outflank.studies.jaskowski_2014.learning_pace import Curves, order_claim, pace_claims
from outflank.studies.laboratory import Laboratory
from outflank.studies.results import reproduce
from outflank.studies.verdicts import Claim, Finding, NotMeasured

# Table IV's own columns of means and medians.
PRINTED = {
    "all-2-inv": (0.9401, 0.9361), "all-3-inv": (0.9379, 0.9385), "all-4-inv": (0.9122, 0.9101),
    "rand-10x3-inv": (0.8681, 0.8770), "rand-8x4-inv": (0.8454, 0.8530), "rand-7x5-inv": (0.8012, 0.7974),
    "rand-8x4-neg": (0.7698, 0.7741), "all-1-inv": (0.7362, 0.7374), "all-1-neg": (0.5946, 0.5790),
}  # fmt: skip


def table_4() -> dict[str, list[float]]:
    return {name: list(runs) for name, runs in TABLE_4.items()}


def holds(findings: dict[str, Finding]) -> dict[str, bool | None]:
    return {key: found.holds for key, found in findings.items() if isinstance(found, Claim)}


def test_the_table_s_runs_have_its_means_and_medians() -> None:
    for name, (mean, median) in PRINTED.items():
        assert np.mean(TABLE_4[name]) == pytest.approx(mean, abs=1e-4)
        assert np.median(TABLE_4[name]) == pytest.approx(median, abs=1e-4)


def test_rows_of_table_4_are_the_table() -> None:
    rows = {row.key: row for row in find_experiments(["jaskowski-2014/table-4"])[0].rows}
    for name, (mean, _) in PRINTED.items():
        assert rows[name].paper == mean
        assert rows[name].runs == TABLE_4[name]


def test_the_paper_s_numbers_give_the_paper_s_verdicts() -> None:
    found = holds(inversion_claims(table_4())) | holds(architecture_claims(table_4()))
    unsure = {key for key, value in found.items() if value is None}
    assert unsure == {
        "rand-8x4 spread",
        "all-1 spread",
        "closest",
    }  # seen in the violins; ten runs do not prove it
    assert all(found[key] for key in found.keys() - unsure)


def test_claims_do_not_hold_of_numbers_that_contradict_them() -> None:
    upside_down = {name: [1 - score for score in runs] for name, runs in table_4().items()}
    found = holds(architecture_claims(upside_down))
    assert not any(found[key] for key in found if " > " in key)
    assert found["apart"] is False
    assert found["systematic falling"] is False
    assert found["all-3 not better"]  # than all-2: better by less than the margin
    assert holds(inversion_claims(upside_down))["all-1 better"] is False
    same = {name: [0.5, 0.6, 0.7] for name in table_4()}
    found = holds(architecture_claims(same))
    assert found["all-2 and all-3 alike"] is None  # three runs that vary so much prove no equality
    assert found["spread"] is None
    many = {name: [0.60 + x / 1000 for x in range(10)] for name in table_4()}
    assert holds(architecture_claims(many))["all-2 and all-3 alike"]


def test_one_run_has_no_spread_and_proves_nothing() -> None:
    one = {name: runs[:1] for name, runs in table_4().items()}
    found = holds(architecture_claims(one))
    assert found["spread"] is None
    assert found["all-4 worse"] is None
    assert mean_score([Performance(0.6, (0.5, 0.7))]).ci95 == (0.5, 0.7)


def test_the_order_is_compared_where_the_games_end() -> None:
    paper = {name: mean for name, (mean, _) in PRINTED.items()}
    backwards = {name: 1 - mean for name, mean in paper.items()}
    assert order_claim({"a tenth": backwards, "all": paper}).holds
    assert not order_claim({"a tenth": paper, "all": backwards}).holds


def curves(starts: float, ends: float, shape: float) -> np.ndarray:
    """Ten runs of twelve measurements, a little apart."""
    rise = np.linspace(0, 1, 12) ** shape
    noise = np.random.default_rng([int(1e4 * ends), int(10 * shape)]).normal(0, 0.002, (10, 12))
    return starts + (ends - starts) * rise + noise + np.arange(10)[:, None] / 1e4


def test_pace_is_told_from_curves() -> None:
    """all-2 is quick, all-3 arrives at the same score later, all-4 comes closer and stays behind."""
    made = {
        "all-2-inv": curves(0.2, 0.940, 0.2), "all-3-inv": curves(0.2, 0.940, 0.4),
        "all-4-inv": curves(0.2, 0.912, 0.9), "rand-10x3-inv": curves(0.2, 0.868, 0.3),
        "rand-8x4-inv": curves(0.2, 0.845, 0.3), "rand-7x5-inv": curves(0.2, 0.801, 0.3),
    }  # fmt: skip
    assert all(holds(pace_claims(made, table_4())).values())
    swapped = made | {"all-2-inv": made["all-4-inv"], "all-4-inv": made["all-2-inv"]}
    found = holds(pace_claims(swapped, table_4()))
    assert found["all-2 quickest"] is False
    assert not found["all-3 catches up"]
    assert found["all-4 slower"] is False


def test_a_gap_that_is_still_there_is_not_caught_up() -> None:
    """A gap that has shrunk to 0.049 with p = 0.0002 is a gap."""
    made = {name: curves(0.2, 0.8, 0.3) for name in (*SYSTEMATIC, *RANDOM)}
    made |= {"all-2-inv": curves(0.2, 0.772, 0.2), "all-3-inv": curves(0.2, 0.723, 0.4)}
    ends = {name: of_name[:, -1].tolist() for name, of_name in made.items()}
    found = pace_claims(made, ends)["all-3 catches up"]
    assert isinstance(found, Claim)
    assert found.holds is False
    assert "p = 0.000" in found.evidence
    equal = made | {"all-3-inv": curves(0.2, 0.772, 0.4)}
    assert holds(pace_claims(equal, {n: of_n[:, -1].tolist() for n, of_n in equal.items()}))[
        "all-3 catches up"
    ]
    never_behind = equal | {"all-3-inv": equal["all-2-inv"]}
    ends = {n: of_n[:, -1].tolist() for n, of_n in never_behind.items()}
    assert not holds(pace_claims(never_behind, ends))["all-3 catches up"]


def test_scores_are_taken_at_the_nearest_measurement() -> None:
    found = Curves(np.array([10.0, 20, 30]), np.array([[0.1, 0.2, 0.3], [0.5, 0.6, 0.7]]))
    assert found.at(1 / 3).tolist() == [0.1, 0.5]
    assert found.at(0.7).tolist() == [0.2, 0.6]
    assert found.mean.middle.tolist() == pytest.approx([0.3, 0.4, 0.5])


def test_figures_and_table_share_their_runs() -> None:
    files = find_experiments(
        [f"jaskowski-2014/{name}" for name in ("figure-4", "figure-5", "figure-6", "table-4")]
    )
    for scale in SCALES:
        budgets = [{key: one.settings(scale)[key] for key in (*BUDGET, "preset")} for one in files]
        assert all(budget == budgets[0] for budget in budgets)
        assert len({one.seeds(scale) for one in files}) == 1


def test_paper_scale_is_the_paper_s_budget() -> None:
    settings = find_experiments(["jaskowski-2014/table-4"])[0].settings("paper")
    assert settings["generations"] * 100 * 2 * settings["double_games"] == 10**9


def test_random_snakes_differ_from_run_to_run_and_straight_tuples_do_not() -> None:
    def tables(name: str, seed: int) -> object:
        settings = EvolutionSettings(method="evolution-strategy", generations=1, **architecture(name))  # type: ignore[arg-type]
        return starting_point(settings, seed).evaluator.tables  # type: ignore[attr-defined]

    assert tables("rand-8x4-inv", 1) != tables("rand-8x4-inv", 2)
    assert tables("rand-8x4-inv", 1) == tables("rand-8x4-neg", 1)
    assert tables("all-2-inv", 1) == tables("all-2-inv", 2)


def laboratory(name: str, folder: Path) -> Laboratory:
    return Laboratory(find_experiments([f"jaskowski-2014/{name}"])[0], "quick", folder)


def test_expected_utility_is_that_of_games_played_one_by_one(tmp_path: Path) -> None:
    """Against the paper's player the random counters are weak; against itself nobody is: a twin that plays
    each counter in a match of its own, with other random numbers, must agree within both intervals."""
    from outflank.evaluators.piece_counter import PieceCounter
    from outflank.games.match import Match

    player = one_ply("standard-heuristic")
    fast = utility(laboratory("expected-utility", tmp_path), player, 400, 0.0)
    drawn = np.random.default_rng(1).uniform(-1, 1, (400, 64))
    slow = sum(
        (
            Match(player, GreedyPlayer(PieceCounter(weights), name="counter"), double_games=1, seed=n).play()
            for n, weights in enumerate(drawn)
        ),
        Tally(),
    )
    assert slow.ci95[0] <= fast.value <= slow.ci95[1]
    assert fast.ci95[0] <= slow.score <= fast.ci95[1]


def test_without_published_files_their_rows_alone_are_missing(tmp_path: Path) -> None:
    found = reproduce(laboratory("table-3", tmp_path)).outcome.findings
    assert [key for key, one in found.items() if isinstance(one, NotMeasured)] == ["prb_nt15_001"]


def test_parts_are_kept_for_the_same_weights_only(tmp_path: Path) -> None:
    where = laboratory("expected-utility", tmp_path)
    first = utility(where, one_ply("all-2"), 50, 0.0)
    path = next((tmp_path / "quick" / "jaskowski-2014" / "expected-utility" / "parts").iterdir())
    kept = json.loads(path.read_bytes())
    path.write_text(json.dumps(kept | {"value": {"score": 0.123, "ci95": [0.1, 0.2]}}))
    assert utility(where, one_ply("all-2"), 50, 0.0).value == 0.123
    assert utility(where, one_ply("all-2"), 60, 0.0).value != 0.123
    assert utility(where, one_ply("all-2"), 50, 0.0) == first
