"""Learning curves: bands, scales, and real pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from outflank.plots.learning_curves import curve_and_band, draw_learning_curves
from outflank.plots.networks import save_figure


def log(scores: list[float], every: int = 100) -> list[dict[str, object]]:
    return [{"games": every * i, "score": s, "ci95": [s - 0.01, s + 0.01]} for i, s in enumerate(scores)]


def test_one_run_has_its_own_intervals() -> None:
    games, low, middle, high = curve_and_band([log([0.2, 0.5])])
    assert games.tolist() == [0, 100]
    np.testing.assert_allclose([low, middle, high], [[0.19, 0.49], [0.2, 0.5], [0.21, 0.51]])


def test_several_runs_have_the_interval_of_their_mean() -> None:
    finals = [0.4, 0.5, 0.7]
    runs = [log([0.2, final]) for final in finals]
    games, low, middle, high = curve_and_band([*runs[:2], [*runs[2], *log([0, 0, 0.9])[2:]]])
    assert games.tolist() == [0, 100]  # only games that all runs have reached
    expected = stats.t.interval(0.95, 2, np.mean(finals), stats.sem(finals))
    assert (low[1], high[1]) == pytest.approx(expected)
    assert middle[1] == pytest.approx(np.mean(finals))


def test_scales_suit_the_scores(tmp_path: Path) -> None:
    low = draw_learning_curves({"low": [log([0.2, 0.4, 0.6])]}, "standard-heuristic")
    assert low.axes[0].get_yscale() == "linear"
    high = draw_learning_curves({"high": [log([0.2] + [0.99] * 300)]}, "standard-heuristic")
    assert (high.axes[0].get_xscale(), high.axes[0].get_yscale()) == ("symlog", "logit")
    for name, figure in (("low", low), ("high", high)):
        save_figure(figure, tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_an_empty_run_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match="no curve to draw yet"):
        curve_and_band([[]])
