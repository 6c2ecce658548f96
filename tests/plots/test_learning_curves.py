"""Learning curves: bands, scales, and real pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats

from outflank.plots.learning_curves import By, draw_learning_curves, learning_curve
from outflank.plots.style import save_figure


def log(scores: list[float], every: int = 100) -> list[dict[str, object]]:
    return [{"games": every * i, "score": s, "ci95": [s - 0.01, s + 0.01]} for i, s in enumerate(scores)]


def generations(scores: list[float], seconds_each: float, games_each: float = 100) -> list[dict[str, object]]:
    """Of evolution: a line a generation, every second of them measured."""
    entries: list[dict[str, object]] = []
    for n, score in enumerate(scores, start=1):
        done = {"games": int(games_each * n), "seconds": seconds_each * n}
        entries.append({"generation": 2 * n - 1, "games": 0, "fitness_best": 9.0, "seconds": 0.0})
        entries.append({"generation": 2 * n, "score": score, "ci95": [score - 0.1, score + 0.1]} | done)
    return entries


def key_of(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_one_run_has_its_own_intervals() -> None:
    games, low, middle, high = learning_curve([log([0.2, 0.5])])
    assert games.tolist() == [0, 100]
    np.testing.assert_allclose([low, middle, high], [[0.19, 0.49], [0.2, 0.5], [0.21, 0.51]])


def test_several_runs_have_the_interval_of_their_mean() -> None:
    finals = [0.4, 0.5, 0.6, 0.7]
    runs = [log([0.2, final]) for final in finals]
    games, low, middle, high = learning_curve([*runs[:3], [*runs[3], *log([0, 0, 0.9])[2:]]])
    assert games.tolist() == [0, 100]  # only games that all runs have reached
    expected = stats.t.interval(0.95, 3, np.mean(finals), stats.sem(finals))
    assert (low[1], high[1]) == pytest.approx(expected)
    assert middle[1] == pytest.approx(np.mean(finals))


def test_few_runs_have_the_range_between_them() -> None:
    """The interval of two runs would cover the whole picture."""
    runs = [log([0.2, final]) for final in (0.4, 0.5)]
    _, low, middle, high = learning_curve(runs)
    np.testing.assert_allclose([low, middle, high], [[0.2, 0.4], [0.2, 0.45], [0.2, 0.5]])
    figure = draw_learning_curves({"two": runs}, "standard-heuristic")
    assert "from the lowest to the highest run" in figure.axes[0].texts[0].get_text()


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
        learning_curve([[]])


def test_only_measured_generations_are_drawn() -> None:
    run = generations([0.3, 0.4, 0.6], seconds_each=7)
    expected: dict[By, list[float]] = {
        "games": [100, 200, 300],
        "seconds": [7, 14, 21],
        "generations": [2, 4, 6],
    }
    for by, places in expected.items():
        drawn = learning_curve([run], by)
        assert drawn[0].tolist() == places
        np.testing.assert_allclose(drawn[1:], [[0.2, 0.3, 0.5], [0.3, 0.4, 0.6], [0.4, 0.5, 0.7]])


def test_runs_of_other_speed_meet_on_the_lines_between_their_measurements() -> None:
    fast, slow = generations([0.2, 0.4, 0.6], seconds_each=10), generations([0.1, 0.3, 0.5], seconds_each=20)
    seconds, low, middle, high = learning_curve([fast, slow], "seconds")
    assert seconds.tolist() == [20, 30, 40, 60]  # from where both have begun
    # fast: 0.4, 0.6, and then what it ended with; slow: 0.1, 0.2 between measurements, 0.3, 0.5
    np.testing.assert_allclose(middle, [0.25, 0.4, 0.45, 0.55])
    assert (low[2], high[2]) == pytest.approx((0.3, 0.6))
    generation, _, middle, _ = learning_curve([fast, slow], "generations")
    assert generation.tolist() == [2, 4, 6]
    np.testing.assert_allclose(middle, [0.15, 0.35, 0.55])


def test_a_run_that_is_not_as_far_ends_the_mean() -> None:
    """It is not done, so nobody knows where it will stand."""
    whole, begun = generations([0.2, 0.4, 0.6], seconds_each=10), generations([0.1, 0.3], seconds_each=10)
    assert learning_curve([whole, begun], "seconds")[0].tolist() == [10, 20]
    with pytest.raises(ValueError, match="no mean to draw yet"):
        learning_curve(
            [generations([0.2, 0.4], seconds_each=10), generations([0.1], seconds_each=40)], "seconds"
        )


def test_racing_runs_play_other_numbers_of_games() -> None:
    runs = [generations([0.2, 0.4], 10, games_each=each) for each in (100, 150)]
    games, _, middle, _ = learning_curve(runs)
    assert games.tolist() == [150, 200, 300]
    np.testing.assert_allclose(middle, [(0.3 + 0.2) / 2, (0.4 + 0.2 + 0.2 / 3) / 2, 0.4])


@pytest.mark.parametrize(
    ("seconds_each", "label", "last"),
    [(10, "seconds of learning", 30), (120, "minutes of learning", 6), (7200, "hours of learning", 6)],
)
def test_time_has_a_unit_that_suits(seconds_each: float, label: str, last: float) -> None:
    figure = draw_learning_curves(
        {"mine": [generations([0.2, 0.3, 0.4], seconds_each)]}, "all-2", by="seconds"
    )
    (axes,) = figure.axes
    assert axes.get_xlabel() == label
    assert np.asarray(axes.lines[0].get_xdata())[-1] == pytest.approx(last)
    assert axes.get_xlim()[0] == 0
    assert axes.get_xlim()[1] > last


def test_both_kinds_of_runs_in_one_picture(tmp_path: Path) -> None:
    curves: dict[str, Any] = {
        "td": [[entry | {"seconds": 0.01 * n} for n, entry in enumerate(log([0.2, 0.5, 0.97, 1.0]))]],
        "_es": [generations([0.01, 0.4, 0.6], 10), generations([0.02, 0.5, 0.7], 9), []],
        "$x^": [generations([0.0], 1)],
    }
    figure = draw_learning_curves(curves, "standard-heuristic", by="seconds")
    assert key_of(figure) == ["td: 1.0000", "_es: 0.6500 (2 of 3 runs)", "$x^: 0.0000"]
    save_figure(figure, tmp_path / "both.png")  # warnings are errors
    (axes,) = figure.axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("symlog", "logit")
    assert axes.get_ylim()[0] < 0.01
    assert all(np.isfinite(line.get_transform().transform(line.get_xydata())).all() for line in axes.lines)
    with pytest.raises(ValueError, match="td has no generations: it learned by temporal differences"):
        draw_learning_curves(curves, "standard-heuristic", by="generations")


def test_a_run_that_was_never_measured_is_named() -> None:
    with pytest.raises(ValueError, match="young has not been measured"):
        draw_learning_curves({"young": [generations([0.2], 1)[:1]]}, "standard-heuristic")
