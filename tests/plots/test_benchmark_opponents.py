"""Pictures of parents against watchers: the points, their polynomial, the discs; one run and several."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy import stats

from outflank.learners.fitness.benchmark_opponents import BenchmarkResults
from outflank.plots.benchmark_opponents import benchmark_points, draw_benchmark_games, draw_benchmark_points
from outflank.plots.style import save_figure

WATCHERS = ("disc-difference", "positional")
DISCS = (((2, 2), (4, 1), (3, 3)), ((2, 2), (4, 1), (3, 3), (0, 8)))


def entry(generation: int, beaten: tuple[tuple[int, ...], ...], **changes: Any) -> dict[str, Any]:
    points = tuple(sum(plies >= 4 for plies in of_one) for of_one in beaten)
    watched = BenchmarkResults(
        changes.get("watchers", WATCHERS), beaten, points, changes.get("best_discs", DISCS)
    )
    return {"generation": generation, "games": 10 * generation, "watch": watched.as_entry()}


def log(points: list[tuple[int, int]], parents: int = 10) -> list[dict[str, Any]]:
    """A generation for each pair of points; beaten watchers fell at depth 4 or 6, others at 2 or never."""
    return [
        entry(n, tuple((4, 6) * (won // 2) + (4,) * (won % 2) + (2,) * (parents - won) for won in pair))
        for n, pair in enumerate(points, start=1)
    ]


def random_log(seed: int, generations: int = 40) -> list[dict[str, Any]]:
    points = np.random.default_rng(seed).integers(0, 11, (generations, 2))
    return log([(int(a), int(b)) for a, b in points])


def lines(axes: Axes) -> dict[str, Any]:
    return {str(line.get_label()): np.asarray(line.get_ydata()) for line in axes.lines}


def test_points_are_those_of_the_paper() -> None:
    """Chong 2003, section 5: generations 292, 400, 791 and 892 with 13, 6, 4 and 20 of 20 points."""
    points = benchmark_points(log([(9, 4), (0, 6), (2, 2), (10, 10)]))
    assert points.percent.tolist() == [65, 30, 20, 100]
    assert points.differences is not None
    assert points.differences.tolist() == [-5, 6, 0, 0]


def test_one_run_has_its_points_and_the_polynomial_that_fits_them_best() -> None:
    run = random_log(1)
    above, below = draw_benchmark_points([run], "mine").axes
    drawn = lines(above)
    percent = [5 * sum(one["watch"]["points"]) for one in run]
    assert drawn["points of the parents"].tolist() == percent
    generations = np.arange(1.0, 41)
    squares = np.vander(generations, 3)  # the slow twin: the normal equations
    weights = np.linalg.solve(squares.T @ squares, squares.T @ np.array(percent))
    np.testing.assert_allclose(drawn["second-order least-squares fit"], squares @ weights)
    differences = lines(below)["points against positional less those against disc-difference"]
    assert differences.tolist() == [one["watch"]["points_difference"] for one in run]
    assert above.get_ylim()[0] < 0 < 100 < above.get_ylim()[1]
    assert below.get_ylim() == (-10.5, 10.5)


def test_several_runs_have_the_polynomial_of_their_mean_and_its_band() -> None:
    runs = [random_log(seed) for seed in (1, 2, 3)]
    above, below = draw_benchmark_points([*runs[:2], [*runs[2], *log([(5, 5)] * 41)[40:]]], "three").axes
    drawn = lines(above)
    percent = np.array([[5 * sum(one["watch"]["points"]) for one in run] for run in runs])
    np.testing.assert_allclose(drawn["points of the parents, mean of 3 runs"], percent.mean(axis=0))
    fits = [np.polyval(np.polyfit(np.arange(1, 41), run, 2), np.arange(1, 41)) for run in percent]
    np.testing.assert_allclose(drawn["second-order least-squares fit"], np.mean(fits, axis=0))
    low, high = map(np.asarray, stats.t.interval(0.95, 2, np.mean(fits, axis=0), stats.sem(fits)))
    (band,) = above.collections
    edges = np.asarray(band.get_paths()[0].vertices)
    for place in (1, 20, 40):
        there = edges[edges[:, 0] == place, 1]
        assert (there.min(), there.max()) == pytest.approx((low[place - 1], high[place - 1]))
    differences = np.mean([[one["watch"]["points_difference"] for one in run] for run in runs], axis=0)
    np.testing.assert_allclose(np.asarray(below.lines[1].get_ydata()), differences)


@pytest.mark.parametrize("generations", [1, 2, 3])
def test_short_runs_can_be_drawn(generations: int, tmp_path: Path) -> None:
    figure = draw_benchmark_points([random_log(1, generations)])
    save_figure(figure, tmp_path / "short.png")  # warnings are errors
    assert ("second-order least-squares fit" in lines(figure.axes[0])) == (generations == 3)


def test_other_numbers_of_watchers_have_no_difference(tmp_path: Path) -> None:
    three = [entry(1, ((4,), (2,), (0,)), watchers=("a", "b", "c"), best_discs=(*DISCS, DISCS[0]))]
    figure = draw_benchmark_points([three])
    assert [lines(axes)["points of the parents"].tolist() for axes in figure.axes] == [
        [pytest.approx(100 / 3)]
    ]
    games = draw_benchmark_games(three[0])
    assert [axes.get_title() for axes in games.axes] == [f"({x}) {x} at depth 4" for x in "abc"]
    save_figure(games, tmp_path / "three.png")
    alone = draw_benchmark_games(entry(1, ((4,),), watchers=("$x^.player",), best_discs=DISCS[:1]))
    assert [axes.get_title() for axes in alone.axes] == ["$x^ at depth 4"]
    save_figure(alone, tmp_path / "alone.png")


def test_a_game_shows_the_discs_of_both(tmp_path: Path) -> None:
    figure = draw_benchmark_games(entry(7, ((4,), (0,))), "mine, generation 7")
    for axes, discs, watcher in zip(figure.axes, DISCS, WATCHERS, strict=True):
        parent, other = axes.lines
        assert np.asarray(parent.get_xydata()).tolist() == [[ply, own] for ply, (own, _) in enumerate(discs)]
        assert np.asarray(other.get_ydata()).tolist() == [its for _, its in discs]
        assert parent.get_linestyle() != other.get_linestyle()
        assert other.get_label() == f"{watcher}: {discs[-1][1]}"
        assert axes.get_ylim() == (0, 64)
    save_figure(figure, tmp_path / "game.png")


@pytest.mark.parametrize("part", ["a", "b"])
def test_a_panel_alone_keeps_its_width_beside_the_paper_s_generations(part: Literal["a", "b"]) -> None:
    runs = [random_log(seed, 1000) for seed in (1, 2, 3)]
    figure = draw_benchmark_points(runs, parts=part, printed={292: (65.0, -5.0), 400: (30.0, 6.0)})
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    (axes,) = figure.axes
    key = axes.get_legend()
    assert key is not None
    assert axes.get_window_extent().width > 0.85 * figure.bbox.width
    assert key.get_window_extent().x1 <= figure.bbox.x1


def test_nothing_overlaps_at_800_pixels() -> None:
    figure = draw_benchmark_points([random_log(seed, 1000) for seed in (1, 2, 3)], "chong-2003: 3 runs")
    figure.set_dpi(100)
    assert figure.bbox.width == 800
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    for axes in figure.axes:
        key = axes.get_legend()
        assert key is not None
        assert key.get_window_extent().y0 >= axes.get_window_extent().y1, "the key is above its panel"
        assert key.get_window_extent().x1 < axes.get_window_extent().x1 - 30, "and leaves room for (a)"
        texts = [*key.get_texts(), axes.xaxis.label, axes.yaxis.label]
        assert min(float(text.get_fontsize()) for text in texts) * 100 / 72 >= 12
    upper, lower = figure.axes
    key = lower.get_legend()
    assert key is not None
    assert key.get_window_extent().y1 < upper.get_window_extent().y0


@pytest.mark.parametrize("run", [[], [{"generation": 1, "games": 9}], [{"games": 0, "score": 0.5}]])
def test_a_run_that_was_not_watched_is_a_clear_error(run: list[dict[str, Any]]) -> None:
    with pytest.raises(
        ValueError, match=r'no generation of this run played benchmark opponents.*--set "watch='
    ):
        draw_benchmark_points([run])


def test_runs_with_other_watchers_have_no_mean() -> None:
    other = [entry(1, ((4,) * 10, (4,) * 10), watchers=("disc-difference", "all-2"))]
    with pytest.raises(ValueError, match="draw each by itself"):
        draw_benchmark_points([log([(5, 5)]), other])
    with pytest.raises(ValueError, match="draw each by itself"):
        draw_benchmark_points([log([(5, 5)]), log([(5, 5)], parents=11)])
