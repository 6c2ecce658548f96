"""Curves of games: what is drawn is what was given, and it can be read, in colour and in grey."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from outflank import Game
from outflank.plots.games import (
    BLACK_LEADS,
    ESTIMATED,
    EXACT,
    WHITE_LEADS,
    MarkedMove,
    ScoreCurve,
    draw_disc_differences,
    draw_game,
)
from outflank.plots.style import save_figure
from tests.games.random_games import random_game


def curve_of(game: Game, solved: int = 20) -> ScoreCurve:
    random = Random(1)
    count = len(game.boards)
    scores = [random.uniform(-40, 40) for _ in range(count)]
    movers = [board.settled().mover for board in game.boards[:-1]]
    marked = [
        MarkedMove(n, f"{n}. {m} ??", movers[n - 1]) for n, m in enumerate(game.moves, start=1) if n % 3
    ]
    return ScoreCurve(scores, [at >= count - solved for at in range(count)], marked)


def rendered(figure: Figure) -> FigureCanvasAgg:
    figure.set_dpi(150)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    return canvas


def test_both_panels_show_the_game() -> None:
    game = random_game(Random(2))
    curve = curve_of(game)
    above, below = draw_game(game, curve, "a game").axes
    lines = {str(line.get_label()): np.asarray(line.get_ydata(), dtype=float) for line in above.lines}
    scores, exact = np.array(curve.scores_for_black), np.array(curve.exact)
    np.testing.assert_array_equal(lines["exact"][exact], scores[exact])
    assert np.isnan(lines["exact"][~exact]).all()
    np.testing.assert_array_equal(lines["estimated"][~exact], scores[~exact])
    first = int(np.argmax(exact))
    assert lines["estimated"][first] == scores[first]  # it leads up to the first exact score
    assert np.isnan(lines["estimated"][first + 1 :]).all()
    drawn = [line for line in below.lines if len(line.get_xdata()) == len(game.boards)]  # type: ignore[arg-type]
    assert list(drawn[0].get_ydata()) == list(game.disc_differences)  # type: ignore[arg-type]
    assert above.get_xlim() == below.get_xlim()


def test_mistakes_are_labelled_where_they_happened() -> None:
    game = random_game(Random(2))
    curve = curve_of(game)
    figure = draw_game(game, curve, "a game")
    labels = [text for text in figure.axes[0].texts if isinstance(text, Annotation)]
    assert [label.get_text() for label in labels] == [move.label for move in curve.marked]
    for label, move in zip(labels, curve.marked, strict=True):
        assert label.xy == (move.number, curve.scores_for_black[move.number])
    renderer = rendered(figure).get_renderer()  # type: ignore[no-untyped-call]
    panel = figure.axes[0].get_window_extent(renderer)
    boxes = [label.get_window_extent(renderer) for label in labels]
    assert all(panel.y0 - 1 <= box.y0 and box.y1 <= panel.y1 + 1 for box in boxes)
    of_sides = [
        [box for box, move in zip(boxes, curve.marked, strict=True) if move.mover == colour]
        for colour in ("black", "white")
    ]
    for side in of_sides:
        overlapping = [a for a, b in combinations(side, 2) if a.overlaps(b)]
        assert len(overlapping) <= len(side) // 10  # two moves in a row, after a pass
    height = min(float(text.get_fontsize()) for text in labels) * 150 / 72 * 800 / figure.bbox.width
    assert height >= 9  # pixels, in a picture of 800


def test_no_more_discs_than_there_are() -> None:
    """Labels need room above 64 discs; the axis does not go there."""
    curve = ScoreCurve((0.0, 64.0, 60.0), (True,) * 3, (MarkedMove(2, "2. d6 ??", "white"),))
    figure = draw_game(Game.from_transcript("f5d6"), curve, "a game")
    rendered(figure)
    above = figure.axes[0]
    assert above.get_ylim()[1] > 80
    assert max(above.get_yticks()) <= 64


def test_empty_squares_at_the_end_are_explained() -> None:
    wiped_out = Game.from_transcript("d3c3f5f4f3d2d1e3b3")  # White has no disc left
    assert wiped_out.final.is_over
    scores = (*(0.0,) * 9, 64.0)
    figure = draw_game(wiped_out, ScoreCurve(scores, (True,) * 10), "a game")
    assert "squares stayed empty" in figure.axes[1].texts[0].get_text()


def test_grey_tells_apart_what_colour_does() -> None:
    def grey(colour: str) -> float:
        return float(np.array([0.299, 0.587, 0.114]) @ np.array(to_rgb(colour)))

    assert abs(grey(ESTIMATED) - grey(EXACT)) > 0.3
    assert abs(grey(BLACK_LEADS) - grey(WHITE_LEADS)) > 0.3
    games = [random_game(Random(seed)) for seed in range(12)]
    lines = draw_disc_differences(games, "twelve").axes[0].lines
    for game, line in zip(games, lines, strict=False):
        last = game.disc_differences[-1]
        assert line.get_linestyle() == ("-" if last > 0 else "--" if last < 0 else ":")


@pytest.mark.parametrize("scores", [(np.nan,) * 3, (0.0, 0.0, 0.0), (64.0, -64.0, 0.0)])
@pytest.mark.parametrize("exact", [True, False])
def test_extreme_scores(scores: tuple[float, ...], exact: bool, tmp_path: Path) -> None:
    curve = ScoreCurve(scores, (exact,) * 3, (MarkedMove(1, "1. f5 ?", "black"),))
    figure = draw_game(Game.from_transcript("f5d6"), curve, "$extreme$ _{^")
    save_figure(figure, tmp_path / "g.png")  # warnings are errors
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")


def test_games_over_each_other() -> None:
    games = [random_game(Random(seed)) for seed in range(10)]
    games.append(Game(games[0].moves[:20]))
    axes = draw_disc_differences(games, "eleven games").axes[0]
    for game, line in zip(games, axes.lines, strict=False):
        assert list(line.get_ydata()) == list(game.disc_differences)  # type: ignore[arg-type]
    mean = np.asarray(axes.lines[len(games)].get_ydata(), dtype=float)
    longest = max(len(game.moves) for game in games)
    for at in (0, 10, longest):
        values = [game.disc_differences[min(at, len(game.moves))] for game in games]
        assert mean[at] == pytest.approx(np.mean(values))


@pytest.mark.parametrize("count", [1, 50])
def test_nothing_falls_off_the_page(count: int, tmp_path: Path) -> None:
    figure = draw_disc_differences([random_game(Random(seed)) for seed in range(count)], "many games")
    renderer = rendered(figure).get_renderer()  # type: ignore[no-untyped-call]
    for key in figure.legends:
        box = key.get_window_extent(renderer)
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width
        assert box.y0 >= 0
    save_figure(figure, tmp_path / "games.svg")
