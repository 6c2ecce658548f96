"""The heat map of a tournament: its numbers are the standings', and it can be read."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from outflank import Standings, Tally
from outflank.games.tournaments.standings import PairResult
from outflank.games.tournaments.tournament import pairs
from outflank.players.names import short_name
from outflank.plots.style import save_figure, shortened
from outflank.plots.tournaments import SCORES, draw_tournament


def standings(names: list[str]) -> Standings:
    """A round robin in which later names are stronger."""
    random = np.random.default_rng(1)
    results = []
    for a, b in pairs(names):
        chance = 1 / (1 + np.exp((names.index(b) - names.index(a)) / 2))
        results.append(
            PairResult(a, b, Tally.of_disc_differences(np.where(random.random(80) < chance, 1, -1)))
        )
    return Standings.of(results)


def long_names(count: int) -> list[str]:
    return [f"folder/WWWWWWWWWWWWWWWWWWWWWWWWWWWWW{i}.player,view=inversion,depth=4" for i in range(count)]


def test_cells_and_error_bars_are_the_standings() -> None:
    of = standings(["a", "b", "c", "d"])
    scores, ratings = draw_tournament(of, "four players").axes
    (mesh,) = (artist for artist in scores.collections if isinstance(artist, QuadMesh))
    drawn = np.ma.masked_array(mesh.get_array(), dtype=np.float64).filled(np.nan)
    np.testing.assert_array_equal(drawn.reshape(4, 4), of.matrix)
    printed = {text.get_position(): float(text.get_text()) for text in scores.texts}
    assert len(printed) == 12
    for (x, y), number in printed.items():
        assert number == pytest.approx(of.matrix[int(y), int(x)], abs=0.0006)
    assert scores.yaxis_inverted()
    assert [label.get_text() for label in scores.get_yticklabels()] == ["d  1", "c  2", "b  3", "a  4"]
    (bars,) = (artist for artist in ratings.collections if isinstance(artist, LineCollection))
    edges = [(segment[0][0], segment[1][0]) for segment in bars.get_segments()]
    np.testing.assert_allclose(edges, [row.rating_ci95 for row in of.rows])


def test_half_of_the_points_is_white_and_both_sides_differ_in_blue() -> None:
    """Orange and purple: the eye's blue channel, which nearly all people have, tells the sides apart."""
    assert min(to_rgb(SCORES.colours(SCORES.norm(0.5)))) > 0.95
    low, high = (to_rgb(SCORES.colours(SCORES.norm(score))) for score in (0.1, 0.9))
    assert high[2] - low[2] > 0.3


@pytest.mark.parametrize("count", [2, 8, 9, 16])
def test_nothing_overlaps_and_numbers_can_be_read_at_800_pixels(count: int, tmp_path: Path) -> None:
    figure = draw_tournament(
        standings(long_names(count)), f"{count} players: 40 double games a pair, epsilon 0"
    )
    save_figure(figure, tmp_path / "heat-map.png")
    assert (tmp_path / "heat-map.png").read_bytes().startswith(b"\x89PNG")
    figure.set_dpi(150)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
    scores = figure.axes[0]
    cell = scores.get_window_extent(renderer).width / count
    boxes = [text.get_window_extent(renderer) for text in scores.texts]
    assert max(box.width for box in boxes) < 0.95 * cell
    labels = [label.get_window_extent(renderer) for label in scores.get_yticklabels()]
    assert min(box.x0 for box in labels) >= 0
    assert all(a.y0 > b.y1 for a, b in pairwise(labels))
    points = min(float(text.get_fontsize()) for text in scores.texts)
    assert points * 150 / 72 * 800 / figure.bbox.width >= 9  # pixels a line of text is high


def test_unmet_pairs_stay_blank() -> None:
    won = Tally(30, 0, 10, (0, 0, 10, 0, 10))
    figure = draw_tournament(Standings.of([PairResult("a", "b", won), PairResult("b", "c", won)]), "partial")
    assert len(figure.axes[0].texts) == 4


@pytest.mark.parametrize(
    "name", ["$x$ and $y^", "名前.player", "a\nb\tc", "_{^", "\ud800.player", "\x07bell"]
)
def test_strange_names_are_drawn_as_they_are(name: str, tmp_path: Path) -> None:
    won = Tally(30, 0, 10, (0, 0, 10, 0, 10))
    figure: Figure = draw_tournament(Standings.of([PairResult(name, "plain", won)]), "strange")
    save_figure(figure, tmp_path / "heat-map.png")  # warnings are errors


def test_names_are_shortened() -> None:
    assert shortened("all-2", 24) == "all-2"
    short = shortened("all-rounder,depth=4,solve=12,book=mine", 24)
    assert len(short) == 24
    assert short.startswith("all-rounder")
    assert short.endswith("mine")
    assert short_name("gtp:/usr/bin/edax -l 10") == "gtp:edax -l 10"
    assert short_name("all-2,view=negation") == "all-2,view=negation"
