"""Beyond the papers: judgements on hand-made logs and players that must hold and that must fail; the whole
without published files and with one seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from outflank.studies.beyond.league_against_strength import (
    FOR_THE_LEAGUE,
    NOT_LEARNED,
    OTHERWISE,
    PRINTED,
    Point,
    correlated,
    findings_of,
    not_good_in_general,
    places_lost,
)
from outflank.studies.beyond.td_against_evolution import ahead, shortest, still_rising
from outflank.studies.chong_2003.runs import random_openings
from outflank.studies.experiment import find_experiments
from outflank.studies.inference import rank_correlation
from outflank.studies.laboratory import Laboratory
from outflank.studies.results import reproduce
from outflank.studies.verdicts import Claim, NotMeasured


def log(scores: Sequence[float], error: float = 0.01) -> list[dict[str, Any]]:
    """A run that is measured every 100 games and 2 seconds."""
    return [
        {"games": 100 * i, "seconds": 2.0 * i, "score": score, "ci95": [score - error, score + error]}
        for i, score in enumerate(scores)
    ]


def judged(finding: object) -> bool | None:
    assert isinstance(finding, Claim)
    return finding.holds


def test_four_runs_a_method_are_enough_to_say_who_is_ahead() -> None:
    logs = {
        "fast": [log([0.5, 0.8 + i / 100, 0.85]) for i in range(4)],
        "slow": [log([0.5, 0.6 + i / 100, 0.87 + i / 100]) for i in range(4)],
        "slower": [log([0.5, 0.55 + i / 100, 0.88 + i / 100]) for i in range(4)],
    }
    early = ahead(logs, "fast", ["slow", "slower"], "games", 100)
    # All four above all four: 1 of 70 orders; the smaller of two p-values is doubled by Holm.
    assert early == Claim(True, early.evidence)
    assert early.evidence.count(f"p = {2 / 70:.2g}") == 2
    assert "after 100 games" in early.evidence
    assert ahead(logs, "fast", ["slow"], "seconds", 1.0).holds  # halfway to the first measurement
    assert not ahead(logs, "fast", ["slow", "slower"], "games", 200).holds
    assert ahead(logs, "slow", ["fast"], "seconds", 4.0).holds
    assert not ahead(logs, "slow", ["fast", "slower"], "games", 0).holds


def test_fewer_runs_are_judged_by_their_games() -> None:
    for error, holds in ((0.01, True), (0.06, None)):
        logs = {"a": [log([0.5, 0.8], error)], "b": [log([0.5, 0.7], error), log([0.5, 0.6], error)]}
        assert ahead(logs, "a", ["b"], "games", 100).holds is holds
    assert shortest({"a": [log([0.5, 0.8, 0.9])], "b": [log([0.5, 0.7])]}, "seconds") == 2.0


def test_a_run_that_ended_stands_where_it_ended() -> None:
    logs = {"long": [log([0.1, 0.2, 0.9])], "short": [log([0.1, 0.8])]}
    assert ahead(logs, "short", ["long"], "seconds", 2.0).holds
    assert ahead(logs, "long", ["short"], "seconds", 4.0).holds


def test_who_still_rises() -> None:
    rising = [log([0.1, 0.3, 0.5 + i / 100]) for i in range(3)]
    flat = [log([0.1, 0.5, 0.5 + i / 100]) for i in (-1, 0, 1)]
    assert still_rising({"a": rising}).holds
    assert not still_rising({"a": rising, "b": flat}).holds
    assert still_rising({"alone": rising[:1]}).holds
    assert not still_rising({"alone": [log([0.1, 0.3, 0.31])]}).holds


def test_the_rank_correlation_is_scipy_s() -> None:
    random = np.random.default_rng(3)
    for size in (14, 40):
        x = random.integers(0, 10, size).astype(float)  # with ties
        y = x + random.normal(0, 4, size)
        found, expected = rank_correlation(x, y), stats.spearmanr(x, y)
        assert found.rho == pytest.approx(expected.statistic)
        assert found.p == pytest.approx(expected.pvalue, abs=0.02)
        assert found.ci95[0] < found.rho < found.ci95[1]
    # Of six pairs the p-value is exact: twice the share of all 720 orders that agree as well or better.
    order = (1, 0, 3, 2, 5, 4)
    rhos = [stats.spearmanr(range(6), each).statistic for each in permutations(range(6))]
    as_good = np.mean(np.array(rhos) >= stats.spearmanr(range(6), order).statistic - 1e-12)
    assert rank_correlation(range(6), order).p == pytest.approx(2 * as_good)
    with pytest.raises(ValueError, match="at least three pairs"):
        rank_correlation([1, 2], [1, 2])


def point(league: float, strength: float, kind: str = OTHERWISE) -> Point:
    return Point((league, league - 0.01, league + 0.01), (strength, strength - 0.01, strength + 0.01), kind)


def traded() -> dict[str, Point]:
    """The better in the League, the weaker."""
    others = {f"player {i}": point(0.6 + i / 20, 0.9 - i / 20) for i in range(5)}
    own = {PRINTED: point(0.93, 0.4), "b": point(0.95, 0.35), "c": point(0.97, 0.3)}
    return others | {name: replace(one, kind=FOR_THE_LEAGUE) for name, one in own.items()}


def test_a_perfect_trade_off() -> None:
    found = findings_of(traded() | {"random": point(0.1, 0.1, NOT_LEARNED)})
    assert judged(found["not good in general"])
    assert judged(found["because"])
    assert judged(found["first is not strongest"])
    assert judged(found["learned players"])
    assert not judged(found["all players"])
    assert sum(places_lost(traded()).values()) == 0


def test_no_trade_off_where_both_scores_rank_alike() -> None:
    alike = {name: replace(one, y=one.x) for name, one in traded().items()}
    found = findings_of(alike)
    assert {key for key, one in found.items() if judged(one)} == {"all players"}


def test_intervals_that_touch_prove_nothing() -> None:
    close = {PRINTED: point(0.93, 0.5), "b": point(0.92, 0.9), "c": point(0.5, 0.51)}
    assert not not_good_in_general(close).holds
    assert not_good_in_general(close | {"d": point(0.9, 0.53)}).evidence.endswith(" d")


def test_random_openings_are_reached_by_play() -> None:
    boards = random_openings(200, 6, seed=2)
    assert boards == random_openings(200, 6, seed=2) != random_openings(200, 6, seed=3)
    assert {(board.black | board.white).bit_count() for board in boards} == {10}
    assert {board.mover for board in boards} == {"black"}
    assert all(board.legal_moves for board in boards)


def test_without_published_files(tmp_path: Path) -> None:
    experiment = find_experiments(["beyond/league-against-strength"])[0]
    result = reproduce(Laboratory(experiment, "quick", tmp_path))
    assert isinstance(result.outcome.findings["because"], NotMeasured)
    strongest_first = [row[0] for row in result.outcome.tables[0].rows]
    assert (strongest_first[0], strongest_first[-1], len(strongest_first)) == (
        "all-rounder",
        "random",
        10,
    )
    assert "after 6 random moves" in result.outcome.figures[0].caption


def test_one_seed(tmp_path: Path) -> None:
    experiment = find_experiments(["beyond/td-against-evolution"])[0]
    result = reproduce(Laboratory(experiment, "quick", tmp_path, seeds=1))
    assert judged(result.outcome.findings["in the long run"])
    assert result.outcome.figures[0].caption.startswith("One run with the 95 % interval of its score")
    assert [row[0] for row in result.outcome.tables[0].rows] == list(experiment.settings("quick")["methods"])


def test_ranks_are_told_apart_by_test_and_interval_together() -> None:
    def points(strengths: Sequence[float]) -> dict[str, Point]:
        return {str(i): point(i / 20, strength) for i, strength in enumerate(strengths)}

    def alike_in_both(strengths: Sequence[float], sign: int = 1) -> bool | None:
        return correlated(points(strengths), sign).holds

    alike = [i / 20 for i in range(12)]
    assert alike_in_both(alike)
    assert alike_in_both(alike, -1) is False
    assert alike_in_both(alike[::-1], -1)
    assert alike_in_both([0.5, 0.1, 0.9, 0.3, 0.7, 0.2, 0.8, 0.4]) is None
