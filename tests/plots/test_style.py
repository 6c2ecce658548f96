"""One look: figures have it, and a dark figure can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.artist import Artist
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from outflank.plots.curves import Curve, draw_curve, explain, set_score_scale
from outflank.plots.learning_curves import draw_learning_curves
from outflank.plots.style import COLOURS, WIDTH, darken, legend_above, legend_below, new_figure, save_figure

LOG = [{"games": 50 * i, "score": 0.2 * i, "ci95": [0.1 * i, 0.3 * i]} for i in range(1, 4)]


def luminance(colour: object) -> float:
    """Relative luminance, WCAG 2."""
    linear = np.power(to_rgb(colour), 2.2)  # type: ignore[arg-type]
    return float(np.array([0.2126, 0.7152, 0.0722]) @ linear)


def contrast(a: object, b: object) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_text_and_curves_stand_out_from_the_background(dark: bool, tmp_path: Path) -> None:
    curves = {f"curve {number}": [LOG] for number in range(len(COLOURS))}
    figure = draw_learning_curves(curves, "standard-heuristic", "a title")
    if dark:
        darken(figure)
    save_figure(figure, tmp_path / "curves.png")  # ticks are made when the figure is drawn
    (axes,) = figure.axes
    background = axes.get_facecolor()
    assert (luminance(background) < 0.05) == dark
    assert background == figure.get_facecolor()
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_text()]
    assert len(texts) > 15
    assert min(contrast(text.get_color(), background) for text in texts) > 7
    assert min(contrast(line.get_color(), background) for line in axes.lines) > 2.4


def test_figures_have_one_width_and_small_texts_can_be_read_at_800_pixels() -> None:
    figure, panels = new_figure(5, rows=2, columns=2)
    assert (figure.get_figwidth(), len(panels)) == (WIDTH, 4)
    panels[0].set(xlabel="$x^", ylabel="y")
    draw_curve(panels[0], Curve.mean_of(np.arange(3.0), np.eye(3)), "$a_{")
    legend = legend_below(figure)
    texts = [panels[0].xaxis.label, panels[0].yaxis.label, *legend.get_texts()]
    assert all(float(text.get_fontsize()) * 100 / 72 >= 13 for text in texts)
    figure.draw_without_rendering()  # a name that is no formula is no error


@pytest.mark.parametrize(("lowest", "highest"), [(0.0, 1.0), (0.3, 0.6), (0.97, 0.9979)])
def test_scores_lie_within_their_scale(lowest: float, highest: float) -> None:
    _, (axes,) = new_figure(3)
    set_score_scale(axes, lowest, highest)
    low, high = axes.get_ylim()
    assert 0 < low <= max(lowest, 0.001) < min(highest, 0.9995) <= high < 1
    assert len(axes.get_yticks()) >= 2


def test_a_curve_has_its_band() -> None:
    _, (axes,) = new_figure(3)
    curve = Curve(*np.array([[1.0, 2.0], [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]))
    line = draw_curve(axes, curve, "mine", number=1, linewidth=3)
    assert (line.get_color(), line.get_linewidth()) == (COLOURS[1], 3)
    edges = np.asarray(axes.collections[0].get_paths()[0].vertices)
    assert (edges[:, 1].min(), edges[:, 1].max()) == (0.1, 0.6)


def within(figure: Figure, artist: Artist) -> bool:
    box = artist.get_window_extent()
    return bool(box.x0 >= 0 and box.x1 <= figure.bbox.x1)


@pytest.mark.parametrize("legend", [legend_below, legend_above])
def test_a_legend_of_long_names_has_fewer_columns_and_is_never_cut(legend: Any) -> None:
    figure, (axes,) = new_figure(4)
    for number in range(5):
        axes.plot([0, 1], [0, number], label=f"curve {number}, " + "whose name says everything about it " * 2)
    drawn = legend(figure if legend is legend_below else axes, columns=3)
    figure.draw_without_rendering()
    assert within(figure, drawn)
    assert figure.axes[0].get_position().width > 0.7  # the panel is not squeezed beside it


def test_long_titles_and_explanations_are_wrapped() -> None:
    figure, (axes,) = new_figure(4, title="a title that goes on and on " * 8)
    explain(axes, "bands and thin lines mean what is said here " * 5)
    figure.draw_without_rendering()
    assert all(within(figure, text) for text in (*figure.texts, *axes.texts))


def test_a_figure_is_the_same_file_again(tmp_path: Path) -> None:
    for name in ("first", "second"):
        figure, (axes,) = new_figure(3)
        axes.fill_between([0, 1], [0, 1], label="a band")
        legend_below(figure)
        save_figure(figure, tmp_path / f"{name}.svg")
    assert (tmp_path / "first.svg").read_bytes() == (tmp_path / "second.svg").read_bytes()
